import { describe, expect, test } from 'bun:test';
import type { Instant } from '../../src/lib/time.ts';
import { delayAfter, PAIR_RULE } from '../../src/model/account.ts';
import { formatApiKey, parseApiKey, toSecretHint } from '../../src/model/apiKey.ts';
import { parseDatabaseUrl } from '../../src/model/databaseUrl.ts';
import { findOlderData, hasOlderClaims, newestOf } from '../../src/model/dataCounter.ts';
import { parseEmail, toSpellings } from '../../src/model/email.ts';
import { booleanField, choiceField, numberField, textField } from '../../src/model/field.ts';
import { foldName, parseName } from '../../src/model/name.ts';
import { builtInPlans, describePlan, parsePlanName } from '../../src/model/plan.ts';
import { parseSitekey } from '../../src/model/property.ts';
import { clientOf, isFresh, isLive, type Session } from '../../src/model/session.ts';
import { parseRange, solveTimeAt, toBucket } from '../../src/model/statistics.ts';

const reject = (problem: string) => ({ ok: false, problem });
const done = (value: unknown) => ({ ok: true, value });

describe('an API key', () => {
  const zero = 'postern_verify_0000000000000000000000000000000000000000000';

  test('is 256 bits in base 62, and the CRC-32 of everything before it', () => {
    expect(formatApiKey('verify', new Uint8Array(32)).slice(0, -6)).toBe(zero);
    const one = new Uint8Array(32).with(31, 61);
    expect(formatApiKey('verify', one).slice(0, -6)).toBe(`${zero.slice(0, -1)}z`);
    const carried = new Uint8Array(32).with(31, 62);
    expect(formatApiKey('verify', carried).slice(0, -6)).toBe(`${zero.slice(0, -2)}10`);
    // 2^256 - 1 in base 62.
    const value = [...formatApiKey('portal', new Uint8Array(32).fill(255)).slice(15, 58)].reduce(
      (sum, digit) => {
        const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
        return sum * 62n + BigInt(alphabet.indexOf(digit));
      },
      0n,
    );
    expect(value).toBe(2n ** 256n - 1n);
  });

  test('that was generated is valid only unchanged; one that the operator chose has 32 to 256 characters', () => {
    const key = formatApiKey('portal', new Uint8Array(32).fill(7));
    expect(key).toHaveLength('postern_portal_'.length + 49);
    expect(parseApiKey(key)).toEqual(done(key) as never);
    for (const changed of [
      `${key}0`,
      key.slice(0, -1),
      key.replace('portal', 'Portal'),
      `${key.slice(0, -1)}-`,
    ]) {
      expect(parseApiKey(changed)).toEqual(reject('key-malformed') as never);
    }
    for (const [length, isValid] of [
      [31, false],
      [32, true],
      [256, true],
      [257, false],
    ] as const) {
      expect(parseApiKey('k'.repeat(length)).ok).toBe(isValid);
    }
    expect(parseApiKey(`${'k'.repeat(31)} `).ok).toBe(false);
    expect(parseApiKey(`é${'k'.repeat(31)}`).ok).toBe(false);
  });

  test('is recognizable in lists by its first and last characters, if it was generated', () => {
    const key = formatApiKey('verify', new Uint8Array(32));
    expect(toSecretHint(key)).toEqual({ prefix: 'postern_verify_0000', lastFour: key.slice(-4) });
    expect(toSecretHint('a chosen secret-1234')).toEqual({ prefix: '', lastFour: '1234' });
  });
});

describe('a sitekey', () => {
  const key = '0123456789abcdef'.repeat(2);
  const uuid = '01234567-89ab-cdef-0123-456789abcdef';

  test.each([
    [key, key],
    [key.toUpperCase(), key],
    [uuid, key],
    [uuid.toUpperCase(), key],
  ])('%s is %s', (text, expected) => {
    expect(parseSitekey(text)).toEqual(done(expected) as never);
  });

  test.each(['', key.slice(1), `${key}0`, ` ${key}`, `${key} `, `g${key.slice(1)}`, `${uuid}0`, `0${uuid}`])(
    '%j is malformed',
    (text) => {
      expect(parseSitekey(text)).toEqual(reject('sitekey-malformed') as never);
    },
  );
});

