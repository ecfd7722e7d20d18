import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Account } from '../../../src/model/account.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { addUser, type BrowserClient, signedIn } from '../../support/portal.ts';
import { expectOk, startServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let ann: Account;
let browser: BrowserClient;
beforeAll(async () => {
  server = await startServer();
  ann = await addUser(server);
  browser = await signedIn(server, ann);
});
afterAll(() => server.stop());

const services = () => server.app.services;

async function addOrganization(owner: Account, name: string) {
  return expectOk(await services().organizations.create(INSTALLATION, { name, ownerId: owner.id }));
}

async function addProperty(owner: Account, organization: string, name: string, domain = 'example.com') {
  const { id } = await addOrganization(owner, organization);
  return expectOk(await services().properties.create(INSTALLATION, { organizationId: id, name, domain }));
}

const search = (q: string, as = browser) => as.get(`/portal/search?${new URLSearchParams({ q })}`);

/** The results by the heading of their group. */
async function find(q: string, as = browser): Promise<Readonly<Record<string, readonly string[]>>> {
  const { text } = await search(q, as);
  const groups = [...text.matchAll(/<section class="card results"><h2>([^<]*)<\/h2>([\s\S]*?)<\/section>/g)];
  return Object.fromEntries(
    groups.map(([, title = '', list = '']) => [
      title,
      [...list.matchAll(/<div class="object"><a [^>]*><bdi>([^<]*)</g)].map(([, name = '']) => name),
    ]),
  );
}

describe('the search', () => {
  test('finds organizations by name, and properties by name and domain, in any case and script', async () => {
    await addProperty(ann, 'Großhandel Nord', 'Anmeldung', 'xn--mnchen-3ya.de');
    expect(await find('GROSSHANDEL')).toEqual({ Organizations: ['Großhandel Nord'] });
    expect(await find('anmeld')).toEqual({ Properties: ['Anmeldung'] });
    expect(await find('münchen.de')).toEqual({ Properties: ['Anmeldung'] });
    expect(await find('N')).toEqual({ Properties: ['Anmeldung'], Organizations: ['Großhandel Nord'] });
  });

  test('leads from a sitekey to its property, and finds it by the first digits', async () => {
    const property = await addProperty(ann, 'Keys', 'By key');
    const { ids } = services();
    const path = `/portal/orgs/${ids.seal('organization', property.organizationId)}/properties/${ids.seal('property', property.id)}`;
    const { sitekey } = property;
    expect(await search(sitekey)).toMatchObject({ status: 303, redirectPath: path });
    const uuid = sitekey.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-').toUpperCase();
    expect((await search(uuid)).redirectPath).toBe(path);
    expect(await find(sitekey.slice(0, 6))).toEqual({ Properties: ['By key'] });
    expect(await find(sitekey.slice(9))).toEqual({ Properties: ['By key'] });
  });

  test('finds only what the user can see', async () => {
    const ben = await addUser(server);
    const hidden = await addProperty(ben, 'Hidden company', 'Hidden form', 'hidden.example.com');
    for (const text of ['hidden', hidden.sitekey, hidden.sitekey.slice(0, 8), ben.email])
      expect([text, await find(text)]).toEqual([text, {}]);
    expect((await search('hidden')).text).toContain('Nothing matches “hidden”');
    expectOk(await services().members.add(INSTALLATION, hidden.organizationId, ann));
    expect(await find('hidden')).toEqual({ Properties: ['Hidden form'], Organizations: ['Hidden company'] });
  });

  test('finds users for administrators only, and lists at most 20 of each kind', async () => {
    const admin = await addUser(server, true);
    const asAdmin = await signedIn(server, admin);
    expect(await find(ann.email, asAdmin)).toEqual({ Users: [ann.name] });
    expect(await find(ann.email)).toEqual({});
    for (let i = 0; i < 21; i++) await addOrganization(admin, `Chapter ${i}`);
    expect((await find('chapter', asAdmin)).Organizations).toHaveLength(20);
    const { text } = await search('chapter', asAdmin);
    expect(text).toContain('<a href="/portal/orgs?q=chapter">Show all results in the list</a>');
  });

  test('explains itself without a text, and escapes the text', async () => {
    expect((await browser.get('/portal/search')).text).toContain('What are you looking for?');
    const { status, text } = await search('<b>');
    expect(status).toBe(200);
    expect(text).toContain('Nothing matches “&lt;b&gt;”');
    for (const hostile of ['%', '_', "' OR 1=1 --", '\0', 'x'.repeat(5000), '💥'.repeat(130)])
      expect([hostile.slice(0, 20), await find(hostile)]).toEqual([hostile.slice(0, 20), {}]);
  });
});
