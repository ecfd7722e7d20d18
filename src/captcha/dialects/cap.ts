import { isCount, isObject } from '../../lib/json.ts';
import { areEqualTexts } from '../../lib/signatures.ts';
import { sha256Hex } from '../../sha256.ts';
import type { Hmac } from '../signature.ts';
import type { DialectPayload } from '../verdicts.ts';
import {
  parseSignedText,
  parseSolvedToken,
  type SignedText,
  toDialectPayload,
  toSolvedToken,
} from './signedText.ts';

/**
 * Challenges in the format of Cap: `c` sub-challenges, each with a salt of `s` hexadecimal digits and a target of `d`. A solution
 * of a sub-challenge is a number whose text, after the salt, has a SHA-256 hash that begins with the target.
 */
export type CapShape = {
  /** Number of sub-challenges, 1..235. */
  readonly c: number;
  /** Hexadecimal digits of a salt. */
  readonly s: number;
  /** Hexadecimal digits of a target, 1..7. */
  readonly d: number;
};

/** The length that Cap itself uses. */
const SALT_DIGITS = 32;
/** Difficulty levels in which the work grows by a factor of 16, which is one digit of a target. */
const LEVELS_PER_DIGIT = 32;

/**
 * Returns the challenge with the same number of hashes as the BLAKE2b puzzle of the difficulty, 16 × 2^(difficulty / 8), to within 3
 * percent: 16 to 235 sub-challenges. Difficulties below 32, which no visitor notices, have 1 to 15, and are less exact.
 *
 * @param difficulty 0..255
 */
export function capShapeOf(difficulty: number): CapShape {
  const d = Math.max(1, Math.floor(difficulty / LEVELS_PER_DIGIT));
  return { c: Math.round(16 * 2 ** (difficulty / 8) * 16 ** -d), s: SALT_DIGITS, d };
}

/** A token of `redeem` with the solutions of its sub-challenges. */
export type CapSolution = {
  readonly signed: SignedText;
  /** Safe integers of at least 0, as many as the challenge has sub-challenges. */
  readonly solutions: readonly number[];
};

/**
 * Parses the body of `redeem`. The number of solutions follows from the token.
 *
 * @param value any JSON value
 */
export function parseCapSolution(value: unknown): CapSolution | undefined {
  if (!isObject(value) || typeof value.token !== 'string' || !Array.isArray(value.solutions))
    return undefined;
  const signed = parseSignedText(value.token);
  if (signed === undefined) return undefined;
  const solutions: readonly unknown[] = value.solutions;
  // A fraction or a number above 2^53 also has a text that can be hashed.
  if (solutions.length !== capShapeOf(signed.puzzle.difficulty).c || !solutions.every(isCount))
    return undefined;
  return { signed, solutions };
}

/** @returns whether each number solves its sub-challenge. At most 235 hashes, about 0.1 ms */
export function solvesCap({ signed: { text, puzzle }, solutions }: CapSolution): boolean {
  const { s, d } = capShapeOf(puzzle.difficulty);
  const start = fnv1a(text);
  return solutions.every((number, at) => {
    const salt = digitsOf(fnv1a(`${at + 1}`, start), s);
    const target = digitsOf(fnv1a(`${at + 1}d`, start), d);
    return sha256Hex(`${salt}${number}`).startsWith(target);
  });
}

/** FNV-1a with 32 bits (Fowler, Noll, and Vo), continued from a state. @param text ASCII */
function fnv1a(text: string, state = 0x811c9dc5): number {
  let hash = state;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}

/** @returns the first digits of the outputs of a 32-bit xorshift generator (Marsaglia 2003, triple 13, 17, 5), each as 8 digits */
function digitsOf(seed: number, length: number): string {
  let state = seed;
  let digits = '';
  while (digits.length < length) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    digits += (state >>> 0).toString(16).padStart(8, '0');
  }
  return digits.slice(0, length);
}

/** @returns the payload of a token that `redeem` returned; undefined if it is not such a token */
export function parseCapToken(token: string, hmac: Hmac): DialectPayload | undefined {
  const signed = parseSolvedToken(token);
  if (signed === undefined) return undefined;
  return toDialectPayload(signed, (secret) =>
    areEqualTexts(toSolvedToken('cap', hmac, secret, signed), token),
  );
}
