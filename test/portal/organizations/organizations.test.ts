import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Account } from '../../../src/model/account.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { api } from '../../support/platform.ts';
import { addUser, signedIn } from '../../support/portal.ts';
import { addKey, expectOk, startServer, type TestServer } from '../../support/server.ts';
import { fetchPuzzle } from '../../support/visitor.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const services = () => server.app.services;
const idOf = (path: string | undefined) => path?.split('/')[3] ?? '';

async function make(owner: Account, name: string, propertyNames: readonly string[] = []) {
  const organization = expectOk(
    await services().organizations.create(INSTALLATION, { name: name, ownerId: owner.id }),
  );
  const about = { organizationId: organization.id, domain: 'example.com', level: 1 };
  const properties = [];
  for (const property of propertyNames)
    properties.push(expectOk(await services().properties.create(INSTALLATION, { ...about, name: property })));
  return {
    organization,
    properties,
    path: `/portal/orgs/${services().ids.seal('organization', organization.id)}`,
  };
}

/** The audit log entries of a user except for sign-ins, oldest first. */
async function actsOf(account: Account): Promise<readonly string[]> {
  const { entries } = await services().audit.list(INSTALLATION, { accountId: account.id }, { limit: 100 });
  const acts = entries.filter(({ action }) => !action.startsWith('session-'));
  expect(acts.every(({ source, address }) => source === 'portal' && address === '127.0.0.1')).toBe(true);
  return acts.map(({ action, object }) => `${action} ${object}`).reverse();
}

