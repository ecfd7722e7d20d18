import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETTINGS } from '../../src/settings.ts';
import { MIGRATIONS } from '../../src/storage/sqlite/migrate.ts';
import { startDns, type TestDns } from '../support/dns.ts';
import { CERTIFICATE, EXPIRED_CERTIFICATE, OTHER_PRIVATE_KEY, PRIVATE_KEY } from './certificates.ts';
import { type CommandLine, createCommandLine, useCommandLine } from './commandLine.ts';

const NEWEST = MIGRATIONS.at(-1)?.version;

const cli = useCommandLine();
const files = {
  cert: join(cli.folder, 'cert.pem'),
  expired: join(cli.folder, 'expired.pem'),
  key: join(cli.folder, 'key.pem'),
  other: join(cli.folder, 'other.pem'),
};
beforeAll(() => {
  writeFileSync(files.cert, CERTIFICATE);
  writeFileSync(files.expired, EXPIRED_CERTIFICATE);
  writeFileSync(files.key, PRIVATE_KEY);
  writeFileSync(files.other, OTHER_PRIVATE_KEY);
});

type Check = { name: string; ok: boolean; warning: boolean; detail: string };
type Setting = {
  name: string;
  variable: string;
  value: string | null;
  source: string;
  mistake: string | null;
};

async function examine(settings: Record<string, string> = {}, on: CommandLine = cli) {
  const { code, out, err } = await on.run('doctor --json', {
    settings: { POSTERN_DNS_CHECK: 'off', ...settings },
  });
  expect(err).toBe('');
  const report = JSON.parse(out) as { ok: boolean; settings: Setting[]; checks: Check[] };
  expect(report.ok).toBe(code === 0);
  return {
    code,
    out,
    report,
    setting: (variable: string) => report.settings.find((row) => row.variable === variable),
    check: (name: string) => report.checks.find((row) => row.name === name),
  };
}

