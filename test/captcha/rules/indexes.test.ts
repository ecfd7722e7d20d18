import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createPatternIndex } from '../../../src/captcha/rules/patternIndex.ts';
import { createBits, type Index, nextBit, setBit } from '../../../src/captcha/rules/ruleSets.ts';
import { createValueIndex } from '../../../src/captcha/rules/valueIndex.ts';
import { runSteps } from '../../../src/lib/pacer.ts';
import { matchesPattern, parsePattern } from '../../../src/model/rules/pattern.ts';

function patternOf(text: string) {
  const parsed = parsePattern(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.problem}`);
  return parsed.value;
}

/** An index of one pattern for each rule. */
function patternIndex(texts: readonly string[], ignoresCase = false): Index<string> {
  const patterns = texts.map((text, rule) => ({ pattern: patternOf(text), rule }));
  return runSteps(createPatternIndex(patterns, { rules: texts.length, ignoresCase }));
}

/** An index of the values of rules. */
function valueIndex(rules: readonly (readonly number[])[]): Index<number> {
  const entries = rules.flatMap((values, rule) => values.map((entry) => ({ entry, rule })));
  return runSteps(createValueIndex(entries, rules.length));
}

function found<Value>(index: Index<Value>, value: Value, rules: number): readonly number[] {
  const bits = createBits(rules);
  index.find(value, bits);
  const indexes: number[] = [];
  for (let at = nextBit(bits, 0); at >= 0; at = nextBit(bits, at + 1)) indexes.push(at);
  return indexes;
}

const rulesWith = <One>(ones: readonly One[], isWanted: (one: One) => boolean) =>
  ones.flatMap((one, rule) => (isWanted(one) ? [rule] : []));

describe('an index of patterns', () => {
  test('finds the patterns that match, as if it compared each of them', () => {
    const letters = ['a', 'b', 'B', 'c', '/', 'é', 'Z', '[', '\u00a0', 'Ā'];
    const textOf = (characters: readonly string[]) =>
      fc.array(fc.constantFrom(...characters), { minLength: 1, maxLength: 10 }).map((all) => all.join(''));
    const pattern = textOf([...letters, '*']).filter((text) => parsePattern(text).ok);
    const text = textOf([...letters, '\u007f', '\u0080']);
    fc.assert(
      fc.property(
        fc.array(pattern, { maxLength: 40 }),
        fc.array(text, { maxLength: 8 }),
        (patterns, asked) => {
          const index = patternIndex(patterns);
          for (const text of ['', ...asked]) {
            const plain = text.replaceAll('*', '');
            const expected = rulesWith(patterns, (each) => matchesPattern(patternOf(each), plain));
            expect(found(index, plain, patterns.length)).toEqual(expected);
          }
        },
      ),
      { seed: 1, numRuns: 200 },
    );
  });

  test('ignores the case of the text only if it should', () => {
    const texts = ['curl*', '*wget', 'bot', '*', '*ab*'];
    expect(found(patternIndex(texts, true), 'CURL/8', 5)).toEqual([0, 3]);
    expect(found(patternIndex(texts, true), 'My WGET', 5)).toEqual([1, 3]);
    expect(found(patternIndex(texts, true), 'Bot', 5)).toEqual([2, 3]);
    expect(found(patternIndex(texts, true), 'XABX', 5)).toEqual([3, 4]);
    expect(found(patternIndex(texts), 'CURL/8', 5)).toEqual([3]);
    expect(found(patternIndex(texts), 'Bot', 5)).toEqual([3]);
    expect(found(patternIndex(texts), 'XABX', 5)).toEqual([3]);
  });

  test('finds every letter in both cases', () => {
    const alphabet = 'abcdefghijklmnopqrstuvwxyz';
    const texts = Array.from({ length: 24 }, (_, at) => `*${alphabet.slice(at, at + 3)}*`);
    const index = patternIndex(texts, true);
    for (let at = 0; at < 24; at++)
      expect(found(index, ` ${alphabet.slice(at, at + 3).toUpperCase()} `, 24)).toEqual([at]);
    expect(found(patternIndex(['*[@`{*']), '[@`{', 1)).toEqual([0]);
  });

  test('finds all rules with the same pattern, and each rule by any of its patterns', () => {
    const patterns = ['x', 'x', '*yyy*', '*yyy*', 'zzz*'].map((text, at) => ({
      pattern: patternOf(text),
      rule: at % 4,
    }));
    const index = runSteps(createPatternIndex(patterns, { rules: 4, ignoresCase: false }));
    expect(['x', 'ayyyb', 'zzz'].map((text) => found(index, text, 4))).toEqual([[0, 1], [2, 3], [0]]);
  });

  test('finds each of 1,500 patterns, although they do not fit into their slots one by one', () => {
    const texts = Array.from({ length: 1500 }, (_, n) => `*client-${n.toString(36).padStart(4, '0')};*`);
    const index = patternIndex(texts);
    for (const n of [0, 1, 35, 36, 999, 1499]) {
      const text = `Mozilla/5.0 (X11; Linux x86_64) client-${n.toString(36).padStart(4, '0')}; client-zzzz;`;
      expect(found(index, text, 1500)).toEqual([n]);
    }
  });

  test('finds patterns that consist of parts of usual user agents', () => {
    const texts = ['*mozilla*', '*chrome/140*', '*safari*like*gecko*'];
    const agent = 'Mozilla/5.0 (X11) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
    expect(found(patternIndex(texts, true), agent, 3)).toEqual([0, 1]);
  });

  test('states a size that grows with the characters and the parts of its patterns', () => {
    const bytesOf = (...texts: string[]) => patternIndex(texts).bytes;
    expect(bytesOf()).toBeGreaterThan(0);
    expect(bytesOf(`*${'x'.repeat(200)}*`) - bytesOf(`*${'x'.repeat(100)}*`)).toBe(100);
    for (const [more, less] of [
      [['abcd*efgh*ijkl'], ['abcd*efghijkl']],
      [['abcd*', 'efgh*'], ['abcd*']],
      [['abcd', 'efgh'], ['abcd']],
      [['abcd'], []],
      [['abcd*'], ['abcd']],
    ] as const)
      expect(bytesOf(...more)).toBeGreaterThan(bytesOf(...less));
    // A set of rules takes more than the pattern alone, whose size does not depend on the text that it equals.
    const different = Array.from({ length: 50 }, (_, n) => `text ${10 + n}`);
    const setBytes = (bytesOf(...different) - bytesOf(...different.map(() => 'text 10'))) / 49;
    expect(setBytes).toBeGreaterThan(64);
    // The patterns under one gram are one list.
    expect(bytesOf('*abc*', '*xyz*')).toBeGreaterThan(bytesOf('*abc*', '*abc*'));
  });
});

test('the members of a set are found in order, from any rule on', () => {
  const bits = createBits(100);
  for (const rule of [0, 4, 33, 64, 99]) setBit(bits, rule);
  const next = (from: number) => nextBit(bits, from);
  expect([0, 1, 5, 31, 32, 34, 65, 99].map(next)).toEqual([0, 4, 33, 33, 33, 64, 99, 99]);
  expect(nextBit(bits, 100)).toBe(-1);
});

describe('an index of values', () => {
  test('finds the rules with a value, as if it compared each of them', () => {
    const values = fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(values, { maxLength: 40 }), (rules) => {
        const index = valueIndex(rules);
        for (let value = 0; value <= 31; value++)
          expect(found(index, value, rules.length)).toEqual(rulesWith(rules, (each) => each.includes(value)));
      }),
      { seed: 1, numRuns: 100 },
    );
  });

  test('finds values of 32 bits', () => {
    const largest = 2 ** 32 - 1;
    const index = valueIndex([[0, largest], [largest - 1], [2 ** 31]]);
    expect([0, largest, largest - 1, 2 ** 31, 1].map((value) => found(index, value, 3))).toEqual([
      [0],
      [0],
      [1],
      [2],
      [],
    ]);
  });

  test('adds to the rules that were found before', () => {
    const bits = createBits(40);
    setBit(bits, 39);
    valueIndex([[5], [6]]).find(5, bits);
    expect([nextBit(bits, 0), nextBit(bits, 1)]).toEqual([0, 39]);
  });

  test('states a size that grows with its values, and stores equal values and equal sets once', () => {
    const bytesOf = (...rules: number[][]) => valueIndex(rules).bytes;
    const many = Array.from({ length: 1000 }, (_, n) => n);
    // Two numbers of 32 bits for each value, and one set.
    expect(bytesOf(many) - bytesOf(many.slice(0, 500))).toBe(500 * 8);
    expect(bytesOf([1, 1, 1])).toBe(bytesOf([1]));
    expect(bytesOf([1], [2])).toBeGreaterThan(bytesOf([1, 2]));
  });
});
