import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DAY, later, MINUTE } from '../../../src/lib/time.ts';
import type { Account } from '../../../src/model/account.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import type { Organization } from '../../../src/model/organization.ts';
import { userActor } from '../../support/actors.ts';
import { codeOf } from '../../support/authenticator.ts';
import {
  addUser,
  type BrowserClient,
  createBrowserClient,
  PASSWORD,
  signedIn,
  tokenIn,
} from '../../support/portal.ts';
import { expectOk, startServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let owner: Account;
beforeAll(async () => {
  // Every request is logged.
  server = await startServer({ settings: { POSTERN_LOG: 'debug' } });
  owner = await addUser(server);
});
afterAll(() => server.stop());

const services = () => server.app.services;
let teams = 0;

/** A new organization of the owner, and an invitation to it. */
async function invite(email: string) {
  const organization = expectOk(
    await services().organizations.create(INSTALLATION, { name: `Team ${++teams}`, ownerId: owner.id }),
  );
  const actor = userActor(owner);
  const { invitation, token } = expectOk(await services().invitations.invite(actor, organization.id, email));
  const link = `/portal/invitation#token=${token}`;
  const path = `/portal/orgs/${services().ids.seal('organization', organization.id)}`;
  const isMember = async (account: Account) =>
    (await services().organizations.list(INSTALLATION, account)).some(({ id }) => id === organization.id);
  return { organization, invitation, token, link, path, actor, isMember };
}

const actsIn = async (organization: Pick<Organization, 'id'>) => {
  const { entries } = await services().audit.list(
    INSTALLATION,
    { organizationId: organization.id },
    { limit: 9 },
  );
  return entries.map(({ actor, source, action, object }) => [actor, source, action, object]);
};

const TWO_FACTOR = '/portal/settings/security/two-factor';

/** Turns on two-factor authentication. @returns the secret of the authenticator app */
async function enroll(browser: BrowserClient): Promise<string> {
  await browser.fill(TWO_FACTOR, {}, `${TWO_FACTOR}/begin`);
  const { text } = await browser.get(TWO_FACTOR);
  const secret = /<code id="secret">([A-Z2-7 ]*)<\/code>/.exec(text)?.[1] ?? '';
  await browser.fill(TWO_FACTOR, { code: codeOf(secret, server.clock.now) }, TWO_FACTOR);
  return secret;
}

const ACCOUNT_PATH = '/portal/invitation/account';
const ACCEPT_PATH = '/portal/invitation';

/** Creates an account from a link's page. */
const createAccount = (browser: BrowserClient, link: string, fields: Record<string, string> = {}) =>
  browser.fill(link, { name: 'Nina', password: PASSWORD, ...fields }, ACCOUNT_PATH);

describe('an invited user without an account', () => {
  test('sees the inviter and the organization, creates an account, and is a signed-in member', async () => {
    const { link, path, organization, isMember, token } = await invite('new@example.com');
    const browser = createBrowserClient(server);
    const { text } = await browser.get(link);
    for (const part of [owner.name, owner.email, organization.name, 'new@example.com'])
      expect(text).toContain(part);
    const created = await createAccount(browser, link);
    expect(created.redirectPath).toBe(path);
    const account = expectOk(await services().users.byEmail(INSTALLATION, 'new@example.com'));
    expect(account).toMatchObject({ name: 'Nina', isAdmin: false, plan: 'invited' });
    expect((await browser.get('/portal')).text).toContain(`You are now a member of “${organization.name}”.`);
    expect((await browser.get(`${path}/members`)).text).toContain('Nina');
    expect(await isMember(account)).toBe(true);
    expect(browser.cookies.has('postern-link')).toBe(false);
    expect(await actsIn(organization)).toEqual([
      ['new@example.com', 'portal', 'invitation-accepted', 'new@example.com'],
      [owner.email, 'api-key', 'invitation-created', 'new@example.com'],
    ]);
    const own = await services().audit.list(INSTALLATION, { accountId: account.id }, { limit: 9 });
    expect(own.entries.map(({ action }) => action).toSorted()).toEqual([
      'invitation-accepted',
      'session-started',
      'user-created',
    ]);
    expect(server.logged.some(({ path }) => path === '/portal/invitation')).toBe(true);
    expect(JSON.stringify(server.logged)).not.toContain(token);
    const again = await createBrowserClient(server).get(link);
    expect(again.status).toBe(404);
    expect(again.text).not.toContain(`action="${ACCEPT_PATH}"`);
  });

  test('cannot own an organization until an administrator changes the plan', async () => {
    const { link } = await invite('small@example.com');
    await createAccount(createBrowserClient(server), link);
    const account = expectOk(await services().users.byEmail(INSTALLATION, 'small@example.com'));
    const rejected = await services().organizations.create(INSTALLATION, {
      name: 'Own',
      ownerId: account.id,
    });
    expect(rejected).toEqual({ ok: false, problem: 'organizations-limit' });
    expectOk(await services().users.setPlan(INSTALLATION, account.id, 'default'));
    expectOk(await services().organizations.create(INSTALLATION, { name: 'Own', ownerId: account.id }));
  });

  test.each([
    [{ name: ' ' }, 'name', 'The user needs a name.'],
    [{ name: '<b>' }, 'name', 'characters that are not allowed'],
    [{ password: '1234567' }, 'password', 'A password must have at least 8 characters.'],
    [{ password: 'password123' }, 'password', 'common or repeats a short pattern'],
    [{ password: 'NobodyShop99' }, 'password', 'is too easy to guess'],
  ])('sees the form again for %j, and no account is created', async (change, field, sentence) => {
    const { link } = await invite('nobody@example.com');
    const shown = await createAccount(createBrowserClient(server), link, { name: 'Nob', ...change });
    expect(shown.status).toBe(422);
    expect(shown.text).toContain(`id="${field}-error"`);
    expect(shown.text).toContain(sentence);
    expect(shown.text).not.toContain(PASSWORD);
    if (!('name' in change)) expect(shown.text).toContain('value="Nob"');
    expect((await services().users.byEmail(INSTALLATION, 'nobody@example.com')).ok).toBe(false);
  });

  test('gets one account if the form is sent twice at the same time', async () => {
    const { link } = await invite('twice@example.com');
    await Promise.all([0, 1].map(() => createAccount(createBrowserClient(server), link)));
    expect(
      (await services().users.list(INSTALLATION)).filter(({ email }) => email === 'twice@example.com'),
    ).toHaveLength(1);
  });
});

describe('whether the invited address has an account', () => {
  test('is not revealed to a person who opens the link', async () => {
    const seen = async (email: string) => {
      const { link, organization, invitation, token } = await invite(email);
      const { status, text, headers } = await createBrowserClient(server).get(link);
      const plain = [
        [token, 'TOKEN'],
        [email, 'EMAIL'],
        [`“<bdi>${organization.name}</bdi>”`, 'TEAM'],
        [new Date(invitation.expiresAt).toISOString(), 'END'],
      ].reduce((all, [from = '', to = '']) => all.replaceAll(from, to), text);
      return [
        status,
        plain.replaceAll(/name="form_token" value="[^"]*"/g, ''),
        [...headers.keys()].toSorted(),
      ];
    };
    const ben = await addUser(server);
    expect(await seen(ben.email)).toEqual(await seen('unknown@example.com'));
  });

  test('is revealed to a person who creates an account no more than by an attempt to sign in, which is throttled', async () => {
    const ben = await addUser(server);
    const { link, isMember } = await invite(ben.email);
    const browser = createBrowserClient(server);
    for (let n = 0; n < 6; n++) {
      const shown = await createAccount(browser, link, { password: `another password ${n}` });
      expect(shown.redirectPath).toBe('/portal/login');
      expect((await browser.follow(shown)).text).toContain(
        `Sign in as ${ben.email} to accept the invitation.`,
      );
    }
    expect(browser.cookies.has('postern-session')).toBe(false);
    expect(await isMember(ben)).toBe(false);
    const fields = { email: ben.email, password: PASSWORD };
    expect((await browser.fill('/portal/login', fields)).status).toBe(429);
    expect(browser.cookies.has('postern-link')).toBe(true);
  });

  test('is in the audit log for administrators, and the account stays as it is', async () => {
    const ben = await addUser(server);
    const { link } = await invite(ben.email);
    await createAccount(createBrowserClient(server), link, { name: 'Eve', password: 'a new password' });
    expect(expectOk(await services().users.byEmail(INSTALLATION, ben.email))).toEqual(ben);
    const fields = { email: ben.email, password: 'a new password' };
    expect((await createBrowserClient(server).fill('/portal/login', fields)).status).toBe(422);
    const { entries } = await services().audit.list(INSTALLATION, { object: ben.email }, { limit: 9 });
    expect(entries.map(({ action }) => action)).toContain('user-not-created');
  });
});

describe('an invited user with an account', () => {
  test('can enter the password in the form for a new account, which signs in and accepts', async () => {
    const ben = await addUser(server);
    const { link, path, isMember } = await invite(ben.email);
    const done = await createAccount(createBrowserClient(server), link, { name: 'Somebody' });
    expect(done.redirectPath).toBe(path);
    expect(await isMember(ben)).toBe(true);
    expect(expectOk(await services().users.byEmail(INSTALLATION, ben.email)).name).toBe(ben.name);
  });

  test('and with two-factor authentication enters the code first, then accepts', async () => {
    const ben = await addUser(server);
    const secret = await enroll(await signedIn(server, ben));
    // The same code is accepted only once.
    server.clock.now = later(server.clock.now, MINUTE);
    const { link, path, isMember } = await invite(ben.email);
    const browser = createBrowserClient(server);
    const created = await createAccount(browser, link);
    const code = created.headers.get('location') ?? '';
    expect(created.redirectPath).toBe('/portal/login/code');
    expect([await isMember(ben), (await browser.get('/portal')).redirectPath]).toEqual([
      false,
      '/portal/login',
    ]);
    const before = browser.cookies.get('postern-session');
    const came = await browser.fill(code, { code: codeOf(secret, server.clock.now) }, '/portal/login/code');
    expect(came.headers.get('location')).toBe(ACCEPT_PATH);
    expect(browser.cookies.get('postern-session')).not.toBe(before);
    expect((await browser.fill(ACCEPT_PATH, {}, ACCEPT_PATH)).redirectPath).toBe(path);
    expect(await isMember(ben)).toBe(true);
  });

  test('signs in, comes back, and accepts', async () => {
    const ben = await addUser(server);
    const { link, path, organization, isMember } = await invite(ben.email.toUpperCase());
    const browser = createBrowserClient(server);
    const { text } = await browser.get(link);
    const [, login = ''] = /href="(\/portal\/login[^"]*)"/.exec(text) ?? [];
    const came = await browser.fill(login, { email: ben.email, password: PASSWORD });
    expect(came.headers.get('location')).toBe(ACCEPT_PATH);
    expect(await isMember(ben)).toBe(false);
    const done = await browser.fill(link, {}, ACCEPT_PATH);
    expect(done.redirectPath).toBe(path);
    expect(await isMember(ben)).toBe(true);
    expect(await actsIn(organization)).toEqual([
      [ben.email, 'portal', 'invitation-accepted', ben.email],
      [owner.email, 'api-key', 'invitation-created', ben.email],
    ]);
    expect((await browser.get(link)).status).toBe(404);
  });

  test('returns to the invitation if the session has ended in the meantime', async () => {
    const ben = await addUser(server);
    const { token, isMember } = await invite(ben.email);
    const browser = createBrowserClient(server);
    const form_token = tokenIn(await browser.get('/portal/login'));
    const shown = await browser.post(ACCEPT_PATH, { token, form_token });
    expect([shown.status, shown.redirectPath]).toEqual([303, ACCEPT_PATH]);
    expect((await browser.follow(shown)).text).toContain('Sign in to accept');
    expect(await isMember(ben)).toBe(false);
  });

  test('who is signed in with another address sees this, and can sign out', async () => {
    const [ben, eve] = [await addUser(server), await addUser(server)];
    const { link, token, isMember } = await invite(ben.email);
    const browser = await signedIn(server, eve);
    const shown = await browser.get(link);
    expect(shown.status).toBe(200);
    expect(shown.text).toContain(`You are signed in as <strong>${eve.email}</strong>`);
    expect(shown.text).not.toContain('action="/portal/invitation"');
    const forced = await browser.post('/portal/invitation', { token, form_token: tokenIn(shown) });
    expect(forced.status).toBe(403);
    expect([await isMember(eve), await isMember(ben)]).toEqual([false, false]);
    const out = await browser.fill(link, {}, '/portal/invitation/sign-out');
    expect(out.headers.get('location')).toBe(ACCEPT_PATH);
    expect((await browser.follow(out)).text).toContain('Sign in to accept');
    expect((await browser.get('/portal')).redirectPath).toBe('/portal/login');
  });
});

