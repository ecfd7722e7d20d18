import { describe, expect, test } from 'bun:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import type { Random } from '../../src/lib/ids.ts';
import {
  createApiKey,
  formatApiKey,
  parseApiKey,
  SCOPES,
  toHexForms,
  toSecretHint,
} from '../../src/model/apiKey.ts';

const REJECTED = { ok: false, problem: 'key-malformed' } as const;
const key = formatApiKey(
  'verify',
  Uint8Array.from({ length: 32 }, (_, i) => i * 7 + 1),
);

describe('a generated key', () => {
  test.each(SCOPES)('of scope %s contains its scope and can be parsed', (scope) => {
    const written = formatApiKey(scope, new Uint8Array(32).fill(0xff));
    expect(written).toMatch(new RegExp(`^postern_${scope}_[0-9A-Za-z]{49}$`));
    expect(parseApiKey(written)).toEqual({ ok: true, value: written });
  });

  test('depends on each of the 256 random bits', () => {
    const keys = Array.from({ length: 256 }, (_, bit) => {
      const entropy = new Uint8Array(32);
      entropy[bit >> 3] = 1 << (bit & 7);
      return formatApiKey('verify', entropy);
    });
    expect(new Set(keys).size).toBe(256);
  });

  test('is rejected if any character was changed', () => {
    for (let at = 'postern_'.length; at < key.length; at++) {
      for (const character of '09AZaz_-') {
        if (key[at] === character) continue;
        expect(parseApiKey(key.slice(0, at) + character + key.slice(at + 1))).toEqual(REJECTED);
      }
    }
  });

  test('is rejected if two adjacent characters were swapped', () => {
    for (let at = 'postern_verify_'.length; at < key.length - 1; at++) {
      const [a, b] = [key[at] as string, key[at + 1] as string];
      if (a === b) continue;
      expect(parseApiKey(key.slice(0, at) + b + a + key.slice(at + 2))).toEqual(REJECTED);
    }
  });

  test.each([
    ['without its last character', key.slice(0, -1)],
    ['with an additional character', `${key}0`],
    ['with a trailing line break', `${key}\n`],
    ['with a leading space', ` ${key}`],
    ['with another scope', key.replace('verify', 'portal')],
    ['with an unknown scope', key.replace('verify', 'admins')],
  ])('is rejected %s', (_, text) => {
    expect(parseApiKey(text)).toEqual(REJECTED);
  });
});

describe('a key that the operator chose', () => {
  test.each(['x'.repeat(32), '~!#$'.repeat(64), 'Postern_verify_'.padEnd(40, '1')])('can be %s', (text) => {
    expect(parseApiKey(text)).toEqual({ ok: true, value: text });
  });

  test.each([
    ['an empty text', ''],
    ['31 characters', 'x'.repeat(31)],
    ['257 characters', 'x'.repeat(257)],
    ['a text with a space', `${'x'.repeat(32)} y`],
    ['a text with a non-ASCII letter', `${'x'.repeat(32)}ü`],
    ['a text with a control character', `${'x'.repeat(32)}\x7f`],
    ['an incomplete generated key', 'postern_'.padEnd(40, 'x')],
  ])('cannot be %s', (_, text) => {
    expect(parseApiKey(text)).toEqual(REJECTED);
  });
});

