import { describe, expect, test } from 'bun:test';
import { createCookies, preferencesFrom, themeOf, zoneChoiceOf } from '../../../src/portal/kit/cookies.ts';
import { createHmac } from '../../../src/sha256.ts';
import { growthExponent, LINEAR_MAX } from '../../support/growth.ts';

const sign = (text: string) => createHmac()(new Uint8Array(32), new TextEncoder().encode(text));
const cookies = createCookies({ isHttps: true, sign });
const [OURS, THEIRS] = ['A'.repeat(43), 'B'.repeat(43)];

/** Header values are bytes, so they never contain characters beyond Latin-1. */
function sessionIn(cookie: string): string | undefined {
  return cookies.read(new Request('https://localhost/', { headers: { Cookie: cookie } })).session;
}

test.each([
  [`__Host-postern-session=${OURS}`],
  [`a=b;\t__Host-postern-session=${OURS} ; c`],
  [`;__Host-postern-session=${OURS}`],
  [`__Host-postern-session=${OURS}; \u00a0__Host-postern-session=${THEIRS}`],
  [`\u00a0__Host-postern-session=${THEIRS}; __Host-postern-session=${OURS}`],
])('a session is read from the cookie with its exact name, anywhere in the header: %j', (cookie) => {
  expect(sessionIn(cookie)).toBe(OURS);
});

test.each([
  [`\u00a0__Host-postern-session=${THEIRS}`],
  [`__Host-postern-session\u00a0=${THEIRS}`],
  [`__host-postern-session=${THEIRS}`],
  [`postern-session=${THEIRS}`],
  [`__Host-postern-session=${THEIRS}; __Host-postern-session=${OURS}`],
])('a session is not read from a cookie with another name or one that occurs twice: %j', (cookie) => {
  expect(sessionIn(cookie)).toBeUndefined();
});

/** A request with cookies from their `Set-Cookie` headers. */
function requestWith(...lines: readonly string[]): Request {
  const pairs = lines.map((line) => line.split(';')[0]);
  return new Request('https://localhost/', { headers: { Cookie: pairs.join('; ') } });
}

test.each(['a=', 'a', '=', ';', ' ', `__Host-postern-session`, '__Host-postern-session='])(
  'a header without the value of a session contains none: %j',
  (cookie) => {
    expect(sessionIn(cookie)).toBe(cookie.endsWith('session=') ? '' : undefined);
  },
);

test.each(['', '\t \t'])('blanks around a value do not belong to it: %j', (blanks) => {
  expect(sessionIn(`${blanks}__Host-postern-session${blanks}=${blanks}${OURS}${blanks};`)).toBe(OURS);
});

test('a request without cookies has no values', () => {
  const values = cookies.read(new Request('https://localhost/'));
  expect(Object.values(values).filter((value) => value !== undefined)).toEqual([]);
});

test('the time zone of the browser is read as the page wrote it, without a signature', () => {
  expect(cookies.read(requestWith('__Host-postern-zone=Asia/Tokyo; Path=/')).zone).toBe('Asia/Tokyo');
});

test('the header of a request is parsed once', () => {
  const request = requestWith(cookies.write('session', OURS));
  expect(cookies.read(request)).toBe(cookies.read(request));
});

