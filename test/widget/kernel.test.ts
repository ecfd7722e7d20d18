import { describe, expect, test } from 'bun:test';
import { compiledKernel, kernelOf } from '../../bundle.ts';

/** Maximum gzip sizes in bytes; docs/explanation/performance.md has the actual ones. */
const MAX_SIZES = { simd: 2200, scalar: 1900 };

describe.each(['simd', 'scalar'] as const)('the kernel (%s)', (variant) => {
  test('is identical to the one compiled from source', async () => {
    expect(Buffer.from(await compiledKernel(variant)).equals(kernelOf(variant))).toBe(true);
  });

  test('has no imports and exports the memory, the preparation, and the search', () => {
    const kernel = new WebAssembly.Module(kernelOf(variant));
    expect(WebAssembly.Module.imports(kernel)).toEqual([]);
    const exported = WebAssembly.Module.exports(kernel).map(({ name }) => name);
    expect(exported.sort()).toEqual(['memory', 'prepare', 'search']);
  });

  test('is small', () => {
    expect(Bun.gzipSync(kernelOf(variant), { level: 9 }).length).toBeLessThan(MAX_SIZES[variant]);
  });
});
