import { expect, test } from 'bun:test';
import { kernelOf, widgetScript } from '../../bundle.ts';

const SCRIPT = widgetScript('postern');

const gzipSizeOf = (contents: Uint8Array<ArrayBuffer>) => Bun.gzipSync(contents, { level: 9 }).length;

test('a visitor downloads less than 14.4 kB (gzip)', () => {
  const script = gzipSizeOf(Buffer.from(SCRIPT));
  const kernels = [kernelOf('simd'), kernelOf('scalar')].map(gzipSizeOf);
  process.stdout.write(`script ${script}, kernel with SIMD ${kernels[0]}, without ${kernels[1]} bytes\n`);
  expect(script + Math.max(...kernels)).toBeLessThan(14_400);
});

test('the script is one classic script without module syntax or another file', () => {
  expect(() => new Function(SCRIPT)).not.toThrow();
  expect(SCRIPT).not.toMatch(/\b(?:import|export)\b\s*[({*\w]/);
  expect(SCRIPT).not.toContain('sourceMappingURL');
});

test('the script uses no syntax newer than ES2020', () => {
  // The bundler does not convert newer syntax, and may add some.
  expect(SCRIPT).not.toMatch(/\?\?=|\|\|=|&&=|\bstatic\{|\.at\(|\.replaceAll\(|\bhasOwn\(|\bWeakRef\b/);
});

test('the script is ASCII, so that any page encoding works', () => {
  expect(SCRIPT).toMatch(/^[\n -~]+$/);
});

test('the script evaluates no text, writes no markup, stores no data, and contains no host', () => {
  expect(SCRIPT).not.toMatch(/\beval\(|new Function\(|innerHTML|insertAdjacentHTML|document\.write/);
  expect(SCRIPT).not.toMatch(/localStorage|sessionStorage|indexedDB|document\.cookie|crypto\./);
  const hosts = [...SCRIPT.matchAll(/(?:https?:)?\/\/[a-z0-9.-]+/g)].map(([host]) => host);
  // An XML namespace, which is not fetched.
  expect(hosts.filter((host) => host !== 'http://www.w3.org')).toEqual([]);
});