describe('a signed cookie', () => {
  const SIGNED = ['visitor', 'notice', 'link', 'preferences'] as const;

  test.each(SIGNED)('with the name %s has the value that was written', (name) => {
    const value = 'Grüße; a=b, "c"';
    expect(cookies.read(requestWith(cookies.write(name, value)))[name]).toBe(value);
    expect(cookies.read(requestWith(cookies.write(name, '')))[name]).toBe('');
  });

  test('has no value with the signature of another cookie, of another value, or with more parts', () => {
    const [link, other] = [cookies.write('link', 'a'), cookies.write('link', 'b')];
    const [pair = ''] = link.split(';');
    const [, value = '', mac = ''] = /=([^.]+)\.(.+)$/.exec(pair) ?? [];
    const [, otherMac = ''] = /\.([^;]+);/.exec(other) ?? [];
    const linkIn = (text: string) => cookies.read(requestWith(`__Host-postern-link=${text}`)).link;
    expect(linkIn(`${value}.${mac}`)).toBe('a');
    for (const text of [
      `${value}.${otherMac}`,
      `${value}.${mac}.`,
      `${value}.${mac}.x`,
      value,
      `.${mac}`,
      '',
    ])
      expect(linkIn(text)).toBeUndefined();
    expect(cookies.read(requestWith(link.replace('link', 'notice'))).notice).toBeUndefined();
  });

  test.each([
    ['session', undefined],
    ['visitor', undefined],
    ['notice', 60],
    ['link', 3600],
    ['preferences', 365 * 24 * 3600],
  ] as const)('with the name %s lives %p seconds, or until the browser closes', (name, seconds) => {
    const [, ...attributes] = cookies.write(name, 'value').split('; ');
    const limit = seconds === undefined ? [] : [`Max-Age=${seconds}`];
    expect(attributes).toEqual(['Path=/', 'HttpOnly', 'SameSite=Lax', 'Secure', ...limit]);
  });
});

test('a cookie is deleted with the attributes with which it was written', () => {
  expect(cookies.clear('notice')).toBe(
    '__Host-postern-notice=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0',
  );
});

test('cookies on http have no prefix and are not Secure', () => {
  const plain = createCookies({ isHttps: false, sign });
  expect(plain.write('session', OURS)).toBe(`postern-session=${OURS}; Path=/; HttpOnly; SameSite=Lax`);
  const request = new Request('http://localhost/', { headers: { Cookie: `postern-session=${OURS}` } });
  expect(plain.read(request).session).toBe(OURS);
});

describe('the preferences of a request', () => {
  test.each([
    ['de auto utc', null, { language: 'de', theme: 'auto', zone: 'utc' }],
    ['ja dark', 'de', { language: 'ja', theme: 'dark', zone: 'browser' }],
    ['fr light', null, { language: 'fr', theme: 'light', zone: 'browser' }],
    ['fr', null, { language: 'fr', theme: 'auto', zone: 'browser' }],
    ['xx yellow', 'pt', { language: 'pt', theme: 'auto', zone: 'browser' }],
    ['', 'es', { language: 'es', theme: 'auto', zone: 'browser' }],
    [undefined, 'de', { language: 'de', theme: 'auto', zone: 'browser' }],
    [undefined, null, { language: 'en', theme: 'auto', zone: 'browser' }],
  ] as const)('with the cookie %p and the header %p are %j', (stored, header, expected) => {
    expect(preferencesFrom(stored, header)).toEqual(expected);
  });

  test('contain one of three themes', () => {
    expect(['auto', 'light', 'dark', 'blue', undefined].map(themeOf)).toEqual([
      'auto',
      'light',
      'dark',
      undefined,
      undefined,
    ]);
  });

  test('contain one of two time zone choices, or none', () => {
    expect(['browser', 'utc', 'Asia/Tokyo', '', undefined].map(zoneChoiceOf)).toEqual([
      'browser',
      'utc',
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('the time to read a Cookie header is linear in its length', () => {
  // A header of 16,000 spaces blocked the process for 0.4 to 1 s: a regular expression tried to match at every space.
  test.each([
    ['spaces', (size: number) => ' '.repeat(size)],
    ['spaces before the end', (size: number) => `a=${' '.repeat(size)}b`],
    ['semicolons', (size: number) => ';'.repeat(size)],
    ['equal signs', (size: number) => '='.repeat(size)],
    ['cookies without a value', (size: number) => 'a;'.repeat(size / 2)],
    ['cookies of a sibling host', (size: number) => `${`a=1;`.repeat(size / 4)}`],
    ['our own name many times', (size: number) => '__Host-postern-visitor=a.b.c;'.repeat(size / 29)],
    ['dots', (size: number) => `__Host-postern-visitor=${'.'.repeat(size)}`],
  ])('of %s', async (_, headerOf) => {
    const exponent = await growthExponent((size) => {
      const request = new Request('https://localhost/', { headers: { Cookie: headerOf(size) } });
      return () => createCookies({ isHttps: true, sign }).read(request);
    });
    expect(exponent).toBeLessThan(LINEAR_MAX);
  });
});
