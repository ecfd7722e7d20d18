import { expect, test } from 'bun:test';
import { startForwardedServer } from '../../../support/forwardedServer.ts';
import { addUser, signedIn } from '../../../support/portal.ts';
import { useFixture, useIds, useServer, useTenant } from '../../../support/useServer.ts';
import { exchange, inChunks, type RawAnswer, requestOf } from './rawClient.ts';

/** The application has the same responses on the thread of its listener and behind a thread that forwards requests. */

const server = useServer({
  settings: { POSTERN_DEMO: 'on', POSTERN_DNS_CHECK: 'off' },
  bodies: { graceMs: 300, discardMs: 50 },
});
const tenant = useTenant(server);
const ids = useIds(server, tenant);
const forwarded = useFixture(startForwarded, { dispose: (other) => other.stop() });

async function startForwarded() {
  const { app } = server;
  const listener = await startForwardedServer({ hostname: '127.0.0.1', handle: app.fetch });
  app.setPeer((request) => listener.addressOf(request) ?? '127.0.0.1');
  const { secret } = await signedIn(server, await addUser(server, true));
  return { ...listener, cookie: `Cookie: postern-session=${secret}` };
}

async function expectSame(...parts: readonly string[]): Promise<void> {
  const direct = await exchange(Number(new URL(server.url).port), ...parts);
  expect(direct.isBroken).toBe(false);
  expect(withoutCounts(await exchange(forwarded.port, ...parts))).toEqual(withoutCounts(direct));
}

/** Without what differs between two requests to the same server. */
function withoutCounts(answer: RawAnswer): RawAnswer {
  return { ...answer, headers: answer.headers.filter((header) => !header.startsWith('x-ratelimit-')) };
}

const ID = 'X-Request-Id: same';

const PATHS = [
  '/',
  '/livez',
  '/readyz',
  '/nothing',
  '/postern.min.js',
  '/docs',
  '/docs/images/widget-light.png',
  '/docs/search?q=port',
  '/demo',
  '/swagger',
  '/swagger/json',
  '/swagger/swagger-ui-bundle.js',
  '/portal',
  '/portal/activity',
  '/portal/activity/audit.csv',
  '/portal/activity/audit.json',
  '/portal/nothing',
  '/orgs',
  '/puzzle',
  '/verify',
  '/siteverify',
] as const;

test.each(PATHS.flatMap((path) => ['GET', 'HEAD', 'OPTIONS', 'POST'].map((method) => `${method} ${path}`)))(
  '%s',
  async (line) => {
    await expectSame(requestOf(line, [ID]));
    await expectSame(requestOf(line, [ID, forwarded.cookie, 'Accept: text/html', 'Accept-Encoding: gzip']));
    await expectSame(requestOf(line, [ID, `X-API-Key: ${tenant.portalKey}`, 'If-None-Match: *']));
  },
);

test.each(['csv', 'json'])('a download of the properties as %s', async (format) => {
  const path = `/portal/orgs/${ids.org}/export.${format}`;
  await expectSame(requestOf(`GET ${path}`, [ID, forwarded.cookie]));
});

test.each(['', '?range=7d'])('statistics with and without their tag: %s', async (query) => {
  const path = `/org/${ids.org}/property/${ids.property}/stats${query}`;
  const headers = [ID, `X-API-Key: ${tenant.portalKey}`];
  await expectSame(requestOf(`GET ${path}`, headers));
  await expectSame(requestOf(`GET ${path}`, [...headers, 'If-None-Match: *']));
});

const JSON_TYPE = 'Content-Type: application/json';
const FORM_TYPE = 'Content-Type: application/x-www-form-urlencoded';
const key = () => `X-API-Key: ${tenant.portalKey}`;

test.each<[string, string, () => readonly string[], string]>([
  ['an unknown organization', 'PUT /org', () => [key(), JSON_TYPE], '{"id":"unknown","name":"x"}'],
  ['malformed JSON', 'PUT /org', () => [key(), JSON_TYPE], '{"id":'],
  ['another type', 'PUT /org', () => [key(), FORM_TYPE], 'id=1'],
  ['a body that is too large', 'PUT /org', () => [key(), JSON_TYPE], 'a'.repeat(200_000)],
  ['no key', 'PUT /org', () => [JSON_TYPE], 'a'.repeat(100_000)],
  [
    'a form from another site',
    'POST /portal/login',
    () => [FORM_TYPE, 'Origin: https://other.example'],
    'a=b',
  ],
  ['an invalid secret', 'POST /siteverify', () => [FORM_TYPE], 'secret=x&response=y'],
  ['an invalid solution', 'POST /verify', () => [`X-API-Key: ${tenant.verifyKey}`], 'x'.repeat(70_000)],
])('a body with %s', async (_, line, headersOf, body) => {
  const headers = [ID, ...headersOf()];
  await expectSame(requestOf(line, [...headers, `Content-Length: ${body.length}`], body));
  await expectSame(requestOf(line, [...headers, `Content-Length: ${body.length}`]), body);
  await expectSame(requestOf(line, [...headers, 'Transfer-Encoding: chunked']), inChunks(body, 10_000));
  // The client sends only the start, and waits for the response.
  await expectSame(requestOf(line, [ID, `Content-Length: ${body.length}`]), body.slice(0, 1));
});
