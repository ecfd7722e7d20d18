import { expect, test } from 'bun:test';
import { ROOT } from '../../build/build.ts';
import {
  argon2idSolver,
  brotliScript,
  extrasScript,
  fallbackSolver,
  hashwxSolver,
  widgetScript,
} from '../../build/bundle.ts';
import { minified } from '../../build/minify.ts';
import { zipped } from '../../src/http/fileHandler.ts';

const SCRIPT = widgetScript('postern');

test.each(['altcha', 'cap'] as const)('the script for pages of %s adds at most 2.5 kB with gzip', (name) => {
  const sizeOf = (text: string) => zipped(Buffer.from(text)).length;
  expect(sizeOf(widgetScript(name)) - sizeOf(SCRIPT)).toBeLessThanOrEqual(2500);
});

test('a visitor downloads at most 10.09 kB with gzip, and 9.29 kB with Brotli', () => {
  const gzip = zipped(Buffer.from(SCRIPT)).length;
  const brotli = Uint8Array.fromBase64(brotliScript('postern')).length;
  process.stdout.write(`script ${gzip} bytes with gzip, ${brotli} with Brotli\n`);
  expect(gzip).toBeLessThanOrEqual(10_090);
  expect(brotli).toBeLessThanOrEqual(9290);
});

test('a visitor whose browser cannot use the kernel downloads less than 9.5 kB more', () => {
  const files = [extrasScript(), fallbackSolver()].map((text) => zipped(Buffer.from(text)).length);
  expect(files.reduce((sum, size) => sum + size)).toBeLessThan(9500);
});

test('a visitor with an argon2id puzzle downloads less than 10.75 kB more', () => {
  const files = [extrasScript(), argon2idSolver()].map((text) => zipped(Buffer.from(text)).length);
  expect(files.reduce((sum, size) => sum + size)).toBeLessThan(10_750);
});

test('the solver for HashWX has at most 4.5 kB', () => {
  expect(zipped(Buffer.from(hashwxSolver())).length).toBeLessThanOrEqual(4500);
});

test.each([
  ['fallback', fallbackSolver],
  ['solver for argon2id', argon2idSolver],
  ['solver for HashWX', hashwxSolver],
  ['script for rarely needed options', extrasScript],
])('the %s is a classic script that stores no data and contains no host', (_, textOf) => {
  const text = textOf();
  expect(() => new Function(text)).not.toThrow();
  expect(text).toMatch(/^[\n -~]+$/);
  expect(text).not.toMatch(/\beval\(|new Function\(|https?:|localStorage|indexedDB|document\.cookie/);
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

test('a minified script does not depend on the scripts that the process has minified before', () => {
  const script = 'console.log({ puzzle: 1 })';
  minified('console.log({ check: 1, count: 2 })');
  const code = `process.stdout.write((await import('./build/minify.ts')).minified(${JSON.stringify(script)}))`;
  const { stdout } = Bun.spawnSync([process.execPath, '-e', code], { cwd: ROOT });
  expect(minified(script)).toBe(stdout.toString());
});
