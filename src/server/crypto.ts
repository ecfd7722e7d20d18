import type { Hmac } from '../captcha/signature.ts';
import type { Clock } from '../lib/time.ts';
import type { Hash } from '../puzzle/check.ts';
import { readU32 } from '../puzzle/puzzle.ts';
import type { AddressSecrets } from './addressSecrets.ts';

/** Bun's native hash functions, with the interfaces that `captcha`, `platform`, and `puzzle` expect. */

/** Bun requires an output buffer for the longest hash, even if the hash is shorter. */
const DIGEST_BUFFER_BYTES = 64;

/** BLAKE2b-256 (RFC 7693). The next call overwrites the result. */
export function createBlake2b(): Hash {
  const out = new Uint8Array(DIGEST_BUFFER_BYTES);
  return (block) => {
    Bun.CryptoHasher.hash('blake2b256', block, out);
    return out;
  };
}

/** HMAC-SHA-256 (RFC 2104). The next call overwrites the result. */
export function createHmac(): Hmac {
  const out = new Uint8Array(DIGEST_BUFFER_BYTES);
  // Copying a keyed state is a third faster than creating one: 0.21 instead of 0.29 µs.
  const keyed = new WeakMap<Uint8Array, Bun.CryptoHasher>();
  return (secret, message) => {
    let state = keyed.get(secret);
    if (state === undefined) {
      state = new Bun.CryptoHasher('sha256', secret);
      keyed.set(secret, state);
    }
    state.copy().update(message).digest(out);
    return out;
  };
}

/** SHA-256 as lowercase hex. */
export function sha256Hex(text: string): string {
  return Bun.SHA256.hash(text, 'hex');
}

/** SHA-256, 32 bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(Bun.CryptoHasher.hash('sha256', bytes));
}

/**
 * Hashes client addresses before they are stored in memory: SHA-256 of the secret of the day and the address.
 *
 * @returns a function that returns 52 bits of the hash as a number, because arrays of numbers need no garbage collection
 */
export function createAddressHash(secrets: AddressSecrets, clock: Clock): (address: string) => number {
  const out = new Uint8Array(32);
  return (address) => {
    Bun.SHA256.hash(secrets.at(clock()) + address, out);
    return readU32(out, 0) + (readU32(out, 4) & 0xfffff) * 2 ** 32;
  };
}
