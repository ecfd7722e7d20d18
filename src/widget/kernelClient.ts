import { fetchFile } from './buildFiles.ts';
import type { Kernel } from './messages.ts';
import { later } from './timers.ts';

/** Set by `bundle.ts`: name and integrity of the kernel with SIMD. */
declare const POSTERN_KERNEL_NAME: string;
declare const POSTERN_KERNEL_INTEGRITY: string;

// After this time, the widget uses the other script, whose plain JavaScript solver is about ten times slower.
const TIMEOUT_MS = 5000;

/** @throws if it cannot be fetched, or if the browser does not support it */
export async function fetchKernel(endpoint: string | undefined): Promise<Kernel> {
  const timeout = new AbortController();
  later(TIMEOUT_MS, () => timeout.abort());
  const init = { integrity: POSTERN_KERNEL_INTEGRITY, signal: timeout.signal };
  const kernel = await fetchFile(POSTERN_KERNEL_NAME, endpoint, read, init);
  // SIMD needs Chrome 91, Firefox 89, or Safari 16.4.
  if (!WebAssembly.validate(kernel)) throw new Error('no SIMD');
  return kernel;
}

const read = async (response: Response): Promise<Kernel> => new Uint8Array(await response.arrayBuffer());
