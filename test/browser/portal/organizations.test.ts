import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Account } from '../../../src/model/account.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { userActor } from '../../support/actors.ts';
import { addUser } from '../../support/portal.ts';
import { expectOk, startServer, type TestServer } from '../../support/server.ts';
import { CASE_TIMEOUT_MS } from '../fixture.ts';
import { openPortalUser, type PortalUser } from './portalUser.ts';

setDefaultTimeout(4 * CASE_TIMEOUT_MS);

let server: TestServer;
const authentication: PortalUser[] = [];

beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  for (const { tab } of authentication) tab.close();
  await server.stop();
});

/** @param host cookies are bound to it: two names of one machine are two browsers */
async function openBrowser(host: 'localhost' | '127.0.0.1'): Promise<PortalUser> {
  const user = await openPortalUser(server.url.replace('127.0.0.1', host));
  authentication.push(user);
  return user;
}

const pathOf = (link: string) => link.slice(link.indexOf('/portal/'));

test('two people and an invitation: one invites, the other comes by the link, is removed, comes back, and owns it', async () => {
  const ann = await addUser(server);
  const hers = await openBrowser('localhost');
  const his = await openBrowser('127.0.0.1');

  // She makes an organization.
  await hers.signIn(ann.email);
  await hers.isAt('Organizations');
  await hers.expectGood('organizations-none');
  await hers.type('name', '<bakery>');
  await hers.press('Create organization');
  expect(await hers.textOf('#name-error')).toContain('characters that are not allowed');
  await hers.isOn('.error-summary');
  await hers.expectGood('organizations-errors');
  await hers.type('name', 'Bakery');
  await hers.press('Create organization');
  const home = await hers.tab.evaluate<string>('location.pathname');
  expect(home).toMatch(/^\/portal\/orgs\/[\w-]{22}$/);
  expect(await hers.textOf('.notice')).toBe('The organization “Bakery” was created.');
  await hers.go('/portal');
  expect(await hers.textOf('.rows')).toContain('Bakery');
  expect(await hers.textOf('a.button')).toBe('Protect your first property');
  await hers.expectGood('organizations-next-step');
  await hers.go(`${home}/settings`);
  await hers.expectGood('organization-settings');

  // She invites him, and copies the link.
  await hers.go(`${home}/members`);
  await hers.expectGood('members-alone');
  await hers.press('Invite member');
  await hers.isAt('Invite member');
  await hers.expectGood('invite');
  await hers.type('email', ann.email);
  await hers.press('Create invitation');
  expect(await hers.textOf('#email-error')).toContain('is already a member of the organization');
  await hers.expectGood('invite-errors');
  await hers.type('email', 'ben@example.com');
  await hers.press('Create invitation');
  const link = await hers.textOf('#link');
  await hers.tab.evaluate('void (navigator.clipboard.writeText = async (text) => { window.copied = text; })');
  await hers.tab.click("document.querySelector('[data-copy]')");
  await hers.tab.until('window.copied !== undefined');
  expect(await hers.tab.evaluate<string>('window.copied')).toBe(link);
  await hers.expectGood('invite-link');
  await hers.press('I have sent it');
  expect(await hers.textOf('main')).toContain('ben@example.com');
  await hers.expectGood('members-invited');

  // He has no account: he creates one, signs in, and accepts. The address bar keeps no token.
  await his.go(pathOf(link));
  await his.tab.until("document.body.textContent.includes('invites you to')");
  expect(await his.tab.evaluate<string>('location.href')).not.toContain('token');
  await his.expectGood('invitation');
  await his.type('name', 'Ben');
  await his.type('password', 'short');
  expect(await his.textOf('.strength')).toContain('Weak');
  await his.press('Create account');
  expect(await his.textOf('#password-error')).toBe('A password must have at least 8 characters.');
  await his.expectGood('invitation-errors');
  await his.type('password', 'correct horse battery');
  await his.press('Create account');
  await his.isAt('Sign in');
  expect(await his.textOf('.notice')).toContain('Sign in as ben@example.com to accept the invitation.');
  await his.type('email', 'ben@example.com');
  await his.type('password', 'correct horse battery');
  await his.press('Sign in');
  await his.isAt('You are invited');
  await his.press('Accept invitation');
  expect(await his.tab.evaluate<string>('location.pathname')).toBe(home);
  expect(await his.textOf('.notice')).toBe('You are now a member of “Bakery”.');
  await his.go('/portal');
  expect(await his.textOf('.rows')).toContain('Member');
  await his.expectGood('organizations-member');
  await his.go(`${home}/members`);
  await his.expectGood('members-member');
  await his.go(`${home}/settings`);
  await his.expectGood('organization-settings-member');
  await his.press('Leave organization');
  await his.isAt('Leave this organization?');
  await his.expectGood('leave');
  await his.go(`${home}/delete`);
  await his.isAt('Not allowed');
  await his.expectGood('organization-not-owned');
  await his.go(pathOf(link));
  await his.isAt('This invitation is not valid');
  await his.expectGood('invitation-void');

  // She removes him, and he sees nothing.
  await hers.go(`${home}/members`);
  await hers.expectGood('members-owner');
  await hers.press('Remove member: Ben');
  await hers.isAt('Remove this member?');
  await hers.expectGood('member-remove');
  await hers.press('Remove member');
  expect(await hers.textOf('.notice')).toBe('Ben is no longer a member.');
  await his.go(`${home}/members`);
  await his.isAt('Not found');
  await his.go('/portal');
  expect(await his.textOf('main')).not.toContain('Bakery');

  // She invites him again; her own browser is told that the link is not for her, his accepts.
  await hers.go(`${home}/members/invite`);
  await hers.type('email', 'ben@example.com');
  await hers.press('Create invitation');
  const second = pathOf(await hers.textOf('#link'));
  await hers.go(second);
  await hers.tab.until("document.body.textContent.includes('You are signed in as')");
  expect(await hers.textOf('main form')).toContain(`You are signed in as ${ann.email}`);
  await hers.expectGood('invitation-other');
  await hers.press('Sign out');
  await hers.isAt('You are invited');
  expect(await hers.textOf('main')).toContain('Sign in to accept');
  await his.go(second);
  await his.tab.until("document.body.textContent.includes('You are signed in as')");
  await his.expectGood('invitation-accept');
  await his.press('Accept invitation');
  expect(await his.tab.evaluate<string>('location.pathname')).toBe(home);

  // His plan includes no organizations until an administrator changes it. She gives it to him; he deletes it.
  const ben = expectOk(await server.app.services.accounts.byEmail(INSTALLATION, 'ben@example.com'));
  expectOk(await server.app.services.users.setPlan(INSTALLATION, ben.id, 'default'));
  await hers.signIn(ann.email, `${home}/members`);
  await hers.isAt('Members');
  await hers.press('Make owner: Ben');
  await hers.isAt('Transfer this organization?');
  await hers.expectGood('transfer');
  await hers.press('Transfer organization');
  expect(await hers.textOf('.notice')).toBe('Ben is now the owner of this organization.');
  await his.go(`${home}/settings`);
  await his.press('Delete organization');
  await his.isAt('Delete this organization?');
  await his.type('typed_name', 'Bakkery');
  await his.press('Delete organization');
  expect(await his.textOf('#typed_name-error')).toContain('This is not the name');
  await his.expectGood('organization-delete-errors');
  await his.type('typed_name', 'Bakery');
  await his.press('Delete organization');
  expect(await his.textOf('.notice')).toBe('“Bakery” and its properties were deleted.');
  await hers.go('/portal');
  expect(await hers.textOf('main')).not.toContain('Bakery');
});

