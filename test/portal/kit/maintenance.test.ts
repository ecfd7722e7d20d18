import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { INSTALLATION } from '../../../src/model/actor.ts';
import {
  addUser,
  createBrowserClient,
  PASSWORD,
  type PageResponse,
  signedIn,
  tokenIn,
} from '../../support/portal.ts';
import { addPropertyOwner, DEFAULT_FIELDS } from '../../support/propertyOwner.ts';
import { startServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ settings: { POSTERN_DNS_CHECK: 'off' } });
});
afterAll(() => server.stop());
const turn = (isOn: boolean) => server.app.services.maintenance.set(INSTALLATION, isOn);
afterEach(() => turn(false));

const BANNER = 'Maintenance is on.';

/** Sends the form of the maintenance page again. */
function sendAgain(page: PageResponse, typed: Record<string, string> = {}) {
  const [, action = '', inside = ''] =
    /<main[\s\S]*<form method="post" action="([^"]*)">([\s\S]*?)<\/form>/.exec(page.text) ?? [];
  const hidden = [...inside.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  const fields = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value]));
  return { action, fields: { ...fields, ...typed }, inside };
}

describe('the maintenance banner', () => {
  test('is on every page, also for users who are not signed in, and disappears afterwards', async () => {
    const admin = await signedIn(server, await addUser(server, true));
    const owner = await addPropertyOwner(server);
    const pages = [
      () => admin.get('/portal/system'),
      () => admin.get('/portal/system/users'),
      () => owner.browser.get('/portal'),
      () => owner.browser.get(`${owner.path}/new`),
      () => owner.browser.get('/portal/nowhere'),
      () => createBrowserClient(server).get('/portal/login'),
    ];
    for (const isOn of [true, false]) {
      await turn(isOn);
      for (const show of pages) expect((await show()).text.includes(BANNER)).toBe(isOn);
    }
  });

  test('links to the switch for administrators only', async () => {
    await turn(true);
    const admin = await signedIn(server, await addUser(server, true));
    const other = await signedIn(server, await addUser(server));
    expect((await admin.get('/portal')).text).toContain('Go to the maintenance switch');
    expect((await other.get('/portal')).text).not.toContain('maintenance switch');
  });
});

test('the system page explains what maintenance does before it is turned on', async () => {
  const admin = await signedIn(server, await addUser(server, true));
  const { text } = await admin.get('/portal/system');
  expect(text).toContain('While maintenance is on:');
  expect(text).toContain('Backends that require code 0 reject every form');
});

describe('a form that is rejected because of maintenance', () => {
  test('keeps the entered values, and can be sent again', async () => {
    const owner = await addPropertyOwner(server);
    const { text } = await owner.browser.get(`${owner.path}/new`);
    await turn(true);
    const before = await server.written();
    const typed = { ...DEFAULT_FIELDS, name: '<b>"Mine" & yours', level: '77', allow_localhost: 'on' };
    const form_token = tokenIn({ text } as PageResponse);
    const shown = await owner.browser.post(`${owner.path}/new`, { ...typed, form_token });
    expect(shown.status).toBe(503);
    expect(shown.text).toContain('<dd>77</dd>');
    expect(shown.text).not.toContain('<b>"');
    expect((await server.written()).commits).toBe(before.commits);
    const { action, fields } = sendAgain(shown);
    expect(action).toBe(`${owner.path}/new`);
    expect((await owner.browser.post(action, fields)).status).toBe(503);
    await turn(false);
    // `sendAgain` reads markup as it is, not as a browser does.
    const done = await owner.browser.post(action, { ...fields, name: 'Mine' });
    expect(done.status).toBe(303);
    expect(await server.app.services.stores.properties.list(owner.organization.id)).toMatchObject([
      { name: 'Mine', level: 77, allowsLocalhost: true },
    ]);
  });

  test('does not send passwords back: the user enters them again', async () => {
    const browser = await signedIn(server, await addUser(server));
    const path = '/portal/settings/security/password';
    const page = await browser.get(path);
    await turn(true);
    const passwords = { current: PASSWORD, password: 'seven unlikely words in a row' };
    const shown = await browser.post(path, { form_token: tokenIn(page), ...passwords });
    expect(shown.status).toBe(503);
    for (const password of Object.values(passwords)) expect(shown.text).not.toContain(password);
    const { action, fields, inside } = sendAgain(shown, passwords);
    for (const name of ['current', 'password'])
      expect(inside).toMatch(new RegExp(`name="${name}" type="password" value=""`));
    await turn(false);
    expect((await browser.post(action, fields)).status).toBe(303);
  });
});
