import { afterAll, beforeAll, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { addUser, createBrowserClient, PASSWORD } from '../../support/portal.ts';
import { expectOk, startServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ settings: { POSTERN_TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(() => server.stop());

/** Sends headers that `fetch` would not send. */
function askRaw(head: string): Promise<string> {
  const { hostname, port } = new URL(server.url);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let answer = '';
  const socket = connect(Number(port), hostname, () => socket.write(`${head}\r\nConnection: close\r\n\r\n`));
  socket.on('data', (chunk) => {
    answer += chunk.toString();
  });
  socket.on('error', reject);
  socket.on('close', () => resolve(answer));
  return promise;
}

test.each([['['], ['a b'], ['a:99999']])('an invalid Host, %j, gets 400', async (host) => {
  expect(await askRaw(`GET /portal/login HTTP/1.1\r\nHost: ${host}`)).toStartWith('HTTP/1.1 400 ');
  expect(server.logged.filter(({ level }) => level === 'error')).toEqual([]);
});

test('the audit log has the full address, and the session its /64', async () => {
  const account = await addUser(server);
  const browser = createBrowserClient(server);
  const from = (address: string) => ({ 'X-Forwarded-For': address });
  const address = '2001:db8:1:2:dead:beef:1:2';
  const page = await browser.get('/portal/login');
  const token = /name="form_token" value="([^"]*)"/.exec(page.text)?.[1] ?? '';
  const fields = { email: account.email, password: PASSWORD, form_token: token };
  expect((await browser.post('/portal/login', fields, from(address))).status).toBe(303);
  const { entries } = await server.app.services.audit.list(INSTALLATION, {}, { limit: 1 });
  expect(entries).toMatchObject([{ action: 'session-started', address }]);
  const [session] = await server.app.services.authentication.sessions.list(account);
  expect(session?.address).toBe('20010db800010002');
});

test('an email address contains no terminal control characters', async () => {
  const draft = { name: undefined, isAdmin: false, password: undefined };
  for (const email of [
    '\u001bcx@y.z',
    'b\u009b2J@y.z',
    'c\u202egro.elpmaxe@y.z',
    'nul\0x@y.z',
    'zero\u200b@y.z',
  ]) {
    const made = await server.app.services.users.create(INSTALLATION, { ...draft, email });
    expect(made).toEqual({ ok: false, problem: 'email-malformed' });
  }
  expectOk(await server.app.services.users.create(INSTALLATION, { ...draft, email: 'zoë@例え.jp' }));
});