test('a data folder that does not exist passes, and is not created', async () => {
  const { code, report, setting, check } = await examine();
  expect(code).toBe(0);
  expect(report.settings.map(({ variable }) => variable)).toEqual(SETTINGS.map(({ variable }) => variable));
  expect(setting('POSTERN_PORT')).toEqual({
    name: 'port',
    variable: 'POSTERN_PORT',
    value: '8080',
    source: 'default',
    mistake: null,
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
    POSTERN_TLS_CERT: files.cert,
    POSTERN_PROT: '80',
  };
  const { code, out, report, setting, check } = await examine(settings);
  expect(code).toBe(2);
  const wrong = report.settings.filter(({ mistake }) => mistake !== null).map(({ variable }) => variable);
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
    mistake: null,
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

describe('the check', () => {
  const tls = { POSTERN_BASE_URL: 'https://captcha.example.com', POSTERN_TLS_KEY: files.key };
  const proxied = { POSTERN_TRUSTED_PROXIES: '10.0.0.0/8' };
  const soft = { code: 0, ok: true, warning: true };
  const hard = { code: 1, ok: false, warning: false };
  const fine = { code: 0, ok: true, warning: false };

  test.concurrent.each([
    [
      'tls',
      'a valid certificate',
      { ...tls, POSTERN_TLS_CERT: files.cert },
      fine,
      'valid until 2120-01-01T00:00:00.000Z',
    ],
    [
      'tls',
      'an expired certificate',
      { ...tls, POSTERN_TLS_CERT: files.expired },
      hard,
      'was valid until 2021-01-01',
    ],
    [
      'tls',
      'a key that does not match the certificate',
      { ...tls, POSTERN_TLS_CERT: files.cert, POSTERN_TLS_KEY: files.other },
      hard,
      'is not the key of',
    ],
    ['tls', 'a missing file', { ...tls, POSTERN_TLS_CERT: '/no/such/file' }, hard, '/no/such/file'],
    ['tls', 'a file without a certificate', { ...tls, POSTERN_TLS_CERT: files.key }, hard, 'key.pem'],
    [
      'tls',
      'a certificate for another host',
      { ...tls, POSTERN_TLS_CERT: files.cert, POSTERN_BASE_URL: 'https://other.example' },
      soft,
      'not for other.example',
    ],
    ['exposure', 'proxies without https', proxied, soft, 'proxies are trusted, but the base URL is http'],
    [
      'exposure',
      'proxies and https',
      { ...proxied, POSTERN_BASE_URL: 'https://a.example' },
      fine,
      'https://a.example',
    ],
    [
      'exposure',
      'https without proxies',
      { POSTERN_BASE_URL: 'https://a.example' },
      soft,
      'POSTERN_TRUSTED_PROXIES',
    ],
    [
      'exposure',
      'a public bind address without a base URL',
      { POSTERN_HOST: '0.0.0.0' },
      soft,
      'set POSTERN_BASE_URL',
    ],
    [
      'data-folder',
      'a path that is a file',
      { POSTERN_DATA_DIR: files.cert },
      hard,
      'cert.pem is not a folder',
    ],
  ] as const)('%s: %s', async (name, _, settings, expected, detail) => {
    const { code, check } = await examine(settings);
    const { ok, warning, detail: found } = check(name) ?? {};
    expect({ code, ok, warning }).toEqual({ ...expected });
    expect(found).toContain(detail);
  });
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
    const { code, check } = await examine({}, other);
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
    const { code, check } = await examine({}, other);
    expect({ code, ...check('database') }).toMatchObject({ code: 1, ok: false });
    expect(check('database')?.detail).toContain('schema version 998');
    database.run('DELETE FROM migrations WHERE version = 998');
    database.close();
  });

  test('with a later write time than now fails the clock check', async () => {
    const database = new Database(file);
    database.run('UPDATE migrations SET applied_at = ?', [Date.now() + 3_600_000]);
    database.close();
    const { code, check } = await examine({}, other);
    expect({ code, ...check('clock') }).toMatchObject({ code: 1, ok: false });
    expect(check('clock')?.detail).toContain('before the last write to the database');
  });

  test('of a newer version fails the check, and all other commands reject it without changing it', async () => {
    const database = new Database(file);
    database.run('INSERT INTO migrations VALUES (999, ?, 0)', ['future']);
    database.close();
    const { code, check } = await examine({}, other);
    expect({ code, ...check('database') }).toMatchObject({ code: 1, ok: false });
    expect(check('database')?.detail).toBe(
      `schema version 999, but this version of Postern supports only ${NEWEST} and earlier; use a newer version`,
    );
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
    const { code, check } = await examine({}, third);
    expect({ code, ok: check('database')?.ok }).toEqual({ code: 1, ok: false });
    expect(readdirSync(third.dataDir)).toEqual(['postern.sqlite']);
    third.remove();
  });
});

describe('the DNS', () => {
  let dns: TestDns;
  beforeAll(async () => {
    dns = await startDns({ 'example.com': { failure: 'NXDOMAIN' } });
  });
  afterAll(() => dns.stop());

  test('is not queried if the DNS check is off', async () => {
    const { check } = await examine({ POSTERN_DNS_SERVERS: dns.address });
    expect(check('dns')).toMatchObject({ ok: true, warning: false, detail: 'not used' });
    expect(dns.queries.size).toBe(0);
  });

  test('passes if the server responds, even with an error', async () => {
    const { code, check } = await examine({ POSTERN_DNS_CHECK: 'on', POSTERN_DNS_SERVERS: dns.address });
    expect({ code, ...check('dns') }).toMatchObject({
      code: 0,
      warning: false,
      detail: `${dns.address}: responding`,
    });
  });

  test('gives a warning if the server does not respond', async () => {
    const silent = {
      POSTERN_DNS_CHECK: 'on',
      POSTERN_DNS_SERVERS: '127.0.0.1:1',
      POSTERN_DNS_TIMEOUT_MS: '200',
    };
    const { code, check } = await examine(silent);
    expect({ code, ...check('dns') }).toMatchObject({ code: 0, ok: true, warning: true });
    expect(check('dns')?.detail).toMatch(/^127\.0\.0\.1:1: no response within 200 ms/);
  });
});
