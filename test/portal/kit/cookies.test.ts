import { describe, expect, test } from 'bun:test';
import { createCookies } from '../../../src/portal/kit/cookies.ts';
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
