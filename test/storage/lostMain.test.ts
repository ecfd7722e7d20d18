import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { copyFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backupEngine } from '../../src/storage/sqlite/backup.ts';
import { checkFiles, inspectMain } from '../../src/storage/sqlite/inspect.ts';
import { MIGRATIONS } from '../../src/storage/sqlite/migrate.ts';
import { CLAIMS_FILE, MAIN_FILE, openMain } from '../../src/storage/sqlite/open.ts';
import { useFolders } from './folder.ts';

const makeFolder = useFolders();

const LOG = `${MAIN_FILE}-wal`;
/** The size of a log with the first transaction. */
const FIRST_LOG_BYTES = 8272;

/** The files of a server that was killed after its first start, before SQLite moved data from the log to the main file. */
function makeHotFolder(): string {
  const [source, folder] = [makeFolder(), makeFolder()];
  const { raw } = openMain(source);
  for (const name of [MAIN_FILE, LOG]) copyFileSync(join(source, name), join(folder, name));
  raw.close();
  expect(readFileSync(join(folder, MAIN_FILE)).length).toBe(4096);
  return folder;
}

const truncate = (name: string, size: number) => (folder: string) => truncateSync(join(folder, name), size);
const remove = (name: string) => (folder: string) => rmSync(join(folder, name));
const damageLog = (folder: string) => writeFileSync(join(folder, LOG), 'x'.repeat(100_000));
const addClaims = (folder: string) => writeFileSync(join(folder, CLAIMS_FILE), 'claims');

const LOST = [
  ['has one page, next to a damaged log', [damageLog], /has no tables, but postern.sqlite-wal is not empty/],
  [
    'has one page, without its log',
    [remove(LOG), addClaims],
    /has no tables, but claims.sqlite is not empty/,
  ],
  ['has one page, next to an empty log', [truncate(LOG, 0), addClaims], /has no tables, but claims.sqlite/],
  ['is empty, next to its log', [truncate(MAIN_FILE, 0)], /is empty, but postern.sqlite-wal is not/],
  ['is missing, next to its log', [remove(MAIN_FILE)], /is missing, but postern.sqlite-wal is not/],
  [
    'is missing, next to claims',
    [remove(LOG), remove(MAIN_FILE), addClaims],
    /is missing, but claims.sqlite/,
  ],
  [
    'is empty, next to claims',
    [remove(LOG), truncate(MAIN_FILE, 0), addClaims],
    /is empty, but claims.sqlite/,
  ],
] as const;

describe('a main database that was lost', () => {
  // Such a folder used to be a new installation, and SQLite deleted the log.
  test.each(LOST)('is rejected and unchanged if it %s', (_, damages, message) => {
    const folder = makeHotFolder();
    for (const damage of damages) damage(folder);
    const read = () =>
      [MAIN_FILE, LOG].map((name) => {
        const file = join(folder, name);
        return existsSync(file) ? readFileSync(file) : undefined;
      });
    const before = read();
    expect(() => openMain(folder)).toThrow(message);
    expect(() => checkFiles(folder)).toThrow(message);
    expect(() => inspectMain(folder)).toThrow(message);
    expect(() => backupEngine.identify(folder)).toThrow(message);
    expect(read()).toEqual(before);
  });
});

describe('a main database that was not lost', () => {
  test('has all its tables if a server was killed before they were moved from the log', () => {
    const folder = makeHotFolder();
    addClaims(folder);
    expect(inspectMain(folder)?.version).toBe(MIGRATIONS.length);
    const { raw } = openMain(folder);
    expect(raw.query('SELECT count(*) AS rows FROM migrations').get()).toEqual({ rows: MIGRATIONS.length });
    raw.close();
    expect(existsSync(join(folder, LOG))).toBeFalse();
  });

  test.each([0, 32, FIRST_LOG_BYTES - 1])(
    'is new if a server was killed during the first transaction, with a log of %d bytes',
    (size) => {
      const folder = makeHotFolder();
      truncate(LOG, size)(folder);
      openMain(folder).raw.close();
      expect(inspectMain(folder)?.version).toBe(MIGRATIONS.length);
    },
  );

  test('is new if a server was killed before the first transaction', () => {
    const folder = makeFolder();
    const raw = new Database(join(folder, MAIN_FILE), { create: true });
    raw.run('PRAGMA journal_mode = WAL');
    raw.close(true);
    openMain(folder).raw.close();
    expect(inspectMain(folder)?.version).toBe(MIGRATIONS.length);
  });
});

test('closing the last connection moves all data to the file and deletes the log, although statements exist', () => {
  const folder = makeFolder();
  const { raw } = openMain(folder);
  const statements = [raw.prepare('SELECT * FROM migrations'), raw.prepare('SELECT 1')];
  raw.close();
  expect(existsSync(join(folder, LOG))).toBeFalse();
  expect(statements).toHaveLength(2);
});
