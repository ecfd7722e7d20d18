import { describe, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../src/config.ts';
import { formatApiKey } from '../src/model/apiKey.ts';
import { SETTINGS } from '../src/settings.ts';

const key = 'k'.repeat(32);

/** The errors that these variables cause. */
function errorsOf(environment: Record<string, string>): readonly string[] {
  const { errors, config } = readConfig({}, environment);
  expect(config === undefined).toBe(errors.length > 0);
  return errors;
}

const SOCKET = { POSTERN_HOST: 'unix:/run/a.sock', POSTERN_BASE_URL: 'https://captcha.example.com' };

describe('without any setting', () => {
  test('the configuration has the defaults and is frozen', () => {
    const { config, errors, unknownVariables } = readConfig({}, {});
    expect(errors).toEqual([]);
    expect(unknownVariables).toEqual([]);
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      baseUrl: 'http://localhost:8080',
      dataDir: './data',
      trustedProxies: [],
      dnsCheck: true,
      dnsServers: undefined,
      dnsTimeoutMs: 3000,
      testProperty: true,
      demo: false,
      replayDurability: 'full',
    });
    expect(Object.isFrozen(config)).toBe(true);
  });

  test('every setting has a valid default, or none', () => {
    for (const { variable, parse } of SETTINGS) {
      expect([variable, parse(undefined).ok]).toEqual([variable, true]);
    }
  });

  test('every setting has its own variable and flag', () => {
    const names = SETTINGS.map(({ variable }) => variable);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(SETTINGS.map(({ flag }) => flag)).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^POSTERN_[A-Z]+[0-9]*(_[A-Z]+)*$/);
  });
});

describe('the source of a value', () => {
  const sourceOf = (flags: Record<string, string>, environment: Record<string, string>) => {
    const { config, settings } = readConfig(flags, environment);
    const report = settings.find(({ setting }) => setting.variable === 'POSTERN_PORT');
    return [config?.port, report?.source];
  };

  test('is the flag, or else the variable, or else the default', () => {
    expect(sourceOf({ POSTERN_PORT: '1' }, { POSTERN_PORT: '2' })).toEqual([1, 'flag']);
    expect(sourceOf({}, { POSTERN_PORT: '2' })).toEqual([2, 'environment']);
    expect(sourceOf({}, {})).toEqual([8080, 'default']);
  });

  test('can be a flag that has the name of the variable without its prefix', () => {
    expect(SETTINGS.find(({ flag }) => flag === 'data-dir')?.variable).toBe('POSTERN_DATA_DIR');
  });
});

