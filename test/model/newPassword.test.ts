import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { readCommonPasswords } from '../../src/commonPasswords.ts';
import { foldPassword, parseNewPassword, parsePassphrase } from '../../src/model/newPassword.ts';

const CONTEXT = { email: 'ann.smith@mail.acme-widgets.com', organizationNames: ['Łódź Ünited'] };
const isCommon = readCommonPasswords();
const endingOf = (text: string, context = CONTEXT) => {
  const ending = parseNewPassword(text, context, isCommon);
  return ending.ok ? ending.value : ending.problem;
};

describe('the list of common passwords', () => {
  const list = gunzipSync(readFileSync('static/commonPasswords.txt.gz')).toString().trimEnd().split('\n');

  test('has more than 10,000 entries, each unique, folded, and long enough to be accepted otherwise', () => {
    expect(list.length).toBeGreaterThan(10_000);
    expect(new Set(list).size).toBe(list.length);
    expect(list.filter((entry) => entry !== foldPassword(entry) || [...entry].length < 8)).toEqual([]);
  });

  test('rejects every entry, in uppercase too', () => {
    const accepted = list.filter((entry) => endingOf(entry) !== 'password-common');
    expect(accepted).toEqual([]);
    expect(list.filter((entry) => endingOf(entry.toUpperCase()) === entry.toUpperCase())).toEqual([]);
  });

  test('matches only whole lines', () => {
    expect([isCommon('password'), isCommon('passwor'), isCommon('assword'), isCommon('')]).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect(isCommon(`${list[0]}\n${list[1]}`)).toBe(false);
  });
});

describe('a new password', () => {
  test.each([
    'correct horse battery',
    'zxq7vkwm',
    'my Postern is behind a horse',
    'Ann likes 4 green widgets',
    'пароль из слов',
    '🔑🪵🐎🔋🦊🧊🪨🧵',
  ])('%s is accepted unchanged', (text) => {
    expect(endingOf(text)).toBe(text);
  });

  test.each([
    ['', 'password-too-short'],
    ['zxq7vkw', 'password-too-short'],
    ['x'.repeat(257), 'password-too-long'],
    ['password', 'password-common'],
    ['PassWord1', 'password-common'],
    ['ｐａｓｓｗｏｒｄ', 'password-common'],
    ['zzzzzzzzzzzzzzzzzzzz', 'password-common'],
    ['abcabcabcabc', 'password-common'],
    ['passwordpassword', 'password-common'],
    ['posternpostern', 'password-common'],
    ['Postern2026!', 'password-guessable'],
    ['postern-captcha', 'password-guessable'],
    ['posternpassword', 'password-guessable'],
    ['ann.smith@mail.acme-widgets.com', 'password-guessable'],
    ['annsmith1986', 'password-guessable'],
    ['SmithAnn!!!!!!!!!!', 'password-guessable'],
    ['AcmeWidgets#1', 'password-guessable'],
    ['Łódź Ünited', 'password-guessable'],
    ['ŁÓDŹÜNITED 1', 'password-guessable'],
  ])('%s is rejected: %s', (text, problem) => {
    expect(endingOf(text)).toBe(problem);
  });

  test('is also checked without context', () => {
    expect(endingOf('annsmith1986', { email: '', organizationNames: [] })).toBe('annsmith1986');
  });

  test.each([
    ['starts with the whole address', 'a@bc.de', [], 'a@bc.dezxq7vkw', false],
    ['contains the top-level domain', 'ann@mail.acme.com', [], 'zxq7vkwcom', true],
    ['contains a name of two letters', 'al@x.com', [], 'alzxq7vkw', true],
    ['contains the parts of a name, which are short', 'al.bo@x.com', [], 'albozxq7vk', false],
    ['contains a name that begins with a shorter one', 'ann@x.com', ['Annapolis'], 'annapoliszxq7', false],
  ])('that %s is compared without it', (_, email, organizationNames, text, isAccepted) => {
    expect(endingOf(text, { email, organizationNames })).toBe(isAccepted ? text : 'password-guessable');
  });

  test('is common if it is on the list as a whole, although it repeats a pattern that is not', () => {
    const repeated = 'zxq7vkwmzxq7vkwm';
    const problemOf = (common: string) => parseNewPassword(repeated, CONTEXT, (folded) => folded === common);
    expect(problemOf(repeated)).toEqual({ ok: false, problem: 'password-common' });
    expect(problemOf('zxq7vkwm')).toEqual({ ok: false, problem: 'password-common' });
    expect(problemOf('other')).toEqual({ ok: true, value: repeated });
  });

  test('of 256 characters that expand is checked as fast as others', () => {
    const long = '\uFDFA'.repeat(255).concat('x');
    expect(endingOf(long)).toBe(long);
  });
});

describe('the passphrase of a backup', () => {
  test.each(['correct horse', 'x'.repeat(12), 'x'.repeat(1024), 'schlüssel für morgen', '12 34 56 78 90'])(
    'can be %j',
    (text) => {
      expect(parsePassphrase(text)).toEqual({ ok: true, value: text });
    },
  );

  test.each([
    '',
    'x'.repeat(11),
    'x'.repeat(1025),
    ' correct horse',
    'correct horse ',
    'correct\thorse',
    'correct\nhorse x',
  ])('cannot be %j', (text) => {
    expect(parsePassphrase(text)).toEqual({ ok: false, problem: 'invalid' });
  });
});
