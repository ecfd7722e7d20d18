/** A slow implementation of BLAKE2b that follows RFC 7693, to connect the RFC's self-test with the solvers. */

const MASK = (1n << 64n) - 1n;

const IV = [
  ...[0x6a09e667f3bcc908n, 0xbb67ae8584caa73bn, 0x3c6ef372fe94f82bn, 0xa54ff53a5f1d36f1n],
  ...[0x510e527fade682d1n, 0x9b05688c2b3e6c1fn, 0x1f83d9abfb41bd6bn, 0x5be0cd19137e2179n],
];

/** Section 2.7; one text per round, in hexadecimal. */
const SIGMA = [
  ...['0123456789abcdef', 'ea489fd61c02b753', 'b8c052fdae367194', '7931dcbe265a40f8', '905724afe1bc683d'],
  ...['2c6a0b834d75fe19', 'c51fed4a0763928b', 'db7ec13950f4862a', '6fe9b308c2d714a5', 'a2847615fb9e3cd0'],
];

const STEPS = ['048c', '159d', '26ae', '37bf', '05af', '16bc', '278d', '349e'];

const digits = (text: string): number[] => [...text].map((digit) => Number.parseInt(digit, 16));

function compress(h: bigint[], block: Uint8Array, length: number, isLast: boolean): void {
  const m = [...new BigUint64Array(block.slice().buffer)];
  const v = [...h, ...IV];
  const at = (i: number) => v[i] as bigint;
  const rotated = (x: bigint, bits: bigint) => (x >> bits) | ((x << (64n - bits)) & MASK);
  v[12] = at(12) ^ BigInt(length);
  if (isLast) v[14] = at(14) ^ MASK;
  for (let round = 0; round < 12; round++) {
    const words = digits(SIGMA[round % 10] as string);
    STEPS.forEach((step, i) => {
      const [a, b, c, d] = digits(step) as [number, number, number, number];
      for (const [half, first, second] of [[0, 32n, 24n] as const, [1, 16n, 63n] as const]) {
        v[a] = (at(a) + at(b) + (m[words[2 * i + half] as number] as bigint)) & MASK;
        v[d] = rotated(at(d) ^ at(a), first);
        v[c] = (at(c) + at(d)) & MASK;
        v[b] = rotated(at(b) ^ at(c), second);
      }
    });
  }
  for (let i = 0; i < 8; i++) h[i] = (h[i] as bigint) ^ at(i) ^ at(i + 8);
}

/** @param size of the hash, 1 to 64 bytes */
export function plainBlake2b(
  data: Uint8Array,
  size: number,
  key: Uint8Array = new Uint8Array(0),
): Uint8Array {
  const h = [...IV];
  h[0] = (h[0] as bigint) ^ BigInt(0x01010000 ^ (key.length << 8) ^ size);
  const keyBlock = key.length > 0 ? 128 : 0;
  const input = new Uint8Array(keyBlock + data.length);
  input.set(key);
  input.set(data, keyBlock);
  const blocks = Math.max(1, Math.ceil(input.length / 128));
  for (let i = 0; i < blocks; i++) {
    const block = new Uint8Array(128);
    block.set(input.subarray(128 * i, 128 * (i + 1)));
    compress(h, block, Math.min(128 * (i + 1), input.length), i === blocks - 1);
  }
  return new Uint8Array(BigUint64Array.from(h).buffer).slice(0, size);
}

/** `selftest_seq` of appendix E. */
export function selfTestBytes(length: number, seed: number): Uint8Array {
  let a = Math.imul(0xdead4bad, seed);
  let b = 1;
  return Uint8Array.from({ length }, () => {
    const t = (a + b) | 0;
    a = b;
    b = t;
    return t >>> 24;
  });
}
