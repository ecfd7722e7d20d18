import { describe, expect, test } from 'bun:test';
import { compiledKernel, kernelOf } from '../../bundle.ts';

/** Bytes zipped, of docs/explanation/performance.md. */
const MOST = { simd: 1750, scalar: 1450 };

describe.each(['simd', 'scalar'] as const)('the kernel (%s)', (twin) => {
  test('is committed as its sources compile to, byte for byte', async () => {
    expect(Buffer.from(await compiledKernel(twin)).equals(kernelOf(twin))).toBe(true);
  });

  test('imports nothing and exports the memory, the copies it wants there and the search', () => {
    const kernel = new WebAssembly.Module(kernelOf(twin));
    expect(WebAssembly.Module.imports(kernel)).toEqual([]);
    const exported = WebAssembly.Module.exports(kernel).map(({ name }) => name);
    expect(exported.sort()).toEqual(['COPIES', 'memory', 'search']);
  });

  test('is small', () => {
    expect(Bun.gzipSync(kernelOf(twin), { level: 9 }).length).toBeLessThan(MOST[twin]);
  });
});
