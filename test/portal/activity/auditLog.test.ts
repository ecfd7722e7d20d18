import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DAY, type Instant, later, toIso } from '../../../src/lib/time.ts';
import type { Account } from '../../../src/model/account.ts';
import { AUDIT_ACTIONS, AUDIT_GROUPS, type AuditEntry } from '../../../src/model/audit.ts';
import { catalogOf } from '../../../src/portal/i18n/catalog.ts';
import { addUser, type BrowserClient, signedIn } from '../../support/portal.ts';
import { addTenant, startServer, type Tenant, type TestServer } from '../../support/server.ts';

let server: TestServer;
let tenant: Tenant;
let stranger: Tenant;
let mine: BrowserClient;

/** Noon on a day without other entries. */
const NOON = Date.UTC(2025, 5, 15, 12) as Instant;

beforeAll(async () => {
  server = await startServer();
  tenant = await addTenant(server);
  stranger = await addTenant(server);
  mine = await signedIn(server, tenant.account);
  await append(tenant.account, { object: 'own act', action: 'key-created' });
  await append(stranger.account, {
    object: 'in the organization',
    organizationId: tenant.organization.id,
    action: 'member-added',
  });
  await append(stranger.account, { object: 'foreign act', organizationId: stranger.organization.id });
  await append(stranger.account, { object: 'foreign account' });
  await append(tenant.account, { object: 'day before', at: later(NOON, -DAY) });
  await append(tenant.account, { object: 'that day', at: NOON });
  await append(tenant.account, { object: 'day after', at: later(NOON, DAY) });
});
afterAll(() => server.stop());

async function append({ id, email }: Account, change: Partial<AuditEntry>): Promise<void> {
  const actor = { accountId: id, actor: email, source: 'portal', address: '2001:db8::7' } as const;
  const entry = {
    at: server.clock.now,
    action: 'property-updated',
    organizationId: undefined,
    object: '',
  } as const;
  await server.app.services.stores.audit.append({ ...actor, ...entry, ...change });
}

/** The entries of these tests that a page shows. */
const OBJECTS = [
  'own act',
  'in the organization',
  'foreign act',
  'foreign account',
  'day before',
  'that day',
  'day after',
];
async function seen(browser: BrowserClient, query = ''): Promise<string[]> {
  const { status, text } = await browser.get(`/portal/activity${query}`);
  expect(status).toBe(200);
  return OBJECTS.filter((object) => text.includes(`<dd>${object}</dd>`));
}

const sealed = ({ organization }: Tenant) => server.app.services.ids.seal('organization', organization.id);

