/**
 * `bun test/bench/studies/auditLog.ts`: measures pages of the audit log with a million entries on both engines, and the longest time for which
 * the event loop was blocked. Asserts no times. Environment: BENCH_ENTRIES (1000000).
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY, type Instant } from '../../../src/lib/time.ts';
import type { AccountId } from '../../../src/model/account.ts';
import { AUDIT_GROUPS, type AuditFilter } from '../../../src/model/audit.ts';
import type { OrganizationId } from '../../../src/model/organization.ts';
import type { AuditStore } from '../../../src/model/ports/audit.ts';
import { connect } from '../../../src/storage/postgres/connect.ts';
import { createStoreDatabase as onPostgres } from '../../../src/storage/postgres/createStores.ts';
import { createStoreDatabase as onSqlite } from '../../../src/storage/sqlite/executor.ts';
import { openMain } from '../../../src/storage/sqlite/open.ts';
import { createAuditStore } from '../../../src/storage/stores/audit.ts';
import { locationOf, migratedDatabase, sharedPostgres } from '../../support/sharedPostgres.ts';

const ENTRIES = Number(process.env.BENCH_ENTRIES ?? 1_000_000);
const START = Date.UTC(2026, 0, 1);
const PAGE = 51;
const ROUNDS = 5;

/** One year of entries by 1,000 users in 1,000 organizations. Entry 5 is the only rotation of the signing key. */
const COLUMNS = `
  ${START} + i * ${Math.floor((365 * DAY) / ENTRIES)} AS at,
  i % 1000 + 2 AS account_id,
  'user' || (i % 1000) || '@example.com' AS actor,
  'portal' AS door, '203.0.113.7' AS address,
  CASE WHEN i = 5 THEN 'signing-key-rotated' WHEN i % 3 = 0 THEN 'session-started' ELSE 'property-updated' END AS action,
  CASE WHEN i % 3 = 0 THEN NULL ELSE i % 997 + 2 END AS organization_id,
  'Shop ' || i AS subject`;
const INTO =
  'INSERT INTO audit (at, account_id, actor, door, address, action, organization_id, subject, words)';

const day = (start: number): AuditFilter => ({
  from: (START + start * DAY) as Instant,
  to: (START + (start + 1) * DAY) as Instant,
});

const CASES: readonly (readonly [string, AuditFilter])[] = [
  ['the newest entries', {}],
  ['an organization', { organizationId: 500 as OrganizationId }],
  [
    'an organization and a group of actions',
    { organizationId: 500 as OrganizationId, actions: AUDIT_GROUPS.properties },
  ],
  [
    'an organization, and an actor without entries',
    { organizationId: 500 as OrganizationId, actor: 'nobody' },
  ],
  ['the reader’s own entries and organizations', { reader: 1 as AccountId }],
  ['a frequent group of actions', { actions: AUDIT_GROUPS['signing-in'] }],
  ['a group with one entry, the oldest', { actions: AUDIT_GROUPS.installation }],
  ['an actor', { actor: 'user77@' }],
  ['an actor without entries', { actor: 'nobody@' }],
  ['one object, the oldest', { object: 'shop 5' }],
  ['an object that does not exist', { object: 'nothing' }],
  ['the last day', day(364)],
  ['the first day', day(0)],
  ['the first day and an organization', { ...day(0), organizationId: 500 as OrganizationId }],
];

async function measure(name: string, store: AuditStore): Promise<void> {
  console.log(
    `${name}, ${ENTRIES} entries: median of ${ROUNDS} in ms; longest block of the event loop in ms; entries`,
  );
  for (const [title, filter] of CASES) {
    const times: number[] = [];
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 0);
    let found = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const start = performance.now();
      found = (await store.page(filter, undefined, PAGE)).length;
      times.push(performance.now() - start);
    }
    await new Promise(setImmediate);
    clearInterval(timer);
    const median = times.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN;
    console.log(
      `${title.padEnd(50)} ${median.toFixed(1).padStart(8)} ${longest.toFixed(1).padStart(8)} ${String(found).padStart(4)}`,
    );
  }
}

async function measureSqlite(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-bench-'));
  const database = openMain(folder);
  database.raw.run(`${INTO} WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${ENTRIES - 1}),
    rows AS (SELECT ${COLUMNS} FROM n)
    SELECT at, account_id, actor, door, address, action, organization_id, subject, lower(actor || char(10) || subject) FROM rows`);
  await measure('SQLite', createAuditStore(onSqlite(database.raw)));
  database.raw.close();
  rmSync(folder, { recursive: true });
}

async function measurePostgres(): Promise<void> {
  const server = await sharedPostgres();
  const address = await migratedDatabase();
  const admin = server.connectAdmin(address);
  await admin.unsafe(`${INTO} SELECT at, account_id, actor, door, address, action, organization_id, subject,
    lower(actor || chr(10) || subject)
    FROM (SELECT ${COLUMNS} FROM generate_series(0::bigint, ${ENTRIES - 1}) AS i ORDER BY i) AS rows`);
  await admin.unsafe('ANALYZE audit');
  const database = connect(locationOf(address), { max: 4 });
  await measure('PostgreSQL', createAuditStore(onPostgres(database)));
  await Promise.all([admin.close(), database.close()]);
  await server.dropDatabase(address);
}

await measureSqlite();
await measurePostgres();
process.exit(0);
