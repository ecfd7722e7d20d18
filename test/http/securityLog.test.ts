import { describe, expect, test } from 'bun:test';
import { createSecurityLog } from '../../src/http/securityLog.ts';
import { addUser, createBrowserClient, signedIn, tokenIn } from '../support/portal.ts';
import { addTenant, startServer } from '../support/server.ts';
import { useServer } from '../support/useServer.ts';
import { verify } from '../support/visitor.ts';
import { send } from './scenario.ts';

const request = new Request('http://localhost/');

describe('security events', () => {
  test.each([
    ['192.0.2.77', '192.0.2.0/24'],
    ['::ffff:192.0.2.77', '192.0.2.0/24'],
    ['2001:db8:7:1:2:3:4:5', '2001:db8:7::/48'],
    [undefined, undefined],
  ])('contain only the network of the address %s: %s', (address, network) => {
    const lines: unknown[] = [];
    const log = { info: (event: string, fields: unknown) => lines.push([event, fields]) };
    const { record } = createSecurityLog({ log, addressOf: () => address });
    record('form-rejected', request, 'token');
    expect(lines).toEqual([['form-rejected', { reason: 'token', network }]]);
  });
});

describe('a server', () => {
  const server = useServer({}, { per: 'test' });

  // A slow machine can delay the report of the clock, which then seems to differ from the clock of PostgreSQL.
  const logged = () =>
    server.logged
      .filter(({ event }) => event !== 'clock-differs')
      .map(({ event, reason, network }) => [event, reason, network]);
  const NETWORK = '127.0.0.0/24';

  test('logs every rejection of an API key, on every path, without the key', async () => {
    const { verifyKey, portalKey } = await addTenant(server);
    const unknown = `postern_verify_${'A'.repeat(43)}`;
    await verify(server.url, undefined, 'payload');
    await verify(server.url, unknown, 'payload');
    await verify(server.url, portalKey, 'payload');
    await send(server.url, { path: '/orgs', headers: { 'X-API-Key': verifyKey } });
    const body = new URLSearchParams({ secret: unknown, response: 'payload' });
    await send(server.url, { path: '/siteverify', method: 'POST', body });
    await verify(server.url, verifyKey, 'payload');
    expect(logged()).toEqual([
      ['api-key-rejected', 'verify: missing', NETWORK],
      ['api-key-rejected', 'verify: not-accepted', NETWORK],
      ['api-key-rejected', 'verify: wrong-scope', NETWORK],
      ['api-key-rejected', 'portal: wrong-scope', NETWORK],
      ['api-key-rejected', 'verify: not-accepted', NETWORK],
    ]);
    const lines = JSON.stringify(server.logged);
    for (const secret of [verifyKey, portalKey, unknown, '127.0.0.1']) expect(lines).not.toContain(secret);
  });

  test('logs forms from other origins and forms of other sessions', async () => {
    const ann = await addUser(server);
    const browser = await signedIn(server, ann);
    const form_token = tokenIn(await browser.get('/portal/settings/profile'));
    const fields = { name: 'Ann', form_token };
    await browser.post('/portal/settings/profile', fields, { Origin: 'https://evil.example.com' });
    await browser.post('/portal/settings/profile', { ...fields, form_token: 'x' });
    expect(logged()).toEqual([
      ['form-rejected', 'origin', NETWORK],
      ['form-rejected', 'token', NETWORK],
    ]);
  });

  test('logs throttled sign-ins without the password and the email address', async () => {
    const ann = await addUser(server);
    const browser = createBrowserClient(server);
    const fields = { email: ann.email, password: 'a wrong password' };
    for (let n = 0; n < 6; n++) await browser.fill('/portal/login', fields);
    expect(logged()).toEqual([['sign-in-throttled', '/portal/login', NETWORK]]);
    const lines = JSON.stringify(server.logged);
    for (const secret of [ann.email, fields.password]) expect(lines).not.toContain(secret);
  });
});

// All threads together log an event 30 times a minute, and the number of the others is not lost when the server stops.
test.each(['1', '2'])(
  'a client with an invalid key cannot fill the log: POSTERN_THREADS=%s',
  async (threads) => {
    const server = await startServer({ settings: { POSTERN_THREADS: threads } });
    for (let n = 0; n < 100; n++) await verify(server.url, `postern_verify_${n}`, 'payload');
    for (let n = 0; n < 40; n++) await send(server.url, { path: '/orgs', headers: { 'X-API-Key': 'x' } });
    await server.stop();
    const events = server.logged.filter(({ event }) => event === 'api-key-rejected');
    expect(events).toHaveLength(30);
    const summaries = server.logged.filter(({ event }) => event === 'security-events-suppressed');
    expect(summaries).toMatchObject([{ level: 'info', kind: 'api-key-rejected', suppressed: 110 }]);
  },
);
