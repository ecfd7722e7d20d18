import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createReference } from '../../puzzle/hashwx/reference.ts';
import vectors from '../../puzzle/hashwx/vectors.json';
import { compileHashwx, hasAvx512 } from './native.ts';

const folder = mkdtempSync(join(tmpdir(), 'postern-hashwx-'));
afterAll(() => rmSync(folder, { recursive: true }));

const seed = new Uint8Array(32).map((_, i) => 7 * i + 1);
const reference = createReference(seed);
const hexOf = (nonce: number) => reference(BigInt(nonce)).toString(16).padStart(16, '0');

test('the interpreter in C computes the vectors', () => {
  const { output } = compileHashwx(folder, { source: 'native.c' });
  for (const vector of [...vectors.spec, ...vectors.generated])
    expect(output('hash', vector.seed, vector.nonce).trim()).toBe(vector.hash);
});

test.each(hasAvx512() ? ([1, 8] as const) : ([1] as const))(
  'compiled programs in C agree with the reference, with %i at a time',
  (lanes) => {
    const { output } = compileHashwx(folder, { source: 'native.c', seed, lanes });
    for (let nonce = 0; nonce < 32; nonce += lanes) {
      const expected = Array.from({ length: lanes }, (_, lane) => hexOf(nonce + lane));
      expect(output('hash', seed.toHex(), nonce).trim().split('\n')).toEqual(expected);
    }
  },
);

test.each([
  ['interprets', {}],
  ['runs the compiled', { seed }],
] as const)('the kernel for GPUs that %s programs finds the hits of the reference, on the CPU', (_, own) => {
  const [threads, threshold] = [256, 2 ** 28 - 1];
  const hits = Array.from({ length: threads }, (_, nonce) => nonce).filter(
    (nonce) => reference(BigInt(nonce)) >> 32n <= BigInt(threshold),
  );
  const [found, lowest] = compileHashwx(folder, { source: 'gpu.cu', ...own }).run(
    seed.toHex(),
    threads,
    threshold,
  );
  expect(hits.length).toBeGreaterThan(5);
  expect([found, lowest]).toEqual([hits.length, hits[0]]);
});
