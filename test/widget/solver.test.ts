import { describe, expect, test } from 'bun:test';
import { kernelOf } from '../../build/bundle.ts';
import {
  allMeetThreshold,
  areDistinct,
  BLOCK_SIZE,
  type Hash,
  SOLUTION_OFFSET,
  toBlock,
  toThreshold,
} from '../../src/puzzle/check.ts';
import { readU32, toPuzzleBytes } from '../../src/puzzle/puzzle.ts';
import { SOLUTION_SIZE } from '../../src/puzzle/solution.ts';
import { createSimdSolver } from '../../src/widget/simdSolver.ts';
import { createPlainSolver, createWasmSolver, type Solver } from '../../src/widget/solver.ts';
import { plainBlake2b, selfTestBytes } from './plainBlake2b.ts';

const MAX_U32 = 0xffffffff;
const hash: Hash = (block) => Bun.CryptoHasher.hash('blake2b256', block, new Uint8Array(32)) as Uint8Array;

/** The block of a pseudorandom puzzle, so that failures are reproducible. */
function blockOfSeed(seed: number, difficulty: number): Uint8Array {
  let state = seed + 1;
  const random = (size: number) =>
    Uint8Array.from({ length: size }, () => {
      state = Math.imul(state, 0x2c9277b5) + 0x3c6ef35f;
      return state >>> 24;
    });
  return toBlock(
    toPuzzleBytes({
      version: 1,
      challenge: 'blake2b',
      propertyId: random(16),
      puzzleId: random(8),
      difficulty,
      solutionCount: 16,
      expiresAtSeconds: 1_900_000_000,
      userData: random(16),
    }),
  );
}

/** A puzzle ends in word 5, so the solvers assume that words 6 to 14 are zero. */
function withZeroWords(block: Uint8Array): Uint8Array {
  return block.fill(0, 6 * 8, SOLUTION_OFFSET);
}

function hash32(block: Uint8Array, prefix: number, counter: number): number {
  const copy = block.slice();
  const view = new DataView(copy.buffer);
  view.setUint32(SOLUTION_OFFSET, prefix, true);
  view.setUint32(SOLUTION_OFFSET + 4, counter, true);
  return readU32(hash(copy), 0);
}

test('words 6 to 14 of the block are zero for any puzzle', () => {
  const puzzle = toPuzzleBytes({
    version: 1,
    challenge: 'blake2b',
    propertyId: new Uint8Array(16).fill(255),
    puzzleId: new Uint8Array(8).fill(255),
    difficulty: 255,
    solutionCount: 255,
    expiresAtSeconds: MAX_U32,
    userData: new Uint8Array(16).fill(255),
  });
  const block = toBlock(puzzle);
  expect(withZeroWords(block.slice())).toEqual(block);
});

/** The contract of all solvers. */
function describeSolver(name: string, open: () => Promise<Solver>): void {
  describe(`solver (${name})`, () => {
    test('computes the first four bytes of BLAKE2b-256', async () => {
      const solver = await open();
      for (let seed = 0; seed < 200; seed++) {
        const block = blockOfSeed(seed, 0);
        const prefix = (seed * 0x01030507) >>> 0;
        const counter = (seed * 0x9e3779b1) >>> 0;
        const first32 = hash32(block, prefix, counter);
        solver.load(block);
        expect(solver.searchRange(prefix, counter, 1, first32)).toBe(1);
        expect(first32 === 0 ? 0 : solver.searchRange(prefix, counter, 1, first32 - 1)).toBe(0);
      }
    });

    test('hashes blocks in which all bytes of the puzzle and the solution are set', async () => {
      const solver = await open();
      const block = withZeroWords(Uint8Array.from({ length: BLOCK_SIZE }, (_, i) => 255 - i));
      const first32 = hash32(block, MAX_U32, MAX_U32);
      solver.load(block);
      expect(solver.searchRange(MAX_U32, MAX_U32, 1, first32)).toBe(1);
      expect(solver.searchRange(MAX_U32, MAX_U32, 1, first32 - 1)).toBe(0);
    });

    test('finds the first counter that meets the threshold, and returns the number of attempts', async () => {
      const solver = await open();
      const block = blockOfSeed(7, 60);
      solver.load(block);
      const threshold = toThreshold(60);
      for (let index = 0; index < 4; index++) {
        let attempts = 1;
        while (hash32(block, index, 1000 + attempts - 1) > threshold) attempts++;
        expect(solver.searchRange(index, 1000, 100_000, threshold)).toBe(attempts);
        expect(solver.searchRange(index, 1000, attempts - 1, threshold)).toBe(0);
      }
    });

    test('solves a puzzle that the verifier accepts', async () => {
      const solver = await open();
      const block = blockOfSeed(11, 72);
      solver.load(block);
      const solutions = new Uint8Array(16 * SOLUTION_SIZE);
      const view = new DataView(solutions.buffer);
      for (let index = 0; index < 16; index++) {
        const attempts = solver.searchRange(index, 0, 1_000_000, toThreshold(72));
        expect(attempts).toBeGreaterThan(0);
        view.setUint32(index * SOLUTION_SIZE, index, true);
        view.setUint32(index * SOLUTION_SIZE + 4, attempts - 1, true);
      }
      expect(areDistinct(solutions)).toBe(true);
      expect(allMeetThreshold(solutions, block, toThreshold(72), hash)).toBe(true);
    });

    test('supports the last counter, and thresholds and prefixes above 2^31', async () => {
      const solver = await open();
      const block = blockOfSeed(13, 0);
      solver.load(block);
      expect(solver.searchRange(0xfff00001, MAX_U32 - 9, 10, 0)).toBe(0);
      expect(solver.searchRange(0xfff00001, MAX_U32 - 9, 10, MAX_U32)).toBe(1);
      const first32 = hash32(block, 0xfff00001, MAX_U32);
      expect(solver.searchRange(0xfff00001, MAX_U32, 1, first32)).toBe(1);
    });

    test('does not depend on the previous puzzle', async () => {
      const solver = await open();
      solver.load(blockOfSeed(1, 0));
      solver.searchRange(5, 0, 100, 0);
      const block = blockOfSeed(2, 0);
      solver.load(block);
      const first32 = hash32(block, 5, 77);
      expect(solver.searchRange(5, 77, 1, first32)).toBe(1);
      expect(solver.searchRange(5, 77, 1, first32 - 1)).toBe(0);
    });
  });
}

