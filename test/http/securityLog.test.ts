import { describe, expect, test } from 'bun:test';
import {
  BUDGET_CELLS,
  createSecurityBudget,
  createSecurityLog,
  createSecurityLogWriter,
} from '../../src/http/securityLog.ts';
import { addUser, createBrowserClient, signedIn, tokenIn } from '../support/portal.ts';
import { addTenant } from '../support/server.ts';
import { useServer } from '../support/useServer.ts';
import { verify } from '../support/visitor.ts';
import { send } from './scenario.ts';

const request = new Request('http://localhost/');

/** A security log with a log in memory and a timer that the test controls. */
function open({ address }: { readonly address: string | undefined } = { address: '192.0.2.77' }) {
  const lines: [event: string, fields: object][] = [];
  const timers = new Set<() => void>();
  const budget = createSecurityBudget();
  const { write, close } = createSecurityLogWriter({
    log: { info: (event, fields = {}) => lines.push([event, fields]) },
    budget,
    timer(_, run) {
      timers.add(run);
      return () => timers.delete(run);
    },
  });
  const { record } = createSecurityLog({ budget, addressOf: () => address, write });
  const endMinute = () => {
    for (const run of [...timers]) {
      timers.delete(run);
      run();
    }
  };
  return { record, close, lines, timers, endMinute };
}

describe('security events', () => {
  test('are logged 30 times per minute and kind, and then as a number', () => {
    const { record, lines, endMinute } = open();
    for (let n = 0; n < 100; n++) record('api-key-rejected', request, 'verify: missing');
    record('form-rejected', request, 'origin');
    expect(lines.filter(([event]) => event === 'api-key-rejected')).toHaveLength(30);
    expect(lines.filter(([event]) => event === 'form-rejected')).toHaveLength(1);
    lines.length = 0;
    endMinute();
    expect(lines).toEqual([['security-events-suppressed', { kind: 'api-key-rejected', suppressed: 70 }]]);
    lines.length = 0;
    record('api-key-rejected', request, 'verify: missing');
    endMinute();
    expect(lines.map(([event]) => event)).toEqual(['api-key-rejected']);
  });

  test('that were suppressed are reported when the server stops, and no timer remains', () => {
    const { record, close, lines, timers } = open();
    for (let n = 0; n < 31; n++) record('sign-in-throttled', request, '/portal/login');
    close();
    expect(lines.at(-1)).toEqual([
      'security-events-suppressed',
      { kind: 'sign-in-throttled', suppressed: 1 },
    ]);
    expect(timers.size).toBe(0);
  });

  test('of all threads share the limit', () => {
    const cells = new Int32Array(new SharedArrayBuffer(BUDGET_CELLS * Int32Array.BYTES_PER_ELEMENT));
    const written: string[] = [];
    const threads = ['first', 'second'].map((thread) =>
      createSecurityLog({
        budget: createSecurityBudget(cells),
        addressOf: () => undefined,
        write: () => written.push(thread),
      }),
    );
    for (let n = 0; n < 40; n++)
      for (const { record } of threads) record('api-key-rejected', request, 'reason');
    expect(written).toHaveLength(30);
    expect(new Set(written).size).toBe(2);
    expect(createSecurityBudget(cells).renew('api-key-rejected')).toBe(50);
    threads[1]?.record('api-key-rejected', request, 'reason');
    expect(written).toHaveLength(31);
  });

  test.each([
    ['192.0.2.77', '192.0.2.0/24'],
    ['::ffff:192.0.2.77', '192.0.2.0/24'],
    ['2001:db8:7:1:2:3:4:5', '2001:db8:7::/48'],
    [undefined, undefined],
  ])('contain only the network of the address %s: %s', (address, network) => {
    const { record, lines } = open({ address });
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
