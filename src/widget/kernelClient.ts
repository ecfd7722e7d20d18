import type { Kernel } from './messages.ts';

/** What `bundle.ts` knows of the kernels: for the one with SIMD, then for its scalar twin, file name and integrity. */
declare const POSTERN_KERNELS: string;

// Without it the solver is about ten times slower, and the visitor is waiting.
const TIMEOUT_MS = 5000;

let fetched: Promise<Kernel | undefined> | undefined;

/**
 * The kernel that this browser understands, from beside the script; undefined where there is none to be had.
 * Fetched once for all widgets of a page; after a failure the next check tries again.
 */
export function fetchKernel(scriptUrl: string, later: (ms: number, run: () => void) => void) {
  fetched =
    fetched ??
    ask(scriptUrl, later).catch(() => {
      fetched = undefined;
      return undefined;
    });
  return fetched;
}

async function ask(scriptUrl: string, later: (ms: number, run: () => void) => void): Promise<Kernel> {
  const [simdName = '', simdIntegrity = '', name = '', integrity = ''] = POSTERN_KERNELS.split(' ');
  const understandsSimd = WebAssembly.validate(SIMD_MODULE);
  const hung = new AbortController();
  later(TIMEOUT_MS, () => hung.abort());
  const response = await fetch(new URL(understandsSimd ? simdName : name, scriptUrl).href, {
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    integrity: understandsSimd ? simdIntegrity : integrity,
    signal: hung.signal,
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** The smallest module with a vector in it: a function that returns `i32x4.splat(0)` (Chrome 91, Firefox 89, Safari 16.4). */
const SIMD_MODULE = Uint8Array.of(
  // Magic, version
  ...[0, 97, 115, 109, 1, 0, 0, 0],
  // Types: () -> v128
  ...[1, 5, 1, 96, 0, 1, 123],
  // Functions: one of that type
  ...[3, 2, 1, 0],
  // Code: i32.const 0, i32x4.splat, end
  ...[10, 8, 1, 6, 0, 65, 0, 253, 17, 11],
);
