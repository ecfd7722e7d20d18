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

/** @param host cookies depend on it, so each host name acts as a separate browser */
async function openBrowser(host: 'localhost' | '127.0.0.1'): Promise<PortalUser> {
  const user = await openPortalUser(server.url.replace('127.0.0.1', host));
  authentication.push(user);
  return user;
}

const pathOf = (link: string) => link.slice(link.indexOf('/portal/'));

test('an owner invites a user, removes and invites the user again, and transfers the organization', async () => {
  const ann = await addUser(server);
  const annPage = await openBrowser('localhost');
  const benPage = await openBrowser('127.0.0.1');

  // Ann creates an organization.
  await annPage.signIn(ann.email);
  await annPage.isAt('Home');
  await annPage.expectGood('home-none');
  await annPage.press('Create organization');
  await annPage.isAt('Create organization');
  await annPage.expectGood('organization-create');
  await annPage.type('name', '<bakery>');
  await annPage.press('Create organization');
  expect(await annPage.textOf('#name-error')).toContain('characters that are not allowed');
  await annPage.isOn('.error-summary');
  await annPage.expectGood('organizations-errors');
  await annPage.type('name', 'Bakery');
  await annPage.press('Create organization');
  const home = await annPage.tab.evaluate<string>('location.pathname');
  expect(home).toMatch(/^\/portal\/orgs\/[\w-]{22}$/);
  expect(await annPage.textOf('.notice')).toBe('The organization “Bakery” was created.');
  await annPage.go('/portal');
  expect(await annPage.textOf('main a.button')).toBe('Protect your first property');
  await annPage.expectGood('home-next-step');
  await annPage.go('/portal/orgs');
  expect(await annPage.textOf('tbody')).toContain('Bakery');
  await annPage.expectGood('organizations-owner');
  await annPage.go(`${home}/settings`);
  await annPage.expectGood('organization-settings');

  // She invites Ben and copies the link.
  await annPage.go(`${home}/members`);
  await annPage.expectGood('members-alone');
  await annPage.press('Invite member');
  await annPage.isAt('Invite member');
  await annPage.expectGood('invite');
  await annPage.type('email', ann.email);
  await annPage.press('Create invitation');
  expect(await annPage.textOf('#email-error')).toContain('is already a member of the organization');
  await annPage.expectGood('invite-errors');
  await annPage.type('email', 'ben@example.com');
  await annPage.press('Create invitation');
  const link = await annPage.textOf('#link');
  await annPage.tab.evaluate(
    'void (navigator.clipboard.writeText = async (text) => { window.copied = text; })',
  );
  await annPage.tab.click("document.querySelector('[data-copy]')");
  await annPage.tab.until('window.copied !== undefined');
  expect(await annPage.tab.evaluate<string>('window.copied')).toBe(link);
  await annPage.expectGood('invite-link');
  await annPage.press('I have sent it');
  expect(await annPage.textOf('main')).toContain('ben@example.com');
  await annPage.expectGood('members-invited');

  // Ben has no account: he creates one, which signs him in and accepts. The token disappears from the address bar.
  await benPage.go(pathOf(link));
  await benPage.tab.until("document.body.textContent.includes('invites you to')");
  expect(await benPage.tab.evaluate<string>('location.href')).not.toContain('token');
  await benPage.expectGood('invitation');
  await benPage.type('name', 'Ben');
  await benPage.type('password', 'short');
  expect(await benPage.textOf('.strength')).toContain('Weak');
  await benPage.press('Create account');
  expect(await benPage.textOf('#password-error')).toBe('A password must have at least 8 characters.');
  await benPage.expectGood('invitation-errors');
  await benPage.type('password', 'correct horse battery');
  await benPage.press('Create account');
  await benPage.isAt('Bakery');
  expect(await benPage.tab.evaluate<string>('location.pathname')).toBe(home);
  expect(await benPage.textOf('.notice')).toBe('You are now a member of “Bakery”.');
  await benPage.go('/portal/orgs');
  expect(await benPage.textOf('tbody')).toContain(`Owned by ${ann.email}`);
  await benPage.expectGood('organizations-member');
  await benPage.go(`${home}/members`);
  await benPage.expectGood('members-member');
  await benPage.go(`${home}/settings`);
  await benPage.expectGood('organization-settings-member');
  await benPage.go(`${home}/leave`);
  await benPage.isAt('Leave “Bakery”?');
  await benPage.expectGood('leave');
  await benPage.go(`${home}/delete`);
  await benPage.isAt('Not allowed');
  await benPage.expectGood('organization-not-owned');
  await benPage.go(pathOf(link));
  await benPage.isAt('This invitation is not valid');
  await benPage.expectGood('invitation-void');

  // She removes Ben, and he loses access.
  await annPage.go(`${home}/members`);
  await annPage.expectGood('members-owner');
  await annPage.confirm('Remove member: Ben', 'member-remove');
  expect(await annPage.textOf('.notice')).toBe('Ben is no longer a member.');
  await benPage.go(`${home}/members`);
  await benPage.isAt('Not found');
  await benPage.go('/portal');
  expect(await benPage.textOf('main')).not.toContain('Bakery');

  // She invites him again. Her own browser rejects the link, and his accepts.
  await annPage.go(`${home}/members/invite`);
  await annPage.type('email', 'ben@example.com');
  await annPage.press('Create invitation');
  const second = pathOf(await annPage.textOf('#link'));
  await annPage.go(second);
  await annPage.tab.until("document.body.textContent.includes('You are signed in as')");
  expect(await annPage.textOf('main form')).toContain(`You are signed in as ${ann.email}`);
  await annPage.expectGood('invitation-other');
  await annPage.press('Sign out');
  await annPage.isAt('You are invited');
  expect(await annPage.textOf('main')).toContain('Sign in to accept');
  await benPage.go(second);
  await benPage.tab.until("document.body.textContent.includes('You are signed in as')");
  await benPage.expectGood('invitation-accept');
  await benPage.press('Accept invitation');
  expect(await benPage.tab.evaluate<string>('location.pathname')).toBe(home);

  // Ben's plan includes no organizations until an administrator changes it. Ann transfers the organization to him, and he deletes it.
  const ben = expectOk(await server.app.services.users.byEmail(INSTALLATION, 'ben@example.com'));
  expectOk(await server.app.services.users.setPlan(INSTALLATION, ben.id, 'default'));
  await annPage.signIn(ann.email, `${home}/members`);
  await annPage.isAt('Members');
  await annPage.press('Make owner: Ben');
  await annPage.isAt('Transfer this organization?');
  await annPage.expectGood('transfer');
  await annPage.press('Transfer organization');
  expect(await annPage.textOf('.notice')).toBe('Ben is now the owner of this organization.');
  await benPage.go(`${home}/settings`);
  await benPage.press('Delete organization');
  await benPage.isAt('Delete this organization?');
  await benPage.type('typed_name', 'Bakkery');
  await benPage.press('Delete organization');
  expect(await benPage.textOf('#typed_name-error')).toContain('This does not match the name');
  await benPage.expectGood('organization-delete-errors');
  await benPage.type('typed_name', 'Bakery');
  await benPage.press('Delete organization');
  expect(await benPage.textOf('.notice')).toBe('“Bakery” and its properties were deleted.');
  await annPage.go('/portal');
  expect(await annPage.textOf('main')).not.toContain('Bakery');
});