describe('the audit log', () => {
  test('shows the user’s own actions, and all actions in the user’s organizations', async () => {
    expect(await seen(mine)).toEqual(OBJECTS.filter((object) => !object.startsWith('foreign')));
    const { text } = await mine.get('/portal/activity');
    expect(text).toContain(
      `<bdi>${tenant.account.name}</bdi></strong> created the API key “<bdi>own act</bdi>”`,
    );
    expect(text).toContain('2001:db8::7');
    expect(text).toContain(tenant.organization.name);
    expect(text).not.toContain(stranger.organization.name);
  });

  test('shows administrators all entries', async () => {
    const admin = await signedIn(server, await addUser(server, true));
    expect(await seen(admin)).toEqual(OBJECTS);
    expect(await seen(admin, `?org=${sealed(stranger)}`)).toEqual(['foreign act']);
    expect((await admin.get(`/portal/activity?org=${sealed(stranger)}`)).text).toContain(
      `selected="">${stranger.organization.name} (${stranger.account.email})</option>`,
    );
  });

  test.each([
    ['an object', () => '?object=OWN+act', ['own act']],
    ['a group of actions', () => '?action=members', ['in the organization']],
    ['an actor', () => `?actor=${stranger.account.email}`, ['in the organization']],
    ['an action', () => '?action=member-added', ['in the organization']],
    ['an organization', () => `?org=${sealed(tenant)}`, ['in the organization']],
    ['an organization of another user', () => `?org=${sealed(stranger)}`, []],
    ['a day', () => '?from=2025-06-15&to=2025-06-15', ['that day']],
    ['a first day', () => '?from=2025-06-16&to=2025-12-31', ['day after']],
    ['a last day', () => '?to=2025-06-15', ['day before', 'that day']],
    ['several conditions', () => `?actor=nobody&action=member-added&org=${sealed(tenant)}`, []],
  ])('can be filtered by %s', async (_, query, expected) => {
    expect(await seen(mine, query())).toEqual(expected);
  });

  test.each([
    ['an invalid first day', '?from=2025-02-30', 'from'],
    ['an invalid last day', '?to=soon', 'to'],
    ['an invalid organization', '?org=x', 'org'],
    ['an unknown action', '?action=nothing', 'action'],
    ['a range that ends before it starts', '?from=2025-06-16&to=2025-06-15', 'to'],
  ])('explains %s', async (_, query, field) => {
    const { status, text } = await mine.get(`/portal/activity${query}`);
    expect([status, text.includes(`href="#${field}"`)]).toEqual([422, true]);
    expect(text).not.toContain('own act');
  });

  test('keeps the entered values, escaped', async () => {
    const { text } = await mine.get(
      `/portal/activity?${new URLSearchParams({ object: '"><b>', to: '2025-06-15' })}`,
    );
    expect(text).toContain('value="&quot;&gt;&lt;b&gt;"');
    expect(text).toContain('value="2025-06-15"');
    expect(text).not.toContain('<b>');
  });

  test('does not show the name of an organization that the user was removed from', async () => {
    const account = await addUser(server);
    const browser = await signedIn(server, account);
    const { organization } = stranger;
    await append(account, { object: 'own act', organizationId: organization.id, action: 'member-added' });
    for (const path of ['/portal/activity', '/portal/activity/audit.csv']) {
      const { text } = await browser.get(path);
      expect(text).toContain('own act');
      expect(text).not.toContain(organization.name);
      expect(text).toContain('Deleted, or not accessible to you');
    }
  });

  test('has pages of older entries with the same filter', async () => {
    const account = await addUser(server);
    const browser = await signedIn(server, account);
    for (let n = 0; n < 101; n++) await append(account, { object: `entry ${n}.`, action: 'plan-set' });
    const numbers: number[] = [];
    let next: string | undefined = '/portal/activity?action=plan-set';
    let pages = 0;
    for (; next !== undefined && pages < 9; pages++) {
      const { text } = await browser.get(next);
      numbers.push(...[...text.matchAll(/<dd>entry (\d+)\./g)].map(([, n]) => Number(n)));
      next = /rel="next" href="([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
    }
    expect(pages).toBe(3);
    expect(numbers).toEqual(Array.from({ length: 101 }, (_, n) => 100 - n));
  });
});

