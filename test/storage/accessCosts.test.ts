import { afterEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqliteStores } from '../../src/storage/sqlite/createStores.ts';
import { openMain } from '../../src/storage/sqlite/open.ts';
import { AMPLE, addAccount, addOrganization, newProperty, now } from '../contract/world.ts';
import { userActor } from '../support/actors.ts';
import { collectStatements, planOf } from '../support/queryPlans.ts';
import { expectOk } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'postern-access-'));
const database = openMain(folder);

afterEach(() => {
  database.raw.close();
  rmSync(folder, { recursive: true, force: true });
});

// With 10,000 organizations, each request of the REST API took 3.7 ms.
test('checking access to one organization does not read all organizations of the account', async () => {
  const statements = collectStatements(database);
  const world = createSqliteStores(database, AMPLE);
  const account = await addAccount(world);
  const { id: organizationId } = await addOrganization(world, account);
  await world.organizations.isMember(organizationId, account.id);
  const slice = { offset: 0, limit: 10, order: 'name_asc' } as const;
  await world.overview.properties({ accountId: account.id, organizationId }, slice);
  expectOk(await world.properties.create(newProperty(organizationId), now, userActor(account)));
  const readers = statements.filter((text) => /\bmembers\b/.test(text));
  // The first two calls share a statement.
  expect(readers.length).toBeGreaterThan(1);
  const plans = readers.map((text) => planOf(database, text));
  expect(plans.filter((plan) => /COMPOUND|SCAN (?!json_each)/.test(plan))).toEqual([]);
});