const SOLVERS: readonly (readonly [string, () => Promise<Solver>])[] = [
  ['WebAssembly with SIMD', createSimdSolver],
  ['WebAssembly', () => createWasmSolver(kernelOf('scalar'))],
  ['JavaScript', async () => createPlainSolver()],
];

for (const [name, open] of SOLVERS) describeSolver(name, open);

describe('all solvers', () => {
  test('find all solutions in ranges of any length, up to the last counter', async () => {
    const solvers = await Promise.all(SOLVERS.map(([, open]) => open()));
    for (let seed = 0; seed < 300; seed++) {
      const block = blockOfSeed(seed, seed % 256);
      // On average, every 3rd, 30th, or 300th hash meets the threshold.
      const threshold = Math.floor(MAX_U32 / (3 * 10 ** (seed % 3)));
      const prefix = Math.imul(seed, 0x85ebca6b) >>> 0;
      const count = seed % 97;
      const start = seed % 2 === 0 ? 2 ** 32 - count : Math.imul(seed, 0xc2b2ae35) >>> 1;
      const expected = Array.from({ length: count }, (_, i) => start + i).filter(
        (counter) => hash32(block, prefix, counter) <= threshold,
      );
      for (const solver of solvers) {
        solver.load(block);
        expect(solutionsIn(solver, prefix, start, count, threshold)).toEqual(expected);
      }
    }
  });

  test('ignore solutions beyond the range, regardless of its length', async () => {
    const block = blockOfSeed(21, 60);
    for (const [, open] of SOLVERS) {
      const solver = await open();
      solver.load(block);
      const threshold = toThreshold(40);
      for (let start = 0; start < 400; start++) {
        for (let count = 0; count < 12; count++) {
          const attempts = solver.searchRange(9, start, count, threshold);
          const expected = SOLUTIONS_OF_21.findIndex((isSolution, i) => isSolution && i >= start) - start + 1;
          expect(attempts).toBe(expected > 0 && expected <= count ? expected : 0);
        }
      }
    }
  });
});

const SOLUTIONS_OF_21 = Array.from(
  { length: 600 },
  (_, counter) => hash32(blockOfSeed(21, 60), 9, counter) <= toThreshold(40),
);

/** All solutions in the range, found by repeated searches. */
function solutionsIn(
  solver: Solver,
  prefix: number,
  start: number,
  count: number,
  threshold: number,
): number[] {
  const found: number[] = [];
  for (let next = start; next < start + count; ) {
    const attempts = solver.searchRange(prefix, next, start + count - next, threshold);
    if (attempts === 0) break;
    next += attempts;
    found.push(next - 1);
  }
  return found;
}

describe('RFC 7693', () => {
  test('appendix A: "abc"', () => {
    expect(plainBlake2b(new TextEncoder().encode('abc'), 64).toHex()).toStartWith(
      'ba80a53f981c4d0d6a2797b69f12f6e9',
    );
  });

  test('appendix E: the implementation that passes the self-test agrees with every solver', async () => {
    const solvers = await Promise.all(SOLVERS.map(([, open]) => open()));
    const hashes: number[] = [];
    for (const size of [20, 32, 48, 64]) {
      for (const length of [0, 3, 128, 129, 255, 1024]) {
        const data = selfTestBytes(length, length);
        hashes.push(...plainBlake2b(data, size), ...plainBlake2b(data, size, selfTestBytes(size, size)));
      }
    }
    expect(plainBlake2b(Uint8Array.from(hashes), 32).toHex()).toBe(
      'c23a7800d98123bd10f506c61e29da5603d763b8bbad2e737f5e765a7bccd475',
    );

    const block = withZeroWords(selfTestBytes(BLOCK_SIZE, BLOCK_SIZE));
    const first32 = readU32(plainBlake2b(block, 32), 0);
    const [prefix, counter] = [readU32(block, SOLUTION_OFFSET), readU32(block, SOLUTION_OFFSET + 4)];
    for (const solver of solvers) {
      solver.load(block);
      expect(solver.searchRange(prefix, counter, 1, first32)).toBe(1);
      expect(solver.searchRange(prefix, counter, 1, first32 - 1)).toBe(0);
    }
  });
});

test('the hash function of these tests is BLAKE2b-256', () => {
  const expected = 'bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319';
  expect(new Bun.CryptoHasher('blake2b256').update('abc').digest('hex')).toBe(expected);
});
