import { describe, expect, test } from 'bun:test';
import { foldName, isNameSized, parseName, replaceInvisible } from '../../src/model/name.ts';
import { parseOrganizationName } from '../../src/model/organization.ts';
import { PROPERTY_FIELDS } from '../../src/model/propertyFields.ts';

const ending = (text: string) => {
  const outcome = parseOrganizationName(text);
  return outcome.ok ? outcome.value : outcome.problem;
};

describe('a name', () => {
  test.each([
    ['words', 'My shop', 'My shop'],
    ['whitespace at both ends', ' \t My shop \n', 'My shop'],
    ['letters and marks of any script', 'مرحبا 東京 नमस्ते Ελλάδα', 'مرحبا 東京 नमस्ते Ελλάδα'],
    ['punctuation, symbols, numbers', 'a-b_c/d (50%) №1 + €3 “q”', 'a-b_c/d (50%) №1 + €3 “q”'],
    ['an emoji', 'Shop 🛒', 'Shop 🛒'],
    ['a no-break space', 'a\u00a0b', 'a\u00a0b'],
    ['decomposed letters, which are composed', 'Cafe\u0301', 'Caf\u00e9'],
    ['no characters', '', 'organization-name-empty'],
    ['only whitespace', ' \t\n\u3000', 'organization-name-empty'],
    ['a line break', 'a\nb', 'organization-name-malformed'],
    ['a carriage return', 'a\rb', 'organization-name-malformed'],
    ['a tab', 'a\tb', 'organization-name-malformed'],
    ['a zero byte', 'a\0b', 'organization-name-malformed'],
    ['a C1 control', 'a\u0085b', 'organization-name-malformed'],
    ['a line separator', 'a\u2028b', 'organization-name-malformed'],
    ['a paragraph separator', 'a\u2029b', 'organization-name-malformed'],
    ['a zero-width space', 'a\u200bb', 'organization-name-malformed'],
    ['a zero-width joiner', '👩\u200d💻', 'organization-name-malformed'],
    ['a right-to-left override', 'a\u202eb', 'organization-name-malformed'],
    ['a soft hyphen', 'a\u00adb', 'organization-name-malformed'],
    ['a tag character', 'a\u{e0041}', 'organization-name-malformed'],
    ['a private-use character', 'a\ue000', 'organization-name-malformed'],
    ['an unassigned character', 'a\u0378', 'organization-name-malformed'],
    ['a lone surrogate', 'a\ud83d', 'organization-name-malformed'],
    ['an opening angle bracket', 'a<b', 'organization-name-malformed'],
    ['a closing angle bracket', 'a>b', 'organization-name-malformed'],
    ['a tag', '<script>', 'organization-name-malformed'],
  ])('of %s', (_, text, expected) => {
    expect(ending(text)).toBe(expected);
  });

  test('has at most 128 code points, counted after trimming and composing', () => {
    expect(ending('a'.repeat(128))).toBe('a'.repeat(128));
    expect(ending('a'.repeat(129))).toBe('organization-name-too-long');
    expect(ending(` ${'a'.repeat(128)} `)).toBe('a'.repeat(128));
    expect(ending('🛒'.repeat(128))).toBe('🛒'.repeat(128));
    expect(ending('🛒'.repeat(129))).toBe('organization-name-too-long');
    expect(ending('e\u0301'.repeat(128))).toBe('\u00e9'.repeat(128));
  });

  test('has at most 512 code units before it is composed', () => {
    const letter = '\u1f82';
    expect(ending(letter.normalize('NFD').repeat(128))).toBe(letter.repeat(128));
    expect([512, 513].map((length) => isNameSized('x'.repeat(length)))).toEqual([true, false]);
  });

  test('that is too long and malformed is reported as too long', () => {
    expect(ending('<'.repeat(129))).toBe('organization-name-too-long');
  });

  test('is rejected with the problem of its noun', () => {
    expect(PROPERTY_FIELDS.name.parse('')).toEqual({ ok: false, problem: 'property-name-empty' });
    expect(PROPERTY_FIELDS.name.parse('<')).toEqual({ ok: false, problem: 'property-name-malformed' });
    expect(parseName('key', 'a'.repeat(129))).toEqual({ ok: false, problem: 'key-name-too-long' });
  });
});

test('names that differ only in case or composition are the same name', () => {
  expect(foldName('CAFE\u0301')).toBe(foldName('Café'));
  expect(foldName('ШКОЛА')).toBe(foldName('школа'));
  // One letter corresponds to two in uppercase, or two letters to one.
  expect(foldName('Straße')).toBe(foldName('STRASSE'));
  expect(foldName('STRA\u1e9eE')).toBe(foldName('strasse'));
  // Folded names are stored.
  expect(foldName('Straße')).toBe('strasse');
  expect(foldName('ΟΔΟΣ')).toBe(foldName('οδοσ'));
  expect(foldName('Café')).not.toBe(foldName('Cafe'));
});

test.each([
  ['ann@example.com', 'ann@example.com'],
  ['Zoë 測試 🔑', 'Zoë 測試 🔑'],
  ['\u001b[2Jroot', '\ufffd[2Jroot'],
  ['a\u009b2Jb\u0085c\nd', 'a\ufffd2Jb\ufffdc\ufffdd'],
  ['\u202egro.elpmaxe\u200b\u2028', '\ufffdgro.elpmaxe\ufffd\ufffd'],
])('%j is shown as %j', (text, shown) => {
  expect(replaceInvisible(text)).toBe(shown);
});
