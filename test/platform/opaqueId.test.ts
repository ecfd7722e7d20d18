import { describe, expect, test } from 'bun:test';
import { createCipheriv } from 'node:crypto';
import type { PropertyId } from '../../src/model/property.ts';
import { createOpaqueIds, type IdKind } from '../../src/platform/opaqueId.ts';

const key = Uint8Array.from({ length: 32 }, (_, index) => index);
const ids = createOpaqueIds(key);
const KINDS: readonly IdKind[] = ['organization', 'property', 'api-key', 'account'];
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const property = (number: number) => number as PropertyId;

describe('an opaque id', () => {
  test.each(KINDS)('of the kind %s opens only as that kind', (kind) => {
    for (const number of [0, 1, 255, 65_536, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
      const text = ids.seal(kind, number as never);
      expect(text).toMatch(/^[A-Za-z0-9_-]{22}$/);
      for (const other of KINDS) {
        expect(ids.open(other, text)).toBe((other === kind ? number : undefined) as never);
      }
    }
  });

  test('does not reveal the number: ids of consecutive numbers have nothing in common', () => {
    const texts = Array.from({ length: 100 }, (_, index) => ids.seal('property', property(index)));
    expect(new Set(texts).size).toBe(100);
    expect(new Set(texts.map((text) => text.slice(0, 4))).size).toBe(100);
  });

  test('is the same each time', () => {
    expect(ids.seal('property', property(7))).toBe(createOpaqueIds(key).seal('property', property(7)));
  });

  test('does not open if any character was changed', () => {
    const text = ids.seal('property', property(7));
    for (let at = 0; at < text.length; at++) {
      for (const character of ALPHABET) {
        if (character === text[at]) continue;
        expect(ids.open('property', text.slice(0, at) + character + text.slice(at + 1))).toBeUndefined();
      }
    }
  });

  test('does not open if its block has other bytes than zeros between the kind and the number', () => {
    for (let at = 1; at < 8; at++) {
      const block = Buffer.alloc(16);
      block[0] = 2;
      block[at] = 1;
      block[15] = 7;
      const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
      expect(ids.open('property', cipher.update(block).toString('base64url'))).toBeUndefined();
    }
  });

  test('does not open if its number is not a safe integer', () => {
    const block = Buffer.alloc(16);
    block[0] = 2;
    block.writeBigUInt64BE(2n ** 53n, 8);
    const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
    expect(ids.open('property', cipher.update(block).toString('base64url'))).toBeUndefined();
  });

  test('of another installation does not open', () => {
    const others = createOpaqueIds(new Uint8Array(32));
    for (let number = 0; number < 100; number++) {
      expect(ids.open('property', others.seal('property', property(number)))).toBeUndefined();
    }
  });

  test.each([
    '',
    '7',
    'A'.repeat(21),
    'A'.repeat(22),
    'A'.repeat(23),
    `${'A'.repeat(21)}=`,
    ' '.repeat(22),
    'é'.repeat(22),
  ])('%j does not open', (text) => {
    expect(ids.open('property', text)).toBeUndefined();
  });

  test('does not open with additional text before or after it', () => {
    const text = ids.seal('property', property(7));
    for (const other of [` ${text}`, `${text}\n`, `${text}=`, `${text}==`, text + text]) {
      expect(ids.open('property', other)).toBeUndefined();
    }
  });
});
