import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Account } from '../../../src/model/account.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { SETTING_GROUPS, SETTINGS } from '../../../src/settings.ts';
import { addUser, type BrowserClient, signedIn } from '../../support/portal.ts';
import { expectOk, startServer, type TestServer } from '../../support/server.ts';

const SYSTEM = '/portal/system';
const SECRET = 'a-verify-key-that-an-operator-chose-1';

let server: TestServer;
let admin: Account;
let browser: BrowserClient;

beforeAll(async () => {
  server = await startServer({
    settings: {
      POSTERN_ADMIN_EMAIL: 'first@example.com',
      POSTERN_ADMIN_PASSWORD: 'a password that is secret',
      POSTERN_VERIFY_KEY: SECRET,
      POSTERN_TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8',
    },
  });
  admin = await addUser(server, true);
  browser = await signedIn(server, admin);
});
afterAll(() => server.stop());

const plain = (text: string) => text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
const newest = async () => {
  const { entries } = await server.app.services.audit.list(INSTALLATION, {}, { limit: 1 });
  return entries[0];
};

test('the overview shows the version, the schema, sizes, and counts', async () => {
  const { text } = await browser.get(SYSTEM);
  const facts = expectOk(
    await server.app.services.systemDescriber({ version: '', settings: [] })(INSTALLATION),
  );
  expect(plain(text)).toContain(`Database schema ${facts.storage.schema}`);
  expect(plain(text)).toContain(`Users ${facts.storage.rows.accounts} `);
  for (const { name } of facts.storage.files) expect(text).toContain(name);
});

/** Without the places where the names of settings may break. */
const unbroken = (text: string) => text.replaceAll(/<wbr\s*\/?>/g, '');

test('the settings show effective values and their sources, with masked secrets', async () => {
  const text = unbroken((await browser.get(`${SYSTEM}/settings`)).text);
  expect(plain(text)).toMatch(/POSTERN_TRUSTED_PROXIES 127\.0\.0\.1,10\.0\.0\.0\/8 Environment /);
  expect(plain(text)).toMatch(/POSTERN_VERIFY_KEY \*+ Environment /);
  expect(text).not.toContain(SECRET);
  expect(text).not.toContain('a password that is secret');
});

describe('maintenance', () => {
  test('can be turned on and off, which the audit log records', async () => {
    const { maintenance } = server.app.services;
    const on = await browser.fill(SYSTEM, {}, `${SYSTEM}/maintenance`);
    expect([on.redirectPath, maintenance.isOn()]).toEqual([SYSTEM, true]);
    expect(await newest()).toMatchObject({
      actor: admin.email,
      action: 'maintenance-switched',
      object: 'on',
    });
    expect((await browser.follow(on)).text).toContain('Maintenance is on.');
    const off = await browser.fill(SYSTEM, {}, `${SYSTEM}/maintenance`);
    expect([off.redirectPath, maintenance.isOn()]).toEqual([SYSTEM, false]);
    expect(await newest()).toMatchObject({ action: 'maintenance-switched', object: 'off' });
  });

  test('does not change for a word other than on and off', async () => {
    expect((await browser.fill(SYSTEM, { state: 'maybe' }, `${SYSTEM}/maintenance`)).status).toBe(422);
    expect(server.app.services.maintenance.isOn()).toBe(false);
  });

  test('stays on if the configuration turns it on, and the page says so', async () => {
    const held = await startServer({ settings: { POSTERN_MAINTENANCE: 'on' } });
    const boss = await signedIn(held, await addUser(held, true));
    const off = await boss.fill(SYSTEM, {}, `${SYSTEM}/maintenance`);
    expect((await boss.follow(off)).text).toContain('but stays on');
    expect(held.app.services.maintenance.isOn()).toBe(true);
    await held.stop();
  });
});

describe('the client address on the overview', () => {
  const ask = async (forwarded?: string) =>
    plain((await browser.get(SYSTEM, forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded })).text);

  test.each([
    [
      'the address that a trusted proxy sends',
      '203.0.113.9',
      ['203.0.113.9', 'A trusted proxy sent it in the header X-Forwarded-For.'],
    ],
    [
      'the last address before the trusted proxies',
      '1.1.1.1, 203.0.113.9, 10.0.0.5',
      ['client address is 203.0.113.9', 'the server ignores the addresses before it'],
    ],
    [
      'an IPv6 address, which is counted by its /64 network',
      '2001:db8:0:7::1',
      ['client address is 2001:db8:0:7::1', 'Counted as 2001:db8:0:7::/64'],
    ],
    [
      'the connection’s if the proxy sends no address',
      undefined,
      ['client address is 127.0.0.1', 'a trusted proxy that sent no address in the header'],
    ],
    [
      'the first one if all are trusted proxies',
      '10.0.0.9',
      ['client address is 10.0.0.9', 'all addresses are trusted proxies'],
    ],
    [
      'the last valid one if the header contains an invalid address',
      '<script>',
      ['is not a valid address, so the server ignores the rest'],
    ],
  ])('is %s', async (_, forwarded, expected) => {
    const text = await ask(forwarded);
    for (const part of expected) expect(text).toContain(part);
  });

  test('is the connection’s if no proxy is trusted, and the header is ignored', async () => {
    const bare = await startServer();
    const boss = await signedIn(bare, await addUser(bare, true));
    const { text } = await boss.get(SYSTEM, { 'X-Forwarded-For': '203.0.113.9' });
    expect(plain(text)).toContain('client address is 127.0.0.1');
    expect(plain(text)).toContain('the server ignores the header X-Forwarded-For');
    await bare.stop();
  });
});

