import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { MIGRATIONS, migrate } from '../../src/storage/sqlite/migrate.ts';

const BEFORE = MIGRATIONS.findIndex(({ name }) => name === 'api_key_rotation');

test('keys of earlier versions belong to their users and have no old secret, and their secrets cannot come back', () => {
  const database = new Database(':memory:');
  migrate(database, MIGRATIONS.slice(0, BEFORE));
  database.run(
    "INSERT INTO accounts (email, name, is_admin, created_at) VALUES ('a@example.com', 'Ann', 0, 1)",
  );
  const insert = 'INSERT INTO api_keys (account_id, name, key_hash, scope, is_read_only, created_at)';
  database.run(`${insert} VALUES (1, 'Backend', 'aa', 'verify', 0, 1), (1, 'Script', 'bb', 'portal', 0, 1)`);
  migrate(database);
  const columns = 'name, key_hash, first_hash, previous_hash, last_four, is_organization_owned';
  const bare = { previous_hash: null, last_four: null, is_organization_owned: 0 };
  expect(database.query(`SELECT ${columns} FROM api_keys ORDER BY id`).all()).toEqual([
    { name: 'Backend', key_hash: 'aa', first_hash: 'aa', ...bare },
    { name: 'Script', key_hash: 'bb', first_hash: 'bb', ...bare },
  ]);
});

/** The plan of a query as SQLite describes it. */
function planOf(sql: string): string {
  const database = new Database(':memory:');
  migrate(database);
  const rows = database.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all();
  return rows.map(({ detail }) => detail).join('; ');
}

test.each([
  ['a replaced secret', 'SELECT * FROM api_keys WHERE previous_hash = ? AND previous_until > rotated_at'],
  [
    'the active keys of a user',
    'SELECT * FROM api_keys WHERE account_id = ? AND is_organization_owned = 0 AND revoked_at IS NULL ORDER BY revoked_at DESC, id DESC',
  ],
  [
    'the revoked keys of an organization',
    'SELECT * FROM api_keys WHERE organization_id = ? AND is_organization_owned = 1 AND revoked_at IS NOT NULL ORDER BY revoked_at DESC, id DESC',
  ],
  [
    'the tasks of the keys of an organization',
    "SELECT * FROM tasks WHERE organization_id = ? AND door = 'organization' ORDER BY number DESC",
  ],
])('an index finds %s, without sorting', (_, sql) => {
  const plan = planOf(sql);
  expect(plan).toStartWith('SEARCH');
  expect(plan).toContain('USING INDEX');
  expect(plan).not.toContain('TEMP B-TREE');
});
