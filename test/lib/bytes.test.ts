import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { bytesFromBase64, toBase64 } from '../../src/lib/bytes.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);

// The widget also runs in browsers released before 2025, which lack the native functions.
const NATIVE = ['toBase64', 'setFromBase64'] as const;

describe.each([
  ['native', false],
  ['without the native functions', true],
])('base64, %s', (_, isOld) => {
  const originals = NATIVE.map(
    (name) => [name, Object.getOwnPropertyDescriptor(Uint8Array.prototype, name)] as const,
  );

  beforeAll(() => {
    if (isOld) for (const name of NATIVE) Reflect.deleteProperty(Uint8Array.prototype, name);
  });

  afterAll(() => {
    for (const [name, descriptor] of originals) {
      if (descriptor !== undefined) Object.defineProperty(Uint8Array.prototype, name, descriptor);
    }
  });

  // RFC 4648, section 10.
  test.each([
    ['', ''],
    ['f', 'Zg=='],
    ['fo', 'Zm8='],
    ['foo', 'Zm9v'],
    ['foob', 'Zm9vYg=='],
    ['fooba', 'Zm9vYmE='],
    ['foobar', 'Zm9vYmFy'],
  ])('encodes and decodes the RFC 4648 test vector "%s"', (plain, encoded) => {
    const given = new TextEncoder().encode(plain);
    expect(toBase64(given)).toBe(encoded);
    expect(bytesFromBase64(encoded)).toEqual(given);
  });

  test('encodes and decodes plus and slash', () => {
    expect(toBase64(bytes(0xfb, 0xff, 0xbf))).toBe('+/+/');
    expect(bytesFromBase64('+/+/')).toEqual(bytes(0xfb, 0xff, 0xbf));
  });

  test.each([
    ['spare bits of one byte that are not zero', 'Zh=='],
    ['spare bits of two bytes that are not zero', 'Zm9='],
    ['the URL-safe alphabet', '-_-_'],
    ['missing padding', 'Zg'],
    ['half of the padding', 'Zg='],
    ['too much padding', 'Zm9v===='],
    ['padding alone', '===='],
    ['padding in the middle', 'Zg==Zg=='],
    ['a leading space', ' Zm9v'],
    ['a space in the middle', 'Zm 9v'],
    ['a trailing line break', 'Zm9v\n'],
    ['a line break in the middle', 'Zm9v\nZm9v'],
    ['a single character', 'Z'],
    ['a dot', 'Zm9v.'],
    ['a zero byte', 'Zm9\0'],
    ['letters of other alphabets', 'Zm9ö'],
  ])('rejects %s', (_, text) => {
    expect(bytesFromBase64(text)).toBeUndefined();
  });

  test('accepts and rejects long texts without a stack overflow', () => {
    const text = 'AAAA'.repeat(1_000_000);
    expect(bytesFromBase64(text)).toHaveLength(3_000_000);
    expect(bytesFromBase64(`${text}!`)).toBeUndefined();
  });
});