describe('the filter of the settings', () => {
  const settingsFor = async (query: string) => {
    const { text } = await browser.get(`${SYSTEM}/settings${query}`);
    const [, main = ''] = unbroken(text).split('<main');
    const groups = [...main.matchAll(/<details class="card"( open="")?><summary>([^<]*)/g)];
    return {
      variables: [...main.matchAll(/<code class="long">(POSTERN_\w+)<\/code>/g)].map(([, name]) => name),
      groups: groups.map(([, , name]) => name),
      open: groups.flatMap(([, isOpen, name]) => (isOpen === undefined ? [] : [name])),
      text: plain(main),
    };
  };

  test('is empty at first: every setting is in its group, and the groups with changes are open', async () => {
    const { variables, groups, open, text } = await settingsFor('');
    expect(variables).toEqual(SETTINGS.map(({ variable }) => variable));
    expect(groups).toEqual(SETTING_GROUPS.map(({ heading }) => heading));
    expect(text).toContain('Bind address, or a Unix socket, such as unix:/run/postern/http.sock .');
    // The tests set the port, the data folder, and others.
    expect(open).toContain('Reverse proxy');
    expect(open).toContain('First user');
    expect(open).not.toContain('HTTPS');
  });

  test('shows the changed settings', async () => {
    const { variables } = await settingsFor('?changed=on');
    expect(variables).toContain('POSTERN_VERIFY_KEY');
    expect(variables).not.toContain('POSTERN_TLS_KEY');
  });

  test.each([
    ['a name', '?q=trusted_PROX', ['POSTERN_TRUSTED_PROXIES']],
    ['a value', '?q=10.0.0.0', ['POSTERN_TRUSTED_PROXIES']],
    ['a meaning', '?q=Lowest+level+of+events', ['POSTERN_LOG']],
    ['nothing', '?q=no+such+setting', []],
    ['a secret', `?q=${SECRET}`, []],
  ])('finds %s', async (_, query, expected) => {
    const { variables, groups, open, text } = await settingsFor(query);
    expect(variables).toEqual(expected);
    expect(open).toEqual(groups);
    expect(text.includes('No setting matches the filter.')).toBe(expected.length === 0);
  });
});

describe('plans', () => {
  const PLANS = `${SYSTEM}/plans`;

  /** The values of the inputs in the row of a plan. */
  const rowOf = (text: string, name: string) =>
    [...text.matchAll(/value="([^"]*)" size="10" aria-label="([^"]*)"/g)]
      .filter(([, , label = '']) => label.endsWith(`, plan ${name}`))
      .map(([, value]) => value);

  test('can be created and changed, which the audit log records', async () => {
    const done = await browser.fill(PLANS, { name: 'small', organizations: '2', properties: '30' });
    expect(rowOf((await browser.follow(done)).text, 'small')).toEqual(['2', '30']);
    const object = 'small: 2 organizations, 30 properties';
    expect(await newest()).toMatchObject({ action: 'plan-set', actor: admin.email, object });
    await browser.fill(PLANS, { name: 'small', organizations: '0', properties: '1000000000' });
    const change = 'small: organizations 2 -> 0, properties 30 -> 1000000000';
    expect(await newest()).toMatchObject({ action: 'plan-set', actor: admin.email, object: change });
    const plans = await server.app.services.plans.list(INSTALLATION);
    expect(plans).toContainEqual({ name: 'small', organizations: 0, properties: 1_000_000_000 });
  });

  test.each([
    ['a name with capitals', { name: 'Small' }, ['name']],
    ['no name', { name: '' }, ['name']],
    ['invalid quotas', { organizations: '-1', properties: '1.5' }, ['organizations', 'properties']],
    ['a quota above the maximum', { properties: '1000000001' }, ['properties']],
  ])('with %s are rejected next to the field', async (_, change, fields) => {
    const before = await server.app.services.plans.list(INSTALLATION);
    const typed = { name: 'sound', organizations: '1', properties: '1', ...change };
    const { status, text } = await browser.fill(PLANS, typed);
    expect(status).toBe(422);
    for (const field of fields) expect(text).toContain(`href="#${field}"`);
    expect(await server.app.services.plans.list(INSTALLATION)).toEqual(before);
  });

  test('with an invalid quota keep it in their row, with the error', async () => {
    const before = await server.app.services.plans.list(INSTALLATION);
    const { status, text } = await browser.fill(PLANS, {
      name: 'default',
      organizations: '-1',
      properties: '7',
    });
    const row = before.findIndex(({ name }) => name === 'default');
    expect([status, rowOf(text, 'default')]).toEqual([422, ['-1', '7']]);
    expect(text).toContain(`href="#organizations-${row}"`);
    expect(text).toMatch(new RegExp(`id="organizations-${row}"[^>]*aria-invalid="true"`));
    expect(text).not.toContain('id="organizations-error"');
    expect(await server.app.services.plans.list(INSTALLATION)).toEqual(before);
  });
});