describe('values', () => {
  test.each([
    ['POSTERN_PORT', '0', { port: 0, baseUrl: 'http://localhost:0' }],
    ['POSTERN_PORT', '65535', { port: 65_535 }],
    ['POSTERN_BASE_URL', 'https://captcha.example.com/', { baseUrl: 'https://captcha.example.com' }],
    ['POSTERN_BASE_URL', 'http://10.0.0.1:8080', { baseUrl: 'http://10.0.0.1:8080' }],
    ['POSTERN_MARK_DIR', './data-mark', { markDir: './data-mark' }],
    ['CACHE_DIRECTORY', '/var/cache/postern', { markDir: undefined, cacheDir: '/var/cache/postern' }],
    ['CACHE_DIRECTORY', '/var/cache/postern:/var/cache/other', { cacheDir: '/var/cache/postern' }],
    ['CACHE_DIRECTORY', '', { cacheDir: undefined }],
    ['POSTERN_TEST_PROPERTY', 'off', { testProperty: false }],
    ['POSTERN_TEST_PROPERTY', 'on', { testProperty: true }],
    ['POSTERN_PUZZLE_RATE', '0.5', { puzzleRate: 0.5 }],
    ['POSTERN_PUZZLE_BURST', '1', { puzzleBurst: 1 }],
    ['POSTERN_REPLAY_DURABILITY', 'normal', { replayDurability: 'normal' }],
    ['POSTERN_CLIENT_IP_HEADER', 'CF-Connecting-IP', { clientIpHeader: 'CF-Connecting-IP' }],
    ['POSTERN_DNS_CHECK', 'off', { dnsCheck: false }],
    ['POSTERN_DNS_SERVERS', '192.0.2.53, [::1]:5353', { dnsServers: ['192.0.2.53', '[::1]:5353'] }],
    ['POSTERN_DNS_TIMEOUT_MS', '100', { dnsTimeoutMs: 100 }],
    ['POSTERN_DNS_TIMEOUT_MS', '60000', { dnsTimeoutMs: 60_000 }],
    ['POSTERN_VERIFY_KEY', key, { verifyKey: key }],
    ['POSTERN_LOG', 'debug', { log: 'debug' }],
  ])('%s may be %s', (variable, text, expected) => {
    expect(readConfig({}, { [variable]: text }).config).toMatchObject(expected);
  });

  test.each([
    ['http://localhost:8080', {}, true],
    ['https://captcha.localhost', {}, true],
    ['http://127.0.0.1:8080', {}, true],
    ['http://127.255.255.254', {}, true],
    ['http://[::1]:8080', {}, true],
    ['https://captcha.example.com', {}, false],
    ['https://localhost.example.com', {}, false],
    ['https://127.example.com', {}, false],
    ['http://10.0.0.1', {}, false],
    ['http://[::2]', {}, false],
    ['https://captcha.example.com', { POSTERN_DEMO: 'on' }, true],
    ['https://captcha.example.com', { POSTERN_TEST_PROPERTY: 'on' }, true],
    ['http://localhost:8080', { POSTERN_DEMO: 'on', POSTERN_TEST_PROPERTY: 'off' }, false],
  ])('with the base URL %s and %j, the test property is on: %p', (baseUrl, more, isOn) => {
    const { config } = readConfig({}, { POSTERN_BASE_URL: baseUrl, ...more });
    expect(config?.testProperty).toBe(isOn);
  });

  test('trusted proxies are addresses and CIDR blocks, with or without spaces', () => {
    const { config } = readConfig({}, { POSTERN_TRUSTED_PROXIES: '10.0.0.0/8, ::1' });
    expect(config?.trustedProxies.map(({ prefix }) => prefix)).toEqual([8, 128]);
  });

  test('the default base URL uses https if a certificate is set', () => {
    const { config } = readConfig({}, { POSTERN_TLS_CERT: 'cert.pem', POSTERN_TLS_KEY: 'key.pem' });
    expect(config?.baseUrl).toBe('https://localhost:8080');
  });

  test.each([
    ['POSTERN_HOST', ''],
    ['POSTERN_HOST', 'unix:'],
    ['POSTERN_HOST', 'unix:postern.sock'],
    ['POSTERN_HOST', 'unix:/run/'],
    ['POSTERN_HOST', `unix:/${'a'.repeat(107)}`],
    ['POSTERN_PORT', 'http'],
    ['POSTERN_PORT', '65536'],
    ['POSTERN_PORT', '-1'],
    ['POSTERN_PORT', '80 '],
    ['POSTERN_PORT', ''],
    ['POSTERN_BASE_URL', 'captcha.example.com'],
    ['POSTERN_BASE_URL', 'ftp://example.com'],
    ['POSTERN_BASE_URL', 'https://example.com/captcha'],
    ['POSTERN_BASE_URL', 'https://user@example.com'],
    ['POSTERN_BASE_URL', 'https://example.com?x'],
    ['POSTERN_DATA_DIR', ''],
    ['POSTERN_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['POSTERN_TRUSTED_PROXIES', '10.0.0.0/8,'],
    ['POSTERN_TRUSTED_PROXIES', 'proxy.example.com'],
    ['POSTERN_CLIENT_IP_HEADER', 'X Forwarded For'],
    ['POSTERN_DNS_SERVERS', ''],
    ['POSTERN_DNS_SERVERS', 'dns.example.com'],
    ['POSTERN_DNS_TIMEOUT_MS', '99'],
    ['POSTERN_DNS_TIMEOUT_MS', '60001'],
    ['POSTERN_DNS_TIMEOUT_MS', '1e3'],
    ['POSTERN_TEST_PROPERTY', 'yes'],
    ['POSTERN_TEST_PROPERTY', 'ON'],
    ['POSTERN_TEST_PROPERTY', 'toString'],
    ['POSTERN_DEMO', '1'],
    ['POSTERN_PUZZLE_RATE', '0'],
    ['POSTERN_PUZZLE_RATE', '-1'],
    ['POSTERN_PUZZLE_RATE', '1e3'],
    ['POSTERN_PUZZLE_BURST', '1.5'],
    ['POSTERN_PUZZLE_BURST', '0'],
    ['POSTERN_VERIFY_BURST', '1000000001'],
    ['POSTERN_REPLAY_DURABILITY', 'off'],
    ['POSTERN_LOG', 'verbose'],
    ['POSTERN_LOG_FORMAT', 'xml'],
  ])('%s may not be %j, and the error names the allowed values', (variable, text) => {
    const allowed = SETTINGS.find((row) => row.variable === variable)?.allowed;
    expect(errorsOf({ [variable]: text })).toEqual([
      `${variable} must be ${allowed}, not ${JSON.stringify(text)}`,
    ]);
  });

  const admin = { POSTERN_ADMIN_EMAIL: 'anna@example.com' };

  test('all errors are reported at once', () => {
    const wrong = { POSTERN_PORT: 'x', POSTERN_DEMO: 'x', POSTERN_LOG: 'x', POSTERN_TLS_KEY: 'key.pem' };
    expect(errorsOf(wrong)).toHaveLength(4);
  });

  test.each([
    [{ POSTERN_ADMIN_EMAIL: 'anna@example.com' }, 'POSTERN_ADMIN_PASSWORD'],
    [{ POSTERN_ADMIN_PASSWORD: 'correct horse' }, 'POSTERN_ADMIN_EMAIL'],
    [
      { ...admin, POSTERN_ADMIN_PASSWORD: 'password123' },
      'POSTERN_ADMIN_PASSWORD is not accepted: This password is common',
    ],
    [
      { ...admin, POSTERN_ADMIN_PASSWORD: 'anna2026!' },
      'is not accepted: This password is based on the name of the product',
    ],
    [{ POSTERN_TLS_CERT: 'cert.pem' }, 'POSTERN_TLS_KEY'],
    [{ POSTERN_BACKUP_SCHEDULE: '30 3 * * *' }, 'POSTERN_BACKUP_DIR must be set together'],
    [{ POSTERN_BACKUP_DIR: '/backups' }, 'POSTERN_BACKUP_DIR must be set together'],
    [{ POSTERN_BACKUP_KEEP: '3' }, 'POSTERN_BACKUP_KEEP requires POSTERN_BACKUP_SCHEDULE'],
    [{ POSTERN_DATABASE_PASSWORD: 'secret' }, 'POSTERN_DATABASE_PASSWORD requires POSTERN_DATABASE_URL'],
    [{ POSTERN_DATABASE_CA: '/ca.pem' }, 'POSTERN_DATABASE_CA requires POSTERN_DATABASE_URL'],
    [
      { POSTERN_DATABASE_URL: 'postgres://user:secret@db/postern', POSTERN_DATABASE_PASSWORD: 'secret' },
      'POSTERN_DATABASE_URL contains a password, so POSTERN_DATABASE_PASSWORD must not be set',
    ],
    [
      { POSTERN_DATABASE_URL: 'postgres://user@localhost/postern', POSTERN_DATABASE_CA: '/ca.pem' },
      'POSTERN_DATABASE_CA requires TLS, which POSTERN_DATABASE_URL does not use',
    ],
    [
      {
        POSTERN_DATABASE_URL: 'postgres://user@db/postern',
        POSTERN_BACKUP_SCHEDULE: '30 3 * * *',
        POSTERN_BACKUP_DIR: '/backups',
      },
      'POSTERN_BACKUP_SCHEDULE cannot be combined with POSTERN_DATABASE_URL',
    ],
    [{ POSTERN_MARK_DIR: '/srv/data/mark', POSTERN_DATA_DIR: '/srv/data/' }, 'must be a folder outside'],
    [{ POSTERN_MARK_DIR: './data/../data' }, 'POSTERN_MARK_DIR must be a folder outside of the data folder'],
    [
      { POSTERN_DATABASE_URL: 'postgres://user@db/postern', POSTERN_MARK_DIR: '/mark' },
      'POSTERN_MARK_DIR cannot be combined with POSTERN_DATABASE_URL',
    ],
    [{ POSTERN_PORTAL_KEY: key, POSTERN_VERIFY_KEY: key }, 'different'],
    [{ POSTERN_HOST: 'unix:/run/a.sock' }, 'POSTERN_BASE_URL is required if POSTERN_HOST is a Unix socket'],
    [{ ...SOCKET, POSTERN_PORT: '8080' }, 'POSTERN_PORT cannot be combined with a Unix socket'],
    [
      { ...SOCKET, POSTERN_TLS_CERT: '/a', POSTERN_TLS_KEY: '/b' },
      'POSTERN_TLS_CERT cannot be combined with a Unix socket',
    ],
    [{ ...SOCKET, POSTERN_THREADS: '2' }, 'POSTERN_THREADS must be 1 if POSTERN_HOST is a Unix socket'],
  ])('%o is an invalid combination', (environment, hint) => {
    const [error, ...more] = errorsOf(environment as Record<string, string>);
    expect(error).toContain(hint);
    expect(more).toEqual([]);
  });

  test.each([
    ['30 3 * * *', true],
    ['*/15 0-6 1,15 JAN-JUN MON', true],
    ['@daily', true],
    ['', false],
    ['daily', false],
    ['30 3 * *', false],
    ['0 30 3 * * *', false],
    ['99 3 * * *', false],
    // Never happens.
    ['0 0 30 2 *', false],
    ['2030-01-01T00:00:00', false],
    ['1 '.repeat(10_000), false],
  ])('the schedule of backups %p is valid: %p', (schedule, isValid) => {
    const { config, errors } = readConfig(
      {},
      { POSTERN_BACKUP_SCHEDULE: schedule, POSTERN_BACKUP_DIR: '/backups' },
    );
    expect(config?.backupSchedule).toBe(isValid ? schedule : undefined);
    const reason = 'POSTERN_BACKUP_SCHEDULE must be a cron expression with five fields';
    expect(errors.map((error) => error.slice(0, reason.length))).toEqual(isValid ? [] : [reason]);
  });

  test('unknown variables with the prefix POSTERN_ are reported', () => {
    const environment = {
      POSTERN_PROT: '1',
      POSTERN_PORT_FILE: 'x',
      PATH: '/bin',
      POSTERN_VERIFY_KEY_FILE: '',
    };
    expect(readConfig({}, environment).unknownVariables).toEqual(['POSTERN_PORT_FILE', 'POSTERN_PROT']);
  });
});

describe('secrets', () => {
  const folder = () => mkdtempSync(join(tmpdir(), 'postern-config-'));

  test('are always masked, even if they are invalid', () => {
    for (const secret of [key, formatApiKey('verify', new Uint8Array(32)), 'too short but secret']) {
      const report = readConfig({}, { POSTERN_VERIFY_KEY: secret, POSTERN_ADMIN_PASSWORD: 'hushhush' });
      const shown = JSON.stringify([report.settings.map((row) => row.shown), report.errors]);
      expect(shown).not.toContain(secret);
      expect(shown).not.toContain('hushhush');
      expect(shown).toContain('********');
    }
  });

  test.each([
    ['without a line break', key, key],
    ['with a line break at its end', `${key}\n`, key],
    ['with a Windows line break at its end', `${key}\r\n`, key],
  ])('can come from a file %s', (_, text, expected) => {
    const path = folder();
    const file = join(path, 'secret');
    writeFileSync(file, text);
    chmodSync(file, 0o600);
    const { config, settings } = readConfig({}, { POSTERN_VERIFY_KEY_FILE: file });
    rmSync(path, { recursive: true });
    expect(config?.verifyKey).toBe(expected);
    expect(settings.find((row) => row.key === 'verifyKey')).toMatchObject({
      source: 'file',
      shown: '********',
    });
  });

  test('in a file that cannot be read are an error', () => {
    const path = folder();
    const [error] = errorsOf({ POSTERN_VERIFY_KEY_FILE: join(path, 'nothing') });
    rmSync(path, { recursive: true });
    expect(error).toStartWith('POSTERN_VERIFY_KEY_FILE cannot be read: ');
  });

  test('given as a variable and as a file are an error', () => {
    const [error] = errorsOf({ POSTERN_VERIFY_KEY: key, POSTERN_VERIFY_KEY_FILE: 'somewhere' });
    expect(error).toBe('POSTERN_VERIFY_KEY and POSTERN_VERIFY_KEY_FILE are both set; set only one of them');
  });

  test('given as a flag override both', () => {
    const environment = { POSTERN_VERIFY_KEY_FILE: 'somewhere' };
    expect(readConfig({ POSTERN_VERIFY_KEY: key }, environment).config?.verifyKey).toBe(key);
  });
});

describe('automatic HTTPS', () => {
  const acme = {
    POSTERN_ACME_DOMAIN: 'captcha.example.com,Bücher.example',
    POSTERN_ACME_EMAIL: 'Ops@Bücher.example',
    POSTERN_PORT: '443',
  };

  test('has defaults, and derives the base URL from the first domain', () => {
    const { config, errors } = readConfig({}, acme);
    expect(errors).toEqual([]);
    expect(config).toMatchObject({
      acmeDomains: ['captcha.example.com', 'xn--bcher-kva.example'],
      // CAs accept only ASCII.
      acmeEmail: 'ops@xn--bcher-kva.example',
      acmeHttpPort: 80,
      acmeDirectory: 'https://acme-v02.api.letsencrypt.org/directory',
      acmeCa: undefined,
      baseUrl: 'https://captcha.example.com',
    });
    expect(readConfig({}, { ...acme, POSTERN_PORT: '8443' }).config?.baseUrl).toBe(
      'https://captcha.example.com:8443',
    );
    expect(readConfig({}, {}).config).toMatchObject({ acmeDomains: [], baseUrl: 'http://localhost:8080' });
  });

  test('accepts every domain as the host of the base URL, on any port', () => {
    for (const url of ['https://captcha.example.com', 'https://xn--bcher-kva.example:8443']) {
      expect(errorsOf({ ...acme, POSTERN_BASE_URL: url })).toEqual([]);
    }
  });

  test.each([
    ['localhost', 'localhost'],
    ['an IPv4 address', '192.0.2.1'],
    ['an IPv6 address', '2001:db8::1'],
    ['a wildcard', '*.example.com'],
    ['a single label', 'captcha'],
    ['a public suffix', 'co.uk'],
    ['a port', 'captcha.example.com:443'],
    ['an empty entry', 'captcha.example.com,'],
    ['a duplicate', 'captcha.example.com,CAPTCHA.example.com'],
    ['too many domains', Array.from({ length: 101 }, (_, index) => `a${index}.example.com`).join()],
  ])('rejects %s as domain', (_, domain) => {
    expect(errorsOf({ ...acme, POSTERN_ACME_DOMAIN: domain })).toEqual([
      `POSTERN_ACME_DOMAIN must be up to 100 different domain names, separated by commas, without wildcards, IP addresses, or localhost, not ${JSON.stringify(domain)}`,
    ]);
  });

  test.each([
    ['http://acme.example/dir', false],
    ['https://user@acme.example/dir', false],
    ['https://acme.example/dir#x', false],
    ['ftp://127.0.0.1/dir', false],
    [`https://acme.example/${'x'.repeat(200)}`, false],
    ['https://acme.example/dir', true],
    ['http://127.0.0.1:14000/dir', true],
    ['http://localhost:14000/dir', true],
  ])('the directory %s is accepted: %p', (url, isAccepted) => {
    expect(errorsOf({ ...acme, POSTERN_ACME_DIRECTORY: url }).length === 0).toBe(isAccepted);
  });

  test.each<[Record<string, string>, string]>([
    [
      { POSTERN_ACME_DOMAIN: 'a.example', POSTERN_PORT: '443' },
      'POSTERN_ACME_DOMAIN and POSTERN_ACME_EMAIL must be set together',
    ],
    [
      { POSTERN_ACME_EMAIL: 'ops@example.com' },
      'POSTERN_ACME_DOMAIN and POSTERN_ACME_EMAIL must be set together',
    ],
    [{ POSTERN_ACME_HTTP_PORT: '81' }, 'POSTERN_ACME_HTTP_PORT requires POSTERN_ACME_DOMAIN'],
    [
      { POSTERN_ACME_DIRECTORY: 'https://acme.example/' },
      'POSTERN_ACME_DIRECTORY requires POSTERN_ACME_DOMAIN',
    ],
    [{ POSTERN_ACME_CA: '/ca.pem' }, 'POSTERN_ACME_CA requires POSTERN_ACME_DOMAIN'],
    [{ ...acme, POSTERN_PORT: '80' }, 'POSTERN_PORT and POSTERN_ACME_HTTP_PORT must be different ports'],
    [
      { ...acme, POSTERN_PORT: '0' },
      'POSTERN_ACME_DOMAIN requires POSTERN_PORT, the port for https, which is usually 443',
    ],
    [
      { POSTERN_ACME_DOMAIN: 'a.example', POSTERN_ACME_EMAIL: 'ops@example.com' },
      'POSTERN_ACME_DOMAIN requires POSTERN_PORT, the port for https, which is usually 443',
    ],
    [
      { ...acme, POSTERN_ACME_HTTP_PORT: '0' },
      'POSTERN_ACME_HTTP_PORT must be a port number from 1 to 65535, not "0"',
    ],
    [
      { ...acme, POSTERN_TLS_CERT: '/a', POSTERN_TLS_KEY: '/b' },
      'POSTERN_ACME_DOMAIN cannot be combined with POSTERN_TLS_CERT and POSTERN_TLS_KEY',
    ],
    [
      { ...acme, POSTERN_BASE_URL: 'http://captcha.example.com' },
      'POSTERN_BASE_URL must begin with https if POSTERN_ACME_DOMAIN is set',
    ],
    [
      { ...acme, POSTERN_BASE_URL: 'https://www.example.com' },
      'The host of POSTERN_BASE_URL, www.example.com, must be one of the domains of POSTERN_ACME_DOMAIN',
    ],
  ])('reports the combination %o', (settings, error) => {
    expect(errorsOf(settings)).toEqual([error]);
  });
});

test('a server on a Unix socket trusts the proxy that connects to it', () => {
  const { config } = readConfig({}, { ...SOCKET, POSTERN_TRUSTED_PROXIES: '10.0.0.0/8' });
  expect(config?.host).toBe('unix:/run/a.sock');
  expect(config?.trustedProxies).toHaveLength(2);
});

test('the error for a public URL with a path says what Postern needs', () => {
  const { errors } = readConfig({}, { POSTERN_BASE_URL: 'https://example.com/captcha' });
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain('without a path');
  expect(errors[0]).toContain('a host name of its own');
});
