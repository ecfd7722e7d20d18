import { describe, expect, test } from 'bun:test';
import { INSTALLATION } from '../../src/model/actor.ts';
import { TOKEN_FIELD } from '../../src/portal/components/form.tsx';
import { costRatio } from '../support/growth.ts';
import { addUser, type BrowserClient, createBrowserClient, signedIn, tokenIn } from '../support/portal.ts';
import { addKey, addTenant } from '../support/server.ts';
import { useServer } from '../support/useServer.ts';

/**
 * An email address of 64 KB in one sign-in form blocked the process for 5 to 9 seconds, because normalization sorts the combining marks of
 * a letter in quadratic time.
 */

const server = useServer();

/** One letter with marks of two classes in the wrong order, and the same number of bytes in letters. */
const marks = (bytes: number) => `a${'\u0301'.repeat(bytes / 4)}${'\u0316'.repeat(bytes / 4)}`;
const letters = (bytes: number) => 'a'.repeat(bytes);

/** Ten requests with letters take longer than one with marks; before the fix, a thousand did not. */
const RATIO_MAX = 10;

type Send = (text: string) => Promise<Response>;

async function expectSameCost(send: Send, bytes: number, status: number): Promise<void> {
  const answer = await send(marks(bytes));
  expect([answer.status, (await answer.text()).length > 0]).toEqual([status, true]);
  const read = async (text: string) => (await send(text)).text();
  const ratio = await costRatio(
    () => read(marks(bytes)),
    () => read(letters(bytes)),
  );
  expect(ratio).toBeLessThan(RATIO_MAX);
}

/** Sends a form in raw UTF-8, which can contain three times as many marks as percent-encoded text. */
function formSender(browser: BrowserClient, token: string, path: string, field: string): Send {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return (text) =>
    fetch(server.url + path, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        Origin: server.url,
        Cookie: cookie,
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: `${TOKEN_FIELD}=${token}&${field}=${text}`,
    });
}

describe('a form with 60 KB of combining marks costs no more than one with 60 KB of letters', () => {
  test('as the email of a sign-in', async () => {
    await addUser(server);
    const browser = createBrowserClient(server);
    const token = tokenIn(await browser.get('/portal/login'));
    await expectSameCost(formSender(browser, token, '/portal/login', 'email'), 60_000, 422);
  });

  const fields: readonly (readonly [what: string, path: string, field: string])[] = [
    ['the name of an organization', '/portal/orgs', 'name'],
    ['the name of a user', '/portal/settings/profile', 'name'],
    ['the name of an API key', '/portal/settings/api-keys/new', 'name'],
    ['the email of a new user', '/portal/system/users/new', 'email'],
    ['the typed name of an organization', '/portal/orgs/ORG/delete', 'typed_name'],
    ['the email of an invitation', '/portal/orgs/ORG/members/invite', 'email'],
    ['the name of a property', '/portal/orgs/ORG/new', 'name'],
    ['the domain of a property', '/portal/orgs/ORG/new', 'domain'],
    ['the typed name of a property', '/portal/orgs/ORG/properties/PROPERTY/delete', 'typed_name'],
    ['a new password', '/portal/settings/security/password', 'password'],
  ];
  test.each(fields)('as %s', async (_, path, field) => {
    const { services } = server.app;
    const account = await addUser(server, true);
    const created = await services.organizations.create(INSTALLATION, { name: 'Shops', ownerId: account.id });
    if (!created.ok) throw new Error(created.problem);
    const draft = { organizationId: created.value.id, name: 'Shop', domain: 'example.com' };
    const property = await services.properties.create(INSTALLATION, draft);
    if (!property.ok) throw new Error(property.problem);
    const browser = await signedIn(server, account);
    const token = tokenIn(await browser.get('/portal/settings/profile'));
    const full = path
      .replace('ORG', services.ids.seal('organization', created.value.id))
      .replace('PROPERTY', services.ids.seal('property', property.value.id));
    await expectSameCost(formSender(browser, token, full, field), 60_000, 422);
  });
});

test.each([
  ['the audit log', '/portal/activity?object=', 422],
  ['users', '/portal/system/users?q=', 200],
])('a search of %s for 12 KB of marks costs no more than one for letters', async (_, path, status) => {
  const browser = await signedIn(server, await addUser(server, true));
  const cookie = `postern-session=${browser.secret}`;
  const send = (text: string) =>
    fetch(`${server.url}${path}${encodeURIComponent(text)}`, { headers: { Cookie: cookie } });
  await expectSameCost(send, 4_000, status);
});

describe('the Platform API rejects 120 KB of marks in a name as fast as letters', () => {
  test.each([
    ['an organization', 'POST', '/org', (name: string) => ({ name })],
    ['a property', 'POST', '/org/ORG/properties', (name: string) => [{ name, domain: 'example.com' }]],
  ])('as the name of %s', async (_, method, path, bodyOf) => {
    const tenant = await addTenant(server);
    const key = await addKey(server.app.services, tenant.account, 'portal');
    const url =
      server.url + path.replace('ORG', server.app.services.ids.seal('organization', tenant.organization.id));
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
    const send = (text: string) => fetch(url, { method, headers, body: JSON.stringify(bodyOf(text)) });
    await expectSameCost(send, 120_000, 400);
  });
});