describe('a checksum', () => {
  const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

  /** The CRC-32 of a text in base 62. */
  function checksumOf(text: string): string {
    let rest = BigInt(crc32(text));
    const digits = Array.from({ length: 6 }, () => {
      const digit = DIGITS.charAt(Number(rest % 62n));
      rest /= 62n;
      return digit;
    });
    return digits.toReversed().join('');
  }

  test('of a generated key is the CRC-32 of the text before it', () => {
    for (let byte = 0; byte < 256; byte++) {
      const written = formatApiKey('portal', new Uint8Array(32).fill(byte));
      expect(written.slice(-6)).toBe(checksumOf(written.slice(0, -6)));
    }
  });

  test('of more than 256 bits makes a key without the formats of other vendors', () => {
    const head = `postern_verify_${'z'.repeat(43)}`;
    expect(parseApiKey(head + checksumOf(head)).ok).toBe(true);
    expect(toHexForms(head + checksumOf(head))).toBeUndefined();
  });

  test('does not make another text a generated key', () => {
    const digits = 'A'.repeat(43);
    for (const head of [`postern_verify_${digits}`, `postern_portal_${digits}`])
      expect(parseApiKey(head + checksumOf(head)).ok).toBe(true);
    for (const head of [
      `postern_other_${digits}`,
      `postern_verify_${digits}A`,
      `postern_verify_${digits.slice(1)}`,
      `postern_verify_${digits.slice(1)}-`,
      `postern_postern_verify_${digits}`,
      `postern_${digits}`,
    ])
      expect(parseApiKey(head + checksumOf(head))).toEqual(REJECTED);
  });
});

test('only generated keys have a hint with a prefix', () => {
  expect(toSecretHint(key).prefix).toStartWith('postern_verify_');
  for (const chosen of [`x${key}`, `${key}x`, key.slice(1)])
    expect(toSecretHint(chosen)).toEqual({ prefix: '', lastFour: chosen.slice(-4) });
});

describe('the formats of other vendors', () => {
  const seeds = fc.uint8Array({ minLength: 16, maxLength: 16 });
  const randomOf =
    (seed: Uint8Array): Random =>
    (bytes) => {
      bytes.set(seed);
      return bytes;
    };

  test('stand for the same key', () => {
    const property = fc.property(seeds, (seed) => {
      const written = createApiKey('verify', randomOf(seed));
      const forms = toHexForms(written);
      // The extension for hCaptcha of phpBB accepts these secrets only.
      for (const form of Object.values(forms ?? {})) {
        expect(form).toMatch(/^(0x[a-fA-F0-9]{40}|ES_[a-fA-F0-9]{32})$/);
        expect(parseApiKey(form)).toEqual({ ok: true, value: written });
        expect(parseApiKey(form.replace(/.{32}$/, (hex) => hex.toUpperCase())).ok).toBe(true);
      }
      expect(forms).toMatchObject({ ES_: `ES_${seed.toHex()}` });
    });
    fc.assert(property, { examples: [[new Uint8Array(16)], [new Uint8Array(16).fill(255)]] });
  });

  // The key was computed with Python's hashlib and zlib. Clients for other vendors store these secrets, so the keys must not change.
  test('stand for 128 bits, followed by the first half of their SHA-256', () => {
    const seed = '000102030405060708090a0b0c0d0e0f';
    const written = 'postern_verify_003aUlTJC7tjlCTQj2uNU8eyLl8fgQjRSFV7mwcJgsv4DHgg1';
    expect(parseApiKey(`ES_${seed}`)).toEqual({ ok: true, value: written });
    expect(toHexForms(written)).toEqual({ '0x': `0x00000000${seed}`, ES_: `ES_${seed}` });
  });

  test('exist only for keys that were created to verify solutions', () => {
    const portal = createApiKey('portal', randomOf(new Uint8Array(16)));
    const earlier = formatApiKey('verify', new Uint8Array(32).fill(1));
    for (const other of [portal, earlier, 'k'.repeat(40), '-'.repeat(64), `ES_${'0'.repeat(32)}`, ''])
      expect(toHexForms(other)).toBeUndefined();
  });

  test('have an exact length; similar keys that the operator chose are unchanged', () => {
    const digits = 'a'.repeat(31);
    for (const text of [
      `ES_${digits}`,
      `ES_${digits}aa`,
      `xES_${digits}a`,
      `0x${digits}a0`,
      `0x${'a'.repeat(40)}`,
      `ES_${digits}g`,
    ])
      expect(parseApiKey(text)).toEqual({ ok: true, value: text });
  });
});
