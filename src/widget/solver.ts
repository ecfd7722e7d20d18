import { BLOCK_SIZE } from '../puzzle/check.ts';
import { headOf } from './compress.ts';

/**
 * Searches one puzzle's solutions. All solvers answer alike, attempt for attempt.
 *
 * A solution is `prefix` in bytes 0 to 3 (its index, then three bytes of room) and a counter in
 * bytes 4 to 7, both little-endian.
 */
export interface Solver {
  /** Whether WebAssembly does the work. */
  readonly usesWasm: boolean;
  /** @param block 128 bytes of `blockOf`; copied */
  load(block: Uint8Array): void;
  /**
   * @param prefix u32
   * @param start u32, the first counter
   * @param count how many counters to try; `start + count` is at most 2^32
   * @param threshold u32 of `thresholdOf`
   * @returns how many attempts it took, the good one included (its counter is `start + attempts - 1`),
   *   or 0 where none of them was good
   */
  search(prefix: number, start: number, count: number, threshold: number): number;
}

/** What `kernel/search.ts` exports. */
type Kernel = {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly BLOCK: { readonly value: number };
  prepare(): void;
  search(prefix: number, start: number, count: number, threshold: number): number;
};

/**
 * The solver in WebAssembly.
 *
 * @param kernel the bytes of `static/kernel.wasm` or of its twin with SIMD
 * @throws where WebAssembly is missing, or forbidden by the page's content security policy
 */
export async function createWasmSolver(kernel: Uint8Array<ArrayBuffer>): Promise<Solver> {
  const { instance } = await WebAssembly.instantiate(kernel, {});
  const { memory, BLOCK, prepare, search } = instance.exports as unknown as Kernel;
  return {
    usesWasm: true,
    load(block) {
      new Uint8Array(memory.buffer).set(block, BLOCK.value);
      prepare();
    },
    search: (prefix, start, count, threshold) => search(prefix, start, count, threshold) >>> 0,
  };
}

/**
 * The kernel for this browser: the one with SIMD where the browser understands it (Chrome 91, Firefox 89, Safari 16.4).
 * Only one of them is ever compiled, so that a policy against WebAssembly is violated once.
 *
 * @throws where WebAssembly is missing
 */
export function supportedOf<Bytes extends Uint8Array<ArrayBuffer>>(simd: Bytes, scalar: Bytes): Bytes {
  return WebAssembly.validate(simd) ? simd : scalar;
}

/** The solver in plain JavaScript, for browsers and pages without WebAssembly. */
export function createJsSolver(): Solver {
  const words = new Int32Array(12 * 32);
  return {
    usesWasm: false,
    load(block) {
      const view = new DataView(block.buffer, block.byteOffset, BLOCK_SIZE);
      for (let i = 0; i < 12 * 16; i++) {
        const word = SIGMA.charCodeAt(i % 160) - A;
        words[2 * i] = view.getInt32(8 * word, true);
        words[2 * i + 1] = view.getInt32(8 * word + 4, true);
      }
    },
    search(prefix, start, count, threshold) {
      for (const place of SOLUTION_PLACES) words[place] = prefix;
      for (let attempt = 1; attempt <= count; attempt++) {
        const counter = start + attempt - 1;
        for (const place of SOLUTION_PLACES) words[place + 1] = counter;
        if (headOf(STATE, words) >>> 0 <= threshold) return attempt;
      }
      return 0;
    },
  };
}

const A = 'a'.charCodeAt(0);

/** The order of the words in ten rounds, a letter each (RFC 7693 section 2.7); then it begins again. */
const SIGMA =
  'abcdefghijklmnop' +
  'okeijpngbmaclhfd' +
  'limafcpnkodghbje' +
  'hjdbnmlocgfkeapi' +
  'jafhcekpoblmgidn' +
  'cmgkalidenhfpobj' +
  'mfbponekahgdjcil' +
  'nlhombdjfapeigck' +
  'gpojldaimcnhbekf' +
  'kciehgbfpljodmna';

/** Where word 15, the solution, comes up in each of the twelve rounds: index of its low half. */
const SOLUTION_PLACES = Array.from({ length: 12 }, (_, round) => {
  const start = (round % 10) * 16;
  return 32 * round + 2 * (SIGMA.indexOf('p', start) - start);
});

/**
 * v0 to v15 at the start, low half before high half (RFC 7693 sections 2.6 and 3.2): no key, 32 bytes of hash,
 * 128 bytes of input, last block.
 */
const STATE = Int32Array.of(
  // h0 to h7
  ...[0xf2bdc928, 0x6a09e667, 0x84caa73b, 0xbb67ae85, 0xfe94f82b, 0x3c6ef372, 0x5f1d36f1, 0xa54ff53a],
  ...[0xade682d1, 0x510e527f, 0x2b3e6c1f, 0x9b05688c, 0xfb41bd6b, 0x1f83d9ab, 0x137e2179, 0x5be0cd19],
  // IV0 to IV7, with the length and the last-block flag mixed in
  ...[0xf3bcc908, 0x6a09e667, 0x84caa73b, 0xbb67ae85, 0xfe94f82b, 0x3c6ef372, 0x5f1d36f1, 0xa54ff53a],
  ...[0xade682d1 ^ BLOCK_SIZE, 0x510e527f, 0x2b3e6c1f, 0x9b05688c],
  ...[~0xfb41bd6b, ~0x1f83d9ab, 0x137e2179, 0x5be0cd19],
);
