import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Account } from '../../../src/model/account.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { TOKEN_FIELD } from '../../../src/portal/components/form.tsx';
import { PORTAL_ROUTES } from '../../../src/portal/portalRoutes.ts';
import { userActor } from '../../support/actors.ts';
import { codeOf } from '../../support/authenticator.ts';
import {
  addUser,
  type BrowserClient,
  createBrowserClient,
  formTokenOf,
  PASSWORD,
  signedIn,
} from '../../support/portal.ts';
import { addKey, expectOk, startServer, type TestServer } from '../../support/server.ts';
import { examplePath } from '../kit/examples.ts';

const PATH = '/portal/settings/security/two-factor';
const secretIn = (text: string) => /<code id="secret">([A-Z2-7 ]*)<\/code>/.exec(text)?.[1] ?? '';

async function enroll(server: TestServer, browser: BrowserClient) {
  await browser.fill(PATH, {}, `${PATH}/begin`);
  const secret = secretIn((await browser.get(PATH)).text);
  return browser.fill(PATH, { code: codeOf(secret, server.clock.now) }, PATH);
}

describe('if everyone must use two-factor authentication', () => {
  let server: TestServer;
  let owner: Account;
  let admin: Account;
  beforeAll(async () => {
    server = await startServer({ settings: { POSTERN_REQUIRE_TWO_FACTOR: 'everyone' } });
    owner = await addUser(server);
    admin = await addUser(server, true);
  });
  afterAll(() => server.stop());

  const closed = PORTAL_ROUTES.filter(({ guard, isForEnrollment }) => guard !== 'public' && !isForEnrollment);
  test.each(closed.map((one) => [`${one.method} ${one.path}`, one] as const))(
    '%s redirects a user without it to its setup and stores nothing',
    async (_, one) => {
      const path = await examplePath(one.path, server, owner);
      const browser = await signedIn(server, one.guard === 'admin' || one.guard === 'user' ? admin : owner);
      const token = formTokenOf(server, browser);
      const before = (await server.written()).commits;
      const fields = { [TOKEN_FIELD]: token };
      const shown = await (one.method === 'GET' ? browser.get(path) : browser.post(path, fields));
      expect([shown.status, shown.redirectPath, (await server.written()).commits]).toEqual([
        303,
        PATH,
        before,
      ]);
    },
  );

  test('only these pages and forms are available to such a user', () => {
    const open = PORTAL_ROUTES.filter(({ isForEnrollment }) => isForEnrollment);
    expect(open.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /portal/logout',
      'GET /portal/confirm',
      'POST /portal/confirm',
      `GET ${PATH}`,
      `POST ${PATH}`,
      `POST ${PATH}/begin`,
    ]);
  });

  test('a user who signs in sees the reason, sets it up, and continues', async () => {
    const account = await addUser(server);
    const browser = createBrowserClient(server);
    const came = await browser.fill('/portal/login', { email: account.email, password: PASSWORD });
    const led = await browser.follow(came);
    expect(led.redirectPath).toBe(PATH);
    expect((await browser.follow(led)).text).toContain(
      'This installation requires you to use two-factor authentication',
    );
    expect((await enroll(server, browser)).text).toContain('id="codes"');
    expect((await browser.get('/portal')).status).toBe(200);
  });

  test('it cannot be turned off', async () => {
    const account = await addUser(server);
    const browser = await signedIn(server, account);
    await enroll(server, browser);
    const { text } = await browser.get(PATH);
    expect(text).not.toContain(`action="${PATH}/disable"`);
    const token = formTokenOf(server, browser);
    const shown = await browser.post(`${PATH}/disable`, { [TOKEN_FIELD]: token, current: PASSWORD });
    expect([shown.status, shown.text.includes('you cannot turn it off')]).toEqual([422, true]);
    expect((await server.app.services.authentication.twoFactor.stateOf(account)).isOn).toBe(true);
  });

  test('a user whose two-factor authentication was reset sets it up again', async () => {
    const account = await addUser(server);
    await enroll(server, await signedIn(server, account));
    await server.app.services.authentication.twoFactor.reset(INSTALLATION, account);
    expect((await (await signedIn(server, account)).get('/portal')).redirectPath).toBe(PATH);
  });

  test('a user cannot accept an invitation before the setup', async () => {
    const { services } = server.app;
    const guest = await addUser(server);
    const organization = expectOk(
      await services.organizations.create(INSTALLATION, { name: 'Inviting', ownerId: owner.id }),
    );
    const actor = userActor(owner);
    const { token } = expectOk(await services.invitations.invite(actor, organization.id, guest.email));
    const browser = await signedIn(server, guest);
    const link = `/portal/invitation#token=${token}`;
    const shown = await browser.fill(link, {}, '/portal/invitation');
    expect(shown.redirectPath).toBe(PATH);
    expect(await services.organizations.list(INSTALLATION, guest)).toEqual([]);
    await enroll(server, browser);
    await browser.fill(link, {}, '/portal/invitation');
    expect(await services.organizations.list(INSTALLATION, guest)).toMatchObject([{ name: 'Inviting' }]);
  });

  test('a user who creates an account with an invitation sets it up first', async () => {
    const { services } = server.app;
    const organization = expectOk(
      await services.organizations.create(INSTALLATION, { name: 'Strict', ownerId: owner.id }),
    );
    const { token } = expectOk(
      await services.invitations.invite(userActor(owner), organization.id, 'fresh@example.com'),
    );
    const browser = createBrowserClient(server);
    const fields = { name: 'Fresh', password: PASSWORD };
    const shown = await browser.fill(
      `/portal/invitation#token=${token}`,
      fields,
      '/portal/invitation/account',
    );
    expect(shown.redirectPath).toBe(PATH);
    expect((await browser.follow(shown)).text).toContain('open the invitation link again');
    const account = expectOk(await services.users.byEmail(INSTALLATION, 'fresh@example.com'));
    expect(await services.organizations.list(INSTALLATION, account)).toEqual([]);
    await enroll(server, browser);
    await browser.fill('/portal/invitation', {}, '/portal/invitation');
    expect(await services.organizations.list(INSTALLATION, account)).toMatchObject([{ name: 'Strict' }]);
  });

  test('API keys keep working', async () => {
    const key = await addKey(server.app.services, owner, 'portal');
    const response = await fetch(`${server.url}/orgs`, { headers: { 'X-API-Key': key } });
    expect(response.status).toBe(200);
  });
});

describe('if administrators must use two-factor authentication', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ settings: { POSTERN_REQUIRE_TWO_FACTOR: 'admins' } });
  });
  afterAll(() => server.stop());

  test('other users need not use it until they become administrators', async () => {
    const account = await addUser(server);
    const browser = await signedIn(server, account);
    expect((await browser.get('/portal')).status).toBe(200);
    expect((await browser.get(PATH)).text).not.toContain('This installation requires');
    expectOk(await server.app.services.users.setAdmin(INSTALLATION, account.id, true));
    expect((await browser.get('/portal')).redirectPath).toBe(PATH);
  });

  test('an administrator sets it up first', async () => {
    const browser = await signedIn(server, await addUser(server, true));
    expect((await browser.get('/portal/system')).redirectPath).toBe(PATH);
    await enroll(server, browser);
    expect((await browser.get('/portal/system')).status).toBe(200);
  });
});
