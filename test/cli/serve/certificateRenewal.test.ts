import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../architecture/tree.ts';
import { killLeftovers, startBinary } from '../../support/binary.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { PROGRAM } from '../commandLine.ts';

const folder = mkdtempSync(join(tmpdir(), 'postern-renewal-'));
afterAll(async () => {
  await killLeftovers();
  rmSync(folder, { recursive: true, force: true });
});

const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];

/** Replaces both files. */
async function createCertificate(name: string): Promise<void> {
  // biome-ignore format: one line is enough
  const made = await run('openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key, '-out', cert, '-days', '2', '-subj', `/CN=${name}`);
  if (made.exitCode !== 0) throw new Error(made.output);
}

/** @returns `open`, or the code of the error */
function tryToConnect(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', (error) => resolve(String((error as { readonly code?: unknown }).code)));
    socket.on('connect', () => {
      socket.destroy();
      resolve('open');
    });
  });
}

/** Opens one connection after the other. @returns a function that stops it, and returns the results */
function connectContinuously(port: number) {
  const counts: Record<string, number> = {};
  let isStopped = false;
  const ended = (async () => {
    while (!isStopped) {
      const result = await tryToConnect(port);
      counts[result] = (counts[result] ?? 0) + 1;
    }
  })();
  return async () => {
    isStopped = true;
    await ended;
    return counts;
  };
}

// A server with one thread closed its port before it opened it again with the new certificate, and rejected connections in between.
test.each(['1', '2'])(
  'the port always has a listener while a server with %s threads renews its certificate',
  async (threads) => {
    await createCertificate('first');
    const server = await startBinary(PROGRAM, {
      POSTERN_DATA_DIR: join(folder, `data-${threads}`),
      POSTERN_TLS_CERT: cert,
      POSTERN_TLS_KEY: key,
      POSTERN_THREADS: threads,
    });
    const stops = Array.from({ length: 8 }, () => connectContinuously(Number(new URL(server.url).port)));
    const renewals = () => server.output().split('certificate-reloaded').length - 1;
    for (let renewed = 0; renewed < 20; renewed++) {
      process.kill(server.pid, 'SIGHUP');
      await waitUntil('the certificate is replaced', () => renewals() > renewed);
    }
    // A connection that waits in the queue of the previous server is reset, which is another error.
    for (const stop of stops) {
      const { ECONNREFUSED: refused = 0, open = 0 } = await stop();
      expect([refused, open > 0]).toEqual([0, true]);
    }
    await createCertificate('second');
    process.kill(server.pid, 'SIGHUP');
    await waitUntil('the last certificate is in use', () => renewals() > 20);
    const { output } = await run('openssl', 's_client', '-connect', new URL(server.url).host);
    expect(output).toMatch(/subject=CN ?= ?second/);
    expect(await server.end('SIGTERM')).toBe(0);
  },
  120_000,
);
