import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { examine, type Result } from './examine.ts';
import { createLane } from './lane.ts';
import { createMirror } from './mirror/mirror.ts';
import { textsOf } from './mutate.ts';
import { REASONS, staleReasons } from './reasons.ts';
import { readResults } from './results.ts';
import { toSchema } from './schema/schema.ts';

const ROOT = join(import.meta.dir, '../../..');

/** The texts of the mutants of a line of code, without the name of the function. */
function mutantsOf(code: string): readonly string[] {
  const { mutants } = toSchema(code, 'code.ts', 0);
  return mutants.map(({ text }) => text.slice(text.indexOf(': ') + 2));
}

describe('the mutants of', () => {
  test.each([
    ['a comparison', 'x = a < b', ['x = a < b → nothing', 'a < b → true', 'a < b → false', 'a < b → a <= b']],
    ['an equality', 'const x = a === b', ['a === b → true', 'a === b → false']],
    ['a condition', 'if (a) b = c', ['a → true', 'a → false', 'b = c → nothing']],
    ['a loop', 'while (a) b()', ['a → false', 'b() → nothing']],
    [
      'a chain',
      'const x = a && b && c',
      ['a && b && c → false', 'a && b && c → b && c', 'a && b && c → a && c', 'a && b && c → a && b'],
    ],
    ['a default', 'const x = a ?? b', ['a ?? b → b', 'a ?? b → a']],
    ['arithmetic', 'const x = a + b * c', ['a + b * c → a - b * c', 'b * c → b / c']],
    [
      'shifts',
      'const x = [a << b, a >>> 0]',
      ['[a << b, a >>> 0] → []', 'a << b → a >> b', 'a >>> 0 → a >> 0'],
    ],
    [
      'literals',
      "const x = { a: true, b: 'c', d: `e`, g: '' }",
      ['true → false', "'c' → ''", "`e` → ''", "'' → 'mutant'"],
    ],
    ['optional chaining', 'const x = a?.b?.c()', ['a?.b?.c() → a?.b.c()', 'a?.b?.c() → a.b?.c()']],
    ['updates', 'const x = [a++, -b]', ['[a++, -b] → []', 'a++ → a--', '-b → b']],
    ['methods', 'const x = a.some(b)', ['some → every']],
    ['patterns', 'const x = /^a$/', ['/^a$/ → /a$/', '/^a$/ → /^a/']],
    ['types', "type X = 'a' | true; import b from 'c'", []],
    ['messages', "log.info('a'); throw new RangeError('b'); const x = 'text for people'", []],
  ])('%s', (_, code, expected) => {
    expect(mutantsOf(code)).toEqual(expected);
  });

  test('equal texts in one function are numbered', () => {
    const texts = toSchema('function f() { return [a > b, a > b]; }', 'code.ts', 0).mutants.map(
      ({ text }) => text,
    );
    expect(texts).toContain('f: a > b → true (2)');
    expect(new Set(texts).size).toBe(texts.length);
  });
});

test('mutants leave each line of a file in its place', () => {
  const text = readFileSync(join(ROOT, 'src/puzzle/puzzle.ts'), 'utf8');
  const { code, mutants } = toSchema(text, 'puzzle.ts', 0);
  expect(mutants.length).toBeGreaterThan(50);
  expect(code.split('\n').length).toBe(text.split('\n').length);
  for (const [at, { line }] of mutants.entries()) {
    expect(code.split('\n')[line - 1]).toContain(`$m(${at})`);
  }
});

/** The results of the mutants of a file that the tests of another file must kill, by their texts. */
async function resultsOf(
  file: string,
  tests: string,
  isChosen: (at: number) => boolean,
): Promise<Readonly<Record<string, Result>>> {
  const { code, mutants } = toSchema(readFileSync(join(ROOT, file), 'utf8'), file, 0);
  const mirror = createMirror(ROOT, new Map([[file, code]]), mutants.length);
  try {
    const chosen = [...mutants.keys()].filter(isChosen);
    const output: string[] = [];
    const lanes = [createLane(mirror, (text) => output.push(text))];
    const results = await examine({
      lanes,
      files: [tests],
      mutants: chosen,
      report: (text) => output.push(text),
    });
    if ([...results.values()].every((result) => result === 'unreached')) throw new Error(output.join('\n'));
    return Object.fromEntries([...results].map(([mutant, result]) => [mutants[mutant]?.text, result]));
  } finally {
    mirror.remove();
  }
}

test('the runner finds the mutants that the tests of a sample miss', async () => {
  const folder = 'test/proof/mutation/fixture';
  const results = await resultsOf(`${folder}/sample.ts`, `${folder}/checks.ts`, () => true);
  expect(results).toEqual({
    'LIMIT: max → min': 'survived',
    'isBelow: value < LIMIT → true': 'killed',
    'isBelow: value < LIMIT → false': 'killed',
    'isBelow: value < LIMIT → value <= LIMIT': 'survived',
    'sumTo: at <= last → false': 'killed',
    'sumTo: at <= last → at < last': 'killed',
    'sumTo: at++ → at--': 'killed',
    'sumTo: sum += at → nothing': 'killed',
    'sumTo: sum += at → sum -= at': 'killed',
    'isUntested: value === 1 → true': 'unreached',
    'isUntested: value === 1 → false': 'unreached',
  });
});

test('the runner stops if a test file has no result, because its mutants would count as survivors', async () => {
  const folder = 'test/proof/mutation/fixture';
  await expect(resultsOf(`${folder}/sample.ts`, `${folder}/missing.ts`, () => true)).rejects.toThrow(
    `no result of ${folder}/missing.ts`,
  );
});

test('the tests kill mutants of the checks of solutions', async () => {
  const results = await resultsOf('src/puzzle/check.ts', 'test/puzzle/work.test.ts', (at) => at % 6 === 0);
  expect(Object.keys(results).length).toBeGreaterThan(4);
  expect(Object.entries(results).filter(([, result]) => result !== 'killed')).toEqual([]);
});

describe('the reasons of survivors', () => {
  test('name mutants that exist', () => {
    expect(staleReasons(REASONS, (file) => textsOf(`src/${file}`))).toEqual([]);
  });

  test('exist for every survivor of the recorded results that is still a mutant', () => {
    const unexplained = Object.entries(readResults()).flatMap(([file, { survived, unreached }]) => {
      const texts = existsSync(join(ROOT, file)) ? textsOf(file) : new Set<string>();
      const explained = REASONS.filter((entry) => `src/${entry.file}` === file).flatMap(
        ({ mutants }) => mutants,
      );
      return [...survived, ...unreached]
        .filter((text) => texts.has(text) && !explained.includes(text))
        .map((text) => `${file}: ${text}`);
    });
    expect(unexplained).toEqual([]);
  });

  test('are stale if the mutant no longer exists', () => {
    const reasons = [{ file: 'puzzle/check.ts', mutants: ['gone: a → b'], reason: 'None.' }];
    expect(staleReasons(reasons, (file) => textsOf(`src/${file}`))).toEqual(['puzzle/check.ts: gone: a → b']);
  });
});
