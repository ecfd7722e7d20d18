import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NewerDatabaseError } from '../../src/storage/movedData.ts';
import { MIGRATIONS, type Migration, migrate } from '../../src/storage/sqlite/migrate.ts';
import { MAIN_FILE, openMain } from '../../src/storage/sqlite/open.ts';
import { useFolders } from './folder.ts';

const makeFolder = useFolders();

const first: Migration = { version: 1, name: 'first', sql: 'CREATE TABLE a (x); INSERT INTO a VALUES (1);' };
const second: Migration = {
  version: 2,
  name: 'second',
  sql: 'ALTER TABLE a ADD COLUMN y; CREATE TABLE b (x);',
};
const broken: Migration = {
  version: 2,
  name: 'broken',
  sql: 'CREATE TABLE b (x); INSERT INTO nowhere VALUES (1);',
};

const tablesOf = (database: Database) =>
  database
    .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .all()
    .map(({ name }) => name);
const recordsOf = (database: Database) =>
  database.query('SELECT version, name, applied_at AS at FROM migrations ORDER BY version').all();

describe('migrations', () => {
  test('run in order on a new database, and are recorded', () => {
    const database = new Database(':memory:');
    expect(migrate(database, [first, second], () => 42)).toEqual(['first', 'second']);
    expect(tablesOf(database)).toEqual(['a', 'b', 'migrations']);
    expect(recordsOf(database)).toEqual([
      { version: 1, name: 'first', at: 42 },
      { version: 2, name: 'second', at: 42 },
    ]);
  });

  test('run once', () => {
    const database = new Database(':memory:');
    migrate(database, [first]);
    expect(migrate(database, [first])).toEqual([]);
    expect(database.query('SELECT * FROM a').all()).toHaveLength(1);
  });

  test('continue after the last one that ran', () => {
    const database = new Database(':memory:');
    migrate(database, [first], () => 1);
    expect(migrate(database, [first, second], () => 2)).toEqual(['second']);
    expect(database.query('SELECT * FROM a').all()).toEqual([{ x: 1, y: null }]);
    expect(recordsOf(database)).toHaveLength(2);
  });

  test('reject a database of a newer version and leave it unchanged', () => {
    const database = new Database(':memory:');
    migrate(database, [first, second]);
    const rejected = () => migrate(database, [first]);
    expect(rejected).toThrow(NewerDatabaseError);
    expect(rejected).toThrow(/version 2.*only 1 and earlier/);
    expect(tablesOf(database)).toEqual(['a', 'b', 'migrations']);
    expect(recordsOf(database)).toHaveLength(2);
  });

  test('that fail are rolled back, and earlier ones stay', () => {
    const database = new Database(':memory:');
    expect(() => migrate(database, [first, broken])).toThrow('nowhere');
    expect(tablesOf(database)).toEqual(['a', 'migrations']);
    expect(recordsOf(database)).toHaveLength(1);
    expect(migrate(database, [first, second])).toEqual(['second']);
  });

  test('are all files of the folder, numbered without gaps', () => {
    const folder = new URL('../../migrations', import.meta.url).pathname;
    const files = readdirSync(folder)
      .filter((name) => name.endsWith('.sql'))
      .sort();
    const ours = MIGRATIONS.map(({ version, name }) => `${String(version).padStart(4, '0')}_${name}.sql`);
    expect(ours).toEqual(files);
    expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, index) => index + 1));
    for (const [index, file] of files.entries()) {
      expect(MIGRATIONS[index]?.sql).toBe(readFileSync(join(folder, file), 'utf8'));
    }
  });
});

describe('the main database', () => {
  test('is created if it is missing, together with its folder', () => {
    const folder = join(makeFolder(), 'a', 'b');
    const { raw } = openMain(folder);
    expect(tablesOf(raw)).toContain('properties');
    expect(readdirSync(folder)).toContain(MAIN_FILE);
    raw.close();
  });

  test('uses a write-ahead log, synchronous writes, and foreign keys', () => {
    const { raw } = openMain(makeFolder());
    const pragma = (name: string) => Object.values(raw.query(`PRAGMA ${name}`).get() as object)[0];
    expect(pragma('journal_mode')).toBe('wal');
    expect(pragma('synchronous')).toBe(2);
    expect(pragma('foreign_keys')).toBe(1);
    // Stores wait longer, without blocking.
    expect(pragma('busy_timeout')).toBe(5);
    raw.close();
  });

  test('of a newer version is rejected with an error that says what to do', () => {
    const folder = makeFolder();
    const { raw } = openMain(folder);
    raw.run("INSERT INTO migrations VALUES (9999, 'from the future', 0)");
    raw.close();
    expect(() => openMain(folder)).toThrow(NewerDatabaseError);
    expect(() => openMain(folder)).toThrow(/use a newer version/);
  });

  test('that is not a database is rejected and stays unchanged', () => {
    const folder = makeFolder();
    const file = join(folder, MAIN_FILE);
    const text = 'these are my holiday pictures '.repeat(100);
    writeFileSync(file, text);
    expect(() => openMain(folder)).toThrow(/not a database/);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  // When several processes created the same database at the same time, one sometimes failed with "database is locked".
  test('is switched to a write-ahead log after another process has finished, although SQLite itself does not wait', async () => {
    const folder = makeFolder();
    const script = `
      const database = new (await import('bun:sqlite')).Database(${JSON.stringify(join(folder, MAIN_FILE))});
      // Without a write-ahead log, the commit waits for the reads of the test.
      database.run('PRAGMA busy_timeout = 60000');
      database.run('CREATE TABLE migrations (version INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, applied_at INTEGER NOT NULL)');
      database.run('BEGIN IMMEDIATE');
      console.log('held');
      setTimeout(() => database.run('COMMIT'), 200);`;
    const holder = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' });
    await holder.stdout.getReader().read();
    const { raw } = openMain(folder);
    expect(recordsOf(raw)).toHaveLength(MIGRATIONS.length);
    expect(raw.query('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    raw.close();
    expect(await holder.exited).toBe(0);
  });

  test('is migrated once by processes that start at the same time', async () => {
    const folder = makeFolder();
    const module = new URL('../../src/storage/sqlite/open.ts', import.meta.url).pathname;
    const script = `import { openMain } from ${JSON.stringify(module)}; openMain(${JSON.stringify(folder)}).raw.close();`;
    const processes = [1, 2, 3].map(() => Bun.spawn([process.execPath, '-e', script], { stderr: 'pipe' }));
    const errors = await Promise.all(processes.map(({ stderr }) => new Response(stderr).text()));
    expect(await Promise.all(processes.map(({ exited }) => exited))).toEqual([0, 0, 0]);
    expect(errors).toEqual(['', '', '']);
    const { raw } = openMain(folder);
    expect(recordsOf(raw)).toHaveLength(MIGRATIONS.length);
    raw.close();
  });
});
