import { afterAll, afterEach, beforeAll, describe, expect, setSystemTime, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startDns, type TestDns } from '../../support/dns.ts';
import { CERTIFICATE, EXPIRED_CERTIFICATE, OTHER_PRIVATE_KEY, PRIVATE_KEY } from '../certificates.ts';
import { useCommandLine } from '../commandLine.ts';
import { examine } from './examine.ts';

const cli = useCommandLine();
const file = (name: string) => join(cli.folder, name);
const [cert, expired, key, other] = ['cert.pem', 'expired.pem', 'key.pem', 'other.pem'].map(file) as [
  string,
  string,
  string,
  string,
];
beforeAll(() => {
  writeFileSync(cert, CERTIFICATE);
  writeFileSync(expired, EXPIRED_CERTIFICATE);
  writeFileSync(key, PRIVATE_KEY);
  writeFileSync(other, OTHER_PRIVATE_KEY);
});

const OK = { code: 0, ok: true, warning: false };
const WARNING = { code: 0, ok: true, warning: true };
const FAILED = { code: 1, ok: false, warning: false };

type Row = readonly [
  title: string,
  settings: Record<string, string>,
  expected: typeof OK,
  detail: string,
  fix?: string,
];

/** Defines a test for each row. */
function testRows(name: string, rows: readonly Row[]): void {
  for (const [title, ...row] of rows) test(title, () => expectCheck(name, ...row));
}

async function expectCheck(name: string, settings: Row[1], expected: Row[2], detail: string, fix?: string) {
  const { code, check } = await examine(cli, settings);
  const { ok, warning, detail: found, fix: foundFix } = check(name) ?? {};
  expect({ code, ok, warning }).toEqual({ ...expected });
  expect(found).toContain(detail);
  if (fix !== undefined) expect(foundFix).toContain(fix);
}

describe('the check of the TLS files', () => {
  const tls = {
    POSTERN_BASE_URL: 'https://captcha.example.com',
    POSTERN_HOST: '0.0.0.0',
    POSTERN_TLS_CERT: cert,
    POSTERN_TLS_KEY: key,
  };

  afterEach(() => {
    setSystemTime();
  });

  testRows('tls', [
    ['passes for a valid certificate', tls, OK, 'valid until 2120-01-01T00:00:00.000Z'],
    [
      'fails for an expired certificate',
      { ...tls, POSTERN_TLS_CERT: expired },
      FAILED,
      'was valid until 2021-01-01',
      'Renew the certificate',
    ],
    [
      'fails for a key that does not match the certificate',
      { ...tls, POSTERN_TLS_KEY: other },
      FAILED,
      'is not the key of',
      'POSTERN_TLS_KEY',
    ],
    ['fails for a missing file', { ...tls, POSTERN_TLS_CERT: '/no/such/file' }, FAILED, '/no/such/file'],
    ['fails for a file without a certificate', { ...tls, POSTERN_TLS_CERT: key }, FAILED, 'key.pem'],
    [
      'fails if the certificate does not cover the host of the public URL',
      { ...tls, POSTERN_BASE_URL: 'https://other.example' },
      FAILED,
      'not for other.example',
      'Use a certificate for other.example',
    ],
    [
      'fails if the certificate does not cover the address of the public URL',
      { ...tls, POSTERN_BASE_URL: 'https://[2001:db8::1]' },
      FAILED,
      'not for [2001:db8::1]',
    ],
  ]);

  test.each<[string, typeof OK, string]>([
    ['2119-12-17T00:00:00Z', OK, 'valid until 2120-01-01'],
    ['2119-12-19T00:00:00Z', FAILED, 'the certificate expires soon; it is valid until 2120-01-01'],
  ])('at %s, for a certificate that expires at 2120-01-01', async (time, expected, detail) => {
    setSystemTime(new Date(time));
    await expectCheck('tls', tls, expected, detail);
  });

  test('fails for a certificate that is not valid yet', async () => {
    setSystemTime(new Date('2019-12-31T00:00:00Z'));
    await expectCheck('tls', tls, FAILED, 'not valid yet', 'Check the clock');
  });
});

