import { describe, expect, test } from 'bun:test';
import { costRatio } from '../support/growth.ts';
import { addUser, beginSession } from '../support/portal.ts';
import { startServer } from '../support/server.ts';
import { useFixture, useServer, useTenant } from '../support/useServer.ts';
import { type Ask, send } from './scenario.ts';

/**
 * An `Origin` of 15 KB took 18 ms, even if the response was 429, because the URL parser maps hosts in quadratic time. No header may cost
 * more than an unused header of the same length.
 */

// All of 127.0.0.0/8 is trusted, so that X-Forwarded-For is read.
const server = useServer({
  settings: { POSTERN_DEMO: 'on', POSTERN_TRUSTED_PROXIES: '127.0.0.0/8,10.0.0.0/8' },
});
const tenant = useTenant(server);
const session = useFixture(async () => beginSession(server, await addUser(server)));

const SIZE = 15_000;
const RATIO_MAX = 10;
/** Number of requests per measurement. */
const REQUESTS = 2;

const fill = (text: string) => text.repeat(Math.ceil(SIZE / text.length)).slice(0, SIZE);

const VALUES: readonly (readonly [header: string, values: readonly string[]])[] = [
  [
    'Origin',
    [
      `https://${fill('a')}`,
      `https://${fill('a.')}`,
      `https://${fill('1.')}`,
      `x://${fill('\u00fc')}`,
      fill(':'),
    ],
  ],
  ['Referer', [`http://${fill('a')}/`, `http://localhost/${fill('a')}`, `http://${fill('\u00fc')}`]],
  ['Host', [fill('a'), fill('a.'), fill('1.'), fill('[')]],
  ['X-Forwarded-For', [fill(','), fill('10.0.0.1,'), fill('10.0.0.1, '), fill(' '), fill('['), fill('1:')]],
  ['Cookie', [fill(' '), fill(';'), fill('='), fill('postern-session=a;')]],
  ['If-None-Match', [fill(','), fill('"a",'), fill('W/'), fill(' '), fill('*')]],
  ['Accept-Encoding', [fill('gzip;'), fill('gzip '), fill(' '), `gzip${fill(' ')};`]],
  ['Accept-Language', [fill('de,'), fill(' ')]],
  ['User-Agent', [fill('Edg'), fill('/')]],
  ['X-Request-Id', [fill('a'), fill(' ')]],
  ['X-API-Key', [fill('a'), `postern_verify_${fill('a')}`]],
  ['X-PC-Sitekey', [fill('A'), fill('-')]],
  [
    'Content-Type',
    [`application/json${fill(' ')}`, `multipart/form-data; boundary=${fill('a')}`, fill('+json')],
  ],
  ['Sec-Fetch-Site', [fill('same-origin')]],
  ['X-Captcha-Compat-Version', [fill('R')]],
];

const ROUTES: readonly (readonly [name: string, ask: () => Ask])[] = [
  ['/puzzle', () => ({ path: `/puzzle?sitekey=${tenant.property.sitekey}` })],
  ['the preflight of /puzzle', () => ({ path: '/puzzle', method: 'OPTIONS' })],
  [
    '/verify',
    () => ({ path: '/verify', method: 'POST', headers: { 'X-API-Key': tenant.verifyKey }, body: 'x' }),
  ],
  ['/siteverify', () => ({ path: '/siteverify', method: 'POST', body: fill('a') })],
  ['/orgs', () => ({ path: '/orgs', headers: { 'X-API-Key': tenant.portalKey } })],
  ['the sign-in page', () => ({ path: '/portal/login' })],
  [
    'a page with a session',
    () => ({ path: '/portal', headers: { Cookie: `postern-session=${session.secret}` } }),
  ],
  ['a form', () => ({ path: '/portal/login', method: 'POST', body: 'a=b' })],
  ['the demo', () => ({ path: '/demo' })],
  ['the widget', () => ({ path: '/widget/postern.js' })],
  ['an unknown path', () => ({ path: '/nothing' })],
];

describe.each(VALUES)('%s of 15 KB costs no more than a header that is not read', (header, values) => {
  test.each(ROUTES)('at %s', async (_, ask) => {
    const asking = (name: string, value: string) => async () => {
      const { headers, ...rest } = ask();
      for (let request = 0; request < REQUESTS; request++)
        await (await send(server.url, { ...rest, headers: { ...headers, [name]: value } })).arrayBuffer();
    };
    for (const value of values) {
      const ratio = await costRatio(asking(header, value), asking('X-Nothing', fill('a')));
      expect(ratio, value.slice(0, 30)).toBeLessThan(RATIO_MAX);
    }
  });
});

test('an Origin over 300 characters gets no puzzle, and no CORS header', async () => {
  const { sitekey } = tenant.property;
  const path = `/puzzle?sitekey=${sitekey}`;
  const long = `https://${'a'.repeat(293)}`;
  for (const [name, value] of [
    ['Origin', long],
    ['Origin', `https://example.com/${'a'.repeat(300)}`],
  ] as const) {
    const answer = await send(server.url, { path, headers: { [name]: value } });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  }
  const page = (length: number) =>
    `https://example.com/${'a'.repeat(length - 'https://example.com/'.length)}`;
  const asSamePage = { 'Sec-Fetch-Site': 'same-origin' };
  const from = async (length: number) =>
    (await send(server.url, { path, headers: { ...asSamePage, Referer: page(length) } })).status;
  // Without its Referer, the page is on the host of the request.
  expect([await from(300), await from(301)]).toEqual([200, 403]);
});

test('the rate limit is checked before the origin', async () => {
  const slow = await startServer({ settings: { POSTERN_PUZZLE_BURST: '1', POSTERN_PUZZLE_RATE: '0.001' } });
  const path = `/puzzle?sitekey=${'0'.repeat(32)}`;
  const headers = { Origin: `https://${fill('a')}` };
  const statuses = [1, 2].map(async () => (await send(slow.url, { path, headers })).status);
  expect((await Promise.all(statuses)).sort()).toEqual([403, 429]);
  await slow.stop();
});
