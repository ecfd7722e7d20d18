import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { addCounts, COUNTS_SIZE } from '../../src/model/statistics.ts';
import { decodeCounts, encodeCounts } from '../../src/storage/statisticsRows.ts';

const noCounts = () => new Float64Array(COUNTS_SIZE);

const counts = fc
  .array(fc.tuple(fc.nat(COUNTS_SIZE - 1), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })))
  .map((pairs) => {
    const all = noCounts();
    for (const [position, count] of pairs) all[position] = count;
    return all;
  });

describe('encoded counts', () => {
  test('decode to the same counts', () => {
    fc.assert(
      fc.property(counts, (given) => {
        expect(decodeCounts(encodeCounts(given))).toEqual(given);
      }),
    );
  });

  test('are empty without counts, and short for a quiet hour', () => {
    expect(encodeCounts(noCounts())).toHaveLength(0);
    const hour = noCounts();
    for (const [position, count] of [
      [0, 12],
      [1, 9],
      [3, 9],
      [60, 4],
      [63, 5],
    ] as const)
      hour[position] = count;
    expect(encodeCounts(hour)).toHaveLength(10);
  });

  // Databases contain this format, so these bytes must never change their meaning.
  test('are pairs of LEB128 numbers: a distance and a count', () => {
    const given = noCounts();
    given[0] = 1;
    given[3] = 300;
    expect(encodeCounts(given).toHex()).toBe('010103ac02');
  });

  test.each([
    ['within a number', '0180'],
    ['before a count', '01'],
    ['after an unknown position', 'ff0101'],
    // Numbers that no counter reaches became Infinity or NaN, and the numbers after them were lost.
    ['after a number of more than 53 bits', '01ffffffffffffff7f'],
    ['after a number of a thousand bits', `01${'80'.repeat(150)}01`],
  ])('are rejected if they end %s', (_, hex) => {
    expect(() => decodeCounts(Uint8Array.fromHex(hex))).toThrow(RangeError);
  });
});

test('counts are added position by position', () => {
  const sum = Float64Array.from(noCounts(), (_, position) => position);
  addCounts(sum, decodeCounts(encodeCounts(noCounts().fill(2, 0, 3))));
  expect(Array.from(sum.slice(0, 5))).toEqual([2, 3, 4, 3, 4]);
});