describe('a session', () => {
  const session = { createdAt: 0, seenAt: 1000, confirmedAt: 500, awaitsCode: false } as Session;
  const limits = { idleMs: 100, absoluteMs: 1050 };
  const at = (time: number, changed: Partial<Session> = {}, of = limits) =>
    isLive({ ...session, ...changed }, of, time as Instant);

  test('ends at the idle timeout, and at the maximum lifetime', () => {
    expect([at(1049), at(1050)]).toEqual([true, false]);
    const long = { idleMs: 100, absoluteMs: 10_000 };
    expect([at(1099, {}, long), at(1100, {}, long)]).toEqual([true, false]);
  });

  test('that awaits a code ends after ten minutes', () => {
    const ends = 10 * 60_000;
    const awaiting = { awaitsCode: true, seenAt: 0 as Instant };
    expect([at(ends - 1, awaiting), at(ends, awaiting)]).toEqual([true, false]);
  });

  test('is fresh for fifteen minutes after the password', () => {
    const ends = 500 + 15 * 60_000;
    expect([ends - 1, ends].map((time) => isFresh(session, time as Instant))).toEqual([true, false]);
  });

  test('has the network of the client, its address, or nothing', () => {
    const browser = '';
    expect(clientOf({ address: '2001:db8::1', client: '2001:db8::', browser })).toBe('2001:db8::');
    expect(clientOf({ address: '192.0.2.1', browser })).toBe('192.0.2.1');
    expect(clientOf({ address: undefined, browser })).toBe('');
  });
});

describe('a field', () => {
  const wording = { name: 'n', label: 'N', help: 'A value.' };

  test('of text parses only texts', () => {
    const { parse } = textField({ name: 'n' }, (text) => ({ ok: true, value: `<${text}>` }) as const);
    expect(parse('a')).toEqual(done('<a>') as never);
    expect(parse(7 as unknown)).toEqual(reject('field-mistyped') as never);
  });

  test('of a number has limits, and may require a whole number', () => {
    const whole = numberField({ ...wording, min: 1, max: 3, isWhole: true }, 'number');
    const any = numberField({ ...wording, min: 1, max: 3, isWhole: false }, 'number');
    for (const value of [1, 3]) expect(whole.parse(value)).toEqual(done(value) as never);
    for (const value of [0, 4, 1.5, '2', Number.NaN, null]) {
      expect(whole.parse(value)).toEqual(reject('number') as never);
    }
    expect(any.parse(1.5)).toEqual(done(1.5) as never);
    expect(any.parse('2')).toEqual(reject('number') as never);
  });

  test('of a choice has one of its values, and a Boolean one of two', () => {
    const choice = choiceField({ ...wording, choices: ['a', 'b'] }, 'growth-unknown');
    expect(choice.parse('b')).toEqual(done('b') as never);
    expect(choice.parse('c')).toEqual(reject('growth-unknown') as never);
    const boolean = booleanField(wording, 'enabled-malformed');
    expect(boolean.parse(false)).toEqual(done(false) as never);
    expect(boolean.parse('false')).toEqual(reject('enabled-malformed') as never);
  });
});

describe('plans', () => {
  test('that every installation has', () => {
    expect(builtInPlans({ organizations: 2, properties: 3 })).toEqual([
      { name: 'default', organizations: 2, properties: 3 },
      { name: 'invited', organizations: 0, properties: 0 },
    ]);
  });

  test('are described by their name and quotas', () => {
    expect(describePlan({ name: 'a', organizations: 2, properties: 3 })).toBe(
      'a: 2 organizations, 3 properties',
    );
  });

  test.each([
    ['a', true],
    ['0-b', true],
    ['a'.repeat(64), true],
    ['a'.repeat(65), false],
    ['', false],
    ['-a', false],
    ['A', false],
    ['a b', false],
    [' a', false],
  ])('the name %j is valid: %p', (name, isValid) => {
    expect(parsePlanName(name)).toEqual((isValid ? done(name) : reject('plan-name-malformed')) as never);
  });
});

describe('the counters of the data', () => {
  const equal = { main: 5, claims: 5, claimsBase: 5, mainAfterward: 5 };

  test('show older claims', () => {
    expect([4, 5, 6].map((claims) => hasOlderClaims({ ...equal, claims }))).toEqual([true, false, false]);
  });

  test.each([
    ['nothing older', equal, 5, undefined],
    ['a mark that is newer than all data', equal, 6, 'all'],
    ['a main database that is older than the claims', { ...equal, claimsBase: 6 }, 0, 'main'],
    ['a main database that is older than the mark', { ...equal, claims: 7 }, 6, 'main'],
  ] as const)('show %s', (_, counters, mark, expected) => {
    expect(findOlderData(counters, mark)).toBe(expected as never);
  });

  test('have the greatest one', () => {
    expect(newestOf({ ...equal, claims: 7 }, 6)).toBe(7);
    expect(newestOf({ ...equal, mainAfterward: 8 }, 6)).toBe(8);
    expect(newestOf(equal, 9)).toBe(9);
  });
});

