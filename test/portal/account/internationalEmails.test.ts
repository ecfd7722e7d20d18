import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Account } from '../../../src/model/account.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import {
  addUser,
  type BrowserClient,
  createBrowserClient,
  PASSWORD,
  type PageResponse,
  signedIn,
} from '../../support/portal.ts';
import { expectOk, startServer, type TestServer } from '../../support/server.ts';
import { removeDatabase } from '../../support/testStorage.ts';

// A user whose address was created with the domain in Unicode could not sign in from Chromium, which sends it in ASCII.

const USERS = '/portal/system/users';

let server: TestServer;
let admin: Account;
let boss: BrowserClient;

beforeAll(async () => {
  server = await startServer();
  admin = await addUser(server, true);
  boss = await signedIn(server, admin);
});
afterAll(() => server.stop());

let names = 0;
/** A new address, as people write it, as Chromium sends it, and with a decomposed umlaut. */
function newAddress() {
  const local = `anna${++names}`;
  return {
    unicode: `${local}@münchen.example`,
    ascii: `${local}@xn--mnchen-3ya.example`,
    decomposed: `${local}@mu\u0308nchen.example`,
  };
}
const all = async () =>
  (await server.app.services.users.list(INSTALLATION)).map(({ email }): string => email);
const addWith = async (email: string, password = PASSWORD) =>
  expectOk(
    await server.app.services.users.create(INSTALLATION, {
      email,
      name: undefined,
      isAdmin: false,
      password,
    }),
  );
const logIn = (email: string, password = PASSWORD) =>
  createBrowserClient(server).fill('/portal/login', { email, password });
const linkIn = ({ text }: PageResponse, page: string) =>
  new RegExp(`/portal/${page}#token=[\\w.-]+`).exec(text)?.[0] ?? '';

describe('an address with an international domain', () => {
  test('can sign in with every spelling, however it was created', async () => {
    for (const created of ['unicode', 'ascii', 'decomposed'] as const) {
      const address = newAddress();
      expect((await addWith(address[created])).email as string).toBe(address.unicode);
      for (const entered of Object.values(address)) {
        expect([created, entered, (await logIn(entered.toUpperCase())).redirectPath]).toEqual([
          created,
          entered,
          '/portal',
        ]);
      }
    }
  });

  test('cannot belong to two users', async () => {
    const { unicode, ascii } = newAddress();
    await addWith(unicode);
    const before = await all();
    const again = await boss.fill(`${USERS}/new`, { email: ascii, name: 'Another' });
    expect([again.status, again.text.includes('already exists')]).toEqual([422, true]);
    expect(await all()).toEqual(before);
  });

  test('is created by an administrator, whose link sets the password', async () => {
    const { unicode, ascii } = newAddress();
    const created = await boss.fill(`${USERS}/new`, { email: ascii, name: 'Anna' });
    expect(created.text).toContain(unicode);
    const link = linkIn(created, 'password');
    expect((await createBrowserClient(server).fill(link, { password: PASSWORD })).status).toBe(303);
    expect((await logIn(unicode)).redirectPath).toBe('/portal');
  });

  test('is found by a search in every spelling', async () => {
    const { unicode, ascii } = newAddress();
    await addWith(unicode);
    for (const text of [unicode, ascii, ascii.toUpperCase(), unicode.slice(0, -4)]) {
      const { text: page } = await boss.get(`${USERS}?${new URLSearchParams({ q: text })}`);
      expect([text, page.includes(`>${unicode}<`)]).toEqual([text, true]);
    }
  });

  test('is invited in one spelling and accepts in another', async () => {
    const { services } = server.app;
    const owner = await addUser(server);
    const { id } = expectOk(
      await services.organizations.create(INSTALLATION, { name: 'Bakery', ownerId: owner.id }),
    );
    const path = `/portal/orgs/${services.ids.seal('organization', id)}/members`;
    const browser = await signedIn(server, owner);
    const { unicode, ascii } = newAddress();
    const first = linkIn(await browser.fill(`${path}/invite`, { email: unicode }), 'invitation');
    const second = linkIn(await browser.fill(`${path}/invite`, { email: ascii }), 'invitation');
    // The second invitation replaces the first one, because the address is the same.
    expect((await createBrowserClient(server).get(first)).text).not.toContain(unicode);
    const user = await addWith(ascii);
    const invited = await signedIn(server, user);
    expect((await invited.fill(second, {})).redirectPath).toStartWith('/portal/orgs/');
    const again = await browser.fill(`${path}/invite`, { email: ascii });
    expect(again.text).toContain('is already a member of the organization');
  });

  test('that is invalid is rejected with a message about the domain', async () => {
    const { status, text } = await boss.fill(`${USERS}/new`, { email: 'anna@xn--a.example', name: 'Anna' });
    expect([status, text.includes('The domain of this email address is not valid')]).toEqual([422, true]);
    expect(await all()).not.toContain('anna@xn--a.example');
  });
});

