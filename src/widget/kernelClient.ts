import { fetchFile } from './buildFiles.ts';
import type { Kernel } from './messages.ts';
import { later } from './timers.ts';

/** Set by `bundle.ts`: name and integrity of the kernel with SIMD. */
declare const POSTERN_KERNEL_NAME: string;
declare const POSTERN_KERNEL_INTEGRITY: string;

// After this time, the widget uses the other script, whose plain JavaScript solver is about ten times slower.
const TIMEOUT_MS = 5000;

let fetched: Promise<Kernel | undefined> | undefined;

/**
 * Fetches the kernel, once for all widgets of a page. After a failure, the next check tries again.
 *
 * @returns undefined if it cannot be fetched, or if the browser does not support it
 */
export function fetchKernel(endpoint: string | undefined): Promise<Kernel | undefined> {
  fetched =
    fetched ??
    load(endpoint).catch(() => {
      fetched = undefined;
      return undefined;
    });
  return fetched;
}

async function load(endpoint: string | undefined): Promise<Kernel> {
  const timeout = new AbortController();
  later(TIMEOUT_MS, () => timeout.abort());
  const response = await fetchFile(POSTERN_KERNEL_NAME, endpoint, {
    integrity: POSTERN_KERNEL_INTEGRITY,
    signal: timeout.signal,
  });
  const kernel = new Uint8Array(await response.arrayBuffer());
  // SIMD needs Chrome 91, Firefox 89, or Safari 16.4.
  if (!WebAssembly.validate(kernel)) throw new Error('no SIMD');
  return kernel;
}
