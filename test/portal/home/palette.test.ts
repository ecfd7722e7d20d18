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

type Item = { text: string; detail?: string; path: string; isForm?: boolean };
type Results = { status: string; groups: { title: string; items: Item[] }[] };

async function ask(q: string, as = browser): Promise<Results> {
  const { status, headers, text } = await as.get(`/portal/palette?${new URLSearchParams({ q })}`);
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json;charset=utf-8']);
  return JSON.parse(text);
}

const titled = ({ groups }: Results) =>
  Object.fromEntries(groups.map(({ title, items }) => [title, items.map(({ text }) => text)]));

describe('the command palette', () => {
  test('offers all actions and pages without a text', async () => {
    const results = await ask('');
    const { Actions = [], Pages = [], ...others } = titled(results);
    expect(Actions).toEqual([
      'Create property',
      'Create organization',
      'Create API key',
      'Change password',
      'Set up two-factor authentication',
      'Sign out',
    ]);
    expect(Pages).toContain('API keys');
    expect(others).toEqual({});
    expect(results.status).toBe(`${Actions.length + Pages.length} results`);
  });

  test('offers pages that the user can open', async () => {
    const asAdmin = await signedIn(server, await addUser(server, true));
    for (const as of [browser, asAdmin]) {
      const items = (await ask('', as)).groups.flatMap((group) => group.items);
      const isPage = ({ path, isForm }: Item) => path.startsWith('/portal') && isForm !== true;
      for (const { path } of items.filter(isPage)) {
        const { status, redirectPath } = await as.get(path);
        expect([path, status === 200 || redirectPath?.startsWith('/portal') === true]).toEqual([path, true]);
      }
      expect(items.filter(({ isForm }) => isForm)).toEqual([
        { text: 'Sign out', path: '/portal/logout', isForm: true },
      ]);
    }
    expect(titled(await ask('system:')).Pages).toBeUndefined();
    expect(titled(await ask('system: pl', asAdmin)).Pages).toEqual(['System: Plans']);
  });

  test('finds objects that the user can see, in the order of their kinds, with every word of an action', async () => {
    const { organizations, properties, ids } = server.app.services;
    const { id } = expectOk(await organizations.create(INSTALLATION, { name: 'Crea GmbH', ownerId: ann.id }));
    const draft = { organizationId: id, name: 'Creative', domain: 'crea.example.com' };
    const property = expectOk(await properties.create(INSTALLATION, draft));
    const results = await ask('CREA');
    expect(results.groups.map(({ title }) => title).slice(0, 3)).toEqual([
      'Properties',
      'Organizations',
      'Actions',
    ]);
    const organizationPath = `/portal/orgs/${ids.seal('organization', id)}`;
    expect(results.groups[0]?.items).toEqual([
      {
        text: 'Creative',
        detail: 'crea.example.com · Crea GmbH',
        path: `${organizationPath}/properties/${ids.seal('property', property.id)}`,
      },
    ]);
    expect(results.groups[1]?.items[0]?.path).toBe(organizationPath);
    const stranger = await signedIn(server, await addUser(server));
    expect(titled(await ask('crea', stranger))).not.toContainKeys(['Properties', 'Organizations']);
    expect(titled(await ask('key create')).Actions).toEqual(['Create API key']);
  });

  test('finds sections of the documentation, at most five', async () => {
    const { groups } = await ask('two-factor');
    const items = groups.find(({ title }) => title === 'Documentation')?.items ?? [];
    expect(items.length).toBeGreaterThan(0);
    expect(items.length).toBeLessThanOrEqual(5);
    for (const { path } of items) expect((await browser.get(path)).status).toBe(200);
  });

  test('accepts any text', async () => {
    for (const text of ['%', "' OR 1=1 --", 'x'.repeat(5000), '💥'.repeat(200), '<b>'])
      expect((await ask(text)).groups.every(({ items }) => items.length <= 30)).toBe(true);
  });
});
