import { expect, test } from 'bun:test';
import { testPuzzleText } from '../../src/captcha/unsignedPuzzles.ts';
import { toBase64 } from '../../src/lib/bytes.ts';
import { toThreshold } from '../../src/puzzle/check.ts';
import { type Puzzle, toPuzzleBytes, writeU32 } from '../../src/puzzle/puzzle.ts';
import { parsePayload } from '../../src/puzzle/solution.ts';
import { solveArgon2idPuzzle, solveHashwxPuzzle, solvePuzzle } from '../../src/puzzle/solve.ts';

const fields = {
  propertyId: new Uint8Array(16).fill(1),
  puzzleId: new Uint8Array(8).fill(2),
  difficulty: 100,
  solutionCount: 3,
  expiresAtSeconds: 1_800_000_000,
  userData: new Uint8Array(16).fill(3),
};
const textOf = (puzzle: Puzzle) => `${toBase64(toPuzzleBytes(puzzle))}.${toBase64(Uint8Array.of(1))}`;
const blake2b = textOf({ ...fields, version: 2, challenge: 'blake2b' });
const argon2id = textOf({ ...fields, version: 2, challenge: 'argon2id' });
const hashwx = textOf({ ...fields, version: 3, challenge: 'hashwx' });

/** Returns one value after another, and then the last one. */
function nextOf(values: readonly number[]): () => number {
  let at = 0;
  return () => values[Math.min(at++, values.length - 1)] as number;
}

/** @see nextOf */
function hashOf(values: readonly number[]): () => Uint8Array {
  const next = nextOf(values);
  return () => {
    const bytes = new Uint8Array(4);
    writeU32(bytes, 0, next());
    return bytes;
  };
}

const threshold = toThreshold(fields.difficulty);
const solveWithArgon2id = (text: string, hash: () => Uint8Array, elapsedMs = () => 0) =>
  solveArgon2idPuzzle(text, async () => async () => hash(), 2, elapsedMs);
const solveWithHashwx = (text: string, hashes: readonly number[], elapsedMs = () => 0) =>
  solveHashwxPuzzle(text, hashOf([0]), () => ({ generate: () => {}, hash: nextOf(hashes) }), elapsedMs);

test('a hash at the threshold is a solution, and a greater one is not', async () => {
  const hashes = [threshold + 1, threshold, threshold, threshold, 0];
  expect(solvePuzzle(blake2b, hashOf(hashes), () => 0)?.attempts).toBe(4);
  expect((await solveWithArgon2id(argon2id, hashOf(hashes)))?.attempts).toBe(4);
  expect(solveWithHashwx(hashwx, hashes)?.attempts).toBe(4);
});

test('the test puzzle is solved with zeros and without hashing', () => {
  const solved = solvePuzzle(
    testPuzzleText(),
    () => expect.unreachable(),
    () => 0,
  );
  expect(solved?.attempts).toBe(0);
  expect(parsePayload(solved?.payload ?? '')?.solutions.every((byte) => byte === 0)).toBe(true);
});

test('the time is rounded to milliseconds', async () => {
  const elapsedMs = () => 1.5;
  const solved = [
    solvePuzzle(blake2b, hashOf([0]), elapsedMs),
    await solveWithArgon2id(argon2id, hashOf([0]), elapsedMs),
    solveWithHashwx(hashwx, [0], elapsedMs),
  ];
  const metadata = { errorCode: 0, usedWasm: false, elapsedMs: 2 };
  expect(solved.map((one) => parsePayload(one?.payload ?? '')?.metadata)).toEqual(Array(3).fill(metadata));
});

test('a puzzle with other work is not solved', async () => {
  const unexpected = () => expect.unreachable();
  expect(solvePuzzle(argon2id, unexpected, () => 0)).toBeUndefined();
  expect(await solveWithArgon2id(blake2b, unexpected)).toBeUndefined();
  expect(await solveWithArgon2id('not a puzzle', unexpected)).toBeUndefined();
  for (const text of [blake2b, argon2id, 'not a puzzle'])
    expect(solveHashwxPuzzle(text, unexpected, unexpected, () => 0)).toBeUndefined();
  expect(solvePuzzle(hashwx, unexpected, () => 0)).toBeUndefined();
  expect(await solveWithArgon2id(hashwx, unexpected)).toBeUndefined();
});