describe('an invalid invitation link', () => {
  type Invited = Awaited<ReturnType<typeof invite>>;
  const WAYS: readonly (readonly [string, (invited: Invited) => Promise<unknown> | string])[] = [
    ['that never existed', () => '/portal/invitation#token=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    [
      'that was withdrawn',
      ({ actor, organization, invitation }) =>
        services().invitations.revoke(actor, organization.id, invitation.id),
    ],
    [
      'that was replaced',
      ({ actor, organization, invitation }) =>
        services().invitations.invite(actor, organization.id, invitation.email),
    ],
    [
      'of a deleted organization',
      ({ actor, organization }) => services().organizations.remove(actor, organization.id),
    ],
  ];

  test.each(WAYS)('%s shows an error page that names no organization and no address', async (_, change) => {
    const invited = await invite('invalid@example.com');
    const changed = await change(invited);
    const link = typeof changed === 'string' ? changed : invited.link;
    await expectInvalid(link, invited);
  });

  test('expires after exactly seven days', async () => {
    const invited = await invite('invalid@example.com');
    const { now } = server.clock;
    server.clock.now = later(now, 7 * DAY - 1);
    expect((await createBrowserClient(server).get(invited.link)).status).toBe(200);
    server.clock.now = later(now, 7 * DAY);
    await expectInvalid(invited.link, invited);
    server.clock.now = now;
  });

  async function expectInvalid(link: string, { organization }: Invited): Promise<void> {
    const browser = createBrowserClient(server);
    const form_token = tokenIn(await browser.get('/portal/login'));
    const token = link.split('=')[1] ?? '';
    const before = await server.written();
    const fields = { token, form_token, name: 'Invalid', password: PASSWORD };
    for (const shown of [await browser.get(link), await browser.post('/portal/invitation', fields)]) {
      expect(shown.status).toBe(404);
      expect(shown.text).toContain('This invitation is not valid');
      expect(shown.text).not.toMatch(new RegExp(`${organization.name}\\b|invalid@example.com`));
    }
    expect(await server.written()).toEqual(before);
  }
});

test('accounts that an invitation creates have the plan in POSTERN_INVITED_PLAN', async () => {
  const other = await startServer({ settings: { POSTERN_INVITED_PLAN: 'default' } });
  const host = await addUser(other);
  const { invitations, organizations, users } = other.app.services;
  const { id } = expectOk(await organizations.create(INSTALLATION, { name: 'Team', ownerId: host.id }));
  const actor = userActor(host);
  const { token } = expectOk(await invitations.invite(actor, id, 'new@example.com'));
  await createBrowserClient(other).fill(
    `/portal/invitation#token=${token}`,
    { name: 'New', password: PASSWORD },
    ACCOUNT_PATH,
  );
  expect(expectOk(await users.byEmail(INSTALLATION, 'new@example.com')).plan).toBe('default');
  await other.stop();
});
