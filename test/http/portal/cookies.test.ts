import { describe, expect, test } from 'bun:test';
import { createCookies } from '../../../src/http/portal/kit/cookies.ts';
import { createHmac } from '../../../src/server/crypto.ts';
import { growthExponent, LINEAR_MAX } from '../../support/growth.ts';

const sign = (text: string) => createHmac()(new Uint8Array(32), new TextEncoder().encode(text));
const cookies = createCookies({ isHttps: true, sign });
const [OURS, THEIRS] = ['A'.repeat(43), 'B'.repeat(43)];

/** Header values are bytes: what is beyond Latin-1 never comes so. */
function sessionIn(cookie: string): string | undefined {
  return cookies.read(new Request('https://localhost/', { headers: { Cookie: cookie } })).session;
}

test.each([
  [`__Host-postern-session=${OURS}`],
  [`a=b;\t__Host-postern-session=${OURS} ; c`],
  [`__Host-postern-session=${OURS}; \u00a0__Host-postern-session=${THEIRS}`],
  [`\u00a0__Host-postern-session=${THEIRS}; __Host-postern-session=${OURS}`],
])('a session is read from its own name alone, wherever it stands: %j', (cookie) => {
  expect(sessionIn(cookie)).toBe(OURS);
});

test.each([
  [`\u00a0__Host-postern-session=${THEIRS}`],
  [`__Host-postern-session\u00a0=${THEIRS}`],
  [`__host-postern-session=${THEIRS}`],
  [`postern-session=${THEIRS}`],
  [`__Host-postern-session=${THEIRS}; __Host-postern-session=${OURS}`],
])('a session is not read from another name, or from one that comes twice: %j', (cookie) => {
  expect(sessionIn(cookie)).toBeUndefined();
});

describe('a Cookie header takes time that grows with its length alone', () => {
  // A header of 16,000 spaces blocked the process for 0.4 to 1 s: a pattern tried every space as the first of the last ones.
  test.each([
    ['spaces', (size: number) => ' '.repeat(size)],
    ['spaces before the end', (size: number) => `a=${' '.repeat(size)}b`],
    ['semicolons', (size: number) => ';'.repeat(size)],
    ['equal signs', (size: number) => '='.repeat(size)],
    ['cookies without a value', (size: number) => 'a;'.repeat(size / 2)],
    ['cookies of a sister host', (size: number) => `${`a=1;`.repeat(size / 4)}`],
    ['our own name over and over', (size: number) => '__Host-postern-visitor=a.b.c;'.repeat(size / 29)],
    ['dots', (size: number) => `__Host-postern-visitor=${'.'.repeat(size)}`],
  ])('of %s', async (_, headerOf) => {
    const exponent = await growthExponent((size) => {
      const request = new Request('https://localhost/', { headers: { Cookie: headerOf(size) } });
      return () => createCookies({ isHttps: true, sign }).read(request);
    });
    expect(exponent).toBeLessThan(LINEAR_MAX);
  });
});
