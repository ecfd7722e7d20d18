import { describe, expect, test } from 'bun:test';
import { argon2id as nobleArgon2id } from '@noble/hashes/argon2.js';
import { blake2b as nobleBlake2b } from '@noble/hashes/blake2.js';
import { SOLUTION_OFFSET, toBlock, toThreshold } from '../../src/puzzle/check.ts';
import { KINDS } from '../../src/puzzle/kinds.ts';
import { readU32, SOLUTION_COUNT, toPuzzleBytes, writeU32 } from '../../src/puzzle/puzzle.ts';
import { createArgon2idHash, createPooledArgon2idHash } from '../../src/server/argon2id/hash.ts';
import { createBlake2b } from '../../src/server/blake2b.ts';

const FIELDS = {
  propertyId: new Uint8Array(16).fill(0x5a),
  puzzleId: new Uint8Array(8).fill(3),
  difficulty: KINDS.argon2id.minDifficulty,
  solutionCount: KINDS.argon2id.solutionCount,
  expiresAtSeconds: 1_800_000_000,
  userData: new Uint8Array(16).fill(9),
};
const argon2idBlock = toBlock(toPuzzleBytes({ ...FIELDS, version: 2, challenge: 'argon2id' }));
const blake2bBlock = toBlock(toPuzzleBytes({ ...FIELDS, version: 1, challenge: 'blake2b' }));

/** Random nonces that are the same in every run: the digests of a counter. */
function withNonce(block: Uint8Array, index: number): Uint8Array {
  const counter = new Uint8Array(4);
  writeU32(counter, 0, index);
  const copy = block.slice();
  copy.set(nobleBlake2b(counter, { dkLen: 8 }), SOLUTION_OFFSET);
  return copy;
}

/** The first four bytes of the argon2id tags of random nonces. */
async function tagsOf(count: number): Promise<readonly number[]> {
  const hash = await createPooledArgon2idHash();
  const tags: number[] = [];
  const lane = async (start: number) => {
    for (let i = start; i < count; i += 4) tags[i] = readU32(await hash(withNonce(argon2idBlock, i)), 0);
  };
  await Promise.all([0, 1, 2, 3].map(lane));
  return tags;
}

const passing = (values: readonly number[], difficulty: number) =>
  values.filter((value) => value <= toThreshold(difficulty)).length;

describe('the passes of random nonces', () => {
  const NONCES = 240;
  /** The nonces as payloads: groups of eight, of which all have to pass. */
  const groupsOf = (values: readonly number[], size: number) =>
    Array.from({ length: Math.floor(values.length / size) }, (_, i) =>
      values.slice(i * size, (i + 1) * size),
    );

  test('with argon2id are one in eight at the minimum difficulty, and no payload passes', async () => {
    const tags = await tagsOf(NONCES);
    // 240 × 1/8 = 30, with a standard deviation of 5.1. The nonces are fixed, so the result is too.
    const passes = passing(tags, KINDS.argon2id.minDifficulty);
    expect(passes).toBeGreaterThan(30 - 4 * 5.1);
    expect(passes).toBeLessThan(30 + 4 * 5.1);
    const payloads = groupsOf(tags, KINDS.argon2id.solutionCount);
    const passingPayloads = (difficulty: number) =>
      payloads.filter((group) => passing(group, difficulty) === group.length).length;
    expect(passingPayloads(KINDS.argon2id.minDifficulty)).toBe(0);
    // At 0, which the server neither issues nor accepts, every payload passes: the count above can fail.
    expect(passing(tags, 0)).toBe(NONCES);
    expect(passingPayloads(0)).toBe(payloads.length);
    expect(passing(tags, 8)).toBeGreaterThan(NONCES / 2 - 4 * 7.7);
    expect(passing(tags, 8)).toBeLessThan(NONCES / 2 + 4 * 7.7);
  });

  test('of a whole payload have a probability of at most 1 in 16 million with argon2id', () => {
    for (let difficulty = KINDS.argon2id.minDifficulty; difficulty <= 255; difficulty++) {
      const one = (toThreshold(difficulty) + 1) / 2 ** 32;
      expect(one ** KINDS.argon2id.solutionCount).toBeLessThanOrEqual(2 ** -24 * (1 + 1e-6));
    }
  });

  test.each([
    [1, 0.25],
    [8, 2 ** -16],
    [12, 2 ** -24],
    [24, 2 ** -48],
  ])(
    'with BLAKE2b of difficulty %i have the documented probability %p for a payload',
    (difficulty, expected) => {
      const hash = createBlake2b();
      const nonces = Array.from({ length: 20_000 }, (_, i) => readU32(hash(withNonce(blake2bBlock, i)), 0));
      const one = (toThreshold(difficulty) + 1) / 2 ** 32;
      expect(one ** SOLUTION_COUNT / expected).toBeCloseTo(1, 5);
      const deviation = Math.sqrt(nonces.length * one * (1 - one));
      expect(Math.abs(passing(nonces, difficulty) - nonces.length * one)).toBeLessThan(4 * deviation);
    },
  );
});

test('the tag equals that of an independent implementation', async () => {
  const expected = nobleArgon2id(argon2idBlock, argon2idBlock.subarray(0, 16), {
    t: 1,
    m: 16_384,
    p: 1,
    version: 0x13,
    dkLen: 32,
  });
  expect((await createArgon2idHash())(argon2idBlock).toHex()).toBe(Buffer.from(expected).toHex());
});
