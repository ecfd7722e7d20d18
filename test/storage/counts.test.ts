import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { COUNTS_SIZE } from '../../src/model/statistics.ts';
import { addCounts, bytesOfCounts, noCounts } from '../../src/storage/sqlite/counts.ts';

const counts = fc
  .array(fc.tuple(fc.nat(COUNTS_SIZE - 1), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })))
  .map((pairs) => {
    const all = noCounts();
    for (const [position, count] of pairs) all[position] = count;
    return all;
  });

describe('counts in bytes', () => {
  test('come back as they were', () => {
    fc.assert(
      fc.property(counts, (given) => {
        const read = noCounts();
        addCounts(bytesOfCounts(given), read);
        expect(read).toEqual(given);
      }),
    );
  });

  test('are added to what is there', () => {
    const sum = Float64Array.from(noCounts(), (_, position) => position);
    addCounts(bytesOfCounts(Float64Array.from(noCounts()).fill(2, 0, 3)), sum);
    expect(Array.from(sum.slice(0, 5))).toEqual([2, 3, 4, 3, 4]);
  });

  test('of nothing are none, and of a quiet hour few', () => {
    expect(bytesOfCounts(noCounts())).toHaveLength(0);
    const hour = noCounts();
    for (const [position, count] of [
      [0, 12],
      [1, 9],
      [3, 9],
      [60, 4],
      [63, 5],
    ] as const)
      hour[position] = count;
    expect(bytesOfCounts(hour)).toHaveLength(10);
  });

  // The format is on disks: these bytes must mean this for ever.
  test('are pairs of LEB128: how far on, and how many', () => {
    const given = noCounts();
    given[0] = 1;
    given[3] = 300;
    expect(bytesOfCounts(given).toHex()).toBe('010103ac02');
  });

  test.each([
    ['that end within a number', '0180'],
    ['that end before a count', '01'],
    ['of a position that there is not', 'ff0101'],
  ])('%s are refused', (_, hex) => {
    expect(() => addCounts(Uint8Array.fromHex(hex), noCounts())).toThrow(RangeError);
  });
});
