import { afterEach, beforeEach, expect, test } from 'bun:test';
import { DAY, later } from '../../src/lib/time.ts';
import type { AccountId } from '../../src/model/account.ts';
import type { OrganizationId } from '../../src/model/organization.ts';
import type { Sitekey } from '../../src/model/property.ts';
import type { Day, Hour } from '../../src/model/statistics.ts';
import { createRawStores } from '../../src/storage/sqlite/createStores.ts';
import { type MainDatabase, openMain } from '../../src/storage/sqlite/open.ts';
import type { Stores } from '../../src/storage/storage.ts';
import { AMPLE, addOrganization, newProperty, now } from '../contract/world.ts';
import { emailOf } from '../support/email.ts';
import { expectOk } from '../support/server.ts';
import { useFolders } from './folder.ts';

// With both engines on one set of statements, SQLite read whole organizations to find a sitekey, and all statistics to delete those of a property.

const makeFolder = useFolders();

let database: MainDatabase;
let stores: Stores;
let texts: string[];

beforeEach(() => {
  database = openMain(makeFolder());
  const { raw } = database;
  texts = [];
  const prepare = raw.prepare.bind(raw);
  raw.prepare = ((text: string) => {
    texts.push(text);
    return prepare(text);
  }) as typeof raw.prepare;
  stores = createRawStores(database, AMPLE);
});
afterEach(() => database.raw.close());

/** How SQLite runs the statements of a call. */
async function plansOf(call: () => Promise<unknown>): Promise<string> {
  texts.length = 0;
  await call();
  const steps = texts.flatMap((text) =>
    database.raw.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${text}`).all(),
  );
  return steps.map(({ detail }) => detail).join('\n');
}

const [account, organization] = [1 as AccountId, 1 as OrganizationId];
const ANN = { email: emailOf('ann@example.com'), name: 'Ann', isAdmin: false, passwordHash: undefined };
const slice = { offset: 0, limit: 20 };
const tomorrow = later(now, DAY);
const sitekeys = ['0'.repeat(32) as Sitekey];
const [hour, day] = [490_000 as Hour, 20_000 as Day];
const BY_SITEKEY = 'sqlite_autoindex_properties_1 (sitekey';
const BY_ORGANIZATION = 'properties_by_organization (organization_id=? AND id>?)';
const BY_HOUR = 'statistics_hourly USING PRIMARY KEY (hour=? AND property_id=?)';
const BY_DAY = 'statistics_daily USING PRIMARY KEY (day=? AND property_id=?)';

const CALLS: readonly [name: string, index: string, call: () => Promise<unknown>][] = [
  ['overview.bySitekeyPrefix', BY_SITEKEY, () => stores.overview.bySitekeyPrefix(account, 'ab', 10)],
  ['properties.bySitekeys', BY_SITEKEY, () => stores.properties.bySitekeys(organization, sitekeys)],
  ['properties.listAfter', BY_ORGANIZATION, () => stores.properties.listAfter(organization, undefined, 10)],
  [
    'properties.slice',
    BY_ORGANIZATION,
    () => stores.properties.slice(organization, { order: 'date_asc', ...slice }),
  ],
  [
    'apiKeys.page of a user',
    'api_keys_owned_by_account',
    () => stores.apiKeys.page({ accountId: account }, { isRevoked: true, ...slice }),
  ],
  [
    'apiKeys.list of an organization',
    'api_keys_owned_by_organization',
    () => stores.apiKeys.list({ organizationId: organization }),
  ],
  [
    'accounts.search by email address',
    'sqlite_autoindex_accounts_1',
    () => stores.accounts.search('', { order: 'email_desc', ...slice }),
  ],
  ['statistics.byHour', BY_HOUR, () => stores.statistics.byHour('all', hour, (hour + 9) as Hour)],
  ['statistics.byHourOf', BY_HOUR, () => stores.statistics.byHourOf(['all'], hour, (hour + 9) as Hour)],
  ['statistics.byDay', BY_DAY, () => stores.statistics.byDay('all', day, (day + 9) as Day)],
  // It read the addresses of all users.
  [
    'accounts.setEmail',
    'accounts_1 (email>? AND email<?)',
    async () => {
      const { id } = expectOk(await stores.accounts.create(ANN, now));
      expectOk(await stores.accounts.setEmail(id, emailOf('anna@example.com')));
    },
  ],
  // The dashboards of administrators read the whole log.
  ['audit.page', 'audit_by_action (action=? AND id>? AND id<?)', readChanges],
];

async function readChanges(): Promise<void> {
  const common = { actor: 'x', source: 'portal', address: undefined, object: '' } as const;
  const entry = { ...common, at: now, accountId: undefined, organizationId: undefined };
  await stores.audit.append({ ...entry, action: 'maintenance-switched' });
  expect(await stores.audit.page({ actions: ['maintenance-switched'] }, undefined, 20)).toHaveLength(1);
}

test.each(CALLS)('%s finds rows through %s', async (_, index, call) => {
  expect(await plansOf(call)).toContain(index);
});

test('a purge finds the statistics of a deleted property through their day', async () => {
  const property = newProperty((await addOrganization(stores)).id);
  const { id } = expectOk(await stores.properties.create(property, now));
  database.raw.run('UPDATE properties SET deleted_at = ?', [now]);
  database.raw.run("INSERT INTO statistics_daily VALUES (?, ?, x'')", [Math.floor(now / DAY), id]);
  const plans = await plansOf(() => stores.properties.purge(tomorrow));
  expect(plans).toContain(BY_DAY);
  expect(await stores.properties.byId(id)).toBeUndefined();
  expect(database.raw.query('SELECT 1 FROM statistics_daily').all()).toEqual([]);
});

test('a claim reads only unfinished tasks', async () => {
  const plans = await plansOf(() => stores.tasks.claim({ token: 'a', until: tomorrow }, now));
  // It read all tasks, of which almost all are finished.
  expect(plans).not.toMatch(/SCAN \w+$|SCAN \w+ USING (?!(COVERING )?INDEX tasks_unfinished)/m);
});
