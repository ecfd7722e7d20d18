import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BINARY, HIGH_LIMITS } from '../e2e/support.ts';
import { freePort, startBinary } from '../support/binary.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { startHaproxy } from './proxies.ts';
import { describeProxy } from './proxySuite.ts';
import { HOST } from './visitor.ts';

describeProxy({
  name: 'HAProxy',
  start: startHaproxy,
  shortTimeout: { 'timeout server 60s': 'timeout server 1s' },
  bridgesRestarts: true,
});

const CLIENTS = 32;

// For a request on a reused connection, HAProxy does not wait between two attempts: 10 attempts took 20 ms.
test('no GET request fails when Postern is killed, even from clients that keep their connections', async () => {
  const [dataDir, folder] = ['data', 'proxy'].map((name) =>
    mkdtempSync(join(tmpdir(), `postern-${name}-`)),
  ) as [string, string];
  const settings = {
    POSTERN_DATA_DIR: dataDir,
    POSTERN_PORT: String(await freePort()),
    POSTERN_BASE_URL: `https://${HOST}`,
    POSTERN_TRUSTED_PROXIES: '127.0.0.1',
    ...HIGH_LIMITS,
  };
  const first = await startBinary(BINARY, settings);
  const proxy = await startHaproxy(folder, Number(settings.POSTERN_PORT));
  const results: (number | string)[] = [];
  let isStopped = false;
  const get = () =>
    fetch(`https://127.0.0.1:${proxy.httpsPort}/livez`, {
      headers: { Host: HOST },
      tls: { rejectUnauthorized: false },
    }).then(
      ({ status }) => status,
      (error: Error) => error.message,
    );
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!isStopped) results.push(await get());
  });
  const more = async (count: number) => {
    const { length } = results;
    await waitUntil('requests are answered', () => results.length >= length + count);
  };
  await more(500);
  await first.kill();
  const second = await startBinary(BINARY, settings);
  await more(500);
  isStopped = true;
  await Promise.all(clients);
  expect([...new Set(results)]).toEqual([200]);
  await proxy.stop();
  await second.kill();
  for (const each of [dataDir, folder]) rmSync(each, { recursive: true, force: true });
});
