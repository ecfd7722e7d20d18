import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type ChapterId, criteriaOf, WCAG_CHAPTERS } from './catalog.ts';
import { CLAUSES } from './clauses.ts';
import { CRITERIA } from './criteria.ts';
import { EXAMINATIONS, TESTS } from './evidence.ts';
import { combined } from './findings.ts';
import { OPENACR, openAcr, problemsIn } from './openacr.ts';
import { PAGE, withTables } from './page.ts';
import { missingTests, titlesIn } from './titles.ts';

const textOf = (file: string) => Bun.file(join(import.meta.dir, '../..', file)).text();

const FINDINGS = [
  ...Object.values(CRITERIA).flatMap(Object.values),
  ...Object.values(CLAUSES).flatMap(Object.values),
];

describe('the conformance report', () => {
  test('refers to tests that exist and that `npm test` runs', async () => {
    expect(await missingTests()).toEqual([]);
  });

  test('uses all of its evidence', () => {
    const used = new Set(FINDINGS.flatMap(({ tests, examinations }) => [...tests, ...examinations]));
    expect([...used].toSorted()).toEqual(
      [...Object.keys(TESTS), ...Object.keys(EXAMINATIONS)].toSorted() as never,
    );
  });

  test('has a finding for each criterion of level A and AA, and for no other', () => {
    const ids = WCAG_CHAPTERS.flatMap((chapter) => Object.keys(criteriaOf(chapter)));
    expect(ids).toHaveLength(56);
    expect(Object.keys(CRITERIA)).toEqual(ids);
    for (const [chapter, clauses] of Object.entries(CLAUSES))
      expect(Object.keys(clauses)).toEqual(Object.keys(criteriaOf(chapter as ChapterId)));
  });

  test('is the page and the file in docs/reference: run `bun run conformance -- --write`', async () => {
    const page = await textOf(PAGE);
    expect(withTables(page)).toBe(page);
    expect(openAcr()).toBe(await textOf(OPENACR));
  });

  test('is valid according to the schema and the catalog of OpenACR', () => {
    expect(problemsIn(openAcr())).toEqual([]);
  });
});

test('a report with an unknown criterion, or without a required member, is not valid', () => {
  const yaml = openAcr();
  expect(problemsIn(yaml.replace(/num: .*1\.1\.1.*/, 'num: "1.1.0"'))).not.toEqual([]);
  expect(problemsIn(yaml.replace(/^title: .*\n/, ''))).not.toEqual([]);
});

test('titles are those of tests that run, not of comments, groups, or skipped tests', () => {
  const source = `
    // test('a comment', () => {});
    describe('a group', () => {
      test('one', () => {});
      test.each([['test']])('each %s', () => {});
      test.skip('skipped', () => {});
      test.todo('missing');
      run('other', () => {});
    });`;
  expect(titlesIn(source)).toEqual(['one', 'each %s']);
});

test('the level of the product is not better than that of its components', () => {
  expect(combined(['supports', 'not-applicable', 'supports'])).toBe('supports');
  expect(combined(['supports', 'partially-supports', 'not-applicable'])).toBe('partially-supports');
  expect(combined(['supports', 'does-not-support'])).toBe('partially-supports');
  expect(combined(['does-not-support', 'not-applicable'])).toBe('does-not-support');
  expect(combined(['not-applicable', 'not-applicable'])).toBe('not-applicable');
});
