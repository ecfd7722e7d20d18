import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../architecture/tree.ts';
import { killLeftovers, type RunningBinary, startBinary } from '../support/binary.ts';
import { PROGRAM } from './commandLine.ts';

const folder = mkdtempSync(join(tmpdir(), 'postern-tls-'));
const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
let server: RunningBinary;

beforeAll(async () => {
  // An RSA key, because suites with RSA key exchange are impossible with an ECDSA key.
  const made = await run(
    // biome-ignore format: one line is enough
    ...['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, '-days', '2', '-subj', '/CN=localhost'],
  );
  if (made.exitCode !== 0) throw new Error(made.output);
  server = await startBinary(PROGRAM, {
    POSTERN_DATA_DIR: join(folder, 'data'),
    POSTERN_TLS_CERT: cert,
    POSTERN_TLS_KEY: key,
  });
});
afterAll(async () => {
  await killLeftovers();
  rmSync(folder, { recursive: true, force: true });
});

/** @returns the suite that the server chose; undefined if it rejected all of them */
async function negotiate(...options: readonly string[]): Promise<string | undefined> {
  const { output } = await run('openssl', 's_client', '-connect', new URL(server.url).host, ...options);
  const suite = /Cipher is (\S+)/.exec(output)?.[1];
  return suite === '(NONE)' ? undefined : suite;
}

test('the metrics contain the time when the certificate expires', async () => {
  const { output } = await run('openssl', 'x509', '-in', cert, '-noout', '-enddate');
  const expiresAt = Date.parse(output.replace('notAfter=', '').trim()) / 1000;
  const metrics = await fetch(`${server.url}/metrics`, { tls: { rejectUnauthorized: false } });
  expect(await metrics.text()).toContain(`\npostern_tls_certificate_expiry_timestamp_seconds ${expiresAt}\n`);
});

const version12 = (suite: string) => ['-tls1_2', '-cipher', `${suite}:@SECLEVEL=0`];

test.each(['ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES256-GCM-SHA384', 'ECDHE-RSA-CHACHA20-POLY1305'])(
  'TLS 1.2 with %s is accepted',
  async (suite) => {
    expect(await negotiate(...version12(suite))).toBe(suite);
  },
);

test('TLS 1.3 is accepted', async () => {
  expect(await negotiate('-tls1_3')).toStartWith('TLS_');
});

// biome-ignore format: one line is enough
test.each(['ECDHE-RSA-AES128-SHA', 'ECDHE-RSA-AES256-SHA', 'ECDHE-RSA-AES128-SHA256', 'AES128-SHA', 'AES256-SHA', 'AES128-GCM-SHA256', 'AES256-GCM-SHA384'])(
  'TLS 1.2 with %s, without forward secrecy or authenticated encryption, is rejected',
  async (suite) => {
    expect(await negotiate(...version12(suite))).toBeUndefined();
  },
);

test.each(['-tls1', '-tls1_1'])('a version older than 1.2, %s, is rejected', async (version) => {
  expect(await negotiate(version, '-cipher', 'ALL:@SECLEVEL=0')).toBeUndefined();
});
