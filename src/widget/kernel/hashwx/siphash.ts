// AssemblyScript. The generator of pseudorandom numbers: SipHash with an extended output.

import { NUMBERS } from './layout';

/**
 * Writes numbers to `NUMBERS`.
 *
 * @param key address of 16 bytes
 * @param count a multiple of 4
 */
export function writeNumbers(key: usize, salt: u64, count: usize): void {
  const k0 = load<u64>(key);
  const k1 = load<u64>(key, 8);
  let v0: u64 = 0x736f6d6570736575 ^ k0;
  let v1: u64 = 0x646f72616e646f6d ^ k1;
  let v2: u64 = 0x6c7967656e657261 ^ k0;
  let v3: u64 = 0x7465646279746573 ^ k1 ^ salt;
  const end = NUMBERS + 8 * count;
  let to = NUMBERS;
  // One round with the salt, three to finish, and then four for each four numbers.
  for (let round = 0; ; round++) {
    if ((round & 3) == 0 && round != 0) {
      store<u64>(to, v3);
      store<u64>(to, v2, 8);
      store<u64>(to, v1, 16);
      store<u64>(to, v0, 24);
      to += 32;
      if (to == end) return;
      v0 ^= k0;
      v1 ^= k1;
      v2 ^= k0;
      v3 ^= k1;
    }
    v0 += v1;
    v2 += v3;
    v1 = rotr<u64>(v1, 51) ^ v0;
    v3 = rotr<u64>(v3, 48) ^ v2;
    v0 = rotr<u64>(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = rotr<u64>(v1, 47) ^ v2;
    v3 = rotr<u64>(v3, 43) ^ v0;
    v2 = rotr<u64>(v2, 32);
    if (round == 0) {
      v0 ^= salt;
      v2 ^= 0xbb;
    }
  }
}

/** Writes the sum of two halves of the registers to them: one round of SipHash. @param at address of four u64 */
export function mixWords(at: usize): void {
  let v0 = load<u64>(at);
  let v1 = load<u64>(at, 8);
  let v2 = load<u64>(at, 16);
  let v3 = load<u64>(at, 24);
  v0 += v1;
  v2 += v3;
  v1 = rotr<u64>(v1, 51) ^ v0;
  v3 = rotr<u64>(v3, 48) ^ v2;
  v0 = rotr<u64>(v0, 32);
  v2 += v1;
  v0 += v3;
  v1 = rotr<u64>(v1, 47) ^ v2;
  v3 = rotr<u64>(v3, 43) ^ v0;
  v2 = rotr<u64>(v2, 32);
  store<u64>(at, v0);
  store<u64>(at, v1, 8);
  store<u64>(at, v2, 16);
  store<u64>(at, v3, 24);
}
