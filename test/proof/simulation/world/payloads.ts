import { createKeyRing, signPuzzle } from '../../../../src/captcha/signature.ts';
import { toBase64 } from '../../../../src/lib/bytes.ts';
import { readU32, toPuzzleBytes } from '../../../../src/puzzle/puzzle.ts';
import { toPayload } from '../../../../src/puzzle/solution.ts';
import { hmac, signingKey, sitekey } from '../../../captcha/fakes.ts';
import { EPOCH_MS } from './globals.ts';

/** A solved puzzle. */
export type Solved = {
  /** Its expiration and id, as in the keys of claims. */
  readonly key: string;
  readonly expiresAtSeconds: number;
  readonly payload: string;
  /** The same puzzle with solutions that the check rejects. */
  readonly wrongPayload: string;
};

const KEYS = [signingKey(1), signingKey(2)] as const;
/** The keys that verify all puzzles. */
export const KEY_RING = createKeyRing(KEYS);
export const KEY_FINGERPRINTS = KEYS.map(({ fingerprint }) => readU32(fingerprint, 0));

const START = EPOCH_MS / 1000;
const SOLUTION_COUNT = 2;
/** The first byte of solutions that `checkSolutions` rejects. */
const WRONG = 0xee;

/** Replaces the check of the proof of work, which takes most of the time of a verification. */
export const checkSolutions = (solutions: Uint8Array): boolean => solutions[0] !== WRONG;

function solve(id: readonly [low: number, high: number], validSeconds: number, signer: 0 | 1): Solved {
  const expiresAtSeconds = START + validSeconds;
  const puzzleId = new Uint8Array(8);
  new DataView(puzzleId.buffer).setUint32(0, id[0], true);
  new DataView(puzzleId.buffer).setUint32(4, id[1], true);
  const puzzle = toPuzzleBytes({
    version: 1,
    challenge: 'blake2b',
    propertyId: Uint8Array.fromHex(sitekey),
    puzzleId,
    difficulty: 1,
    solutionCount: SOLUTION_COUNT,
    expiresAtSeconds,
    userData: new Uint8Array(16),
  });
  const ring = createKeyRing(KEYS, KEYS[signer]);
  const signature = signPuzzle(puzzle, { host: 'shop.example.com', issuedAtSeconds: START }, ring, hmac);
  const text = `${toBase64(puzzle)}.${toBase64(signature)}`;
  const payload = (first: number) => {
    const solutions = new Uint8Array(SOLUTION_COUNT * 8);
    solutions[0] = first;
    return toPayload({ errorCode: 0, usedWasm: false, elapsedMs: 1 }, solutions, text);
  };
  return {
    key: `${expiresAtSeconds}:${puzzleId.toHex()}`,
    expiresAtSeconds,
    payload: payload(1),
    wrongPayload: payload(WRONG),
  };
}

/** Puzzles that differ only in a part of their id, or only in their expiration, and some that expire soon. */
export const PUZZLES: readonly Solved[] = [
  solve([1, 1], 7200, 0),
  solve([1, 2], 7200, 0),
  solve([1, 1], 7201, 1),
  solve([2, 1], 7200, 1),
  solve([3, 1], 600, 0),
  solve([4, 1], 6, 0),
  solve([5, 1], 8, 1),
  solve([9, 1], 7200, 0),
];

/** Puzzles that are presented only at the end of a schedule. */
export const FRESH_PUZZLES: readonly Solved[] = Array.from({ length: 16 }, (_, i) =>
  solve([100 + i, 7], 9000, (i % 2) as 0 | 1),
);
