import { beforeAll, describe, expect, test } from 'bun:test';
import { blake2b } from '@noble/hashes/blake2.js';
import { toBase64 } from '../../../src/lib/bytes.ts';
import { toBlock, toThreshold } from '../../../src/puzzle/check.ts';
import {
  checkHashwxIndexes,
  checkHashwxSolutions,
  HASHWX_NONCES,
  type Hashwx,
  searchHashwxSolution,
} from '../../../src/puzzle/hashwx.ts';
import { KINDS } from '../../../src/puzzle/kinds.ts';
import { parsePuzzle, toPuzzleBytes } from '../../../src/puzzle/puzzle.ts';
import { parsePayload } from '../../../src/puzzle/solution.ts';
import { createBlake2b } from '../../../src/server/blake2b.ts';
import { createHashwxCheck } from '../../../src/server/hashwx.ts';
import { solveNatively } from '../../../src/server/nativeSolver.ts';
import { createReference } from './reference.ts';

const puzzleBytes = toPuzzleBytes({
  version: 3,
  challenge: 'hashwx',
  propertyId: new Uint8Array(16).fill(0x5a),
  puzzleId: new Uint8Array(8).fill(3),
  difficulty: KINDS.hashwx.minDifficulty,
  solutionCount: KINDS.hashwx.solutionCount,
  expiresAtSeconds: 1_800_000_000,
  userData: new Uint8Array(16).fill(9),
});
const threshold = toThreshold(KINDS.hashwx.minDifficulty);
const puzzleText = `${toBase64(puzzleBytes)}.${toBase64(Uint8Array.of(1))}`;

let solutions: Uint8Array;

beforeAll(async () => {
  const solved = await solveNatively(puzzleText);
  solutions = parsePayload(solved?.payload ?? '')?.solutions ?? new Uint8Array();
});

/** The upper half of the hash of a solution, with the reference and another BLAKE2b. */
function hashOf(solution: Uint8Array): number {
  const block = toBlock(puzzleBytes);
  const view = new DataView(solution.buffer, solution.byteOffset, 8);
  block.set(solution, 120);
  block.fill(0, 122, 124);
  const seed = blake2b(block, { dkLen: 32 });
  return Number(createReference(seed)(BigInt(view.getUint16(2, true))) >> 32n);
}

const solutionAt = (index: number) => solutions.slice(8 * index, 8 * index + 8);

function changed(at: number, value: number): Uint8Array {
  const copy = solutions.slice();
  copy[at] = value;
  return copy;
}

describe('the solutions of a HashWX puzzle', () => {
  test('that the native solver finds meet the threshold, according to the reference', () => {
    expect(solutions.length).toBe(64);
    for (let index = 0; index < KINDS.hashwx.solutionCount; index++)
      expect(hashOf(solutionAt(index))).toBeLessThanOrEqual(threshold);
  });

  test('are accepted in any order, at exactly the threshold, and not above it', async () => {
    const check = await createHashwxCheck()();
    const hashes = Array.from({ length: KINDS.hashwx.solutionCount }, (_, i) => hashOf(solutionAt(i)));
    const reversed = Uint8Array.from(
      hashes
        .keys()
        .toArray()
        .reverse()
        .flatMap((i) => [...solutionAt(i)]),
    );
    const highest = Math.max(...hashes);
    expect(checkHashwxIndexes(reversed)).toBe('valid');
    for (const order of [solutions, reversed]) {
      expect(check(order, toBlock(puzzleBytes), highest)).toBe(true);
      expect(check(order, toBlock(puzzleBytes), highest - 1)).toBe(false);
    }
  });

  // Compiling the kernel at the first verification blocked a thread for 2 to 5 ms.
  test('are checked with a kernel that no thread of requests compiles', async () => {
    const { Module } = WebAssembly;
    const open = createHashwxCheck();
    WebAssembly.Module = (() => {
      throw new Error('compiled on this thread');
    }) as never;
    try {
      const opening = open();
      expect(opening).toBeInstanceOf(Promise);
      expect((await opening)(solutions, toBlock(puzzleBytes), threshold)).toBe(true);
      expect(open()).toBe(await opening);
    } finally {
      WebAssembly.Module = Module;
    }
  });

  test('depend on every bit of the nonce, the block, and the index', () => {
    const original = hashOf(solutionAt(0));
    for (const bit of [0, 8, ...Array.from({ length: 48 }, (_, i) => 16 + i)]) {
      const solution = solutionAt(0);
      solution[bit >> 3] = (solution[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(hashOf(solution)).not.toBe(original);
    }
  });

  test.each([
    ['as the solver returns them', 0, 0, 'valid'],
    ['with an index that is too high', 8, 8, 'malformed'],
    ['with the index 255', 56, 255, 'malformed'],
    ['with a byte 1 that is not 0', 1, 1, 'malformed'],
    ['with another byte 1', 57, 128, 'malformed'],
    ['with the same index twice', 8, 0, 'duplicates'],
    ['with the same index at the end', 56, 6, 'duplicates'],
  ] as const)('%s', (_, at, value, expected) => {
    expect(checkHashwxIndexes(changed(at, value))).toBe(expected);
  });

  test('with both mistakes are malformed', () => {
    const both = changed(8, 0);
    both[57] = 1;
    expect(checkHashwxIndexes(both)).toBe('malformed');
  });
});

/** Counts the programs, and returns one hash after another. */
function createFake(hashes: readonly number[]) {
  const calls = { generated: 0, hashed: 0 };
  const hashwx: Hashwx = {
    generate: () => void calls.generated++,
    hash: () => hashes[calls.hashed++] ?? 0,
  };
  return { calls, hashwx };
}

test('the check stops at the first wrong solution', () => {
  for (let wrong = 0; wrong < KINDS.hashwx.solutionCount; wrong++) {
    const { calls, hashwx } = createFake([...Array<number>(wrong).fill(threshold), threshold + 1]);
    const check = () =>
      checkHashwxSolutions(solutions, toBlock(puzzleBytes), threshold, createBlake2b(), hashwx);
    expect(check()).toBe(false);
    expect(calls).toEqual({ generated: wrong + 1, hashed: wrong + 1 });
  }
});

test('after 65,536 nonces, the search continues with the programs of the next block', () => {
  const { calls, hashwx } = createFake([...Array<number>(HASHWX_NONCES + 258).fill(2), 1]);
  const found = searchHashwxSolution(toBlock(puzzleBytes), 5, 1, createBlake2b(), hashwx);
  expect(calls.generated).toBe(2);
  expect(found).toEqual({
    solution: Uint8Array.of(5, 0, 2, 1, 1, 0, 0, 0),
    attempts: HASHWX_NONCES + 259,
  });
});

test('a HashWX puzzle has version 3, and no other challenge has', () => {
  expect(parsePuzzle(puzzleBytes)).toMatchObject({ version: 3, challenge: 'hashwx' });
  const withKind = (version: number, challenge: number) =>
    parsePuzzle(Uint8Array.of(version, challenge, ...puzzleBytes.subarray(2)));
  const known = [];
  for (let version = 0; version < 256; version++)
    for (let challenge = 0; challenge < 256; challenge++)
      if (withKind(version, challenge) !== undefined) known.push([version, challenge]);
  expect(known).toEqual([
    [2, 0],
    [2, 1],
    [3, 2],
  ]);
  expect(parsePuzzle(puzzleBytes.subarray(0, 47))).toBeUndefined();
});
