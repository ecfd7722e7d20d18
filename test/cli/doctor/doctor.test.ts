import { Database } from 'bun:sqlite';
import { beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETTINGS } from '../../../src/settings.ts';
import { MIGRATIONS } from '../../../src/storage/sqlite/migrate.ts';
import { CERTIFICATE } from '../certificates.ts';
import { createCommandLine, useCommandLine } from '../commandLine.ts';
import { examine, type Setting } from './examine.ts';

const NEWEST = MIGRATIONS.at(-1)?.version;

const cli = useCommandLine();
const certificate = join(cli.folder, 'cert.pem');
beforeAll(() => writeFileSync(certificate, CERTIFICATE));

test('a data folder that does not exist passes, and is not created', async () => {
  const { code, report, setting, check } = await examine(cli);
  expect(code).toBe(0);
  expect(report.settings.map(({ variable }) => variable)).toEqual(SETTINGS.map(({ variable }) => variable));
  expect(setting('POSTERN_PORT')).toEqual({
    name: 'port',
    variable: 'POSTERN_PORT',
    value: '8080',
    source: 'default',
    error: null,
  });
  expect(setting('POSTERN_BASE_URL')?.value).toBe('http://localhost:8080');
  expect(report.checks.filter(({ ok, warning }) => !ok || warning)).toEqual([]);
  expect(check('data-folder')?.detail).toEndWith('/data will be created at the first start');
  expect(check('database')?.detail).toBe('does not exist yet');
  expect(existsSync(cli.dataDir)).toBe(false);
});

test('all errors are reported at once, with the source of the value, and secrets are masked', async () => {
  const passwordFile = join(cli.folder, 'password');
  writeFileSync(passwordFile, 'hunter2\n');
  const settings = {
    POSTERN_PORT: '99999',
    POSTERN_DEMO: 'maybe',
    POSTERN_ADMIN_EMAIL: 'ann@example.com',
    POSTERN_ADMIN_PASSWORD_FILE: passwordFile,
    POSTERN_VERIFY_KEY: 'a-key-that-is-too-short',
    POSTERN_PORTAL_KEY: 'k'.repeat(40),
    POSTERN_TLS_CERT: certificate,
    POSTERN_PROT: '80',
  };
  const { code, out, report, setting, check } = await examine(cli, settings);
  expect(code).toBe(2);
  const wrong = report.settings.filter(({ error }) => error !== null).map(({ variable }) => variable);
  expect(wrong.sort()).toEqual([
    'POSTERN_ADMIN_PASSWORD',
    'POSTERN_DEMO',
    'POSTERN_PORT',
    'POSTERN_VERIFY_KEY',
  ]);
  expect(setting('POSTERN_ADMIN_PASSWORD')).toMatchObject({ value: '********', source: 'file' });
  expect(setting('POSTERN_PORTAL_KEY')).toMatchObject({
    value: '********',
    source: 'environment',
    error: null,
  });
  expect(check('settings')).toMatchObject({ ok: false });
  expect(check('settings')?.detail).toContain('POSTERN_TLS_CERT and POSTERN_TLS_KEY must be set together');
  expect(check('variables')).toMatchObject({ ok: true, warning: true });
  expect(check('variables')?.detail).toContain('POSTERN_PROT');
  const text = (await cli.run('doctor', { settings })).out;
  for (const shown of [out, text]) {
    for (const secret of ['hunter2', 'a-key-that', 'kkkk']) expect(shown).not.toContain(secret);
  }
  expect(text).toContain('POSTERN_PORT must be a port number');
});

test('a flag overrides the environment, and its source is shown', async () => {
  const { out } = await cli.run('doctor --json --port 81', { settings: { POSTERN_PORT: '82' } });
  const { settings } = JSON.parse(out) as { settings: Setting[] };
  expect(settings.find(({ name }) => name === 'port')).toMatchObject({ value: '81', source: 'flag' });
});

describe('the database', () => {
  const other = useCommandLine();
  const file = join(other.dataDir, 'postern.sqlite');
  beforeAll(async () => {
    // In its own process, so that this process does not keep the file open.
    await other.spawn('users create --email ann@example.com');
  });

  /** The name, the modification time, and the hash of each file. */
  function snapshot() {
    return readdirSync(other.dataDir).map((name) => {
      const path = join(other.dataDir, name);
      return [name, statSync(path).mtimeMs, Bun.hash(readFileSync(path))];
    });
  }

  test('is checked without being changed', async () => {
    const before = snapshot();
    const { code, check } = await examine(other);
    expect({ code, ...check('database') }).toMatchObject({
      code: 0,
      ok: true,
      detail: `schema version ${NEWEST}`,
    });
    expect(snapshot()).toEqual(before);
  });

  test('is checked while another process uses it, including changes in the WAL file', async () => {
    const database = new Database(file);
    database.run('INSERT INTO migrations VALUES (998, ?, 0)', ['unmerged']);
    const { code, check } = await examine(other);
    expect({ code, ...check('database') }).toMatchObject({ code: 1, ok: false });
    expect(check('database')?.detail).toContain('schema version 998');
    database.run('DELETE FROM migrations WHERE version = 998');
    database.close();
  });

  test('with a write time in the future fails the clock check', async () => {
    const database = new Database(file);
    database.run('UPDATE migrations SET applied_at = ?', [Date.now() + 3_600_000]);
    database.close();
    const { code, check } = await examine(other);
    expect({ code, ...check('clock') }).toMatchObject({ code: 1, ok: false });
    expect(check('clock')?.detail).toContain('before the last write to the database');
  });

  test('of a newer version fails the check, and all other commands reject it without changing it', async () => {
    const database = new Database(file);
    database.run('INSERT INTO migrations VALUES (999, ?, 0)', ['future']);
    database.close();
    const { code, check } = await examine(other);
    expect({ code, ...check('database') }).toMatchObject({ code: 1, ok: false });
    expect(check('database')).toMatchObject({
      detail: `schema version 999, but this version of Postern supports only ${NEWEST} and earlier`,
      fix: 'Use a newer version of Postern, or restore a backup from before the upgrade.',
    });
    for (const words of ['users list', 'users create --email new@example.com', 'maintenance on']) {
      const { code, out, err } = await other.run(`${words} --json`);
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toContain(
        `the database has schema version 999, but this version of Postern supports only ${NEWEST} and earlier`,
      );
    }
    const after = new Database(file, { readonly: true });
    expect(after.query('SELECT count(*) AS n FROM accounts').get()).toEqual({ n: 1 });
    after.close();
  });

  test('fails the check if the file is not a database', async () => {
    const third = createCommandLine();
    mkdirSync(third.dataDir);
    writeFileSync(join(third.dataDir, 'postern.sqlite'), 'This is not a database, but it is long enough.');
    const { code, check } = await examine(third);
    expect({ code, ok: check('database')?.ok }).toEqual({ code: 1, ok: false });
    expect(readdirSync(third.dataDir)).toEqual(['postern.sqlite']);
    await third.remove();
  });
});