describe('a sentence', () => {
  test.each<[string, Partial<AuditEntry>, string]>([
    ['names the actor', { action: 'session-started' }, 'NAME signed in'],
    [
      'names the command line',
      { action: 'plan-set', object: 'large', source: 'command-line' },
      'The command line set the plan large',
    ],
    [
      'shows the changes of rules',
      { action: 'property-rules-changed', object: `Login (${'0'.repeat(32)}): added "Bots" (block)` },
      'NAME changed the rules of the property “Login”: added &quot;Bots&quot; (block)',
    ],
    [
      'shows the changes of settings',
      { action: 'property-updated', object: `Login (${'0'.repeat(32)}): level 128 -> 144` },
      'NAME changed the property “Login”: level 128 → 144',
    ],
    [
      'shows the changes of an API key',
      {
        action: 'key-changed',
        object: 'my: key of ann@example.com: name "key" -> "my: key", rate none -> 5',
      },
      'NAME changed the API key “my: key”: name &quot;key&quot; → &quot;my: key&quot;, rate none → 5',
    ],
    [
      'shows the scope of an API key of an organization',
      { action: 'key-created', object: 'Shop of organization Acme, Inc.: scope portal, read-only' },
      'NAME created the API key “Shop”: scope portal, read-only',
    ],
    [
      'shows how long an old secret works',
      { action: 'key-rotated', object: 'my key of ann@example.com, old secret works for 24h' },
      'NAME rotated the API key “my key”: old secret works for 24h',
    ],
    [
      'shows the previous name of an organization',
      { action: 'organization-renamed', object: 'New: name "Old" -> "New"' },
      'NAME renamed the organization to “New”: name &quot;Old&quot; → &quot;New&quot;',
    ],
    [
      'shows 200 characters of a change',
      { action: 'property-rules-changed', object: `Login (${'0'.repeat(32)}): ${'x'.repeat(201)}` },
      `NAME changed the rules of the property “Login”: ${'x'.repeat(200)}…`,
    ],
    ['shows no sitekey', { object: `Login (${'0'.repeat(32)})` }, 'NAME changed the property “Login”'],
    [
      'shows only the name of an API key',
      { action: 'key-rotated', object: 'my key of ann@example.com' },
      'NAME rotated the API key “my key”',
    ],
    [
      'shows only the domain',
      { action: 'dns-check-skipped', object: `a.example of A of B (${'0'.repeat(32)})` },
      'NAME skipped the DNS check of a.example',
    ],
    [
      'depends on the object',
      { action: 'maintenance-switched', object: 'off' },
      'NAME turned maintenance off',
    ],
    ['is about the actor', { action: 'password-changed', object: '' }, 'NAME changed the password'],
    [
      'is about another user',
      { action: 'password-changed', object: 'ben@example.com' },
      'NAME changed the password of ben@example.com',
    ],
    [
      'counts failed sign-ins',
      { action: 'session-rejected', object: '970 more', accountId: undefined, actor: '' },
      'More sign-ins failed: 970 more',
    ],
    ['escapes names', { action: 'plan-set', object: '<b>&' }, 'NAME set the plan &lt;b&gt;&amp;'],
  ])('%s', async (_, change, expected) => {
    const account = await addUser(server);
    const admin = await signedIn(server, await addUser(server, true));
    const at = later(NOON, 100 * DAY + account.id);
    await append(account, { at, ...change });
    const day = toIso(at).slice(0, 10);
    const { text } = await admin.get(`/portal/activity?from=${day}&to=${day}`);
    const sentences = [...text.matchAll(/<span class="what">(.*?)<\/span>/g)].map(([, markup = '']) =>
      markup.replace(/<\/?(strong|bdi)( lang="en")?>/g, ''),
    );
    expect(sentences).toContain(expected.replace('NAME', account.name));
  });
});

describe('the activity of an organization', () => {
  const pathOf = () => `/portal/orgs/${sealed(tenant)}/activity`;

  test('has the entries of all users, and only of this organization', async () => {
    expect(await seen(mine, '')).toContain('own act');
    const { status, text } = await mine.get(pathOf());
    expect([status, OBJECTS.filter((object) => text.includes(`<dd>${object}</dd>`))]).toEqual([
      200,
      ['in the organization'],
    ]);
    // The page has no field for the organization, so a parameter of this name has no effect.
    for (const query of ['', `?org=${sealed(stranger)}`, '?org=x'])
      expect((await mine.get(`${pathOf()}/audit.csv${query}`)).text.split('\r\n')).toHaveLength(3);
    expect((await mine.get(`${pathOf()}?action=properties`)).text).toContain('No entries match the filter.');
  });

  test('is not visible to other users', async () => {
    const other = await signedIn(server, stranger.account);
    for (const rest of ['', '/audit.csv', '/audit.json', '/tasks'])
      expect([rest, (await other.get(pathOf() + rest)).status]).toEqual([rest, 404]);
  });
});

test.each([
  ['/portal/audit', '/portal/activity'],
  ['/portal/audit?text=key&action=key-created', '/portal/activity?object=key&action=key-created'],
  ['/portal/audit.csv?from=2026-01-01', '/portal/activity/audit.csv?from=2026-01-01'],
  ['/portal/tasks', '/portal/activity/tasks'],
])('the old path %s leads to %s', async (old, now) => {
  expect((await mine.get(old)).headers.get('location')).toBe(now);
});

