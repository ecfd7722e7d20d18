import { readU32 } from '../../puzzle/puzzle.ts';
import { sha256, sha256Hex } from '../../sha256.ts';
import type { Hmac } from '../signature.ts';
import { deriveBytes, type SignedText, toSolvedToken } from './signedText.ts';

/**
 * Challenges in the formats of ALTCHA. The server derives the secret number and the salt from the signed puzzle, and can therefore
 * create each challenge again to verify its solution: every member must be what the server would send.
 */
export type AltchaDeps = {
  readonly hmac: Hmac;
  /**
   * Returns the secret with which the owner of a property can verify challenges without the server.
   *
   * @param sitekey 32 hexadecimal digits
   * @param rotations how many times the secret was replaced
   */
  readonly offlineSecretOf: (sitekey: string, rotations: number) => string;
};

/** What a challenge contains in addition to the puzzle. */
type ChallengeOptions = {
  /** Unix seconds; the puzzle of the test property never expires. By default the expiration of the puzzle. */
  readonly expires?: number;
  /** How many times the secret that signs the challenge was replaced. The challenge contains this number, except for 0, the default. */
  readonly rotations?: number;
};

/** The secret key of a challenge, which the visitor finds by counting. */
type Work = { readonly number: number; readonly salt: Uint8Array };

/**
 * Returns the largest secret number of a difficulty, 2^(difficulty / 8). A visitor computes half as many hashes on average, which is a
 * 32nd of the BLAKE2b puzzle: the widget of ALTCHA computes one hash per call of the browser's Web Crypto API.
 *
 * @param difficulty 0..255 @returns 1..3,938,502,376, which fits in the counter of version 2
 */
export function altchaMaxNumberOf(difficulty: number): number {
  return Math.floor(2 ** (difficulty / 8));
}

/** Uniform in 1..max, except for a bias below 2^-16, because it is computed from a 48-bit number. */
function workOf({ hmac }: AltchaDeps, key: Uint8Array, signed: SignedText): Work {
  const bytes = deriveBytes(hmac, key, 'altcha number', signed);
  const random = readU32(bytes, 0) + (readU32(bytes, 4) % 2 ** 16) * 2 ** 32;
  const number = 1 + (random % altchaMaxNumberOf(signed.puzzle.difficulty));
  return { number, salt: deriveBytes(hmac, key, 'altcha salt', signed) };
}

/**
 * Returns a challenge of version 1, which every widget understands, and its secret number.
 *
 * @param key secret of the key that signed the puzzle
 */
export function toAltcha1(
  deps: AltchaDeps,
  key: Uint8Array,
  signed: SignedText,
  { expires = signed.puzzle.expiresAtSeconds, rotations = 0 }: ChallengeOptions = {},
) {
  const work = workOf(deps, key, signed);
  const rotation = rotations === 0 ? '' : `&rotation=${rotations}`;
  // The last character keeps the digits of the number out of the salt.
  const salt = `${work.salt.subarray(0, 12).toHex()}?expires=${expires}${rotation}&puzzle=${signed.text}&`;
  const hash = sha256Hex(`${salt}${work.number}`);
  const maxnumber = altchaMaxNumberOf(signed.puzzle.difficulty);
  const signature = signOffline(deps, signed, rotations, hash);
  const challenge = { algorithm: 'SHA-256', challenge: hash, maxnumber, salt, signature };
  return { challenge, number: work.number };
}

/** Returns a challenge of version 2 in deterministic mode: the number of key derivations is the counter plus one. @see toAltcha1 */
export function toAltcha2(
  deps: AltchaDeps,
  key: Uint8Array,
  signed: SignedText,
  { expires = signed.puzzle.expiresAtSeconds, rotations = 0 }: ChallengeOptions = {},
) {
  const work = workOf(deps, key, signed);
  const [nonce, salt] = [work.salt.subarray(0, 16), work.salt.subarray(16)];
  const derivedKey = deriveKey(salt, nonce, work.number);
  // The members are in alphabetical order, because the signature is over the sorted members.
  const parameters = {
    algorithm: 'SHA-256',
    cost: 1,
    data: { puzzle: signed.text, ...(rotations > 0 && { rotation: rotations }) },
    expiresAt: expires,
    keyLength: 32,
    keyPrefix: derivedKey.subarray(0, 16).toHex(),
    nonce: nonce.toHex(),
    salt: salt.toHex(),
  };
  const signature = signOffline(deps, signed, rotations, JSON.stringify(parameters));
  return { challenge: { parameters, signature }, counter: work.number, derivedKey: derivedKey.toHex() };
}

/** One SHA-256 of the salt, the nonce, and the counter as a big-endian u32. */
function deriveKey(salt: Uint8Array, nonce: Uint8Array, counter: number): Uint8Array {
  const big = [counter >>> 24, counter >>> 16, counter >>> 8, counter];
  return sha256(Uint8Array.of(...salt, ...nonce, ...big));
}

/** @param rotations how many times the secret was replaced @returns HMAC-SHA-256 with the property's secret, in hexadecimal digits */
export function signOffline(
  { hmac, offlineSecretOf }: AltchaDeps,
  { puzzle }: SignedText,
  rotations: number,
  message: string | Uint8Array,
): string {
  const encoder = new TextEncoder();
  const secret = encoder.encode(offlineSecretOf(puzzle.propertyId.toHex(), rotations));
  const bytes = typeof message === 'string' ? encoder.encode(message) : message;
  return hmac(secret, bytes).slice(0, 32).toHex();
}

/** What a server payload says in addition to the puzzle. Times are in Unix seconds. */
type Verified = {
  readonly host: string;
  readonly issuedAtSeconds: number;
  readonly expires: number;
  /** How many times the secret that signed the challenge had been replaced. */
  readonly rotations?: number;
};

/** Returns the signed payload of a puzzle whose work was checked. It is always the same for the same puzzle. @see toAltcha1 */
export function toServerPayload(
  deps: AltchaDeps,
  key: Uint8Array,
  signed: SignedText,
  { host, issuedAtSeconds, expires, rotations = 0 }: Verified,
) {
  // With a prefix, because the library of ALTCHA turns a text of digits into a number.
  const id = `puzzle_${signed.puzzle.puzzleId.toHex()}`;
  const verificationData = new URLSearchParams({
    verified: 'true',
    time: `${issuedAtSeconds}`,
    expire: `${expires}`,
    id,
    hostname: host,
    token: toSolvedToken('altcha', deps.hmac, key, signed),
    ...(rotations > 0 && { rotation: `${rotations}` }),
  }).toString();
  const digest = sha256(new TextEncoder().encode(verificationData));
  const signature = signOffline(deps, signed, rotations, digest);
  const apiKey = signed.puzzle.propertyId.toHex();
  return { algorithm: 'SHA-256', verificationData, signature, verified: true, apiKey, id };
}
