import { describe, expect, test } from 'bun:test';
import { createKeyRing, signPuzzle, verifySignature } from '../../src/captcha/signature.ts';
import { testPuzzleText } from '../../src/captcha/unsignedPuzzles.ts';
import { toBase64 } from '../../src/lib/bytes.ts';
import type { Instant } from '../../src/lib/time.ts';
import { allMeetThreshold, toBlock, toThreshold } from '../../src/puzzle/check.ts';
import { hashwxSeed } from '../../src/puzzle/hashwx.ts';
import { type Puzzle, parsePuzzle, toPuzzleBytes } from '../../src/puzzle/puzzle.ts';
import { parsePayload, toPayload } from '../../src/puzzle/solution.ts';
import { solveArgon2idPuzzle, solvePuzzle } from '../../src/puzzle/solve.ts';
import { createArgon2idHash, createPooledArgon2idHash } from '../../src/server/argon2id/hash.ts';
import { createBlake2b, createBlake2bCheck } from '../../src/server/blake2b.ts';
import { createHmac, sha256, sha256Hex } from '../../src/sha256.ts';
// Created by generate.py, which shares no code with Postern.
import vectors from './vectors.json';

const bytes = (hex: string) => Uint8Array.fromHex(hex);
const hash = createBlake2b();
const hmac = createHmac();
const secret = bytes(vectors.signingSecret);
const ring = createKeyRing([{ fingerprint: sha256(secret).slice(0, 4), secret, createdAt: 0 as Instant }]);

describe('hashes', () => {
  test.each(vectors.hashes)('BLAKE2b-256 of $input', ({ input, hash: expected }) => {
    expect(hash(bytes(input)).subarray(0, 32).toHex()).toBe(expected);
  });

  test.each(vectors.argon2idTags)(
    'argon2id of $block, on this thread and on the pool',
    async ({ block, tag }) => {
      expect((await createArgon2idHash())(bytes(block)).toHex()).toBe(tag);
      expect((await (await createPooledArgon2idHash())(bytes(block))).toHex()).toBe(tag);
    },
  );

  // Two solutions in one array: each has the seed of its own block, regardless of its nonce.
  test.each(vectors.hashwxSeeds)(
    'the seed of the HashWX solution $solution',
    ({ puzzle, solution, seed }) => {
      const solutions = bytes(`${'ff'.repeat(8)}${solution}`);
      const block = toBlock(bytes(puzzle));
      hashwxSeed(block, solutions, 0, hash);
      expect(hashwxSeed(block, solutions, 8, hash).subarray(0, 32).toHex()).toBe(seed);
    },
  );

  test.each(vectors.macs)('HMAC-SHA-256 of $message, twice', ({ key, message, mac }) => {
    const keyBytes = bytes(key);
    expect(hmac(keyBytes, bytes(message)).subarray(0, 32).toHex()).toBe(mac);
    expect(hmac(keyBytes, bytes(message)).subarray(0, 32).toHex()).toBe(mac);
  });

  // The published example of FIPS 180-4.
  test('SHA-256 of "abc"', () => {
    const expected = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    expect(sha256Hex('abc')).toBe(expected);
    expect(sha256(new TextEncoder().encode('abc')).toHex()).toBe(expected);
  });
});

test('the threshold of every difficulty equals the result of decimal arithmetic', () => {
  const thresholds = Array.from({ length: 256 }, (_, difficulty) => toThreshold(difficulty));
  expect(thresholds).toEqual(vectors.thresholds);
});

const V1 = { version: 1, challenge: 'blake2b' } as const;
const ARGON2ID = { version: 2, challenge: 'argon2id' } as const;
const puzzles = [
  ...vectors.puzzles.map((vector) => ({ ...vector, kind: V1 })),
  { ...vectors.argon2idPuzzle, kind: ARGON2ID },
];

describe.each(puzzles)(
  'the $kind.challenge puzzle of difficulty $difficulty, $solutionCount solutions',
  (vector) => {
    const facts = { host: vector.host, issuedAtSeconds: vector.issuedAtSeconds };
    const puzzle: Puzzle = {
      ...vector.kind,
      propertyId: bytes(vector.propertyId),
      puzzleId: bytes(vector.puzzleId),
      difficulty: vector.difficulty,
      solutionCount: vector.solutionCount,
      expiresAtSeconds: vector.expiresAtSeconds,
      userData: bytes(vector.userData),
    };

    test('has these bytes, and is parsed from them', () => {
      expect(toPuzzleBytes(puzzle).toHex()).toBe(vector.bytes);
      expect(parsePuzzle(bytes(vector.bytes))).toEqual(puzzle);
    });

    test('has this signature, which is valid', () => {
      const signature = signPuzzle(bytes(vector.bytes), facts, ring, hmac);
      expect(signature.toHex()).toBe(vector.signature);
      expect(verifySignature(bytes(vector.bytes), bytes(vector.signature), ring, hmac)).toMatchObject(facts);
      expect(`${toBase64(bytes(vector.bytes))}.${toBase64(signature)}`).toBe(vector.text);
    });

    test('has this payload, which is parsed', () => {
      const metadata = { errorCode: 0, usedWasm: true, elapsedMs: vector.elapsedMs };
      expect(toPayload(metadata, bytes(vector.solutions), vector.text)).toBe(vector.payload);
      const payload = parsePayload(vector.payload);
      expect(payload?.metadata).toEqual(metadata);
      expect(payload?.solutions.toHex()).toBe(vector.solutions);
      expect(payload?.puzzleBytes.toHex()).toBe(vector.bytes);
      expect(payload?.signature.toHex()).toBe(vector.signature);
    });

    test('has these solutions', async () => {
      const block = toBlock(bytes(vector.bytes));
      const isArgon2id = vector.kind === ARGON2ID;
      const hashOfKind = isArgon2id ? await createArgon2idHash() : hash;
      const threshold = toThreshold(vector.difficulty);
      expect(allMeetThreshold(bytes(vector.solutions), block, threshold, hashOfKind)).toBe(true);
      if (!isArgon2id) expect(createBlake2bCheck()(bytes(vector.solutions), block, threshold)).toBe(true);
      const solved = isArgon2id
        ? await solveArgon2idPuzzle(vector.text, createPooledArgon2idHash, 2, () => vector.elapsedMs)
        : solvePuzzle(vector.text, hash, () => vector.elapsedMs);
      expect(solved?.attempts).toBe(vector.attempts);
      expect(parsePayload(solved?.payload ?? '')?.solutions.toHex()).toBe(vector.solutions);
    });
  },
);

test('the test puzzle consists of the sitekey and zeros, with a signature of zeros', () => {
  const [puzzle, signature] = testPuzzleText().split('.');
  expect(Buffer.from(puzzle ?? '', 'base64').toHex()).toBe(vectors.testPuzzle);
  expect(Buffer.from(signature ?? '', 'base64').every((byte) => byte === 0)).toBe(true);
});
