import { readU32, writeU32 } from '../puzzle/puzzle.ts';
import type { Hmac } from './signature.ts';

/**
 * The last eight bytes of a puzzle's user data contain the encrypted client, so that a verification on any node can tell the load meter
 * which client requested the puzzle, without state. The key stream is the HMAC-SHA-256 of all preceding bytes. They contain 16 random
 * bytes, so the key stream is different for each puzzle. Without the signing key, the encrypted bytes look random, and puzzles of the
 * same client cannot be linked. The signature protects them against changes. The message that is signed starts with another byte, so
 * its MAC is never the key stream.
 */
export const SEAL_SIZE = 8;
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
