import { expect, test } from 'bun:test';
import { REQUIRED_APIS } from '../../browser/brokenApis/requiredApis.ts';
import { PAGE, SCRIPTS, table, withTable } from './table.ts';
import { LANGUAGE_LEVEL, usedBy } from './used.ts';
import { isKnown, oldestWith, pathOfApi } from './versions.ts';

test.each(Object.entries(SCRIPTS))(`%s has no syntax newer than ES${LANGUAGE_LEVEL}`, (_, textOf) => {
  expect(usedBy(textOf()).length).toBeGreaterThan(5);
});

test.each([
  ['a class field', 'class A { b = 1 }'],
  ['a logical assignment', 'a ??= b'],
  ['a private method', 'class A { #b() {} }'],
])('a script with %s is rejected', (_, script) => {
  expect(() => usedBy(script)).toThrow(/Unexpected|assign/);
});

test.each([
  ['a lookbehind assertion', '/(?<=a)b/.test(c)', 16.4],
  ['a new method', 'a.at(-1)', 15.4],
  ['a new function', 'Object.hasOwn(a, b)', 15.4],
  ['optional chaining', 'a?.b', 13.1],
])('the oldest Safari for %s is known', (_, script, version) => {
  expect(oldestWith(usedBy(script), 'safari')).toBe(version);
});

test('browser-compat-data has every Web API that the widget requires', () => {
  expect(REQUIRED_APIS.filter((api) => !isKnown(pathOfApi(api)))).toEqual([]);
});

// `bun test/widget/browserSupport/table.ts` writes the table.
test('the page about browsers has the versions that the scripts need', async () => {
  const page = await Bun.file(PAGE).text();
  expect(page).toContain(`\n${table()}\n`);
  expect(withTable(page)).toBe(page);
});