describe('the export', () => {
  const linesOf = (text: string) => text.split('\r\n').slice(0, -1);

  test('has the filtered entries, and no cell that a spreadsheet evaluates', async () => {
    const account = await addUser(server);
    const browser = await signedIn(server, account);
    await append(account, { object: '=HYPERLINK("x"), "y"', action: 'plan-set', at: NOON });
    await append(account, { object: 'not wanted', action: 'key-created' });
    const { status, headers, text } = await browser.get('/portal/activity/audit.csv?action=plan-set');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="postern-audit-${toIso(server.clock.now).slice(0, 10)}.csv"`,
    );
    expect(linesOf(text)).toEqual([
      '"time","actor","action","object","organization","source","address"',
      `"2025-06-15T12:00:00.000Z","${account.email}","plan-set","'=HYPERLINK(""x""), ""y""","","portal","2001:db8::7"`,
    ]);
  });

  test('rejects an invalid filter instead of exporting everything', async () => {
    for (const query of ['?from=soon', '?org=x']) {
      const { status, headers } = await mine.get(`/portal/activity/audit.csv${query}`);
      expect([status, headers.get('content-type')]).toEqual([422, 'text/html; charset=utf-8']);
    }
  });

  test('has the same entries as JSON', async () => {
    const account = await addUser(server);
    const browser = await signedIn(server, account);
    const path = '/portal/activity/audit.json?action=plan-set';
    expect(JSON.parse((await browser.get(path)).text)).toEqual([]);
    await append(account, { object: 'first', action: 'plan-set', at: NOON });
    await append(account, { object: '"second"', action: 'plan-set', at: NOON });
    const { headers, text } = await browser.get(path);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('content-disposition')).toContain('.json"');
    const entry = {
      time: '2025-06-15T12:00:00.000Z',
      actor: account.email,
      action: 'plan-set',
      organization: '',
      source: 'portal',
      address: '2001:db8::7',
    };
    expect(JSON.parse(text)).toEqual([
      { ...entry, object: '"second"' },
      { ...entry, object: 'first' },
    ]);
  });

  test('has no entries of other users', async () => {
    const { text } = await mine.get(`/portal/activity/audit.csv?org=${sealed(stranger)}`);
    expect(linesOf(text)).toHaveLength(1);
    expect((await mine.get('/portal/activity/audit.csv')).text).not.toContain('foreign');
  });

  test('has every entry of a long log once', async () => {
    const account = await addUser(server);
    const browser = await signedIn(server, account);
    const lines = Array.from({ length: 2001 }, (_, n) => n);
    // At the same time, which needs fewer commits.
    await Promise.all(lines.map((n) => append(account, { object: `line ${n}.`, action: 'plan-set' })));
    const { text } = await browser.get('/portal/activity/audit.csv?action=plan-set');
    const numbers = [...text.matchAll(/line (\d+)\./g)].map(([, n]) => Number(n));
    expect(numbers.toSorted((a, b) => a - b)).toEqual(lines);
  });
});

test('every action belongs to one group, has its own sentence, and is recorded somewhere', async () => {
  const { groups, sentences } = catalogOf('en').activity;
  expect(new Set(AUDIT_ACTIONS).size).toBe(AUDIT_ACTIONS.length);
  expect(Object.keys(groups)).toEqual(Object.keys(AUDIT_GROUPS));
  expect(Object.keys(sentences).toSorted()).toEqual([...AUDIT_ACTIONS].toSorted());
  expect(new Set(Object.values(sentences)).size).toBe(AUDIT_ACTIONS.length);
  const files = [...new Bun.Glob('src/**/*.{ts,tsx}').scanSync('.')].filter(
    (file) => file !== 'src/model/audit.ts',
  );
  const sources = (await Promise.all(files.map((file) => Bun.file(file).text()))).join('\n');
  expect(AUDIT_ACTIONS.filter((action) => !sources.includes(`'${action}'`))).toEqual([]);
});
