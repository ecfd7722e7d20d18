import { describe, expect, test } from 'bun:test';
import { blake2b } from '@noble/hashes/blake2.js';
import { allMeetThreshold, BLOCK_SIZE, SOLUTION_OFFSET } from '../../src/puzzle/check.ts';
import { readU32 } from '../../src/puzzle/puzzle.ts';
import { SOLUTION_SIZE } from '../../src/puzzle/solution.ts';
import { createBlake2b, createBlake2bCheck } from '../../src/server/blake2b.ts';

const MAX_U32 = 0xffffffff;
const COUNTS = [...Array.from({ length: 21 }, (_, count) => count), 64, 253, 254, 255];

const hash = createBlake2b();
const check = createBlake2bCheck();

/** Pseudorandom bytes, so that failures are reproducible. */
function bytesOfSeed(seed: number, size: number): Uint8Array {
  let state = seed + 1;
  return Uint8Array.from({ length: size }, () => {
    state = Math.imul(state, 0x2c9277b5) + 0x3c6ef35f;
    return state >>> 24;
  });
}

/** A block and solutions in which every byte is random. */
function caseOf(seed: number, count: number) {
  const block = bytesOfSeed(2 * seed, BLOCK_SIZE);
  const solutions = bytesOfSeed(2 * seed + 1, count * SOLUTION_SIZE);
  return { block, solutions, hashes: hashesOf(solutions, block) };
}

/** The first four bytes of the hashes. */
function hashesOf(solutions: Uint8Array, block: Uint8Array): readonly number[] {
  const copy = block.slice();
  return Array.from({ length: solutions.length / SOLUTION_SIZE }, (_, i) => {
    copy.set(solutions.subarray(i * SOLUTION_SIZE, (i + 1) * SOLUTION_SIZE), SOLUTION_OFFSET);
    return readU32(hash(copy), 0);
  });
}

/** @returns a copy in which the solution at the index is the one with the highest hash */
function withHighestAt(index: number, solutions: Uint8Array, hashes: readonly number[]): Uint8Array {
  const highest = hashes.indexOf(Math.max(...hashes));
  const copy = solutions.slice();
  const at = (i: number) => solutions.subarray(i * SOLUTION_SIZE, (i + 1) * SOLUTION_SIZE);
  copy.set(at(index), highest * SOLUTION_SIZE);
  copy.set(at(highest), index * SOLUTION_SIZE);
  return copy;
}

describe('the check of BLAKE2b solutions', () => {
  test.each(COUNTS.filter((count) => count > 0))(
    'accepts %i solutions at the threshold, and rejects one above it at any index',
    (count) => {
      for (let seed = 0; seed < 10; seed++) {
        const { block, solutions, hashes } = caseOf(1000 * seed + count, count);
        const highest = Math.max(...hashes);
        expect(check(solutions, block, highest)).toBe(true);
        for (let index = 0; index < count; index++) {
          const reordered = withHighestAt(index, solutions, hashes);
          expect(check(reordered, block, highest)).toBe(true);
          expect(check(reordered, block, highest - 1)).toBe(false);
        }
      }
    },
  );

  test('has the same verdicts as native hashes for any block, number of solutions, and threshold', () => {
    const verdicts = { accepted: 0, rejected: 0 };
    for (let seed = 0; seed < 4000; seed++) {
      const count = COUNTS[seed % COUNTS.length] as number;
      const { block, solutions, hashes } = caseOf(seed, count);
      const random = readU32(bytesOfSeed(seed ^ 0x5a5a, 4), 0);
      for (const threshold of [
        0,
        1,
        0x7fffffff,
        0x80000000,
        MAX_U32 - 1,
        MAX_U32,
        random,
        ...hashes.slice(0, 4),
      ]) {
        const isValid = allMeetThreshold(solutions, block.slice(), threshold, hash);
        expect(check(solutions, block, threshold)).toBe(isValid);
        verdicts[isValid ? 'accepted' : 'rejected']++;
      }
    }
    expect(verdicts.accepted).toBeGreaterThan(5000);
    expect(verdicts.rejected).toBeGreaterThan(5000);
  });

  test('agrees with another implementation of RFC 7693 for blocks of equal bytes', () => {
    for (const byte of [0, 1, 127, 128, 255]) {
      const block = new Uint8Array(BLOCK_SIZE).fill(byte);
      const expected = readU32(blake2b(block, { dkLen: 32 }), 0);
      const solutions = block.slice(SOLUTION_OFFSET);
      expect(check(solutions, block, expected)).toBe(true);
      expect(check(solutions, block, expected - 1)).toBe(false);
    }
  });

  test('does not depend on the previous puzzle', () => {
    const many = caseOf(1, 255);
    const few = caseOf(2, 3);
    expect(check(many.solutions, many.block, 0)).toBe(false);
    expect(check(few.solutions, few.block, Math.max(...few.hashes))).toBe(true);
    expect(check(many.solutions, many.block, Math.max(...many.hashes))).toBe(true);
    expect(check(few.solutions, few.block, Math.max(...few.hashes) - 1)).toBe(false);
  });

  test('has the same verdicts where WebAssembly has no SIMD', () => {
    const { block, solutions, hashes } = caseOf(5, 16);
    const highest = Math.max(...hashes);
    const program = `
      import { createBlake2bCheck } from './src/server/blake2b.ts';
      const check = createBlake2bCheck();
      const solutions = Uint8Array.fromHex('${solutions.toHex()}');
      const block = Uint8Array.fromHex('${block.toHex()}');
      console.log(check(solutions, block, ${highest}), check(solutions, block, ${highest - 1}));`;
    const { stdout, stderr } = Bun.spawnSync([process.execPath, '-e', program], {
      cwd: `${import.meta.dir}/../..`,
      env: { ...process.env, BUN_JSC_useWasmSIMD: '0' },
    });
    expect(stderr.toString()).toBe('');
    expect(stdout.toString()).toBe('true false\n');
  });
});
