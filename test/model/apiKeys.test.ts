import { describe, expect, test } from 'bun:test';
import { formatApiKey, parseApiKey, SCOPES } from '../../src/model/apiKey.ts';

const refused = { ok: false, problem: 'key-malformed' } as const;
const key = formatApiKey(
  'verify',
  Uint8Array.from({ length: 32 }, (_, i) => i * 7 + 1),
);

describe('a key that we wrote', () => {
  test.each(SCOPES)('says that its scope is %s and is read back', (scope) => {
    const written = formatApiKey(scope, new Uint8Array(32).fill(0xff));
    expect(written).toMatch(new RegExp(`^postern_${scope}_[0-9A-Za-z]{49}$`));
    expect(parseApiKey(written)).toEqual({ ok: true, value: written });
  });

  test('holds all of its 256 bits', () => {
    const keys = Array.from({ length: 256 }, (_, bit) => {
      const entropy = new Uint8Array(32);
      entropy[bit >> 3] = 1 << (bit & 7);
      return formatApiKey('verify', entropy);
    });
    expect(new Set(keys).size).toBe(256);
  });

  test('is refused with any one of its characters changed', () => {
    for (let at = 'postern_'.length; at < key.length; at++) {
      for (const character of '09AZaz_-') {
        if (key[at] === character) continue;
        expect(parseApiKey(key.slice(0, at) + character + key.slice(at + 1))).toEqual(refused);
      }
    }
  });

  test('is refused with two neighbours swapped', () => {
    for (let at = 'postern_verify_'.length; at < key.length - 1; at++) {
      const [a, b] = [key[at] as string, key[at + 1] as string];
      if (a === b) continue;
      expect(parseApiKey(key.slice(0, at) + b + a + key.slice(at + 2))).toEqual(refused);
    }
  });

  test.each([
    ['cut short', key.slice(0, -1)],
    ['with something after it', `${key}0`],
    ['with a line break after it', `${key}\n`],
    ['with a space in front', ` ${key}`],
    ['of another scope', key.replace('verify', 'portal')],
    ['of a scope that there is not', key.replace('verify', 'admins')],
  ])('is refused %s', (_, text) => {
    expect(parseApiKey(text)).toEqual(refused);
  });
});

describe('a key that an operator chose', () => {
  test.each(['x'.repeat(32), '~!#$'.repeat(64), 'Postern_verify_'.padEnd(40, '1')])('may be %s', (text) => {
    expect(parseApiKey(text)).toEqual({ ok: true, value: text });
  });

  test.each([
    ['nothing', ''],
    ['31 characters', 'x'.repeat(31)],
    ['257 characters', 'x'.repeat(257)],
    ['a space', `${'x'.repeat(32)} y`],
    ['a letter beyond ASCII', `${'x'.repeat(32)}ü`],
    ['a control character', `${'x'.repeat(32)}\x7f`],
    ['our prefix', 'postern_'.padEnd(40, 'x')],
  ])('is not %s', (_, text) => {
    expect(parseApiKey(text)).toEqual(refused);
  });
});
