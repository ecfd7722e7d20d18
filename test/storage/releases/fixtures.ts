import { Database } from 'bun:sqlite';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Known } from './installation.ts';

const FOLDER = join(import.meta.dir, '../fixtures');
const DATABASES = ['postern.sqlite', 'claims.sqlite'] as const;

const SNAPSHOT = 'snapshot.json.gz';

/** The data of an installation as the commands and the API returned it, and the secrets that go with it. */
export type Snapshot = { readonly known: Known; readonly content: Readonly<Record<string, unknown>> };

/** The folder of the fixture of a released version. */
export const fixtureOf = (version: string): string => join(FOLDER, version);

/** The released versions. */
export const RELEASES = readdirSync(FOLDER).sort();

function compress(data: Uint8Array<ArrayBuffer> | string): Uint8Array {
  return Bun.gzipSync(data, { level: 9 });
}

/** Compresses the databases of a closed data folder into a fixture. */
export function pack(dataDir: string, fixture: string): void {
  mkdirSync(fixture, { recursive: true });
  for (const name of DATABASES) {
    const database = new Database(join(dataDir, name));
    database.run('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
    writeFileSync(join(fixture, `${name}.gz`), compress(readFileSync(join(dataDir, name))));
  }
}

/** Creates a data folder from a fixture. */
export function unpack(fixture: string, dataDir: string): void {
  mkdirSync(dataDir, { recursive: true });
  for (const name of DATABASES) {
    writeFileSync(join(dataDir, name), Bun.gunzipSync(readFileSync(join(fixture, `${name}.gz`))));
  }
}

export function readSnapshot(fixture: string): Snapshot {
  return JSON.parse(new TextDecoder().decode(Bun.gunzipSync(readFileSync(join(fixture, SNAPSHOT)))));
}

export function writeSnapshot(fixture: string, snapshot: Snapshot): void {
  writeFileSync(join(fixture, SNAPSHOT), compress(JSON.stringify(snapshot)));
}

const MIGRATIONS = join(import.meta.dir, '../../../migrations');

/** The migrations and their hashes, in the format of `sha256sum`. */
export function hashMigrations(): string {
  const lines = readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => `${Bun.SHA256.hash(readFileSync(join(MIGRATIONS, name)), 'hex')}  migrations/${name}\n`);
  return lines.join('');
}

export const hashesOf = (fixture: string): string => readFileSync(join(fixture, 'migrations.sha256'), 'utf8');

/** @throws if a table of a database is empty */
export function requireRows(dataDir: string): void {
  for (const name of DATABASES) {
    const database = new Database(join(dataDir, name), { readonly: true });
    for (const table of tablesOf(database)) {
      if (database.query(`SELECT 1 FROM ${table}`).get() === null)
        throw new Error(`${name}: ${table} is empty`);
    }
    database.close();
  }
}

/** The tables except those of SQLite itself. */
export function tablesOf(database: Database): readonly string[] {
  return database
    .query<{ name: string }, []>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .all()
    .map(({ name }) => name);
}