/** Somebody with many organizations, long and foreign names, members and invitations. */
async function addCrowd(owner: Account) {
  const { services } = server.app;
  const actor = userActor(owner);
  const names = [
    'Ω'.repeat(128),
    `${'long words '.repeat(11)}end`,
    'متجر الزهور والهدايا في المدينة القديمة',
    'חנות',
  ];
  for (let n = 0; n < 30; n++) names.push(`Customer ${n}`);
  const made = [];
  for (const name of names)
    made.push(expectOk(await services.organizations.create(INSTALLATION, { name: name, ownerId: owner.id })));
  const [first, , third] = made;
  if (first === undefined || third === undefined) throw new Error('made none');
  for (const [n, name] of [
    'x'.repeat(128),
    'فاطمة الزهراء',
    'Ann',
    'Somebody with quite a long name',
  ].entries()) {
    const draft = {
      email: `${'m'.repeat(n * 15)}member${n}@example.com`,
      name,
      isAdmin: false,
      password: undefined,
    };
    const member = expectOk(await services.accounts.create(INSTALLATION, draft));
    expectOk(await services.members.add(INSTALLATION, first.id, member));
    expectOk(
      await services.invitations.invite(actor, first.id, `${'g'.repeat(n * 15)}guest${n}@example.com`),
    );
  }
  const { token } = expectOk(await services.invitations.invite(actor, first.id, 'nobody@example.com'));
  const path = (id: typeof first.id) => `/portal/orgs/${services.ids.seal('organization', id)}`;
  return { long: path(first.id), arabic: path(third.id), token };
}

test('long and foreign names and long lists stay within the page, and no page is heavy', async () => {
  const cid = await addUser(server);
  const { long, arabic, token } = await addCrowd(cid);
  const theirs = await openBrowser('localhost');
  await theirs.signIn(cid.email);
  await theirs.isAt('Organizations');
  const pages = {
    'organizations-many': '/portal',
    'members-many': `${long}/members`,
    'invite-long': `${long}/members/invite`,
    'organization-settings-long': `${long}/settings`,
    'organization-delete-long': `${long}/delete`,
    'organization-settings-arabic': `${arabic}/settings`,
    'organization-delete-arabic': `${arabic}/delete`,
    'invitation-long': `/portal/invitation#token=${token}`,
  };
  for (const [name, path] of Object.entries(pages)) {
    await theirs.go(path);
    await theirs.expectGood(name);
  }
  await theirs.go(`${long}/members`);
  await theirs.press(`Make owner: ${'x'.repeat(128)}`);
  await theirs.expectGood('transfer-long');
});
