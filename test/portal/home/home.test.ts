import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DAY, type Instant } from '../../../src/lib/time.ts';
import type { Account } from '../../../src/model/account.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import type { Property, PropertyId } from '../../../src/model/property.ts';
import { COUNTER, COUNTS_SIZE, type Hour, toHour } from '../../../src/model/statistics.ts';
import { api } from '../../support/platform.ts';
import { addUser, formTokenOf, signedIn } from '../../support/portal.ts';
import { addKey, expectOk, startServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const services = () => server.app.services;

async function addOrganization(owner: Account, name: string) {
  return expectOk(await services().organizations.create(INSTALLATION, { name, ownerId: owner.id }));
}

async function addProperty(owner: Account, name: string, domain = 'example.com') {
  const [known] = await services().organizations.list(INSTALLATION, owner);
  const { id } = known ?? (await addOrganization(owner, `Organization of ${name}`));
  return expectOk(await services().properties.create(INSTALLATION, { organizationId: id, name, domain }));
}

async function count(
  { sitekey }: Property,
  counted: Partial<Record<'issued' | 'verified' | 'failed', number>>,
  hoursAgo = 0,
): Promise<void> {
  const counts = new Array<number>(COUNTS_SIZE).fill(0);
  for (const [name, value] of Object.entries(counted)) counts[COUNTER[name as 'issued']] = value;
  const hour = (toHour(server.clock.now) - hoursAgo) as Hour;
  await services().stores.statistics.add([{ sitekey, hour, counts }]);
}

async function summarize(): Promise<void> {
  const { statistics } = services().stores;
  let after: number | undefined = 0;
  while (after !== undefined) after = await statistics.summarize(toHour(server.clock.now), after);
}

/** The text of the row of a property. */
function rowOf(text: string, name: string): string {
  const rows = [...text.matchAll(/<td data-label="Property" class="name">[\s\S]*?<\/tr>/g)].map(
    ([row]) => row,
  );
  const row = rows.find((one) => one.includes(`<bdi>${name}</bdi>`)) ?? '';
  return row
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

const pathOf = ({ id, organizationId }: Property) => {
  const { ids } = services();
  return `/portal/orgs/${ids.seal('organization', organizationId)}/properties/${ids.seal('property', id)}`;
};

describe('the start page', () => {
  test('lists the properties of all organizations with their counts of the last 24 hours', async () => {
    const [ann, ben] = [await addUser(server), await addUser(server)];
    const own = await addProperty(ann, 'Login', 'login.example.com');
    const joined = await addProperty(ben, 'Shop');
    await addProperty(ben, 'Foreign', 'foreign.example.com');
    expectOk(await services().members.add(INSTALLATION, joined.organizationId, ann));
    await count(own, { issued: 1200, verified: 30, failed: 10 });
    await count(own, { issued: 34 }, 23);
    await count(own, { issued: 1000 }, 24);
    const { text } = await (await signedIn(server, ann)).get('/portal');
    expect(rowOf(text, 'Login')).toMatch(
      /login\.example\.com · Organization of Login .* 1,234 2\.4% 10 75% \d+$/,
    );
    expect(rowOf(text, 'Shop')).toMatch(/ 0 – 0 – \d+$/);
    expect(text).toContain(
      'aria-label="Puzzles per hour in the last 24 hours: 1,200 in this hour, 1,200 in the busiest hour"',
    );
    expect(text).toContain('aria-label="No puzzles in the last 24 hours"');
    expect(text).toContain(`href="${pathOf(own)}"`);
    expect(text).not.toContain('This installation');
  });

  test('has a filter only if it is long or filtered', async () => {
    const owner = await addUser(server);
    for (let count = 1; count <= 5; count++) await addProperty(owner, `Shop ${count}`);
    const browser = await signedIn(server, owner);
    const hasFilter = async (path: string) => {
      const { text } = await browser.get(path);
      expect([path, text.includes('class="help" data-announce')]).toEqual([path, text.includes('data-live')]);
      return text.includes('data-live');
    };
    const { ids } = services();
    const [organization] = await services().organizations.list(INSTALLATION, owner);
    const own = `/portal/orgs/${ids.seal('organization', organization?.id ?? (0 as never))}`;
    for (const path of ['/portal', own, '/portal/orgs']) {
      expect([path, await hasFilter(path)]).toEqual([path, false]);
      expect([path, await hasFilter(`${path}?q=shop`)]).toEqual([path, true]);
      expect([path, await hasFilter(`${path}?page=1`)]).toEqual([path, true]);
    }
    expect(await hasFilter('/portal?state=disabled')).toBe(true);
    await addProperty(owner, 'Shop 6');
    expect(await Promise.all(['/portal', own, '/portal/orgs'].map(hasFilter))).toEqual([true, true, false]);
  });

  test('sorts by use, filters by state, and has pages', async () => {
    const ann = await addUser(server);
    const [quiet, busy] = [await addProperty(ann, 'Quiet'), await addProperty(ann, 'Busy')];
    for (let i = 0; i < 25; i++) await addProperty(ann, `Unused ${i}`);
    await count(quiet, { issued: 1 });
    await count(busy, { issued: 2 });
    await summarize();
    expectOk(await services().properties.setEnabled(INSTALLATION, quiet.id, false));
    const browser = await signedIn(server, ann);
    const names = async (query: string) => {
      const { text } = await browser.get(`/portal?${query}`);
      return [...text.matchAll(/<div class="object"><a [^>]*><bdi>([^<]*)</g)].map(([, name]) => name);
    };
    expect((await names('')).slice(0, 2)).toEqual(['Busy', 'Quiet']);
    expect(await names('state=disabled')).toEqual(['Quiet']);
    expect(await names('page=1')).toHaveLength(2);
    expect((await names('q=unused&sort=name_asc')).slice(0, 2)).toEqual(['Unused 0', 'Unused 1']);
  });

  test('has nothing that needs attention while everything is in order', async () => {
    const ann = await addUser(server);
    await addProperty(ann, 'Fine');
    const { text } = await (await signedIn(server, ann)).get('/portal');
    expect(text).toContain('Nothing needs your attention.');
  });

  test('shows spikes, disabled properties, and properties without a verification', async () => {
    const ann = await addUser(server);
    const names = ['Flooded', 'Off', 'Never', 'Working'] as const;
    const [flooded, off, never, working] = [
      await addProperty(ann, names[0]),
      await addProperty(ann, names[1]),
      await addProperty(ann, names[2]),
      await addProperty(ann, names[3]),
    ];
    for (const one of [flooded, off, working]) await count(one, { issued: 200, verified: 200 });
    const before = server.clock.now;
    server.clock.now = (before + 2 * DAY) as Instant;
    await count(flooded, { issued: 2000 });
    expectOk(await services().properties.setEnabled(INSTALLATION, off.id, false));
    await summarize();
    const { text } = await (await signedIn(server, ann)).get('/portal');
    server.clock.now = before;
    const items = [...text.matchAll(/<p>([^<]*)<\/p><ul class="names">([\s\S]*?)<\/ul>/g)];
    expect(
      items.map(([, sentence, list]) => [
        sentence,
        [...(list ?? '').matchAll(/<bdi>(.*?)</g)].map(([, name]) => name),
      ]),
    ).toEqual([
      ['This property has much more traffic than usual:', ['Flooded']],
      ['This property has never verified a solution. Check the integration of its backend:', ['Never']],
      ['This property is disabled and issues no puzzles:', ['Off']],
    ]);
    expect(text).toContain(`href="${pathOf(never)}"`);
    expect(text).not.toContain('Nothing needs your attention.');
  });

  test('shows keys that expire and rejected tasks of API keys', async () => {
    const ann = await addUser(server);
    await addProperty(ann, 'Any');
    const expiresAt = (server.clock.now + 3 * DAY) as Instant;
    const draft = { account: ann, name: 'Backend', scope: 'verify', isReadOnly: false, expiresAt } as const;
    expectOk(await services().apiKeys.create(INSTALLATION, { ...draft, organizationId: undefined }));
    const key = await addKey(services(), ann, 'portal');
    await api(server, key).run('DELETE', '/properties', [
      services().ids.seal('property', 999_999 as PropertyId),
    ]);
    const { text } = await (await signedIn(server, ann)).get('/portal');
    expect(text).toContain('This API key expires soon:');
    expect(text).toContain('<bdi>Backend</bdi>');
    expect(text).not.toContain('class="warning"');
    expect(text).toMatch(
      /were rejected:<\/p><ul class="names"><li><a href="\/portal\/activity\/tasks\/[0-9a-f]{32}">/,
    );
  });

  test('shows administrators the totals of the installation, and recommends two-factor authentication', async () => {
    const admin = await addUser(server, true);
    const property = await addProperty(admin, 'Counted');
    const browser = await signedIn(server, admin);
    const read = async () => {
      const { text } = await browser.get('/portal');
      const values = [...text.matchAll(/<dt>([^<]*)<\/dt><dd>([^<]*)<\/dd>/g)];
      const figures = Object.fromEntries(values.map(([, label = '', value = '']) => [label, value]));
      return { text, issued: Number(figures['Puzzles issued']?.replaceAll(',', '')), figures };
    };
    const before = await read();
    await count(property, { issued: 5, verified: 4 });
    const after = await read();
    expect(after.issued - before.issued).toBe(5);
    expect(Object.keys(after.figures)).toEqual([
      'Puzzles issued',
      'Solutions verified',
      'Solved',
      'Acceptance rate',
      'Properties',
      'Organizations',
      'Users',
    ]);
    expect(after.text).toContain('href="/portal/system/statistics"');
    const advice = 'You are an administrator without two-factor authentication.';
    // The checklist recommends it, until the user dismisses the checklist.
    expect(after.text).toContain('Set up two-factor authentication</a>');
    expect(after.text).not.toContain(advice);
    const form_token = formTokenOf(server, browser);
    await browser.post('/portal/checklist/dismiss', { form_token });
    expect((await read()).text).toContain(advice);
  });

  test('asks for the organization of a new property if there are several', async () => {
    const ann = await addUser(server);
    const browser = await signedIn(server, ann);
    expect((await browser.get('/portal/new-property')).redirectPath).toBe('/portal/orgs/new');
    const { id } = await addOrganization(ann, 'First');
    const path = `/portal/orgs/${services().ids.seal('organization', id)}/new`;
    expect((await browser.get('/portal/new-property')).redirectPath).toBe(path);
    await addOrganization(ann, 'Second');
    const { text } = await browser.get('/portal/new-property');
    expect(text).toContain(`<a href="${path}"><bdi>First</bdi></a>`);
    expect(text).toContain('<bdi>Second</bdi>');
  });
});
