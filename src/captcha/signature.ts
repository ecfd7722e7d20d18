import { areEqual } from '../lib/bytes.ts';
import type { SigningKey } from '../model/ports.ts';
import { PUZZLE_SIZE, readU32, writeU32 } from '../puzzle/puzzle.ts';

/**
 * The signature part of a puzzle: opaque to widgets, which pass it back unchanged.
 *
 * | offset | bytes | field |
 * |---|---|---|
 * | 0 | 1 | version, 1 |
 * | 1 | 1 | flags, 0 |
 * | 2 | 4 | fingerprint of the key that signed |
 * | 6 | 4 | when the puzzle was issued, unix seconds, little-endian |
 * | 10 | 1 | length of the host, n |
 * | 11 | n | the page's host, ASCII |
 * | 11 + n | 32 | HMAC-SHA-256 (RFC 2104, FIPS 180-4) |
 *
 * What is signed: a domain separator, the puzzle's length (u8) and bytes, then this part up to the MAC. Every
 * field has a fixed width or its length in front, so no two different inputs are the same bytes.
 *
 * @see docs/protocol.md#signature
 */
export type SignedFacts = {
  /** The page's host, or "". */
  readonly host: string;
  /** Unix seconds. */
  readonly issuedAtSeconds: number;
};

/** Keyed hash: HMAC-SHA-256 with this key over the message, 32 bytes or more of which 32 count. */
export type Hmac = (secret: Uint8Array, message: Uint8Array) => Uint8Array;

const VERSION = 1;
const FLAGS = 0;
const FINGERPRINT = 2;
const FINGERPRINT_SIZE = 4;
const ISSUED_AT = 6;
const HOST_LENGTH = 10;
const HOST = 11;
const MAC_SIZE = 32;
const MAX_HOST = 253;

const SEPARATOR = new TextEncoder().encode('postern puzzle 1\0');
const PUZZLE_AT = SEPARATOR.length + 1;
const SIGNATURE_AT = PUZZLE_AT + PUZZLE_SIZE;

/** The shortest and the longest signature, in bytes. */
export const SIGNATURE_SIZES = { min: HOST + MAC_SIZE, max: HOST + MAX_HOST + MAC_SIZE } as const;

/** The keys at hand: the newest signs, all verify. */
export type KeyRing = {
  readonly current: () => SigningKey;
  readonly byFingerprint: (fingerprint: Uint8Array) => SigningKey | undefined;
};

/**
 * @param keys newest first, at least one
 * @throws RangeError where there is none
 */
export function createKeyRing(keys: readonly SigningKey[]): KeyRing {
  const [newest] = keys;
  if (newest === undefined) throw new RangeError('a key ring needs at least one signing key');
  return {
    current: () => newest,
    byFingerprint: (fingerprint) => keys.find((key) => areEqual(key.fingerprint, fingerprint)),
  };
}

/**
 * Signs a puzzle with the ring's current key.
 *
 * @param host ASCII, at most 253 characters
 * @returns the signature's bytes
 */
export function signPuzzle(puzzle: Uint8Array, facts: SignedFacts, ring: KeyRing, hmac: Hmac): Uint8Array {
  const key = ring.current();
  const hostLength = facts.host.length;
  const end = SIGNATURE_AT + HOST + hostLength;
  const message = new Uint8Array(end + MAC_SIZE);
  writePrefix(message, puzzle);
  message[SIGNATURE_AT] = VERSION;
  message[SIGNATURE_AT + 1] = FLAGS;
  message.set(key.fingerprint, SIGNATURE_AT + FINGERPRINT);
  writeU32(message, SIGNATURE_AT + ISSUED_AT, facts.issuedAtSeconds);
  message[SIGNATURE_AT + HOST_LENGTH] = hostLength;
  for (let i = 0; i < hostLength; i++) message[SIGNATURE_AT + HOST + i] = facts.host.charCodeAt(i);
  const mac = hmac(key.secret, message.subarray(0, end));
  for (let i = 0; i < MAC_SIZE; i++) message[end + i] = mac[i] as number;
  return message.subarray(SIGNATURE_AT);
}

/**
 * Judges a signature, in constant time where a secret is involved.
 *
 * @returns what was signed, or undefined where the signature is not of ours or not of this puzzle
 */
export function openSignature(
  puzzle: Uint8Array,
  signature: Uint8Array,
  ring: KeyRing,
  hmac: Hmac,
): SignedFacts | undefined {
  const hostLength = signature[HOST_LENGTH];
  if (hostLength === undefined || signature.length !== HOST + hostLength + MAC_SIZE) return undefined;
  if (signature[0] !== VERSION || signature[1] !== FLAGS) return undefined;
  const key = ring.byFingerprint(signature.subarray(FINGERPRINT, FINGERPRINT + FINGERPRINT_SIZE));
  if (key === undefined) return undefined;
  const end = HOST + hostLength;
  const message = new Uint8Array(SIGNATURE_AT + end);
  writePrefix(message, puzzle);
  message.set(signature.subarray(0, end), SIGNATURE_AT);
  const mac = hmac(key.secret, message).subarray(0, MAC_SIZE);
  if (!areEqual(mac, signature.subarray(end))) return undefined;
  let host = '';
  for (let i = HOST; i < end; i++) host += String.fromCharCode(signature[i] as number);
  return { host, issuedAtSeconds: readU32(signature, ISSUED_AT) };
}

function writePrefix(message: Uint8Array, puzzle: Uint8Array): void {
  message.set(SEPARATOR);
  message[SEPARATOR.length] = puzzle.length;
  message.set(puzzle, PUZZLE_AT);
}
