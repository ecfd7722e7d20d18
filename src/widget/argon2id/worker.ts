import { createPause, type SolverScope } from '../solverThread.ts';
import { createHasherThread, openHasher } from './hasherThread.ts';

/**
 * The entry of `/widget/argon2id.js`, which pages load when they receive an argon2id puzzle. `bundle.ts` wraps it in a function of `self`,
 * like `../worker.ts`.
 */
declare const self: SolverScope;

/** Set by `bundle.ts`: the kernels with and without SIMD in base64. */
declare const POSTERN_SIMD: string;
declare const POSTERN_SCALAR: string;

const kernelOf = (base64: string) => Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0));

const handle = createHasherThread({
  openHasher: () => openHasher([kernelOf(POSTERN_SIMD), kernelOf(POSTERN_SCALAR)]),
  post: (message) => self.postMessage(message),
  pause: createPause(),
});
self.onmessage = (event) => handle(event.data);
