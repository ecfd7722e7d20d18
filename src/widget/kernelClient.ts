import type { Kernel } from './messages.ts';

/** Set by `bundle.ts`: file name and integrity of the SIMD kernel, then of the scalar kernel. */
declare const POSTERN_KERNELS: string;
/** Set by `bundle.ts`: the folder of the kernels and languages, relative to the script's URL. */
declare const POSTERN_FILES: string;

// After this time, the JavaScript solver starts, which is about ten times slower.
const TIMEOUT_MS = 5000;

let fetched: Promise<Kernel | undefined> | undefined;

/**
 * Fetches the kernel that this browser supports, once for all widgets of a page. After a failure, the next check tries again.
 *
 * @returns undefined if it cannot be fetched
 */
export function fetchKernel(scriptUrl: string, later: (ms: number, run: () => void) => void) {
  fetched =
    fetched ??
    load(scriptUrl, later).catch(() => {
      fetched = undefined;
      return undefined;
    });
  return fetched;
}

async function load(scriptUrl: string, later: (ms: number, run: () => void) => void): Promise<Kernel> {
  const [simdName = '', simdIntegrity = '', name = '', integrity = ''] = POSTERN_KERNELS.split(' ');
  const hasSimd = WebAssembly.validate(SIMD_MODULE);
  const timeout = new AbortController();
  later(TIMEOUT_MS, () => timeout.abort());
  const response = await fetch(new URL(POSTERN_FILES + (hasSimd ? simdName : name), scriptUrl).href, {
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    integrity: hasSimd ? simdIntegrity : integrity,
    signal: timeout.signal,
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** A minimal module with SIMD: a function that returns `i32x4.splat(0)` (Chrome 91, Firefox 89, Safari 16.4). */
const SIMD_MODULE = Uint8Array.of(
  // Magic, version
  ...[0, 97, 115, 109, 1, 0, 0, 0],
  // Types: () -> v128
  ...[1, 5, 1, 96, 0, 1, 123],
  // Functions: one of this type
  ...[3, 2, 1, 0],
  // Code: i32.const 0, i32x4.splat, end
  ...[10, 8, 1, 6, 0, 65, 0, 253, 17, 11],
);
