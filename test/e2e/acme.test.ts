import { expect } from 'bun:test';
import { X509Certificate } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { toAcmeFolder } from '../../src/acme/files.ts';
import { run } from '../architecture/tree.ts';
import { type AcmeServer, acmeFolderIn, DOMAIN, startAcmeServer } from '../support/acmeServer.ts';
import { type Pebble, type PebbleOptions, startPebble } from '../support/pebble.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { BINARY, testInFolder } from './support.ts';

/** Automatic HTTPS of the executable. */

async function withPebble(
  work: (pebble: Pebble) => Promise<void>,
  options: PebbleOptions = { rejectedNonces: 15 },
): Promise<void> {
  const pebble = await startPebble(options);
  try {
    await work(pebble);
  } finally {
    await pebble.stop();
  }
}

testInFolder('the executable obtains a certificate, and uses it after a restart without the CA', (folder) =>
  withPebble(async (pebble) => {
    const first = await startAcmeServer(BINARY, pebble, folder, { POSTERN_THREADS: '2' });
    await first.waitFor('certificate-obtained');
    await first.waitFor('https-started');
    expect(await first.https('/readyz')).toMatchObject({ status: 200 });
    expect((await first.http('/portal')).status).toBe(308);
    const probe = Bun.spawn([BINARY, 'healthcheck'], {
      env: {
        POSTERN_PORT: String(first.httpsPort),
        POSTERN_ACME_DOMAIN: 'captcha.example.com',
        POSTERN_ACME_EMAIL: 'ops@example.com',
      },
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    expect(await probe.exited).toBe(0);
    expect(await first.end('SIGKILL')).toBe('SIGKILL');
    await pebble.kill();
    const second = await startAcmeServer(BINARY, pebble, folder);
    await second.waitFor('https-started');
    expect(await second.https('/readyz')).toMatchObject({ status: 200 });
    expect(await second.end('SIGTERM')).toBe(0);
    expect(second.events('renewal-failed')).toEqual([]);
  }),
);

testInFolder('SIGKILL at any time during an order leaves files that the next start can use', (folder) =>
  withPebble(async (pebble) => {
    const acme = toAcmeFolder(folder, pebble.directory);
    /** Allows the next start to make an attempt, which the pause would delay. */
    const forget = () => {
      for (const name of readdirSync(acme)) if (/^(state|lease)/.test(name)) rmSync(join(acme, name));
    };
    for (let round = 0; round < 8; round += 1) {
      const server = await startAcmeServer(BINARY, pebble, folder);
      await waitUntil(
        'the attempt has started',
        () => existsSync(join(acme, 'state.json')) || server.hasEnded(),
      );
      await Bun.sleep(Math.random() * 400);
      await server.end('SIGKILL');
      expect(server.events('acme-file-damaged')).toEqual([]);
      forget();
      rmSync(join(acme, 'certificate.pem'), { force: true });
    }
    const last = await startAcmeServer(BINARY, pebble, folder);
    await last.waitFor('certificate-obtained');
    expect(await last.https('/livez')).toMatchObject({ status: 200 });
    expect(last.events('acme-file-damaged')).toEqual([]);
    expect(await last.end('SIGTERM')).toBe(0);
    expect(readdirSync(acmeFolderIn(folder))).toContain('account-key.pem');
  }),
);

/** Enough connections that each of two threads has some of them, except once in 2^23 runs. */
const CONNECTIONS = 24;

/** In place of a serial number. A listener that is replaced resets the connections that it has not accepted yet. */
const CONNECTION_RESET = 'connection reset';

/** @returns the serial numbers of the certificates of several connections */
async function readSerials({ httpsPort }: AcmeServer): Promise<ReadonlySet<string>> {
  const connect = async () => {
    const { output } = await run(
      ...['openssl', 's_client', '-connect', `127.0.0.1:${httpsPort}`, '-servername', DOMAIN],
    );
    const [certificate] = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/s.exec(output) ?? [];
    return certificate === undefined ? CONNECTION_RESET : new X509Certificate(certificate).serialNumber;
  };
  return new Set(await Promise.all(Array.from({ length: CONNECTIONS }, connect)));
}

testInFolder('all request threads use a renewed certificate', (folder) =>
  withPebble(
    async (pebble) => {
      const server = await startAcmeServer(BINARY, pebble, folder, { POSTERN_THREADS: '2' });
      await server.waitFor('https-started');
      const isOne = (serials: ReadonlySet<string>) => serials.size === 1 && !serials.has(CONNECTION_RESET);
      let first: ReadonlySet<string> = new Set();
      await waitUntil('all connections have the same certificate', async () => {
        first = await readSerials(server);
        return isOne(first);
      });
      await server.waitFor('certificate-renewed');
      await waitUntil('all connections have a renewed certificate', async () => {
        const serials = await readSerials(server);
        return isOne(serials) && serials.isDisjointFrom(first);
      });
      expect(await server.https('/readyz')).toMatchObject({ status: 200 });
      expect(server.events('https-failed')).toEqual([]);
      expect(await server.end('SIGTERM')).toBe(0);
    },
    { validitySeconds: 24 },
  ),
);
