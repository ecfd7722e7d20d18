import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DAY, HOUR, later } from '../../../src/lib/time.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { addUser, type PageResponse, signedIn } from '../../support/portal.ts';
import { addKey, addTenant, expectOk, startServer, type TestServer } from '../../support/server.ts';

const KEYS = '/portal/settings/api-keys';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({});
});
afterAll(() => server.stop());

const services = () => server.app.services;
const secretIn = ({ text }: PageResponse) =>
  /postern_(?:verify|portal)_[0-9A-Za-z]{49}/.exec(text)?.[0] ?? '';
const statusOf = async (secret: string) =>
  (await fetch(`${server.url}/orgs`, { headers: { 'X-API-Key': secret } })).status;

async function openKey() {
  const account = await addUser(server);
  const browser = await signedIn(server, account);
  const old = await addKey(services(), account, 'portal', { name: 'Backend' });
  const [key] = await services().apiKeys.list(INSTALLATION, account);
  const path = `${KEYS}/${services().ids.seal('api-key', key?.id as never)}`;
  return { account, browser, old, path };
}

describe('a rotation', () => {
  test('keeps the old secret for the chosen time, and the page and the list say until when', async () => {
    const { browser, old, path } = await openKey();
    const shown = await browser.fill(path, { keep_old: '24h' }, `${path}/rotate`);
    expect(shown.text).toContain('The old secret stops working');
    expect([await statusOf(old), await statusOf(secretIn(shown))]).toEqual([200, 200]);
    const page = await browser.get(path);
    expect(page.text).toContain('End old secret');
    expect(page.text).toContain(`…${old.slice(-4)}`);
    expect(page.text).toContain(`…${secretIn(shown).slice(-4)}`);
    expect((await browser.get(KEYS)).text).toContain('Old secret stops working');
    server.clock.now = later(server.clock.now, DAY);
    expect(await statusOf(old)).toBe(401);
    const later24h = await signedIn(server, (await openKey()).account);
    expect((await later24h.get(KEYS)).text).not.toContain('Old secret stops working');
  });

  test('says whether the old secret is still used', async () => {
    const { browser, old, path } = await openKey();
    await browser.fill(path, { keep_old: '7d' }, `${path}/rotate`);
    expect((await browser.get(path)).text).toContain(
      'No program has used the old secret since the rotation.',
    );
    await statusOf(old);
    while (await services().keyUses.flush());
    expect((await browser.get(path)).text).toContain('Some program still uses the old secret.');
  });

  test('can be completed: the old secret stops immediately', async () => {
    const { browser, old, path } = await openKey();
    const { text } = await browser.fill(path, { keep_old: '1h' }, `${path}/rotate`);
    const ended = await browser.fill(path, {}, `${path}/end-old`);
    expect((await browser.follow(ended)).text).toContain('The old secret no longer works.');
    expect([await statusOf(old), await statusOf(secretIn({ text } as PageResponse))]).toEqual([401, 200]);
    expect((await browser.get(path)).text).not.toContain('End old secret');
  });

  // The page compared the end of the old secret with the start of its own request, which was before the rotation.
  test('that does not keep the old secret says so, although time passes during the request', async () => {
    const { browser, old, path } = await openKey();
    let { now } = server.clock;
    const get = () => {
      now = later(now, 1);
      return now;
    };
    Object.defineProperty(server.clock, 'now', { get, configurable: true });
    const shown = await browser.fill(path, { keep_old: '0' }, `${path}/rotate`);
    Object.defineProperty(server.clock, 'now', { value: now, writable: true });
    expect(shown.text).toContain('The old secret no longer works.');
    expect(shown.text).not.toContain('The old secret stops working');
    expect([await statusOf(old), await statusOf(secretIn(shown))]).toEqual([401, 200]);
  });

  test('with an unknown time is rejected, and changes nothing', async () => {
    const { browser, old, path } = await openKey();
    for (const keep_old of ['', '2h', '86400', 'toString']) {
      const shown = await browser.fill(path, { keep_old }, `${path}/rotate`);
      expect([shown.status, secretIn(shown)]).toEqual([422, '']);
    }
    expect(await statusOf(old)).toBe(200);
    server.clock.now = later(server.clock.now, HOUR);
  });
});

