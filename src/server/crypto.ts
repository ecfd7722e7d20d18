import { toClient } from '../captcha/clientLoad.ts';
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
 * Hashes client addresses before they are stored in memory: SHA-256 of the secret of the day and the wide network of the address (IPv4:
 * /24, IPv6: /48), whose bits are then mixed with the rest of the address.
 *
 * @returns a function that expects an IPv4 address, or the first eight bytes of an IPv6 address in hexadecimal, and returns the client as
 *   a number of 52 bits; see toClient
 */
export function createAddressHash(secrets: AddressSecrets, clock: Clock): (address: string) => number {
  const out = new Uint8Array(32);
  return (address) => {
    const dot = address.lastIndexOf('.');
    const isIpv6 = dot < 0;
    const end = isIpv6 ? WIDE_IPV6_DIGITS : dot;
    Bun.SHA256.hash(secrets.at(clock()) + address.slice(0, end), out);
    const rest = isIpv6 ? Number.parseInt(address.slice(end), 16) : Number(address.slice(end + 1));
    return toClient(readU32(out, 0), mix(readU32(out, 4) ^ (rest | 0)), isIpv6);
  };
}

/** Hexadecimal digits of a /48. */
const WIDE_IPV6_DIGITS = 12;

/** The finalizer of MurmurHash3: a permutation of 32 bits in which each bit of the input affects each bit of the result. */
function mix(bits: number): number {
  let mixed = bits ^ (bits >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
