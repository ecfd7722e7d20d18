import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiledKernel } from '../../bundle.ts';

const KERNEL = readFileSync(join(import.meta.dir, '../../static/kernel.wasm'));

test('the committed kernel is what its sources compile to, byte for byte', async () => {
  expect(Buffer.from(await compiledKernel()).equals(KERNEL)).toBe(true);
});

test('the kernel imports nothing and exports its block, the memory and two functions', async () => {
  const kernel = new WebAssembly.Module(KERNEL);
  expect(WebAssembly.Module.imports(kernel)).toEqual([]);
  const exported = WebAssembly.Module.exports(kernel).map(({ name }) => name);
  expect(exported.sort()).toEqual(['BLOCK', 'memory', 'prepare', 'search']);
});
