import { describe, expect, test } from 'bun:test';
import { createReplayCache } from '../../src/captcha/replayCache.ts';
import { allocateOwn } from '../../src/lib/sharedMemory.ts';
import { writeU32 } from '../../src/puzzle/puzzle.ts';

const puzzleOf = (low: number, high = 0, expiresAtSeconds = 1000) => {
  const puzzleId = new Uint8Array(8);
  writeU32(puzzleId, 0, low);
  writeU32(puzzleId, 4, high);
  return { puzzleId, expiresAtSeconds };
};
const open = (capacity = 8) => createReplayCache(capacity, allocateOwn);

describe('the replay cache', () => {
  test.each([
    [1, 8],
    [8, 8],
    [9, 16],
    [17, 32],
    [64, 64],
    [65, 128],
  ])('for %i puzzles has room for %i', (capacity, expected) => {
    expect(open(capacity).read().capacity).toBe(expected);
  });

  test('knows the highest count of each puzzle', () => {
    const cache = open();
    const puzzle = puzzleOf(1);
    expect(cache.count(puzzle)).toBe(0);
    for (const count of [2, 5, 3]) cache.store(puzzle, count);
    expect(cache.count(puzzle)).toBe(5);
    cache.store(puzzle, 2 ** 40);
    expect(cache.count(puzzle)).toBe(2 ** 32 - 1);
  });

  test('distinguishes puzzles by both halves of the id, and by the expiration', () => {
    const cache = open();
    const puzzles = [puzzleOf(1, 2, 3), puzzleOf(9, 2, 3), puzzleOf(1, 9, 3), puzzleOf(1, 2, 9)];
    for (const [index, puzzle] of puzzles.entries()) {
      expect(cache.count(puzzle)).toBe(0);
      cache.store(puzzle, index + 1);
    }
    expect(puzzles.map(cache.count)).toEqual([1, 2, 3, 4]);
    expect(cache.read().entries).toBe(4);
  });

  test('counts lookups: a hit if the puzzle was verified often enough', () => {
    const cache = open();
    cache.store(puzzleOf(1), 2);
    expect([1, 2, 3].map((maxCount) => cache.lookUp(puzzleOf(1), maxCount))).toEqual([2, 2, 2]);
    expect(cache.lookUp(puzzleOf(2), 1)).toBe(0);
    expect(cache.read().lookups).toEqual({ hits: 2, misses: 2 });
  });

  test('replaces the puzzle that expires first if its set is full', () => {
    const cache = open();
    const puzzles = [5, 4, 8, 2, 6, 7, 3, 9].map((expiration) => puzzleOf(expiration, 0, expiration));
    for (const puzzle of puzzles) cache.store(puzzle, 7);
    cache.store(puzzleOf(20, 0, 20), 1);
    expect(puzzles.map(cache.count)).toEqual([7, 7, 7, 0, 7, 7, 7, 7]);
    // The new puzzle does not have the count of the one that it replaced.
    expect(cache.count(puzzleOf(20, 0, 20))).toBe(1);
    expect(cache.read().entries).toBe(8);
    cache.store(puzzleOf(21, 0, 21), 1);
    expect(puzzles.map(cache.count)).toEqual([7, 7, 7, 0, 7, 7, 0, 7]);
  });

  test('keeps puzzles of other sets', () => {
    const cache = open(16);
    const even = Array.from({ length: 8 }, (_, index) => puzzleOf(2 * index, 0, 1 + index));
    const odd = Array.from({ length: 9 }, (_, index) => puzzleOf(2 * index + 1, 0, 1 + index));
    for (const puzzle of [...even, ...odd]) cache.store(puzzle, 1);
    expect(even.map(cache.count)).toEqual(even.map(() => 1));
    expect(odd.map(cache.count)).toEqual([0, ...odd.slice(1).map(() => 1)]);
  });
});

test('the cache takes 16 bytes for each puzzle, and a few more', () => {
  const sizes: number[] = [];
  createReplayCache(8192, (bytes) => {
    sizes.push(bytes);
    return allocateOwn(bytes);
  });
  const [size = 0] = sizes;
  expect(sizes).toHaveLength(1);
  expect(size).toBeGreaterThanOrEqual(16 * 8192);
  expect(size).toBeLessThan(17 * 8192);
});

test('the ninth puzzle of a set replaces the one that expires first, and no puzzle of another set', () => {
  const cache = open(32);
  const inSet = (set: number, at: number) => puzzleOf(set + 4 * at, 1, 1000 + at);
  for (let set = 0; set < 4; set++) for (let at = 0; at < 8; at++) cache.store(inSet(set, at), 1);
  expect(cache.read().entries).toBe(32);
  for (let set = 0; set < 3; set++) cache.store(inSet(set, 8), 1);
  for (let set = 0; set < 3; set++)
    expect(Array.from({ length: 9 }, (_, at) => cache.count(inSet(set, at)))).toEqual([
      0, 1, 1, 1, 1, 1, 1, 1, 1,
    ]);
  expect(Array.from({ length: 8 }, (_, at) => cache.count(inSet(3, at)))).toEqual(Array(8).fill(1));
  expect(cache.read().entries).toBe(32);
});

test('a puzzle of a set with space is stored beside a set that is empty', () => {
  const cache = open(16);
  for (let at = 0; at < 9; at++) cache.store(puzzleOf(2 * at, 0, 1000 + at), 1);
  expect(cache.count(puzzleOf(16, 0, 1008))).toBe(1);
  expect(cache.read().entries).toBe(8);
});