describe('the keys of an organization', () => {
  async function openOrganization() {
    const tenant = await addTenant(server);
    const member = await addUser(server);
    const { id } = tenant.organization;
    expectOk(await services().members.add(INSTALLATION, id, member));
    const keys = `/portal/orgs/${services().ids.seal('organization', id)}/api-keys`;
    const owner = await signedIn(server, tenant.account);
    const typed = { name: 'Production', scope: 'portal', expiry: 'never', day: '' };
    const shown = await owner.fill(`${keys}/new`, typed);
    const [key] = expectOk(await services().apiKeys.listOf(INSTALLATION, id));
    const path = `${keys}/${services().ids.seal('api-key', key?.id as never)}`;
    return { tenant, keys, path, owner, member: await signedIn(server, member), secret: secretIn(shown) };
  }

  test('are created by the owner and belong to the organization', async () => {
    const { tenant, keys, owner, secret } = await openOrganization();
    expect(await statusOf(secret)).toBe(200);
    expect((await owner.get(keys)).text).toContain(`…${secret.slice(-4)}`);
    expect((await owner.get(KEYS)).text).not.toContain('Production');
    expect(expectOk(await services().apiKeys.listOf(INSTALLATION, tenant.organization.id))).toMatchObject([
      { isOrganizationOwned: true, organizationId: tenant.organization.id, name: 'Production' },
    ]);
  });

  test('are visible to members, who cannot change them', async () => {
    const { keys, path, member, owner, secret } = await openOrganization();
    const list = await member.get(keys);
    expect([list.status, list.text.includes('Production'), list.text.includes('Create API key')]).toEqual([
      200,
      true,
      false,
    ]);
    const page = await member.get(path);
    expect([page.status, page.text.includes(secret), page.text.includes('Revoke API key')]).toEqual([
      200,
      false,
      false,
    ]);
    for (const action of ['', '/rotate', '/revoke', '/end-old']) {
      const form_token = /name="form_token" value="([^"]*)"/.exec(page.text)?.[1] ?? '';
      const fields = { form_token, keep_old: '0', name: 'Mine' };
      expect((await member.post(`${path}${action}`, fields)).status).toBe(403);
    }
    expect((await member.get(`${keys}/new`)).status).toBe(403);
    expect(await statusOf(secret)).toBe(200);
    expect((await owner.get(path)).text).toContain('Production');
  });

  test('are not found by other users, nor below another organization or among the user’s own keys', async () => {
    const { path, owner } = await openOrganization();
    const other = await openOrganization();
    const id = path.split('/').at(-1);
    expect((await other.owner.get(path)).status).toBe(404);
    expect((await other.owner.get(`${other.keys}/${id}`)).status).toBe(404);
    expect((await owner.get(`${KEYS}/${id}`)).status).toBe(404);
  });

  test('are rotated and revoked by the owner', async () => {
    const { path, keys, owner, secret } = await openOrganization();
    const shown = await owner.fill(path, { keep_old: '0' }, `${path}/rotate`);
    expect([await statusOf(secret), await statusOf(secretIn(shown))]).toEqual([401, 200]);
    const revoked = await owner.fill(path, {}, `${path}/revoke`);
    expect(revoked.redirectPath).toBe(keys);
    expect(await statusOf(secretIn(shown))).toBe(401);
    expect((await owner.get(`${keys}?show=revoked`)).text).toContain('Production');
  });

  test('warn the owner before they expire', async () => {
    const { tenant, owner } = await openOrganization();
    const draft = { isOrganizationOwned: true, organizationId: tenant.organization.id } as const;
    const more = { name: 'Short', scope: 'verify', isReadOnly: false } as const;
    const expiresAt = later(server.clock.now, 3 * DAY);
    expectOk(await services().apiKeys.create(INSTALLATION, { ...draft, ...more, expiresAt }));
    expect((await owner.get('/portal/settings/profile')).text).toMatch(
      /href="\/portal\/orgs\/[\w-]+\/api-keys\//,
    );
  });
});
