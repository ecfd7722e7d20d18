import { areEqualAt } from '../lib/signatures.ts';
import type { SigningKey } from '../model/ports/installation.ts';
import { PUZZLE_SIZES, type Puzzle, readU32, writeU32 } from '../puzzle/puzzle.ts';

/**
 * The signature of a puzzle. Widgets do not read it; they return it unchanged.
 *
 * | offset | bytes | field |
 * |---|---|---|
 * | 0 | 1 | version, 1 |
 * | 1 | 1 | flags, 0 |
 * | 2 | 4 | fingerprint of the signing key |
 * | 6 | 4 | time when the puzzle was issued, Unix seconds, little-endian |
 * | 10 | 1 | length of the host, n |
 * | 11 | n | the page's host, ASCII |
 * | 11 + n | 32 | HMAC-SHA-256 (RFC 2104, FIPS 180-4) |
 *
 * The MAC covers a domain separator, the puzzle's length (u8) and bytes, and the fields above it. Every field has a fixed width or
 * a length prefix, so different inputs never have the same bytes.
 *
 * @see docs/reference/protocol.md#signature
 */
export type SignedFields = {
  /** The page's host; may be empty. */
  readonly host: string;
  /** Unix seconds, u32. */
  readonly issuedAtSeconds: number;
};

/** The fields of a valid signature. */
export type VerifiedFields = SignedFields & {
  /** Fingerprint of the key that signed the puzzle, as a little-endian u32. */
  readonly keyFingerprint: number;
  /** The secret of this key. */
  readonly secret: Uint8Array;
};

/** HMAC-SHA-256; the first 32 bytes of the result are the MAC. */
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

/** Minimum and maximum size of a signature, in bytes. */
export const SIGNATURE_SIZES = { min: HOST + MAC_SIZE, max: HOST + MAX_HOST + MAC_SIZE } as const;

/** The signing keys: one signs, all verify. */
export type KeyRing = ReturnType<typeof createKeyRing>;

/**
 * @param keys newest first, at least one
 * @param signer the key that signs, by default the newest
 * @throws RangeError if there are no keys
 */
export function createKeyRing(keys: readonly SigningKey[], signer = keys[0]) {
  if (signer === undefined) throw new RangeError('a key ring needs at least one signing key');
  const byFingerprint = new Map(keys.map((key) => [readU32(key.fingerprint, 0), key]));
  return {
    current: (): SigningKey => signer,
    /** @param fingerprint four bytes as a little-endian u32 */
    byFingerprint: (fingerprint: number): SigningKey | undefined => byFingerprint.get(fingerprint),
  };
}

/** Signs a puzzle with the ring's current key. @param puzzle 47 or 48 bytes @param fields the host is ASCII, at most 253 characters */
export function signPuzzle(puzzle: Uint8Array, fields: SignedFields, ring: KeyRing, hmac: Hmac): Uint8Array {
  const buffer = createSigningBuffer(puzzle.length);
  buffer.puzzle.set(puzzle);
  return writeSignature(buffer, fields, ring, hmac).slice();
}

/**
 * A reusable buffer for the signed message and its MAC. It can be shared because signing and verifying are synchronous. Its views
 * are created once: creating a view of a new array costs as much as the MAC.
 */
export type SigningBuffer = ReturnType<typeof createSigningBuffer>;

/** The buffers for the sizes of a puzzle, by its version. */
export type SigningBuffers = Readonly<Record<Puzzle['version'], SigningBuffer>>;

/** @see SigningBuffers */
export function createSigningBuffers(): SigningBuffers {
  const long = createSigningBuffer(PUZZLE_SIZES[2]);
  return { 1: createSigningBuffer(PUZZLE_SIZES[1]), 2: long, 3: long };
}

/** @param puzzleSize 47 or 48 @see SigningBuffer */
function createSigningBuffer(puzzleSize: number) {
  const signatureAt = PUZZLE_AT + puzzleSize;
  const message = new Uint8Array(signatureAt + SIGNATURE_SIZES.max);
  message.set(SEPARATOR);
  message[SEPARATOR.length] = puzzleSize;
  const views = (start: number, tail: number) => {
    const created: (Uint8Array | undefined)[] = [];
    return (hostLength: number) => {
      created[hostLength] ??= message.subarray(start, signatureAt + HOST + hostLength + tail);
      return created[hostLength];
    };
  };
  return {
    /** 47 or 48 bytes, filled by the caller. */
    puzzle: message.subarray(PUZZLE_AT, signatureAt),
    /** The puzzle without its last eight bytes; see sealClient. */
    sealNonce: message.subarray(PUZZLE_AT, signatureAt - SEAL_SIZE),
    message,
    /** Offset of the signature in the message. */
    signatureAt,
    /** The signed message for a host of this length. */
    signed: views(0, 0),
    /** The signature including its MAC for a host of this length. */
    signature: views(signatureAt, MAC_SIZE),
  };
}