describe('failed attempts', () => {
  test('with different spellings of an address are counted together', async () => {
    const { unicode, ascii } = newAddress();
    await addWith(unicode);
    for (let n = 0; n < 5; n++) await logIn(n % 2 === 0 ? unicode : ascii, 'wrong wrong');
    for (const email of [unicode, ascii]) {
      expect((await logIn(email)).text).toContain('Too many attempts have failed');
    }
  });
});

describe('a password', () => {
  const COMPOSED = 'pâté à la crème';
  const DECOMPOSED = COMPOSED.normalize('NFD');

  test('signs in however the device composes its characters', async () => {
    for (const set of [COMPOSED, DECOMPOSED]) {
      const { unicode } = newAddress();
      await addWith(unicode, set);
      for (const entered of [COMPOSED, DECOMPOSED])
        expect((await logIn(unicode, entered)).redirectPath).toBe('/portal');
    }
  });

  test('that an earlier version stored decomposed signs in, and is then stored in NFC', async () => {
    const { unicode } = newAddress();
    const { id } = await addWith(unicode);
    const { nativeArgon2 } = await import('../../../src/platform/authentication/passwords.ts');
    const before = await nativeArgon2.hash(DECOMPOSED);
    await server.raw.query('UPDATE accounts SET password_hash = ? WHERE id = ?', [before, id]);
    expect((await logIn(unicode, COMPOSED)).status).toBe(422);
    expect((await logIn(unicode, DECOMPOSED)).redirectPath).toBe('/portal');
    expect((await logIn(unicode, COMPOSED)).redirectPath).toBe('/portal');
  });

  test('is changed and confirmed however the device composes its characters', async () => {
    const { unicode } = newAddress();
    const user = await addWith(unicode, COMPOSED);
    const browser = await signedIn(server, user);
    const changed = { current: DECOMPOSED, password: `${DECOMPOSED} !` };
    const path = '/portal/settings/security/password';
    expect((await browser.fill(path, changed)).status).toBe(303);
    expect((await logIn(unicode, `${COMPOSED} !`)).redirectPath).toBe('/portal');
  });
});

test('the setup converts the address to the canonical form and normalizes the password', async () => {
  const fresh = await startServer();
  const link = new URL(fresh.app.setupLink ?? '');
  const fields = { name: 'Anna', organization: 'Shops', password: 'pâté à la crème'.normalize('NFD') };
  const email = 'Anna@xn--mnchen-3ya.example';
  const browser = createBrowserClient(fresh);
  const done = await browser.fill(`${link.pathname}${link.hash}`, { ...fields, email });
  expect(done.redirectPath).toBe('/portal/first-property');
  const again = { email: 'anna@münchen.example', password: 'pâté à la crème' };
  expect((await createBrowserClient(fresh).fill('/portal/login', again)).redirectPath).toBe('/portal');
  await fresh.stop();
});

test('POSTERN_ADMIN_EMAIL names the same user in every spelling', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-emails-'));
  for (const email of ['Anna@xn--mnchen-3ya.example', 'anna@münchen.example']) {
    const settings = { POSTERN_ADMIN_EMAIL: email, POSTERN_ADMIN_PASSWORD: PASSWORD };
    const { app, stop } = await startServer({ dataDir, settings });
    expect(app.firstStart.admin?.email as string | undefined).toBe('anna@münchen.example');
    expect(await app.services.users.list(INSTALLATION)).toHaveLength(1);
    await stop();
  }
  await removeDatabase(dataDir);
  rmSync(dataDir, { recursive: true });
});
