import { describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toAcmeFolder } from '../../src/acme/files.ts';
import { DOMAIN } from '../support/acmeServer.ts';
import { freePort } from '../support/binary.ts';
import { CERTIFICATE, EXPIRED_CERTIFICATE, PRIVATE_KEY } from './certificates.ts';
import { useCommandLine } from './commandLine.ts';

/** The checks of `postern doctor` for automatic HTTPS. */

type Check = { name: string; ok: boolean; warning: boolean; detail: string; fix: string | null };

const cli = useCommandLine();
const DIRECTORY = 'https://acme.example/directory';
const folder = toAcmeFolder(cli.dataDir, DIRECTORY);

const STATE = {
  domains: [DOMAIN],
  failures: 3,
  attempted_at: '2026-01-01T00:00:00.000Z',
  next_attempt: '2026-01-01T00:30:00.000Z',
  problem: 'urn:ietf:params:acme:error:dns',
  detail: 'no address',
};

/** Runs the checks with these files. */
async function examine(files: Record<string, string>, settings: Record<string, string> = {}) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
  return run(settings);
}

async function run(settings: Record<string, string> = {}) {
  const { code, out } = await cli.run('doctor --json', {
    settings: {
      POSTERN_ACME_DOMAIN: DOMAIN,
      POSTERN_ACME_EMAIL: 'ops@example.com',
      POSTERN_ACME_DIRECTORY: DIRECTORY,
      POSTERN_PORT: '443',
      POSTERN_HOST: '0.0.0.0',
      ...settings,
    },
  });
  const { checks } = JSON.parse(out) as { checks: Check[] };
  return { code, check: (name: string) => checks.find((check) => check.name === name) };
}

test('the check passes if automatic HTTPS is not used', async () => {
  const { out } = await cli.run('doctor --json');
  const { checks } = JSON.parse(out) as { checks: Check[] };
  expect(checks.find(({ name }) => name === 'acme')).toMatchObject({ ok: true, detail: 'not used' });
});

describe('the stored certificate', () => {
  test.each<[string, Record<string, string>, Partial<Check>, RegExp]>([
    ['missing', {}, { ok: true, warning: true }, /^no certificate yet$/],
    [
      'missing after failures',
      { 'state.json': JSON.stringify(STATE) },
      { ok: false },
      /^no certificate yet; 3 failed attempts, the last because of urn:\S+:dns \(no address\), next attempt at 2026-01-01T00:30:00.000Z$/,
    ],
    [
      'valid',
      { 'certificate.pem': PRIVATE_KEY + CERTIFICATE },
      { ok: true, warning: false },
      /^valid until 2120-01-01T00:00:00.000Z, renewal at 20\S+$/,
    ],
    [
      'valid with failed renewals',
      { 'certificate.pem': PRIVATE_KEY + CERTIFICATE, 'state.json': JSON.stringify(STATE) },
      { ok: true, warning: true },
      /^valid until .*; 3 failed attempts/,
    ],
    [
      'expired',
      { 'certificate.pem': PRIVATE_KEY + EXPIRED_CERTIFICATE },
      { ok: false },
      /^the certificate expired at 2021/,
    ],
    ['damaged', { 'certificate.pem': PRIVATE_KEY }, { ok: false }, /the certificate is missing/],
  ])('%s', async (_, files, expected, detail) => {
    const { code, check } = await examine(files);
    expect(check('acme')).toMatchObject({ ...expected, detail: expect.stringMatching(detail) });
    expect(code === 0).toBe(expected.ok === true);
  });

  test('that does not cover a new domain causes a warning', async () => {
    const settings = { POSTERN_ACME_DOMAIN: `${DOMAIN},new.example.com` };
    const { check } = await examine({ 'certificate.pem': PRIVATE_KEY + CERTIFICATE }, settings);
    expect(check('acme')).toMatchObject({
      warning: true,
      detail: expect.stringContaining('not yet valid for new.example.com'),
    });
  });

  test('that other users can read fails with the command that fixes it', async () => {
    await examine({ 'certificate.pem': PRIVATE_KEY + CERTIFICATE });
    const file = join(folder, 'certificate.pem');
    chmodSync(file, 0o644);
    const { code, check } = await run();
    expect(code).toBe(1);
    expect(check('acme')).toMatchObject({
      ok: false,
      detail: `other users can read ${file}`,
      fix: `Run "chmod 600 ${file}".`,
    });
  });
});

describe('the http port', () => {
  test('without a server causes a warning', async () => {
    const { check } = await examine({}, { POSTERN_ACME_HTTP_PORT: String(await freePort()) });
    expect(check('acme-port')).toMatchObject({
      ok: true,
      warning: true,
      detail: expect.stringContaining('does not respond'),
    });
  });

  test('that another program uses fails', async () => {
    const other = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => new Response('x'.repeat(10_000), { status: 404 }),
    });
    const { port } = other;
    const { check } = await examine({}, { POSTERN_ACME_HTTP_PORT: String(port) });
    await other.stop(true);
    expect(check('acme-port')).toMatchObject({
      ok: false,
      detail: `another program uses port ${port}`,
    });
  });
});

test('a domain that does not lead to this server causes a warning', async () => {
  const { check } = await examine({}, { POSTERN_ACME_DOMAIN: 'captcha.invalid' });
  expect(check('acme-domains')).toMatchObject({
    ok: true,
    warning: true,
    detail: expect.stringContaining(
      'from this machine, port 80 does not lead to this server: captcha.invalid: ',
    ),
  });
  expect(check('client-address')).toMatchObject({ ok: true, warning: false });
});
