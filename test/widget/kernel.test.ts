import { describe, expect, test } from 'bun:test';
import { compiledKernel, kernelOf } from '../../build/bundle.ts';
import { createSimdKernel } from '../../src/widget/simdKernel.ts';

/** Maximum gzip sizes in bytes; `bun build/bundle.ts` prints the actual ones. */
const MAX_SIZES = { check: 1500, hashwx: 2500, scalar: 1900, argon2idSimd: 3100, argon2idScalar: 2200 };

const BLAKE2B_EXPORTS = ['memory', 'prepare', 'search'];
const ARGON2ID_EXPORTS = ['fill', 'finish', 'memory', 'prepare', 'start'];

describe.each([
  ['check', ['check', 'memory']],
  ['hashwx', ['generate', 'hash', 'memory']],
  ['scalar', BLAKE2B_EXPORTS],
  ['argon2idSimd', ARGON2ID_EXPORTS],
  ['argon2idScalar', ARGON2ID_EXPORTS],
] as const)('the kernel (%s)', (variant, exports) => {
  test('is identical to the one compiled from source', async () => {
    expect(Buffer.from(await compiledKernel(variant)).equals(kernelOf(variant))).toBe(true);
  });

  test('has no imports and exports only the memory and the functions that its callers use', () => {
    const kernel = new WebAssembly.Module(kernelOf(variant));
    expect(WebAssembly.Module.imports(kernel)).toEqual([]);
    const exported = WebAssembly.Module.exports(kernel).map(({ name }) => name);
    expect(exported.sort()).toEqual([...exports]);
  });

  test('is small', () => {
    expect(Bun.gzipSync(kernelOf(variant), { level: 9 }).length).toBeLessThan(MAX_SIZES[variant]);
  });
});

test('the kernel with SIMD has no imports, exports a memory and a function, and is small enough to be compiled fast', () => {
  const kernel = createSimdKernel();
  const module = new WebAssembly.Module(kernel);
  expect(WebAssembly.Module.imports(module)).toEqual([]);
  expect(WebAssembly.Module.exports(module)).toEqual([
    { name: 'm', kind: 'memory' },
    { name: 's', kind: 'function' },
  ]);
  expect(kernel.length).toBeLessThan(8300);
});
