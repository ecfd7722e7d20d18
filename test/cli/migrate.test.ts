import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { MIGRATIONS, migrate } from '../../src/storage/sqlite/migrate.ts';
import { startServer } from '../support/server.ts';
import { type CommandLine, createCommandLine } from './commandLine.ts';

const ALL = MIGRATIONS.map(({ version, name }) => ({ version, name }));
const NEWEST = ALL.length;

let cli: CommandLine;
beforeEach(() => {
  cli = createCommandLine();
});
afterEach(() => cli.remove());

const file = () => join(cli.dataDir, 'postern.sqlite');

/** The copy that an upgrade from a schema version keeps. */
const copyOf = (version: number) => join(cli.dataDir, `before-upgrade-${version}-to-${NEWEST}.tar`);

/** Creates a database with the schema of an earlier version, and a user. */
function createOld(version: number): void {
  mkdirSync(cli.dataDir, { recursive: true });
  const database = new Database(file(), { create: true });
  database.run('PRAGMA journal_mode = WAL');
  migrate(database, MIGRATIONS.slice(0, version));
  database.run(
    "INSERT INTO accounts (email, name, is_admin, created_at) VALUES ('ann@example.com', 'Ann', 1, 0)",
  );
  database.close();
}

function snapshot() {
  return readdirSync(cli.dataDir).map((name) => {
    const path = join(cli.dataDir, name);
    return [name, statSync(path).mtimeMs, Bun.hash(readFileSync(path))];
  });
}

describe('postern migrate', () => {
  test('creates a missing data folder with the newest schema, and a second run changes nothing', async () => {
    expect(await cli.json('migrate')).toEqual({
      schema: NEWEST,
      applied: ALL,
      copy: null,
      dry_run: false,
    });
    expect(readdirSync(cli.dataDir).toSorted()).toEqual(['postern.lock', 'postern.sqlite']);
    const again = { schema: NEWEST, applied: [], copy: null, dry_run: false };
    expect(await cli.json('migrate')).toEqual(again);
    expect((await cli.run('migrate')).out).toBe(
      `The schema version is ${NEWEST}; there is nothing to migrate.\n`,
    );
    expect(await cli.json('users list')).toEqual([]);
  });

  test('applies only the migrations that are missing, and keeps the data', async () => {
    createOld(1);
    const { out } = await cli.run('migrate');
    expect(out).toStartWith(
      `copied the databases to ${copyOf(1)}\napplied migration 2 (platform)\napplied migration 3 (statistics)\n`,
    );
    expect(out).toEndWith(`The schema version is ${NEWEST}.\n`);
    expect(await cli.json('users list')).toMatchObject([{ email: 'ann@example.com', plan: 'default' }]);
  });

  test('with --dry-run creates no folder', async () => {
    expect(await cli.json('migrate --dry-run')).toEqual({
      schema: NEWEST,
      applied: ALL,
      copy: null,
      dry_run: true,
    });
    expect(existsSync(cli.dataDir)).toBe(false);
  });

  test('with --dry-run lists the missing migrations and changes nothing', async () => {
    createOld(2);
    const before = snapshot();
    expect(await cli.json('migrate --dry-run')).toEqual({
      schema: NEWEST,
      applied: ALL.slice(2),
      copy: copyOf(2),
      dry_run: true,
    });
    expect((await cli.run('migrate --dry-run')).out).toStartWith(
      `would copy the databases to ${copyOf(2)}\nwould apply migration 3 (statistics)\n`,
    );
    expect(snapshot()).toEqual(before);
  });

  test.each(['migrate', 'migrate --dry-run'])('`%s` rejects a newer schema', async (command) => {
    createOld(NEWEST);
    const database = new Database(file());
    database.run("INSERT INTO migrations VALUES (999, 'future', 0)");
    database.close();
    const { code, out, err } = await cli.run(`${command} --json`);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(`schema version 999, but this version of Postern supports only ${NEWEST}`);
  });

  test('run by several processes at the same time applies each migration once', async () => {
    createOld(1);
    const ended = await Promise.all([1, 2, 3].map(() => cli.spawn('migrate --json')));
    expect(ended.map(({ code, err }) => ({ code, err }))).toEqual(ended.map(() => ({ code: 0, err: '' })));
    const applied = ended.flatMap(({ out }) => JSON.parse(out).applied as typeof ALL);
    expect(applied.toSorted((a, b) => a.version - b.version)).toEqual(ALL.slice(1));
    const copies = ended.map(({ out }) => JSON.parse(out).copy as string | null);
    expect(copies.filter((copy) => copy !== null)).toEqual([copyOf(1)]);
  }, 120_000);

  test('works while a server of the same version runs', async () => {
    const server = await startServer({ dataDir: cli.dataDir });
    expect(await cli.json('migrate')).toMatchObject({ applied: [], copy: null });
    expect(await cli.json('migrate --dry-run')).toMatchObject({ applied: [], copy: null });
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    await server.stop();
  });
});
