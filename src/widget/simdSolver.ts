import { wordAt } from './blake2b.ts';
import { COPIES, createSimdKernel, WORDS } from './simdKernel.ts';
import type { Solver } from './solver.ts';

/** Exports of the module, see `createSimdKernel`. */
type Exports = {
  readonly m: { readonly buffer: ArrayBuffer };
  readonly s: Solver['searchRange'];
};

/**
 * v0 to v15 before the first round (RFC 7693, sections 2.6 and 3.2), in base64 and in the order that `simdKernel.ts` expects: v15 to v12,
 * v3 to v0, v11 to v8, and v7 to v4. No key, a hash of 32 bytes, 128 bytes of input, last block.
 */
const STATE = [
  'eSF+ExnN4FuUQr4EVCZ84B9sPiuMaAWbUYLmrX9SDlE',
  '8TYdXzr1T6Ur+JT+cvNuPDunyoSFrme7KMm98mfmCWo',
  '8TYdXzr1T6Ur+JT+cvNuPDunyoSFrme7CMm882fmCWo',
  'eSF+ExnN4FtrvUH7q9mDHx9sPiuMaAWb0YLmrX9SDlE',
];

/**
 * Opens the solver with SIMD.
 *
 * @throws if WebAssembly with SIMD is not available, or blocked by the page's content security policy
 */
export async function createSimdSolver(): Promise<Solver> {
  const { instance } = await WebAssembly.instantiate(createSimdKernel(), {});
  const { m, s } = instance.exports as unknown as Exports;
  return {
    usesWasm: true,
    load(block) {
      const state = [...STATE.map(atob).join('')].map((unit) => unit.charCodeAt(0));
      const words = new BigInt64Array(Uint8Array.of(...state, ...block).buffer);
      const copies = new BigInt64Array(m.buffer);
      for (let i = 0; i < WORDS; i++) {
        const word = words[i < 16 ? i : 16 + wordAt(i - 16)];
        copies.fill(word as bigint, i * COPIES, (i + 1) * COPIES);
      }
    },
    searchRange: s,
  };
}
