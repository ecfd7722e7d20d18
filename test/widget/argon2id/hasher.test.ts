import { describe, expect, test } from 'bun:test';
import { argon2id } from '@noble/hashes/argon2.js';
import { type Algorithm, hashRawSync, type Version } from '@node-rs/argon2';
import { kernelOf } from '../../../build/bundle.ts';
import { readU32 } from '../../../src/puzzle/puzzle.ts';
import { type Hasher, openHasher, STEPS } from '../../../src/widget/argon2id/hasherThread.ts';

const SIMD = kernelOf('argon2idSimd');
const SCALAR = kernelOf('argon2idScalar');
// `const enum` of the package.
const ARGON2ID = 2 as Algorithm.Argon2id;
const VERSION_13 = 1 as Version.V0x13;

function nativeHash(password: Uint8Array): number {
  const parameters = { memoryCost: 16_384, timeCost: 1, parallelism: 1, outputLen: 32 };
  const salt = password.subarray(0, 16);
  return readU32(hashRawSync(password, { ...parameters, salt, algorithm: ARGON2ID, version: VERSION_13 }), 0);
}

function kernelHash(hasher: Hasher, prefix: number, counter: number): number {
  hasher.start(prefix, counter);
  for (let step = 0; step < STEPS; step++) hasher.fill(step);
  return hasher.finish();
}

/** Pseudorandom, so that failures are reproducible. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 0x2c9277b5) + 0x3c6ef35f) >>> 0;
    return state;
  };
}

function passwordOf(block: Uint8Array, prefix: number, counter: number): Uint8Array {
  const password = block.slice();
  const view = new DataView(password.buffer);
  view.setUint32(120, prefix, true);
  view.setUint32(124, counter, true);
  return password;
}

describe.each([
  ['simd', SIMD],
  ['scalar', SCALAR],
])('the kernel (%s)', (_, kernel) => {
  test('returns the same hashes as the native implementation', async () => {
    const random = createRandom(7);
    const hasher = await openHasher([kernel]);
    for (let puzzle = 0; puzzle < 4; puzzle++) {
      // Any block, not only that of a puzzle.
      const block = Uint8Array.from({ length: 128 }, () => random() >>> 24);
      hasher.load(block);
      for (let attempt = 0; attempt < 4; attempt++) {
        const [prefix, counter] = [random(), random()];
        const expected = nativeHash(passwordOf(block, prefix, counter));
        expect(kernelHash(hasher, prefix, counter)).toBe(expected);
      }
    }
  }, 120_000);

  test.each([
    [0, 0],
    [0xffffffff, 0xffffffff],
    [0, 0x80000000],
  ])('accepts the extreme values %p and %p of a solution', async (prefix, counter) => {
    const hasher = await openHasher([kernel]);
    const block = new Uint8Array(128).fill(255, 0, 48);
    hasher.load(block);
    expect(kernelHash(hasher, prefix, counter)).toBe(nativeHash(passwordOf(block, prefix, counter)));
  });

  test('returns the hash of the current solution after an incomplete one', async () => {
    const hasher = await openHasher([kernel]);
    hasher.load(new Uint8Array(128));
    const expected = kernelHash(hasher, 1, 2);
    hasher.start(3, 4);
    hasher.fill(0);
    expect(kernelHash(hasher, 1, 2)).toBe(expected);
  });
});

test('the native implementation agrees with an independent one in JavaScript', () => {
  const password = Uint8Array.from({ length: 128 }, (_, i) => i);
  const tag = argon2id(password, password.subarray(0, 16), { m: 16_384, t: 1, p: 1, dkLen: 32 });
  expect(nativeHash(password)).toBe(readU32(tag, 0));
}, 120_000);

test('the first kernel that the browser supports is opened', async () => {
  const hasher = await openHasher([Uint8Array.of(1, 2, 3), SCALAR]);
  hasher.load(new Uint8Array(128));
  expect(kernelHash(hasher, 0, 0)).toBe(nativeHash(new Uint8Array(128)));
  const failure = await openHasher([Uint8Array.of(1, 2, 3)]).catch(String);
  expect(failure).toBe('Error: no supported kernel');
});
