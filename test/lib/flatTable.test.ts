import { describe, expect, test } from 'bun:test';
import { array, assert, constantFrom, integer, oneof, property } from 'fast-check';
import { cellsFor, createFlatTable } from '../../src/lib/flatTable.ts';

const MAX_KEY = 2 ** 53 - 1;

/** A table with two columns: the rank, and a value. */
function openTable(capacity: number) {
  const cells = new Float64Array(cellsFor(capacity, 2));
  const table = createFlatTable({ cells, columns: 2, rankOf: (row) => cells[row] as number });
  return {
    ...table,
    read(key: number): number | undefined {
      const row = table.peek(key);
      return row < 0 ? undefined : cells[row + 1];
    },
    write(key: number, rank: number, value: number): void {
      const row = table.row(key);
      cells[row] = rank;
      cells[row + 1] = value;
    },
  };
}

describe('a flat table', () => {
  test('distinguishes all keys from 0 to 2^53 - 1', () => {
    const table = openTable(1024);
    const keys = [0, 1, 2, 2 ** 31, 2 ** 32, 2 ** 52, MAX_KEY - 1, MAX_KEY];
    for (const key of keys) expect(table.peek(key)).toBe(-1);
    for (const [index, key] of keys.entries()) table.write(key, 1, index + 1);
    expect(keys.map(table.read)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(table.entries()).toBe(8);
  });

  test.each([
    [1, 8],
    [8, 8],
    [9, 16],
    [100_000, 131_072],
  ])('with a capacity of %d contains at least as many keys: %d', (capacity, rounded) => {
    const table = openTable(capacity);
    expect(table.capacity).toBe(rounded);
    for (let key = 0; key < rounded; key++) table.write(key, 1, key);
    expect(table.entries()).toBe(rounded);
    for (let key = 0; key < rounded; key++) expect(table.read(key)).toBe(key);
    table.row(rounded);
    expect(table.entries()).toBe(rounded);
  });

  test('replaces the key with the lowest rank in a full set, and clears its row', () => {
    const table = openTable(8);
    for (let key = 0; key < 8; key++) table.write(key, key === 5 ? 1 : 10 + key, 7);
    expect(table.row(8)).toBe(table.peek(8));
    expect(table.read(8)).toBe(0);
    expect(table.read(5)).toBeUndefined();
    for (const key of [0, 1, 2, 3, 4, 6, 7]) expect(table.read(key)).toBe(7);
  });

  test('behaves like a list of the eight keys of each set', () => {
    const key = oneof(integer({ min: 0, max: 40 }), constantFrom(2 ** 32, 2 ** 40 + 3, MAX_KEY));
    void assert(
      property(array(key, { maxLength: 300 }), (keys) => {
        const table = openTable(16);
        const sets: { key: number; rank: number }[][] = [[], []];
        for (const [rank, key] of keys.entries()) {
          table.write(key, rank + 1, rank);
          const set = sets[key % 2] ?? [];
          const known = set.find((entry) => entry.key === key);
          if (known === undefined && set.length === 8) {
            const lowest = Math.min(...set.map((entry) => entry.rank));
            set.splice(
              set.findIndex((entry) => entry.rank === lowest),
              1,
            );
          }
          if (known === undefined) set.push({ key, rank: rank + 1 });
          else known.rank = rank + 1;
        }
        for (const { key, rank } of sets.flat()) expect(table.read(key)).toBe(rank - 1);
        expect(table.entries()).toBe(sets.flat().length);
        for (const key of keys) {
          const isKept = sets.flat().some((entry) => entry.key === key);
          expect(table.peek(key) >= 0).toBe(isKept);
        }
      }),
    );
  });
});