/** A user with many organizations with long and non-Latin names, members, and invitations. */
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
  if (first === undefined || third === undefined) throw new Error('no organization was created');
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
    const member = expectOk(await services.users.create(INSTALLATION, draft));
    expectOk(await services.members.add(INSTALLATION, first.id, member));
    expectOk(
      await services.invitations.invite(actor, first.id, `${'g'.repeat(n * 15)}guest${n}@example.com`),
    );
  }
  const { token } = expectOk(await services.invitations.invite(actor, first.id, 'nobody@example.com'));
  for (const [n, property] of ['W'.repeat(128), 'متجر الزهور', `${'long words '.repeat(11)}end`].entries()) {
    const domain = `${'d'.repeat(60)}.${'e'.repeat(60)}.example.com`;
    const draft = { organizationId: first.id, name: property, domain };
    const { id } = expectOk(await services.properties.create(INSTALLATION, draft));
    if (n === 0) expectOk(await services.properties.setEnabled(INSTALLATION, id, false));
  }
  const path = (id: typeof first.id) => `/portal/orgs/${services.ids.seal('organization', id)}`;
  return { long: path(first.id), arabic: path(third.id), token };
}

test('long and non-Latin names and long lists fit the width of the page, and every page is small', async () => {
  const cid = await addUser(server);
  const { long, arabic, token } = await addCrowd(cid);
  const theirs = await openBrowser('localhost');
  await theirs.signIn(cid.email);
  await theirs.isAt('Home');
  const pages = {
    'organizations-many': '/portal/orgs',
    'home-many': '/portal',
    'home-disabled': '/portal?state=disabled',
    'new-property-many': '/portal/new-property',
    'properties-long': long,
    'search-many': '/portal/search?q=s',
    'search-none': '/portal/search?q=nothing',
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
