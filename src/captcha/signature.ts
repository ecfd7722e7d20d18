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
 * @see docs/reference/protocol.md#signature
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

/** The keys at hand: one signs, all verify. */
export type KeyRing = {
  readonly current: () => SigningKey;
  /** @param fingerprint its four bytes as a little-endian u32 */
  readonly byFingerprint: (fingerprint: number) => SigningKey | undefined;
};

/**
 * @param keys newest first, at least one
 * @param signer the one that signs, the newest unless said
 * @throws RangeError where there is none
 */
export function createKeyRing(keys: readonly SigningKey[], signer = keys[0]): KeyRing {
  if (signer === undefined) throw new RangeError('a key ring needs at least one signing key');
  const byFingerprint = new Map(keys.map((key) => [readU32(key.fingerprint, 0), key]));
  return {
    current: () => signer,
    byFingerprint: (fingerprint) => byFingerprint.get(fingerprint),
  };
}

/**
 * Signs a puzzle with the ring's current key.
 *
 * @param host ASCII, at most 253 characters
 * @returns the signature's bytes
 */
export function signPuzzle(puzzle: Uint8Array, facts: SignedFacts, ring: KeyRing, hmac: Hmac): Uint8Array {
  const scratch = createScratch();
  scratch.puzzle.set(puzzle);
  return seal(scratch, facts, ring, hmac).slice();
}

/**
 * The room in which signatures are made and judged: what is signed, and the MAC behind it. One is enough for a whole
 * server, because nothing waits in between. Views are made once: making one of a fresh array costs as much as the MAC.
 */
export type Scratch = {
  /** 47 bytes, for the caller to fill. */
  readonly puzzle: Uint8Array;
  readonly message: Uint8Array;
  /** What is signed, for a host of this length. */
  readonly signed: (hostLength: number) => Uint8Array;
  /** The signature with its MAC, for a host of this length. */
  readonly signature: (hostLength: number) => Uint8Array;
};

/** @see Scratch */
export function createScratch(): Scratch {
  const message = new Uint8Array(SIGNATURE_AT + SIGNATURE_SIZES.max);
  message.set(SEPARATOR);
  message[SEPARATOR.length] = PUZZLE_SIZE;
  const views = (start: number, tail: number) => {
    const made: (Uint8Array | undefined)[] = [];
    return (hostLength: number) => {
      made[hostLength] ??= message.subarray(start, SIGNATURE_AT + HOST + hostLength + tail);
      return made[hostLength];
    };
  };
  return {
    puzzle: message.subarray(PUZZLE_AT, SIGNATURE_AT),
    message,
    signed: views(0, 0),
    signature: views(SIGNATURE_AT, MAC_SIZE),
  };
}

/**
 * Signs the puzzle that is in the scratch.
 *
 * @returns the signature's bytes, a view of the scratch: good until it is used again
 */
export function seal(scratch: Scratch, facts: SignedFacts, ring: KeyRing, hmac: Hmac): Uint8Array {
  const key = ring.current();
  const { message } = scratch;
  const hostLength = facts.host.length;
  message[SIGNATURE_AT] = VERSION;
  message[SIGNATURE_AT + 1] = FLAGS;
  message.set(key.fingerprint, SIGNATURE_AT + FINGERPRINT);
  writeU32(message, SIGNATURE_AT + ISSUED_AT, facts.issuedAtSeconds);
  message[SIGNATURE_AT + HOST_LENGTH] = hostLength;
  const host = SIGNATURE_AT + HOST;
  for (let i = 0; i < hostLength; i++) message[host + i] = facts.host.charCodeAt(i);
  const mac = hmac(key.secret, scratch.signed(hostLength));
  for (let i = 0; i < MAC_SIZE; i++) message[host + hostLength + i] = mac[i] as number;
  return scratch.signature(hostLength);
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
  scratch = createScratch(),
): SignedFacts | undefined {
  const hostLength = signature[HOST_LENGTH];
  if (hostLength === undefined || hostLength > MAX_HOST) return undefined;
  if (signature.length !== HOST + hostLength + MAC_SIZE) return undefined;
  if (signature[0] !== VERSION || signature[1] !== FLAGS) return undefined;
  scratch.puzzle.set(puzzle);
  scratch.message.set(signature, SIGNATURE_AT);
  const key = ring.byFingerprint(readU32(signature, FINGERPRINT));
  if (key === undefined) return undefined;
  const mac = hmac(key.secret, scratch.signed(hostLength));
  const end = HOST + hostLength;
  if (!isMac(mac, signature, end)) return undefined;
  let host = '';
  for (let i = HOST; i < end; i++) host += String.fromCharCode(signature[i] as number);
  return { host, issuedAtSeconds: readU32(signature, ISSUED_AT) };
}

/** Looks at every byte, whatever it finds. */
function isMac(mac: Uint8Array, signature: Uint8Array, at: number): boolean {
  let difference = 0;
  for (let i = 0; i < MAC_SIZE; i++) difference |= (mac[i] as number) ^ (signature[at + i] as number);
  return difference === 0;
}