/** The names and the first columns of a list of organizations as text. */
function listed(text: string): readonly string[] {
  const rows = text.matchAll(/<td data-label="Organization" class="name">[\s\S]*?<\/tr>/g);
  return [...rows].map(([row]) =>
    row
      .replace(/<td data-label="Last 24 hours">[\s\S]*/, '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  );
}

describe('the list of organizations', () => {
  test('lists only the user’s organizations, with role and numbers of properties and members', async () => {
    const [ann, ben] = [await addUser(server), await addUser(server)];
    await make(ann, 'Alone');
    const shared = await make(ben, 'Shared & shown', ['One', 'Two', 'Gone']);
    await make(ben, 'Secret');
    expectOk(await services().members.add(INSTALLATION, shared.organization.id, ann));
    const [, , gone] = shared.properties.map(({ id }) => services().ids.seal('property', id));
    await api(server, await addKey(services(), ann, 'portal')).run('DELETE', '/properties', [gone]);
    const { text } = await (await signedIn(server, ann)).get('/portal/orgs');
    expect(listed(text)).toEqual(['Alone Owned by you 0 1', `Shared &amp; shown Owned by ${ben.email} 2 2`]);
    expect(text).toContain(`href="${shared.path}"`);
    expect(text).not.toContain('Secret');
    expect(text).not.toContain('first-property');
  });

  test('shows the owner’s email address for organizations with the same name, and so does every list of options', async () => {
    const [ann, ben] = [await addUser(server), await addUser(server)];
    await make(ann, 'Same');
    const theirs = await make(ben, 'Same');
    expectOk(await services().members.add(INSTALLATION, theirs.organization.id, ann));
    const scope = { scope: 'verify', isReadOnly: false, expiresAt: undefined } as const;
    const draft = { ...scope, account: ann, name: 'Theirs', organizationId: theirs.organization.id };
    const { key } = expectOk(await services().apiKeys.create(INSTALLATION, draft));
    const browser = await signedIn(server, ann);
    const rename = `${theirs.path}/settings`;
    await (await signedIn(server, ben)).fill(rename, { name: 'Same' }, rename);
    expect(listed((await browser.get('/portal/orgs')).text)).toEqual([
      'Same Owned by you 0 1',
      `Same Owned by ${ben.email} 0 2`,
    ]);
    const label = `Same (${ben.email})`;
    // The audit log of few entries has no filter, unless one applies.
    const activity = '/portal/activity?from=2020-01-01';
    for (const path of ['/portal/settings/api-keys/new', activity]) {
      const options = [...(await browser.get(path)).text.matchAll(/<option [^>]*>(Same[^<]*)</g)];
      expect([path, options.map(([, text]) => text)]).toEqual([path, ['Same', label]]);
    }
    const keyPath = `/portal/settings/api-keys/${services().ids.seal('api-key', key.id)}`;
    for (const path of ['/portal/settings/api-keys', keyPath, activity])
      expect((await browser.get(path)).text).toContain(label);
    // An administrator, who belongs to neither, sees both owners.
    const admin = await signedIn(server, await addUser(server, true));
    expect((await admin.get(activity)).text).toContain(label);
  });

  test('links to the first property while the user has none', async () => {
    const ann = await addUser(server);
    const browser = await signedIn(server, ann);
    const empty = await browser.get('/portal');
    expect(empty.text).toContain('Create your first organization');
    expect(empty.text).toContain('<a class="button" href="/portal/orgs/new">');
    expect(empty.text).not.toContain('first-property');
    expect((await browser.get('/portal/orgs')).text).toContain('Create your first organization');
    const done = await browser.fill('/portal/orgs/new', { name: ' My  shops ' });
    expect(idOf(done.redirectPath)).toMatch(/^[\w-]{22}$/);
    const shown = await browser.get('/portal');
    expect(shown.text).toContain('The organization “My  shops” was created.');
    expect(listed((await browser.get('/portal/orgs')).text)).toEqual(['My shops Owned by you 0 1']);
    expect(shown.text).toContain('<a class="button" href="/portal/first-property">');
    expect(await actsOf(ann)).toEqual(['organization-created My  shops']);
  });
});

describe('the settings of an organization', () => {
  test('can change its name', async () => {
    const ann = await addUser(server);
    const { path } = await make(ann, 'Before');
    const browser = await signedIn(server, ann);
    const done = await browser.fill(`${path}/settings`, { name: 'After' });
    expect(done.redirectPath).toBe(`${path}/settings`);
    const { text } = await browser.follow(done);
    expect(text).toContain('The organization was renamed.');
    expect(text).toContain('value="After"');
    expect(await actsOf(ann)).toEqual(['organization-renamed After: name "Before" -> "After"']);
  });

  test('show members the owner, and let them leave but not change anything', async () => {
    const [ann, ben] = [await addUser(server), await addUser(server)];
    const { organization, path } = await make(ann, 'Team');
    expectOk(await services().members.add(INSTALLATION, organization.id, ben));
    const browser = await signedIn(server, ben);
    const { text } = await browser.get(`${path}/settings`);
    expect(text).toContain(ann.email);
    const forms = [...text.matchAll(/<form method="post" action="(\/portal\/orgs[^"]*)"/g)];
    expect(forms.map(([, action]) => action)).toEqual([`${path}/leave`]);
    expect((await browser.get(`${path}/delete`)).status).toBe(403);
    expect((await browser.get(`${path}/members/invite`)).status).toBe(403);
    const left = await browser.fill(`${path}/leave`, {});
    expect(left.redirectPath).toBe('/portal');
    const home = await browser.follow(left);
    expect(home.text).toContain('You have left “Team”.');
    expect(listed(home.text)).toEqual([]);
    expect((await browser.get(`${path}/settings`)).status).toBe(404);
    expect(await actsOf(ben)).toEqual([`member-left ${ben.email}`]);
  });

  test('do not let the owner leave', async () => {
    const ann = await addUser(server);
    const { path } = await make(ann, 'Mine');
    const browser = await signedIn(server, ann);
    const shown = await browser.get(`${path}/leave`);
    expect(shown.status).toBe(409);
    expect(shown.text).toContain('The owner of an organization cannot leave it.');
    expect(shown.text).not.toContain(`action="${path}/leave"`);
  });
});

describe('the deletion of an organization', () => {
  test('requires the name, shows the number of properties, and stops them immediately', async () => {
    const ann = await addUser(server);
    const { path, properties } = await make(ann, 'Shop  of Ann', ['One', 'Two']);
    const { sitekey = '' } = properties[0] ?? {};
    const browser = await signedIn(server, ann);
    expect((await browser.get(`${path}/delete`)).text).toContain('Its 2 properties stop immediately');
    const before = await server.written();
    for (const typed_name of ['', 'shop of ann', 'Shop of An']) {
      const shown = await browser.fill(`${path}/delete`, { typed_name });
      expect(shown.status).toBe(422);
      expect(shown.text).toContain('id="typed_name-error"');
    }
    expect(await server.written()).toEqual(before);
    await fetchPuzzle(server.url, sitekey, 'https://example.com');
    // A browser displays two spaces as one, and users copy the displayed name.
    const done = await browser.fill(`${path}/delete`, { typed_name: ' Shop of Ann ' });
    expect(done.redirectPath).toBe('/portal');
    expect((await browser.follow(done)).text).toContain('and its properties were deleted.');
    const puzzle = await fetch(`${server.url}/puzzle?sitekey=${sitekey}`, {
      headers: { Origin: 'https://example.com' },
    });
    expect(puzzle.status).toBe(403);
    expect((await browser.get(`${path}/settings`)).status).toBe(404);
    expect(await actsOf(ann)).toEqual(['organization-deleted Shop  of Ann']);
  });
});
