import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { MIGRATIONS, migrate } from '../../src/storage/sqlite/migrate.ts';

const BEFORE = MIGRATIONS.findIndex(({ name }) => name === 'emails');

test('the migration converts addresses to the canonical form, and the second user of an address keeps the spelling', () => {
  const database = new Database(':memory:');
  migrate(database, MIGRATIONS.slice(0, BEFORE));
  database.run(`
    INSERT INTO accounts (email, name, is_admin, created_at) VALUES
      ('ann@example.com', 'Ann', 0, 1),
      ('anna@xn--mnchen-3ya.example', 'anna@xn--mnchen-3ya.example', 0, 1),
      ('ben@xn--mnchen-3ya.example', 'Ben', 0, 1),
      ('ben@münchen.example', 'Ben 2', 0, 1)`);
  expect(migrate(database)).toContain('emails');
  expect(database.query('SELECT email, name FROM accounts ORDER BY id').all()).toEqual([
    { email: 'ann@example.com', name: 'Ann' },
    { email: 'anna@münchen.example', name: 'anna@münchen.example' },
    { email: 'ben@xn--mnchen-3ya.example', name: 'Ben' },
    { email: 'ben@münchen.example', name: 'Ben 2' },
  ]);
});

test('an address that only an earlier version accepted does not prevent the migration', () => {
  const database = new Database(':memory:');
  migrate(database, MIGRATIONS.slice(0, BEFORE));
  const email = `a@xn--a.${'ü'.repeat(180)}`;
  database.run('INSERT INTO accounts (email, name, is_admin, created_at) VALUES (?, ?, 0, 1)', [
    email,
    'Ann',
  ]);
  migrate(database);
  expect(database.query('SELECT email FROM accounts').all()).toEqual([{ email }]);
});
