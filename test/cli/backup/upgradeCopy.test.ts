import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { MIGRATIONS, migrate } from '../../../src/storage/sqlite/migrate.ts';
import { spawnServer, startBinary } from '../../support/binary.ts';
import { type CommandLine, createCommandLine, PROGRAM } from '../commandLine.ts';

/** The copy of the databases that an upgrade keeps in the data folder. */

const NEWEST = MIGRATIONS.length;
/** The schema of version 0.1.0. */
const RELEASED = 6;

let cli: CommandLine;
beforeEach(() => {
  cli = createCommandLine();
});
afterEach(() => cli.remove());

const file = () => join(cli.dataDir, 'postern.sqlite');
const pathOf = (name: string) => join(cli.dataDir, name);
const copyName = (from: number) => `before-upgrade-${from}-to-${NEWEST}.tar`;
const copies = () => readdirSync(cli.dataDir).filter((name) => name.startsWith('before-upgrade-'));

/** Creates a database with the schema of an earlier version, and a user. */
function createOld(version: number, email = 'ann@example.com'): void {
  mkdirSync(cli.dataDir, { recursive: true });
  const database = new Database(file(), { create: true });
  database.run('PRAGMA journal_mode = WAL');
  migrate(database, MIGRATIONS.slice(0, version));
  database.run('INSERT INTO accounts (email, name, is_admin, created_at) VALUES (?, ?, 1, 0)', [
    email,
    email,
  ]);
  database.close();
}

function deleteDatabase(): void {
  for (const name of readdirSync(cli.dataDir)) if (name.includes('sqlite')) rmSync(pathOf(name));
}

function schema(): number | undefined {
  const database = new Database(file(), { readonly: true });
  const row = database.query<{ version: number }, []>('SELECT max(version) AS version FROM migrations').get();
  database.close();
  return row?.version;
}

describe('an upgrade', () => {
  test('by a server keeps a copy that `postern restore` reads, and logs where it is', async () => {
    createOld(RELEASED);
    const server = await startBinary(PROGRAM, await cli.environment());
    const line = server
      .output()
      .split('\n')
      .find((text) => text.includes('upgrade-copied'));
    const { bytes } = statSyncOf(copyName(RELEASED));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      level: 'info',
      file: pathOf(copyName(RELEASED)),
      bytes,
      from: RELEASED,
      to: NEWEST,
    });
    await server.end('SIGTERM');
    // A change after the upgrade, which a restore undoes.
    await cli.json('users create --email ben@example.com');
    const restored = await cli.run(`restore ${pathOf(copyName(RELEASED))} --force --json`);
    expect(JSON.parse(restored.out)).toMatchObject({ schema: RELEASED });
    expect(await cli.json('users list')).toMatchObject([{ email: 'ann@example.com' }]);
    // Neither the next start nor the migration of a restore keeps another copy.
    expect(copies()).toEqual([copyName(RELEASED)]);
  });

  test('by a command keeps a copy with mode 0600, and says where it is', async () => {
    createOld(RELEASED);
    const { code, err } = await cli.run('users list');
    expect({ code, err }).toEqual({
      code: 0,
      err: `postern: migrated the schema from version ${RELEASED} to ${NEWEST}; ${pathOf(copyName(RELEASED))} contains the databases from before the upgrade\n`,
    });
    expect(statSync(pathOf(copyName(RELEASED))).mode & 0o777).toBe(0o600);
    expect(existsSync(pathOf('backup.tmp'))).toBe(false);
  });

  test('after a crash copies what is only in the write-ahead log', async () => {
    createOld(RELEASED);
    const database = new Database(file());
    database.run(
      "INSERT INTO accounts (email, name, is_admin, created_at) VALUES ('log@example.com', '', 0, 0)",
    );
    const crashed = join(cli.folder, 'crashed');
    cpSync(cli.dataDir, crashed, { recursive: true });
    database.close();
    const settings = { POSTERN_DATA_DIR: crashed };
    expect((await cli.run('migrate', { settings })).code).toBe(0);
    const copy = join(crashed, copyName(RELEASED));
    expect((await cli.run(`restore ${copy} --force`, { settings })).code).toBe(0);
    expect(await cli.json('users list', { settings })).toMatchObject([
      { email: 'ann@example.com' },
      { email: 'log@example.com' },
    ]);
  });

  test('does not count as a backup', async () => {
    createOld(RELEASED);
    await cli.run('migrate');
    const { out } = await cli.run('doctor --json');
    const { checks } = JSON.parse(out) as { checks: { name: string; detail: string }[] };
    expect(checks.find(({ name }) => name === 'backup')?.detail).toBe(
      'none yet; the data is less than 7 days old',
    );
  });

  test('replaces the copy from before the same migrations, and keeps the newest two copies', async () => {
    mkdirSync(cli.dataDir);
    for (const [index, name] of ['before-upgrade-1-to-2.tar', 'before-upgrade-2-to-3.tar'].entries()) {
      writeFileSync(pathOf(name), 'older');
      utimesSync(pathOf(name), 1000 + index, 1000 + index);
    }
    writeFileSync(pathOf(copyName(RELEASED)), 'the same migrations');
    writeFileSync(pathOf('before-upgrade.tar'), 'a backup with another name');
    createOld(RELEASED);
    await cli.run('migrate');
    expect(copies().toSorted()).toEqual(['before-upgrade-2-to-3.tar', copyName(RELEASED)]);
    expect(existsSync(pathOf('before-upgrade.tar'))).toBe(true);
    deleteDatabase();
    const { code } = await cli.run(`restore ${pathOf(copyName(RELEASED))} --force`);
    expect(code).toBe(0);
  });

  test('that fails keeps the copy from before, and so does the next attempt', async () => {
    createOld(RELEASED);
    const database = new Database(file());
    // Collides with a table of a later migration.
    database.run('CREATE TABLE widget_builds (x)');
    database.close();
    expect((await cli.run('migrate')).code).toBe(1);
    expect(copies()).toEqual([copyName(RELEASED)]);
    expect((await cli.run('migrate')).code).toBe(1);
    expect(copies()).toHaveLength(2);
  });
});

describe('an upgrade whose copy cannot be created', () => {
  // An ordinary file cannot be replaced by a folder, so a folder with the name of the copy makes it fail.
  test.each(['migrate', 'users list'])('fails and migrates nothing: `%s`', async (command) => {
    createOld(RELEASED);
    mkdirSync(pathOf(copyName(RELEASED)));
    const { code, err } = await cli.run(command);
    expect(code).toBe(1);
    expect(err).toContain('the databases were not migrated, because the copy from before the upgrade');
    expect(schema()).toBe(RELEASED);
  });

  test('stops a server', async () => {
    createOld(RELEASED);
    mkdirSync(pathOf(copyName(RELEASED)));
    const server = spawnServer(PROGRAM, { ...(await cli.environment()), POSTERN_PORT: '0' });
    expect(await server.exited).toBe(1);
    expect(server.output()).toContain('the databases were not migrated');
    expect(schema()).toBe(RELEASED);
  });
});

function statSyncOf(name: string) {
  return { bytes: statSync(pathOf(name)).size };
}
