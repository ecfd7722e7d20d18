import { expect, test } from 'bun:test';
import { createHmac } from '../../../src/crypto.ts';
import { createCookies } from '../../../src/http/portal/cookies.ts';

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
