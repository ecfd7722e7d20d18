import { describe, expect, test } from 'bun:test';
import { areEqual, areEqualAt, isSignatureOf, signatureOf } from '../../src/lib/signatures.ts';

const bytes = (...values: readonly number[]) => Uint8Array.from(values);

describe('comparison', () => {
  test('detects a difference in any bit of any byte', () => {
    const given = bytes(1, 2, 3, 4);
    expect(areEqual(given, given.slice())).toBe(true);
    for (let bit = 0; bit < 32; bit++) {
      const other = given.slice();
      other[bit >> 3] = (other[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(areEqual(given, other)).toBe(false);
    }
  });

  test('detects different lengths', () => {
    expect(areEqual(bytes(0), bytes(0, 0))).toBe(false);
    expect(areEqual(bytes(), bytes())).toBe(true);
  });

  test('compares a part of an array', () => {
    expect(areEqualAt(bytes(1, 2, 9), bytes(7, 1, 2, 8), 1, 2)).toBe(true);
    expect(areEqualAt(bytes(1, 2, 9), bytes(7, 1, 2, 8), 1, 3)).toBe(false);
  });
});

test('a signature belongs to one text', () => {
  const sign = (text: string) => new Uint8Array(Bun.CryptoHasher.hash('sha256', text));
  const signature = signatureOf(sign, 'a');
  expect(signature).toMatch(/^[\w-]{43}$/);
  expect(isSignatureOf(sign, 'a', signature)).toBe(true);
  for (const other of ['', 'b', `${signature}A`, signatureOf(sign, 'b')])
    expect(isSignatureOf(sign, 'a', other)).toBe(false);
});
