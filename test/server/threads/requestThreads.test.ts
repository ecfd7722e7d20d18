import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { createKeepAliveClient } from '../../support/keepAlive.ts';
import { addTenant, startServer } from '../../support/server.ts';
import { fetchAndSolve, fetchPuzzle, verify } from '../../support/visitor.ts';
import { waitUntil } from '../../support/waitUntil.ts';

const ENTRY = pathToFileURL(join(import.meta.dir, '../../../src/server/threads/requestThread.ts')).href;

/** The URL of a worker that cannot start. */
const FAILING = `data:text/javascript,${encodeURIComponent('throw new Error("cannot start")')}`;

/** A server with two request threads, which the test can end. @param failures number of replacements that cannot start */
async function open(failures = 0) {
  const workers: Worker[] = [];
  const server = await startServer({
    settings: { POSTERN_THREADS: '2' },
    startRequestThread() {
      const fails = workers.length >= 2 && workers.length < 2 + failures;
      const worker = new Worker(fails ? FAILING : ENTRY);
      workers.push(worker);
      return worker;
    },
  });
  const events = () => server.logged.map(({ event }) => event);
  return { ...server, workers, events, [Symbol.asyncDispose]: server.stop };
}

describe('a request thread that ends', () => {
  test('is replaced, while the other threads continue', async () => {
    await using server = await open();
    const { property, verifyKey } = await addTenant(server);
    server.workers[0]?.terminate();
    await waitUntil('the thread is replaced', () => server.events().includes('request-thread-replaced'));
    expect(server.events()).toContain('request-thread-ended');
    expect(server.workers).toHaveLength(3);
    for (let i = 0; i < 20; i++) {
      const payload = await fetchAndSolve(server.url, property.sitekey);
      expect((await verify(server.url, verifyKey, payload)).code).toBe(0);
      expect((await verify(server.url, verifyKey, payload)).code).toBe(8);
    }
  });

  test('is replaced even if several replacements cannot start', async () => {
    await using server = await open(3);
    server.workers[0]?.terminate();
    await waitUntil('the thread is replaced', () => server.events().includes('request-thread-replaced'));
    expect(server.workers).toHaveLength(6);
    expect(server.events().filter((event) => event === 'request-thread-ended')).toHaveLength(4);
    for (let i = 0; i < 20; i++) expect((await fetch(`${server.url}/livez`)).status).toBe(200);
  });

  test('loses none of the metrics', async () => {
    await using server = await open();
    const { property } = await addTenant(server);
    const readPuzzles = async () => {
      const text = await (await fetch(`${server.url}/metrics`)).text();
      return Number(/^postern_puzzles_issued_total (\d+)$/m.exec(text)?.[1]);
    };
    for (let i = 0; i < 10; i++) await fetchPuzzle(server.url, property.sitekey);
    expect(await readPuzzles()).toBe(10);
    for (const worker of [...server.workers]) worker.terminate();
    await waitUntil(
      'both threads are replaced',
      () => server.events().filter((event) => event === 'request-thread-replaced').length === 2,
    );
    await fetchPuzzle(server.url, property.sitekey);
    expect(await readPuzzles()).toBe(11);
  });
});

describe('a change', () => {
  test('of this process applies to the next request on every connection', async () => {
    await using server = await open();
    const { verifyKey, account } = await addTenant(server);
    const clients = Array.from({ length: 16 }, () => createKeepAliveClient(server.url));
    const send = () =>
      Promise.all(
        clients.map(async (client) => {
          const answer = await client.send('POST /verify', 'no payload', { 'X-API-Key': verifyKey });
          return answer.kind === 'response' ? answer.status : answer.kind;
        }),
      );
    expect(new Set(await send())).toEqual(new Set([400]));
    const keys = await server.app.services.stores.apiKeys.list({ accountId: account.id });
    for (const { id } of keys) await server.app.services.apiKeys.revoke(INSTALLATION, id);
    expect(new Set(await send())).toEqual(new Set([401]));
    for (const client of clients) client.close();
  });
});
