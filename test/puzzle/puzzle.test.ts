import { describe, expect, test } from 'bun:test';
import {
  fillPuzzle,
  PUZZLE_SIZE,
  type Puzzle,
  parsePuzzle,
  readU32,
  toPuzzleBytes,
  writePuzzle,
} from '../../src/puzzle/puzzle.ts';

const puzzle: Puzzle = {
  version: 1,
  challenge: 'blake2b',
  propertyId: new Uint8Array(16).fill(1),
  puzzleId: new Uint8Array(8).fill(2),
  difficulty: 3,
  solutionCount: 4,
  expiresAtSeconds: 0x0a0b0c0d,
  userData: new Uint8Array(16).fill(5),
};

test('every field has its documented offset', () => {
  const bytes = toPuzzleBytes(puzzle);
  expect(bytes).toHaveLength(47);
  expect(bytes[0]).toBe(1);
  expect(bytes.subarray(1, 17)).toEqual(puzzle.propertyId);
  expect(bytes.subarray(17, 25)).toEqual(puzzle.puzzleId);
  expect([...bytes.subarray(25, 31)]).toEqual([3, 4, 0x0d, 0x0c, 0x0b, 0x0a]);
  expect(bytes.subarray(31, 47)).toEqual(puzzle.userData);
});

test('a puzzle is written at the offset, without changes to other bytes', () => {
  const target = new Uint8Array(PUZZLE_SIZE + 4).fill(0xee);
  writePuzzle(puzzle, target, 2);
  expect(target.subarray(2, 2 + PUZZLE_SIZE).toHex()).toBe(toPuzzleBytes(puzzle).toHex());
  expect([target[0], target[1], target.at(-2), target.at(-1)]).toEqual([0xee, 0xee, 0xee, 0xee]);
});

test('random bytes become a puzzle, and keep the puzzle id and the user data', () => {
  for (const version of [1, 2] as const) {
    const { puzzleId, userData } = puzzle;
    const expected = { ...puzzle, version } as Puzzle;
    const bytes = toPuzzleBytes({ ...expected, difficulty: 9, solutionCount: 9, expiresAtSeconds: 9 });
    fillPuzzle(bytes, expected);
    expect(parsePuzzle(bytes)).toEqual({ ...expected, puzzleId, userData });
  }
});

test('random bytes with the id of the test puzzle become a puzzle with another id', () => {
  const bytes = new Uint8Array(PUZZLE_SIZE);
  fillPuzzle(bytes, puzzle);
  expect(parsePuzzle(bytes)?.puzzleId.toHex()).toBe('0100000000000000');
});

test.each(['propertyId', 'puzzleId', 'userData'] as const)('a %s of the wrong size throws', (field) => {
  for (const size of [0, 7, 15, 17]) {
    expect(() => toPuzzleBytes({ ...puzzle, [field]: new Uint8Array(size) })).toThrow(field);
  }
});

describe('parsing rejects a puzzle that', () => {
  const changed = (at: number, value: number) => toPuzzleBytes(puzzle).with(at, value);

  test.each([
    ['is empty', new Uint8Array(0)],
    ['is a byte too short', toPuzzleBytes(puzzle).subarray(0, 46)],
    ['is a byte longer, like wire version 2', Uint8Array.of(...toPuzzleBytes(puzzle), 0)],
    ['has version 0', changed(0, 0)],
    ['has version 2', changed(0, 2)],
    ['requires no solutions', changed(26, 0)],
    ['has an unknown challenge', toPuzzleBytes({ ...puzzle, version: 2 }).with(1, 2)],
    ['has version 2 and the size of version 1', toPuzzleBytes({ ...puzzle, version: 2 }).subarray(0, 47)],
  ])('%s', (_, bytes) => {
    expect(parsePuzzle(bytes)).toBeUndefined();
  });
});

test('32-bit integers are unsigned', () => {
  expect(readU32(Uint8Array.of(0, 0xff, 0xff, 0xff, 0xff), 1)).toBe(0xffffffff);
  expect(readU32(Uint8Array.of(0, 0, 0, 0x80), 0)).toBe(0x80000000);
});
