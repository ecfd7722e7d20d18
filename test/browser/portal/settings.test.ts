import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Account } from '../../../src/model/account.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { userActor } from '../../support/actors.ts';
import { LEASE_MS } from '../../support/platform.ts';
import { addUser } from '../../support/portal.ts';
import { addTenant, expectOk, startServer, type Tenant, type TestServer } from '../../support/server.ts';
import { fetchAndSolve, verify } from '../../support/visitor.ts';
import { CASE_TIMEOUT_MS } from '../fixture.ts';
import { openPortalUser, type PortalUser } from './portalUser.ts';

setDefaultTimeout(3 * CASE_TIMEOUT_MS);

/** A name of maximum length, with letters of both directions. */
const LONG = `${'اسم طويل جدا '.repeat(4)}${'averyveryverylongname'.repeat(3)}`.slice(0, 128);

let server: TestServer;
let url: string;
let ann: Account;
let tenant: Tenant;
let at: PortalUser;

beforeAll(async () => {
  server = await startServer({ settings: { POSTERN_DNS_CHECK: 'off' } });
  url = server.url.replace('127.0.0.1', 'localhost');
  ann = await addUser(server);
  tenant = await addTenant(server);
  const { organizations, members } = server.app.services;
  expectOk(await organizations.create(INSTALLATION, { name: LONG, ownerId: ann.id }));
  expectOk(await members.add(INSTALLATION, tenant.organization.id, ann));
  at = await openPortalUser(url);
  await at.signIn(ann.email);
});
afterAll(async () => {
  at.tab.close();
  await server.stop();
});

const solved = () => fetchAndSolve(server.url, tenant.property.sitekey);
const answerTo = async (key: string) => {
  const { status, success, code } = await verify(server.url, key, await solved());
  return { status, success, code };
};

test('a user creates an API key, verifies with it, rotates it, and revokes it', async () => {
  await at.go('/portal/settings/api-keys');
  await at.expectGood('keys-empty');
  await at.press('Create API key');
  await at.isAt('Create API key');
  await at.expectGood('key-new');
  expect(await at.shownOf('read_only', 'day')).toEqual([]);
  await at.tab.click("document.querySelector('[name=scope][value=portal]')");
  expect(await at.shownOf('read_only', 'day')).toEqual(['read_only']);
  await at.tab.click("document.querySelector('[name=scope][value=verify]')");
  await at.type('name', '<shop>');
  await at.choose('expiry', 'date');
  expect(await at.shownOf('read_only', 'day')).toEqual(['day']);
  await at.press('Create API key');
  // The form keeps the selected values and shows the missing one.
  expect(await at.textOf('.error-summary')).toContain('Enter a day');
  expect(await at.tab.evaluate<string>("document.querySelector('#name').value")).toBe('<shop>');
  await at.expectGood('key-new-errors');
  await at.type('name', 'The shop');
  await at.choose('expiry', '90');
  await at.press('Create API key');
  await at.isAt('API key created');
  const secret = await at.textOf('#secret');
  expect(await at.tab.evaluate<boolean>("document.querySelector('[data-copy]').checkVisibility()")).toBe(
    true,
  );
  await at.expectGood('key-made');
  expect(await answerTo(secret)).toEqual({ status: 200, success: true, code: 0 });

  // Reloading the response sends the form again, which creates no second key and does not show the first one.
  await at.reload();
  expect(await at.textOf('main')).not.toContain('postern_verify_');
  const own = (await server.app.services.apiKeys.list(INSTALLATION)).filter(
    ({ accountId }) => accountId === ann.id,
  );
  expect(own).toHaveLength(1);

  await at.go('/portal/settings/api-keys');
  await at.press('The shop');
  await at.isAt('The shop');
  await at.expectGood('key');
  await at.type('rate', 'many');
  await at.press('Save API key');
  await at.expectGood('key-errors');
  await at.type('name', LONG);
  await at.type('rate', '50');
  await at.press('Save API key');
  expect(await at.textOf('.notice')).toBe('The API key was saved.');
  await at.expectGood('key-long');
  await at.confirm('Rotate API key', 'key-rotate');
  await at.isAt('API key rotated');
  const another = await at.textOf('#secret');
  expect(await answerTo(secret)).toEqual({ status: 200, success: true, code: 0 });
  expect(await answerTo(another)).toEqual({ status: 200, success: true, code: 0 });
  await at.press('I have copied it');
  await at.expectGood('key-rotated');
  await at.confirm('End old secret', 'key-end-old');
  expect(await answerTo(secret)).toEqual({ status: 401, success: false, code: 1 });
  expect(await answerTo(another)).toEqual({ status: 200, success: true, code: 0 });
  await at.go('/portal/settings/api-keys');
  await at.expectGood('keys');
  await at.press(LONG.trim());
  await at.confirm('Revoke API key', 'key-revoke');
  expect(await at.textOf('.notice')).toBe('The API key was revoked.');
  expect(await answerTo(another)).toEqual({ status: 401, success: false, code: 1 });
  await at.press('Show revoked keys');
  await at.expectGood('keys-revoked');
});

