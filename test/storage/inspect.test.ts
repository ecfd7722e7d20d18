import { describe, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspectMain } from '../../src/storage/sqlite/inspect.ts';
import { MIGRATIONS } from '../../src/storage/sqlite/migrate.ts';
import { MAIN_FILE, openMain } from '../../src/storage/sqlite/open.ts';
import { useFolders } from './folder.ts';

const makeFolder = useFolders();

describe('inspecting the main database', () => {
  test('finds nothing in an empty or missing folder, and creates nothing', () => {
    const folder = makeFolder();
    expect(inspectMain(join(folder, 'missing'))).toBeUndefined();
    expect(inspectMain(folder)).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('returns the version and the last write, and leaves no files', () => {
    const folder = makeFolder();
    const before = Date.now();
    openMain(folder).raw.close();
    const files = readdirSync(folder);
    const found = inspectMain(folder);
    expect(found).toMatchObject({ version: MIGRATIONS.length, newestVersion: MIGRATIONS.length });
    expect(found?.lastWriteAt).toBeWithin(before, Date.now() + 1);
    expect(readdirSync(folder)).toEqual(files);
  });

  test('sees the last write of a running server', () => {
    const folder = makeFolder();
    const { raw } = openMain(folder);
    raw.run("INSERT INTO migrations VALUES (9999, 'from the future', 5)");
    raw.run("INSERT INTO signing_keys VALUES (x'00000000', x'00', 9000000000000)");
    expect(inspectMain(folder)).toMatchObject({ version: 9999, lastWriteAt: 9_000_000_000_000 });
    raw.close();
  });

  test('returns version 0 for a file without tables', () => {
    const folder = makeFolder();
    writeFileSync(join(folder, MAIN_FILE), '');
    expect(inspectMain(folder)).toMatchObject({ version: 0, lastWriteAt: undefined });
  });

  test('throws if the file is not a SQLite database', () => {
    const folder = makeFolder();
    writeFileSync(join(folder, MAIN_FILE), 'holiday pictures '.repeat(100));
    expect(() => inspectMain(folder)).toThrow();
    const other = makeFolder();
    mkdirSync(join(other, MAIN_FILE));
    expect(() => inspectMain(other)).toThrow();
  });
});
