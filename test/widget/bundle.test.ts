import { expect, test } from 'bun:test';
import { kernelOf, widgetScript } from '../../bundle.ts';

const SCRIPT = widgetScript();

const zippedSizeOf = (contents: Uint8Array<ArrayBuffer>) => Bun.gzipSync(contents, { level: 9 }).length;

test('all that a visitor downloads stays under 14 kB, zipped', () => {
  const script = zippedSizeOf(Buffer.from(SCRIPT));
  const kernels = [kernelOf('simd'), kernelOf('scalar')].map(zippedSizeOf);
  process.stdout.write(`script ${script}, kernel with SIMD ${kernels[0]}, without ${kernels[1]} bytes\n`);
  expect(script + Math.max(...kernels)).toBeLessThan(14_000);
});

test('the script is one classic script: no module syntax, no second file', () => {
  expect(() => new Function(SCRIPT)).not.toThrow();
  expect(SCRIPT).not.toMatch(/\b(?:import|export)\b\s*[({*\w]/);
  expect(SCRIPT).not.toContain('sourceMappingURL');
});

test('browsers of 2020 can read it: nothing newer than ES2020', () => {
  // The bundler does not lower syntax, and may bring in some of its own.
  expect(SCRIPT).not.toMatch(/\?\?=|\|\|=|&&=|\bstatic\{|\.at\(|\.replaceAll\(|\bhasOwn\(|\bWeakRef\b/);
});

test('it is plain ASCII, so that no page reads it in the wrong charset', () => {
  expect(SCRIPT).toMatch(/^[\n -~]+$/);
});

test('it evaluates no text, writes no markup, keeps nothing, and names no host', () => {
  expect(SCRIPT).not.toMatch(/\beval\(|new Function\(|innerHTML|insertAdjacentHTML|document\.write/);
  expect(SCRIPT).not.toMatch(/localStorage|sessionStorage|indexedDB|document\.cookie|crypto\./);
  const hosts = [...SCRIPT.matchAll(/(?:https?:)?\/\/[a-z0-9.-]+/g)].map(([host]) => host);
  // The name of a markup language; nothing is fetched from there.
  expect(hosts.filter((host) => host !== 'http://www.w3.org')).toEqual([]);
});
