import { argon2id } from 'hash-wasm';
import { type Hasher, openHasher, STEPS } from '../../../src/widget/argon2id/hasherThread.ts';

/** The implementations that the benchmark of argon2id compares, in Bun, Node.js, and browsers. */

export type Argon2Runner = {
  readonly name: string;
  /** The first four bytes of the hash with prefix 1 and this counter. */
  first(counter: number): Promise<number>;
  /** @returns milliseconds per hash */
  time(hashes: number): Promise<number>;
};

/** @param kernels contents of `static/argon2idSimd.wasm` and `static/argon2id.wasm` */
export async function openArgon2Runners(block: Uint8Array, kernels: readonly [Uint8Array, Uint8Array]) {
  const [simd, scalar] = kernels.map((kernel) => openHasher([new Uint8Array(kernel)]));
  if (!simd || !scalar) throw new Error('expected two kernels');
  return [
    kernelRunner('SIMD', await simd, block),
    kernelRunner('scalar', await scalar, block),
    libraryRunner(block),
  ];
}

function kernelRunner(name: string, hasher: Hasher, block: Uint8Array): Argon2Runner {
  hasher.load(block);
  return createRunner(name, (counter) => {
    hasher.start(1, counter);
    for (let step = 0; step < STEPS; step++) hasher.fill(step);
    return hasher.finish();
  });
}

function libraryRunner(original: Uint8Array): Argon2Runner {
  const password = original.slice();
  const view = new DataView(password.buffer);
  view.setUint32(120, 1, true);
  return createRunner('hash-wasm', async (counter) => {
    view.setUint32(124, counter, true);
    const salt = password.subarray(0, 16);
    const parameters = { iterations: 1, memorySize: 16_384, parallelism: 1, hashLength: 32 };
    const tag = await argon2id({ password, salt, ...parameters, outputType: 'binary' });
    return new DataView(tag.buffer, tag.byteOffset).getUint32(0, true);
  });
}

function createRunner(name: string, hash: (counter: number) => number | Promise<number>): Argon2Runner {
  return {
    name,
    first: async (counter) => hash(counter),
    async time(hashes) {
      const from = performance.now();
      for (let counter = 0; counter < hashes; counter++) await hash(counter);
      return (performance.now() - from) / hashes;
    },
  };
}

Object.assign(globalThis, { posternArgon2Runners: openArgon2Runners });