test('tasks show the result of each property, and the page of an unfinished task reloads itself', async () => {
  await at.go('/portal/activity/tasks');
  await at.expectGood('tasks-empty');
  const { ids, tasks } = server.app.services;
  const actor = userActor(ann);
  const item = { ...tenant.property, domain: 'example.com' };
  const order = { kind: 'create-properties', organizationId: tenant.organization.id } as const;
  const items = [
    { ...item, name: LONG },
    { ...item, name: tenant.property.name },
    { ...item, name: 'Shop' },
  ];
  // As if another process were running an earlier task of the user.
  const held = crypto.randomUUID().replaceAll('-', '');
  await server.raw.query(
    `INSERT INTO tasks (id, account_id, task_order, lease, leased_until, created_at)
     VALUES (?, ?, '{"kind":"delete-properties","items":[1,2]}', 'elsewhere', ?, 0)`,
    [held, ann.id, server.clock.now + LEASE_MS],
  );
  const id = expectOk(await tasks.start(actor, { ...order, items }));
  // Without scripts, so that the page does not reload while it is checked.
  await at.tab.block(['.js']);
  await at.go(`/portal/activity/tasks/${id}`);
  expect(await at.textOf('main')).toContain('In progress');
  await at.expectGood('task-waiting');
  await at.tab.block([]);
  await at.go(`/portal/activity/tasks/${id}`);
  // The script asks for changes, but does not reload an unchanged page, which would interrupt screen readers.
  await at.tab.evaluate('void (window.isBefore = true)');
  const requestsOf = () => at.tab.requests.filter((one) => one.url.endsWith(`/tasks/${id}`)).length;
  for (const first = requestsOf(); requestsOf() < first + 2; )
    await at.tab.evaluate('new Promise(requestAnimationFrame)');
  expect(await at.tab.evaluate<boolean>('window.isBefore')).toBe(true);
  await server.raw.query('DELETE FROM tasks WHERE id = ?', [held]);
  await at.tab.until("document.querySelector('main')?.textContent.includes('Partly rejected')");
  expect(await at.textOf('main')).toContain('The organization already has a property with this name.');
  const org = ids.seal('organization', tenant.organization.id);
  const path = await at.tab.evaluate<string>("document.querySelector('td a').getAttribute('href')");
  expect(path).toStartWith(`/portal/orgs/${org}/properties/`);
  await at.expectGood('task');
  await at.go('/portal/activity/tasks');
  await at.expectGood('tasks');
});

test('the audit log shows actions and can be filtered', async () => {
  await at.go('/portal/activity');
  await at.isAt('Audit log');
  expect(await at.textOf('main')).toContain('revoked the API key');
  await at.expectGood('audit');
  await at.choose('action', 'api-keys');
  await at.tab.evaluate(
    "document.querySelector('#action').dispatchEvent(new Event('change', { bubbles: true }))",
  );
  await at.tab.until("location.search.includes('action=api-keys')");
  const shown = await at.textOf('.audit');
  expect([shown.includes('API key'), shown.includes('changed the property')]).toEqual([true, false]);
  await at.tab.evaluate("document.querySelector('.audit summary').focus()");
  await at.tab.press('Enter');
  expect(await at.tab.evaluate<boolean>("document.querySelector('.audit dl').checkVisibility()")).toBe(true);
  await at.expectGood('audit-details');
  await at.type('actor', 'nobody at all');
  await at.tab.until("document.querySelector('main').textContent.includes('No entries match the filter.')");
  await at.expectGood('audit-nothing');
});

test('an administrator views the system, creates a user with a link, and disables a user', async () => {
  const admin = await addUser(server, true);
  const boss = at;
  await boss.signIn(admin.email);
  await boss.go('/portal/system');
  expect(await boss.textOf('main')).toContain('127.0.0.1');
  await boss.expectGood('system');
  await boss.confirm('Turn maintenance on', 'system-maintenance-confirm');
  await boss.expectGood('system-maintenance');
  await boss.press('Turn maintenance off');
  expect(await boss.textOf('.notice')).toBe('Maintenance was turned off.');
  await boss.go('/portal/system/settings');
  await boss.expectGood('system-settings');
  await boss.go('/portal/system/plans');
  await boss.type('name', 'Not A Plan');
  await boss.type('organizations', '3');
  await boss.type('properties', '-1');
  await boss.press('Create plan');
  await boss.expectGood('plans-errors');
  await boss.go('/portal/system/plans');
  await boss.type('organizations-0', '12345');
  await boss.press('Save plan: default');
  expect(await boss.textOf('.notice')).toBe('The plan default was saved.');

  await boss.go('/portal/system/users');
  await boss.expectGood('users');
  await boss.press('Create user');
  await boss.isAt('Create user');
  await boss.expectGood('user-new');
  await boss.type('email', 'new@example.com');
  await boss.press('Create user');
  await boss.isAt('The user was created');
  const link = new URL(await boss.textOf('#link'));
  await boss.expectGood('user-made');
  await boss.press('Go to user');
  await boss.isAt('new@example.com');
  await boss.expectGood('user');

  // The new user opens the link.
  await boss.press('Sign out');
  await boss.go(`${link.pathname}${link.hash}`);
  await boss.isAt('Choose a password');
  await boss.expectGood('password-choose');
  await boss.type('password', 'correct horse battery');
  await boss.press('Set password');
  await boss.isAt('Sign in');
  await boss.signIn('new@example.com');
  await boss.isAt('Home');
  await boss.go(`${link.pathname}${link.hash}`);
  expect(await boss.textOf('main')).toContain('This link is not valid');
  await boss.expectGood('password-void');
  await boss.go('/portal/system');
  await boss.isAt('Not allowed');

  // The administrator disables the user, but cannot disable the last administrator.
  await boss.signIn(admin.email);
  await boss.go('/portal/system/users?q=new%40');
  await boss.press('new@example.com');
  await boss.confirm('Disable user', 'user-disable');
  expect(await boss.textOf('.notice')).toBe('The user was disabled.');
  await boss.expectGood('user-disabled');
  await boss.go('/portal/system/users');
  await boss.press(admin.email);
  await boss.confirm('Disable user', 'user-disable-last');
  expect(await boss.textOf('.error-summary')).toContain('This is the last administrator who can sign in');
  await boss.expectGood('user-last-admin');
  await boss.signIn('new@example.com');
  expect(await boss.textOf('.error-summary')).toContain('This account is disabled.');
});