describe('a URL of a database', () => {
  const hosts = (count: number) => Array.from({ length: count }, (_, index) => `h${index}`).join(',');

  test('has at most ten hosts, and ports up to 65535', () => {
    expect(parseDatabaseUrl(`postgres://u@${hosts(10)}/d`)?.hosts).toHaveLength(10);
    expect(parseDatabaseUrl(`postgres://u@${hosts(11)}/d`)).toBeUndefined();
    expect(parseDatabaseUrl('postgres://u@h:65535/d')?.hosts).toEqual([{ host: 'h', port: 65_535 }]);
    for (const port of [0, 65_536]) expect(parseDatabaseUrl(`postgres://u@h:${port}/d`)).toBeUndefined();
    expect(parseDatabaseUrl('postgres://u@h:1/d')?.hosts).toEqual([{ host: 'h', port: 1 }]);
  });

  test.each([
    'postgres://u:p:q@h/d',
    'postgres://u@h/%00',
    'postgres://%00@h/d',
    'postgres://u:%00@h/d',
    'postgres://:p@h/d',
  ])('%s is invalid', (text) => {
    expect(parseDatabaseUrl(text)).toBeUndefined();
  });
});

describe('an email address', () => {
  test('with invisible characters is malformed', () => {
    for (const text of [
      'a\u200bb@example.com',
      'a\u0000@example.com',
      'a@exa\u00admple.com',
      'a\u200d@example.com',
    ]) {
      expect(parseEmail(text)).toEqual(reject('email-malformed') as never);
      if (!text.includes('\u200d')) expect(toSpellings(text)).toEqual([]);
    }
  });

  test('has at most 254 characters, also in the form of DNS', () => {
    const domain = `${'d'.repeat(63)}.${'d'.repeat(63)}.${'d'.repeat(57)}.com`;
    expect(parseEmail(`${'l'.repeat(64)}@${domain}`)).toEqual(done(`${'l'.repeat(64)}@${domain}`) as never);
    expect(parseEmail(`${'l'.repeat(65)}@${domain}`).ok).toBe(false);
    expect(parseEmail(`${'l'.repeat(64)}@x${domain}`).ok).toBe(false);
    // Longer in the form of DNS: 189 characters at most.
    const international = (length: number) => `a@${`${'ü'.repeat(20)}.`.repeat(6)}${'d'.repeat(length)}.de`;
    const lengths = Array.from({ length: 63 }, (_, index) => index + 1);
    expect(lengths.some((length) => parseEmail(international(length)).ok)).toBe(true);
    expect(lengths.every((length) => parseEmail(international(length)).ok)).toBe(false);
  });

  test.each([
    ['a@xn--bcher-kva.example', 'a@bücher.example'],
    ['a@BÜCHER.example', 'a@bücher.example'],
    // Cyrillic and Latin letters in one label are shown in the form of DNS.
    ['a@p\u0430ypal.example', 'a@xn--pypal-4ve.example'],
  ])('%s is shown as %s', (text, expected) => {
    expect(parseEmail(text)).toEqual(done(expected) as never);
  });

  test.each(['a@bü%.example', 'a@bü/.example', 'a@xn--a.example'])('%s has a malformed domain', (text) => {
    expect(parseEmail(text)).toEqual(reject('email-domain-malformed') as never);
  });

  test('has the spelling that was entered and the canonical one', () => {
    expect(toSpellings(' A@XN--bcher-kva.example ')).toEqual([
      'a@xn--bcher-kva.example',
      'a@bücher.example',
    ] as never);
    expect(toSpellings('a@example.com')).toEqual(['a@example.com'] as never);
    expect(toSpellings('example.com')).toEqual([]);
  });
});

describe('a name', () => {
  test('has at most 128 characters, which can have more code units', () => {
    expect(parseName('key', '😀'.repeat(128)).ok).toBe(true);
    expect(parseName('key', '😀'.repeat(129))).toEqual(reject('key-name-too-long') as never);
    // 512 code units, of which NFC makes 256 characters, and one more.
    expect(parseName('key', 'e\u0301'.repeat(128)).ok).toBe(true);
    expect(parseName('key', `${'\u1100\u1161\u11a8'.repeat(128)}`.padEnd(512)).ok).toBe(true);
    expect(parseName('rule', 'a'.repeat(513))).toEqual(reject('rule-name-too-long') as never);
  });

  test('has the same folded form as its spellings in other cases', () => {
    for (const [a, b] of [
      ['STRASSE', 'straße'],
      ['ΣΑΣ', 'σας'],
      ['É', 'e\u0301'],
      ['ſ', 'S'],
    ] as const) {
      expect(foldName(a)).toBe(foldName(b));
    }
  });
});

test('delays double up to the longest one', () => {
  expect([0, 4, 5, 6, 7, 15, 100].map((count) => delayAfter(count, PAIR_RULE))).toEqual([
    0, 0, 1000, 2000, 4000, 900_000, 900_000,
  ]);
});

test('a range has one of four names', () => {
  expect(['24h', '7d', '30d', '1y'].map(parseRange)).toEqual(['24h', '7d', '30d', '1y']);
  expect(['', '1d', 'toString'].map(parseRange)).toEqual([undefined, undefined, undefined]);
});

test('solve times fall into four buckets for each doubling', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(toBucket)).toEqual([0, 1, 5, 7, 9, 10, 11, 12, 13, 13, 14]);
  expect(solveTimeAt(0.5, new Float64Array(1000))).toBeUndefined();
});
