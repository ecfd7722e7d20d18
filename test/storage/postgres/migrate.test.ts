import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type Database } from '../../../src/storage/postgres/connect.ts';
import { createPostgresStores } from '../../../src/storage/postgres/createStores.ts';
import { MIGRATIONS, type Migration, migrate, versionOf } from '../../../src/storage/postgres/migrate.ts';
import { AMPLE, addAccount, now } from '../../contract/world.ts';
import type { DatabaseAddress } from '../../support/postgres.ts';
import { emptyDatabase, locationOf, sharedPostgres } from '../../support/sharedPostgres.ts';

let address: DatabaseAddress;
let database: Database;
beforeEach(async () => {
  address = await emptyDatabase();
  database = connect(locationOf(address), { max: 2 });
});
afterEach(async () => {
  await database.close();
  await (await sharedPostgres()).dropDatabase(address);
});

const NEWEST = MIGRATIONS.length;

/** A migration of the next version. */
function nextMigration(sql: string, compatibleWith: number): readonly Migration[] {
  return [...MIGRATIONS, { version: NEWEST + 1, name: 'next', sql, compatibleWith }];
}

async function failureOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason) => reason,
  );
  return error instanceof Error ? `${error.name}: ${error.message}` : 'no error';
}

describe('the migrations', () => {
  test('are all files of the folder, numbered without gaps', () => {
    const folder = new URL('../../../migrations/postgres', import.meta.url).pathname;
    const files = readdirSync(folder).sort();
    const ours = MIGRATIONS.map(({ version, name }) => `${String(version).padStart(4, '0')}_${name}.sql`);
    expect(ours).toEqual(files);
    expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, index) => index + 1));
    for (const [index, file] of files.entries()) {
      expect(MIGRATIONS[index]?.sql).toBe(readFileSync(join(folder, file), 'utf8'));
    }
  });

  test('run once if several nodes start at the same time', async () => {
    const nodes = Array.from({ length: 4 }, () => connect(locationOf(address), { max: 1 }));
    const applied = await Promise.all(nodes.map((node) => migrate(node)));
    expect(applied.flat().sort()).toEqual(MIGRATIONS.map(({ name }) => name).sort());
    for (const node of nodes) await node.close();
  });

  test('convert email addresses to the canonical form, and the second user of an address keeps the spelling', async () => {
    const before = MIGRATIONS.findIndex(({ name }) => name === 'emails');
    await migrate(database, MIGRATIONS.slice(0, before));
    await database.sql`
      INSERT INTO accounts (email, name, is_admin, created_at) VALUES
        ('anna@xn--mnchen-3ya.example', 'anna@xn--mnchen-3ya.example', FALSE, 1),
        ('ben@xn--mnchen-3ya.example', 'Ben', FALSE, 1),
        ('ben@münchen.example', 'Ben 2', FALSE, 1)`;
    expect(await migrate(database)).toContain('emails');
    const rows = [...(await database.sql`SELECT email, name FROM accounts ORDER BY id`)];
    expect(rows).toEqual([
      { email: 'anna@münchen.example', name: 'anna@münchen.example' },
      { email: 'ben@xn--mnchen-3ya.example', name: 'Ben' },
      { email: 'ben@münchen.example', name: 'Ben 2' },
    ]);
  });

  test('leave nothing behind if one of them fails', async () => {
    const failing = nextMigration('CREATE TABLE half_done (id bigint); SELECT 1 / 0', NEWEST);
    expect(await failureOf(migrate(database, failing))).toMatch(/Failed query/);
    const [row] =
      await database.sql`SELECT to_regclass('half_done') AS half, to_regclass('accounts') AS accounts`;
    expect(row).toEqual({ half: null, accounts: null });
    await migrate(database);
    expect(await versionOf(database.orm)).toBe(NEWEST);
  });
});

describe('during a rolling upgrade', () => {
  test('nodes of the previous version keep working and can restart after the schema was expanded', async () => {
    await migrate(database);
    const stores = createPostgresStores(database, AMPLE);
    const before = await addAccount(stores);
    // The node of the next version starts.
    const next = connect(locationOf(address), { max: 1 });
    await migrate(next, nextMigration('ALTER TABLE accounts ADD COLUMN nickname text', NEWEST));
    await next.close();
    expect(await stores.accounts.byId(before.id)).toEqual(before);
    const after = await addAccount(stores);
    expect(await stores.accounts.list()).toEqual([before, after]);
    // A node of this version starts again.
    expect(await migrate(database)).toEqual([]);
    expect(await versionOf(database.orm)).toBe(NEWEST + 1);
  });

  test('nodes of the previous version do not start after the schema was contracted', async () => {
    await migrate(database);
    await migrate(database, nextMigration('DROP TABLE recovery_codes', NEWEST + 1), () => now);
    expect(await failureOf(migrate(database))).toBe(
      `NewerDatabaseError: the database requires a version of Postern with schema version ${NEWEST + 1} or newer, but this version has ${NEWEST}; use a newer version`,
    );
  });
});
