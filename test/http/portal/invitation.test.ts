import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DAY, later } from '../../../src/lib/time.ts';
import type { Account } from '../../../src/model/account.ts';
import { addPerson, createSurfer, PASSWORD, signedIn, tokenIn } from '../../support/portal.ts';
import { expectDone, startServer, type TestServer } from '../../support/server.ts';
import { writtenBy } from '../scenario.ts';

let server: TestServer;
let owner: Account;
beforeAll(async () => {
  // Every request is logged.
  server = await startServer({ settings: { POSTERN_LOG: 'debug' } });
  owner = await addPerson(server);
});
afterAll(() => server.stop());

const office = () => server.app.office;
let teams = 0;

/** An organization of the owner's, and an invitation to it. */
async function invite(email: string) {
  const organization = expectDone(await office().organizations.create(owner, `Team ${++teams}`));
  const caller = { accountId: owner.id, organizationId: undefined };
  const { invitation, token } = expectDone(await office().invitations.invite(caller, organization.id, email));
  const link = `/portal/invitation?token=${token}`;
  const path = `/portal/orgs/${office().ids.seal('organization', organization.id)}`;
  const isMember = async (account: Account) =>
    (await office().organizations.list(account)).some(({ id }) => id === organization.id);
  return { organization, invitation, token, link, path, caller, isMember };
}

const actsIn = async (organization: {
  readonly id: Parameters<TestServer['app']['office']['organizations']['byId']>[0];
}) => {
  const { entries } = await office().audit.list(
    'command line',
    { organizationId: organization.id },
    { limit: 9 },
  );
  return entries.map(({ actor, door, action, subject }) => [actor, door, action, subject]);
};

describe('somebody without an account', () => {
  test('sees who invites to what, makes one with the invited address, and lands in the organization', async () => {
    const { link, path, organization, isMember, token } = await invite('new@example.com');
    const surfer = createSurfer(server);
    const { text } = await surfer.get(link);
    for (const part of [owner.name, owner.email, organization.name, 'new@example.com'])
      expect(text).toContain(part);
    const done = await surfer.fill(link, { name: 'Nina', password: PASSWORD });
    expect(done.leadsTo).toBe(path);
    expect((await surfer.get('/portal')).text).toContain(`You are a member of “${organization.name}” now.`);
    expect((await surfer.get(`${path}/members`)).text).toContain('Nina');
    const account = expectDone(await office().accounts.byEmail('new@example.com'));
    expect(account).toMatchObject({ name: 'Nina', isAdmin: false });
    expect(await isMember(account)).toBe(true);
    expect(await actsIn(organization)).toEqual([
      ['new@example.com', 'portal', 'invitation-accepted', 'new@example.com'],
    ]);
    const own = await office().audit.list('command line', { accountId: account.id }, { limit: 9 });
    expect(own.entries.map(({ action }) => action).toSorted()).toEqual([
      'invitation-accepted',
      'session-started',
      'user-created',
    ]);
    expect(server.logged.some(({ path }) => path === '/portal/invitation')).toBe(true);
    expect(JSON.stringify(server.logged)).not.toContain(token);
    const again = await createSurfer(server).get(link);
    expect(again.status).toBe(404);
    expect(again.text).not.toContain('<form method="post" action="/portal/invitation');
    // The password is theirs.
    const login = await createSurfer(server).fill('/portal/login', {
      email: 'new@example.com',
      password: PASSWORD,
    });
    expect(login.leadsTo).toBe('/portal');
  });

  test.each([
    [{ name: ' ' }, 'name', 'The name of a user cannot be empty.'],
    [{ name: '<b>' }, 'name', 'characters that are not allowed'],
    [{ password: '1234567' }, 'password', 'A password has at least 8 characters.'],
  ])('is shown the form again for %j, and is none yet', async (change, field, sentence) => {
    const { link } = await invite('nobody@example.com');
    const shown = await createSurfer(server).fill(link, { name: 'Nob', password: PASSWORD, ...change });
    expect(shown.status).toBe(422);
    expect(shown.text).toContain(`id="${field}-mistake"`);
    expect(shown.text).toContain(sentence);
    expect(shown.text).not.toContain(PASSWORD);
    if (!('name' in change)) expect(shown.text).toContain('value="Nob"');
    expect((await office().accounts.byEmail('nobody@example.com')).ok).toBe(false);
  });

  test('is one account, where the form is sent twice at once', async () => {
    const { link, path } = await invite('twice@example.com');
    const both = [0, 1].map(() => createSurfer(server).fill(link, { name: 'Two', password: PASSWORD }));
    const ends = await Promise.all(both);
    expect(ends.filter(({ leadsTo }) => leadsTo === path)).toHaveLength(1);
    expect(
      (await office().accounts.list()).filter(({ email }) => email === 'twice@example.com'),
    ).toHaveLength(1);
  });
});

