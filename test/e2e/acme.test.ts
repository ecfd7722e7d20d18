import { expect } from 'bun:test';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { toAcmeFolder } from '../../src/acme/files.ts';
import { acmeFolderIn, startAcmeServer } from '../support/acmeServer.ts';
import { type Pebble, startPebble } from '../support/pebble.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { BINARY, testInFolder } from './support.ts';

/** Automatic HTTPS of the executable. */

async function withPebble(work: (pebble: Pebble) => Promise<void>): Promise<void> {
  const pebble = await startPebble({ rejectedNonces: 15 });
  try {
    await work(pebble);
  } finally {
    await pebble.stop();
  }
}

testInFolder('the executable obtains a certificate, and uses it after a restart without the CA', (folder) =>
  withPebble(async (pebble) => {
    const first = await startAcmeServer(BINARY, pebble, folder);
    await first.waitFor('certificate-obtained');
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