const PROXIES = { POSTERN_TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' };
const HTTPS = { POSTERN_BASE_URL: 'https://a.example' };

describe('the check of the public URL', () => {
  testRows('public-url', [
    ['passes behind a proxy with https', { ...PROXIES, ...HTTPS }, OK, 'https://a.example'],
    ['passes for the defaults', {}, OK, 'http://localhost:8080'],
    [
      'fails behind a proxy without https',
      { ...PROXIES, POSTERN_BASE_URL: 'http://a.example' },
      FAILED,
      'the public URL is http://a.example',
      'set POSTERN_BASE_URL to the https URL',
    ],
    ['fails behind a proxy if it is not set', PROXIES, FAILED, 'the public URL is http://localhost:8080'],
    [
      'warns if other machines can connect, but the URL leads to this machine',
      { POSTERN_HOST: '0.0.0.0' },
      WARNING,
      'other machines can connect',
      'Set POSTERN_BASE_URL',
    ],
  ]);
});

describe('the check of the client address', () => {
  const fix = 'Set POSTERN_TRUSTED_PROXIES';

  testRows('client-address', [
    ['passes for the defaults', {}, OK, 'of the connection'],
    ['passes for trusted proxies', { ...PROXIES, ...HTTPS }, OK, 'from the trusted proxies'],
    [
      'passes if other machines connect directly',
      { POSTERN_HOST: '0.0.0.0', POSTERN_BASE_URL: 'http://captcha.lan:8080' },
      OK,
      'of the connection',
    ],
    [
      'fails if a proxy must add https and none is trusted',
      { ...HTTPS, POSTERN_HOST: '0.0.0.0' },
      FAILED,
      'this server uses http, so it is behind a proxy, but no proxy is trusted, so all visitors share one address',
      fix,
    ],
    [
      'fails if only programs on this machine can connect, the URL is public, and no proxy is trusted',
      { POSTERN_BASE_URL: 'http://a.example' },
      FAILED,
      'the bind address is 127.0.0.1, so it is behind a proxy, but no proxy is trusted',
      fix,
    ],
    [
      'fails if the bind address is private, the URL is public http, and no proxy is trusted',
      { POSTERN_HOST: '192.168.1.5', POSTERN_BASE_URL: 'http://captcha.example.com' },
      FAILED,
      'the bind address is private (192.168.1.5), so it is probably behind a proxy',
      fix,
    ],
    [
      'passes if the bind address and the URL are private',
      { POSTERN_HOST: '192.168.1.5', POSTERN_BASE_URL: 'http://captcha.lan' },
      OK,
      'of the connection',
    ],
    [
      'passes if the bind address is the host of the URL',
      { POSTERN_HOST: 'fd00::5', POSTERN_BASE_URL: 'http://[fd00::5]:8080' },
      OK,
      'of the connection',
    ],
    [
      'fails if the header of a proxy is set and no proxy is trusted',
      { POSTERN_CLIENT_IP_HEADER: 'CF-Connecting-IP', POSTERN_HOST: '0.0.0.0' },
      FAILED,
      'POSTERN_CLIENT_IP_HEADER is set, but no proxy is trusted',
      fix,
    ],
    [
      'fails if only a proxy on this machine can connect, but another one is trusted',
      { ...HTTPS, POSTERN_TRUSTED_PROXIES: '10.0.0.0/8' },
      FAILED,
      'only from 127.0.0.1, which is not a trusted proxy',
      'Add 127.0.0.1 and ::1',
    ],
    [
      'warns if every address is trusted',
      { ...HTTPS, POSTERN_HOST: '::', POSTERN_TRUSTED_PROXIES: '10.0.0.0/8,::/0' },
      WARNING,
      'can forge their address',
      'your proxies only',
    ],
  ]);
});

describe('the DNS check', () => {
  let dns: TestDns;
  beforeAll(async () => {
    dns = await startDns({ 'example.com': { failure: 'NXDOMAIN' } });
  });
  afterAll(() => dns.stop());

  test('sends no query if it is off', async () => {
    const { check } = await examine(cli, { POSTERN_DNS_SERVERS: dns.address });
    expect(check('dns')).toMatchObject({ ok: true, warning: false, detail: 'not used' });
    expect(dns.queries.size).toBe(0);
  });

  test('passes if the server responds, even with an error', async () => {
    const { code, check } = await examine(cli, {
      POSTERN_DNS_CHECK: 'on',
      POSTERN_DNS_SERVERS: dns.address,
    });
    expect({ code, ...check('dns') }).toMatchObject({
      code: 0,
      warning: false,
      detail: `${dns.address}: responding`,
    });
  });

  test('fails if the server does not respond', async () => {
    const silent = {
      POSTERN_DNS_CHECK: 'on',
      POSTERN_DNS_SERVERS: '127.0.0.1:1',
      POSTERN_DNS_TIMEOUT_MS: '200',
    };
    const { code, check } = await examine(cli, silent);
    expect({ code, ...check('dns') }).toMatchObject({ code: 1, ok: false, warning: false });
    expect(check('dns')?.detail).toMatch(
      /^127\.0\.0\.1:1: no usable response for example\.com within 200 ms/,
    );
    expect(check('dns')?.fix).toContain('POSTERN_DNS_SERVERS');
  });
});