describe('somebody with an account', () => {
  test('signs in, comes back, and accepts', async () => {
    const ben = await addPerson(server);
    const { link, path, organization, isMember } = await invite(ben.email.toUpperCase());
    const surfer = createSurfer(server);
    const { text } = await surfer.get(link);
    expect(text).not.toContain('type="password"');
    const [, login = ''] = /href="(\/portal\/login[^"]*)"/.exec(text) ?? [];
    const came = await surfer.fill(login, { email: ben.email, password: PASSWORD });
    expect(came.headers.get('location')).toBe(link);
    expect(await isMember(ben)).toBe(false);
    const done = await surfer.fill(link, {});
    expect(done.leadsTo).toBe(path);
    expect(await isMember(ben)).toBe(true);
    expect(await actsIn(organization)).toEqual([[ben.email, 'portal', 'invitation-accepted', ben.email]]);
    expect((await surfer.get(link)).status).toBe(404);
  });

  test('has to be that one: another is told, and signs out there', async () => {
    const [ben, eve] = [await addPerson(server), await addPerson(server)];
    const { link, token, isMember } = await invite(ben.email);
    const surfer = await signedIn(server, eve);
    const shown = await surfer.get(link);
    expect(shown.status).toBe(200);
    expect(shown.text).toContain(`You are signed in as <strong>${eve.email}</strong>`);
    expect(shown.text).not.toContain('action="/portal/invitation"');
    const forced = await surfer.post('/portal/invitation', { token, form_token: tokenIn(shown) });
    expect(forced.status).toBe(403);
    expect([await isMember(eve), await isMember(ben)]).toEqual([false, false]);
    const out = await surfer.fill(link, {}, '/portal/invitation/sign-out');
    expect(out.headers.get('location')).toBe(link);
    expect((await surfer.follow(out)).text).toContain('Sign in to accept');
    expect((await surfer.get('/portal')).leadsTo).toBe('/portal/login');
  });

  test('cannot be made a second time by who has the link', async () => {
    const ben = await addPerson(server);
    const { link, token } = await invite(ben.email);
    const surfer = createSurfer(server);
    const form_token = tokenIn(await surfer.get('/portal/login'));
    const before = writtenBy(server);
    const shown = await surfer.post('/portal/invitation', {
      token,
      form_token,
      name: 'Eve',
      password: 'a new password',
    });
    expect(shown.headers.get('location')).toBe(link);
    expect(writtenBy(server)).toEqual(before);
  });
});

describe('a link that does not work', () => {
  type Invited = Awaited<ReturnType<typeof invite>>;
  const WAYS: readonly (readonly [string, (invited: Invited) => Promise<unknown> | string])[] = [
    ['never was', () => '/portal/invitation?token=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['has no token', () => '/portal/invitation'],
    [
      'was withdrawn',
      ({ caller, organization, invitation }) =>
        office().invitations.revoke(caller, organization.id, invitation.id),
    ],
    [
      'was replaced',
      ({ caller, organization, invitation }) =>
        office().invitations.invite(caller, organization.id, invitation.email),
    ],
    [
      'is of a deleted organization',
      ({ caller, organization }) => office().organizations.remove(caller, organization.id),
    ],
  ];

  test.each(WAYS)('%s: a page says so, and names nothing', async (_, change) => {
    const invited = await invite('void@example.com');
    const changed = await change(invited);
    const link = typeof changed === 'string' ? changed : invited.link;
    await expectVoid(link, invited);
  });

  test('has expired: after seven days to the millisecond', async () => {
    const invited = await invite('void@example.com');
    const { now } = server.clock;
    server.clock.now = later(now, 7 * DAY - 1);
    expect((await createSurfer(server).get(invited.link)).status).toBe(200);
    server.clock.now = later(now, 7 * DAY);
    await expectVoid(invited.link, invited);
    server.clock.now = now;
  });

  async function expectVoid(link: string, { organization }: Invited): Promise<void> {
    const surfer = createSurfer(server);
    const form_token = tokenIn(await surfer.get('/portal/login'));
    const token = new URL(link, server.url).searchParams.get('token') ?? '';
    const before = writtenBy(server);
    const fields = { token, form_token, name: 'Void', password: PASSWORD };
    for (const shown of [await surfer.get(link), await surfer.post('/portal/invitation', fields)]) {
      expect(shown.status).toBe(404);
      expect(shown.text).toContain('This invitation does not work');
      expect(shown.text).not.toMatch(new RegExp(`${organization.name}\\b|void@example.com`));
    }
    expect(writtenBy(server)).toEqual(before);
  }
});