/** Signs the puzzle in the buffer. @returns a view of the buffer, valid until the buffer is used again */
export function writeSignature(
  buffer: SigningBuffer,
  fields: SignedFields,
  ring: KeyRing,
  hmac: Hmac,
): Uint8Array {
  const key = ring.current();
  const { message, signatureAt } = buffer;
  const hostLength = fields.host.length;
  message[signatureAt] = VERSION;
  message[signatureAt + 1] = FLAGS;
  message.set(key.fingerprint, signatureAt + FINGERPRINT);
  writeU32(message, signatureAt + ISSUED_AT, fields.issuedAtSeconds);
  message[signatureAt + HOST_LENGTH] = hostLength;
  const host = signatureAt + HOST;
  for (let i = 0; i < hostLength; i++) message[host + i] = fields.host.charCodeAt(i);
  const mac = hmac(key.secret, buffer.signed(hostLength));
  for (let i = 0; i < MAC_SIZE; i++) message[host + hostLength + i] = mac[i] as number;
  return buffer.signature(hostLength);
}

/**
 * Compares the MAC in constant time.
 *
 * @param puzzle 47 or 48 bytes, for which the buffer was created
 * @returns the signed fields; undefined if the signature is invalid
 */
export function verifySignature(
  puzzle: Uint8Array,
  signature: Uint8Array,
  ring: KeyRing,
  hmac: Hmac,
  buffer = createSigningBuffer(puzzle.length),
): VerifiedFields | undefined {
  const hostLength = signature[HOST_LENGTH];
  if (hostLength === undefined || hostLength > MAX_HOST) return undefined;
  if (signature.length !== HOST + hostLength + MAC_SIZE) return undefined;
  if (signature[0] !== VERSION || signature[1] !== FLAGS) return undefined;
  buffer.puzzle.set(puzzle);
  buffer.message.set(signature, buffer.signatureAt);
  const keyFingerprint = readU32(signature, FINGERPRINT);
  const key = ring.byFingerprint(keyFingerprint);
  if (key === undefined) return undefined;
  const mac = hmac(key.secret, buffer.signed(hostLength));
  const end = HOST + hostLength;
  if (!areEqualAt(mac, signature, end, MAC_SIZE)) return undefined;
  let host = '';
  for (let i = HOST; i < end; i++) host += String.fromCharCode(signature[i] as number);
  return { host, issuedAtSeconds: readU32(signature, ISSUED_AT), keyFingerprint, secret: key.secret };
}

/**
 * The last eight bytes of a puzzle's user data contain the encrypted client, so that a verification on any node can tell the load meter
 * which client requested the puzzle, without state. The key stream is the HMAC-SHA-256 of all preceding bytes. They contain 16 random
 * bytes, so the key stream is different for each puzzle. Without the signing key, the encrypted bytes look random, and puzzles of the
 * same client cannot be linked. The signature protects them against changes. The message that is signed starts with another byte, so
 * its MAC is never the key stream.
 */
const SEAL_SIZE = 8;
/** A client has 52 bits; the other bits are zero, so that most puzzles without a client are detected. */
const UPPER_LIMIT = 2 ** 20;

/**
 * Writes the encrypted client into the last bytes of a complete puzzle.
 *
 * @param puzzle its last eight bytes are overwritten
 * @param nonce a view of the puzzle without these bytes
 */
export function sealClient(
  puzzle: Uint8Array,
  nonce: Uint8Array,
  client: number,
  secret: Uint8Array,
  hmac: Hmac,
): void {
  const stream = hmac(secret, nonce);
  const at = puzzle.length - SEAL_SIZE;
  writeU32(puzzle, at, (readU32(stream, 0) ^ (client >>> 0)) >>> 0);
  writeU32(puzzle, at + 4, (readU32(stream, 4) ^ Math.floor(client / 2 ** 32)) >>> 0);
}

/**
 * @param puzzle with a valid signature
 * @returns the client that the puzzle was issued to; undefined, or any number, if it was issued by a version without this field
 */
export function openClient(puzzle: Uint8Array, secret: Uint8Array, hmac: Hmac): number | undefined {
  const at = puzzle.length - SEAL_SIZE;
  const stream = hmac(secret, puzzle.subarray(0, at));
  const low = (readU32(stream, 0) ^ readU32(puzzle, at)) >>> 0;
  const high = (readU32(stream, 4) ^ readU32(puzzle, at + 4)) >>> 0;
  return high < UPPER_LIMIT ? high * 2 ** 32 + low : undefined;
}
