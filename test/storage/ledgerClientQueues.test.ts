import { expect, test } from 'bun:test';
import type { AccountId } from '../../src/model/account.ts';
import type { Claim } from '../../src/model/ports/replayLedger.ts';
import { createLedgerClient } from '../../src/storage/ledgerClient/client.ts';
import { createLedgerClients, serveLedger } from '../../src/storage/ledgerClient/clients.ts';
import { withSeeds } from '../support/randomScheduler.ts';

const CLAIM: Claim = { puzzleId: new Uint8Array(8), expiresAtSeconds: 9, keyFingerprint: 1 };
const KEY = { hash: new Uint8Array(32), nowSeconds: 1, userId: 1 as AccountId };

/** Waits for messages between ports of this thread. */
async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise(setImmediate);
}

test('a ledger closes while a client waits for its first connection', async () => {
  const clients = createLedgerClients(() => {}, 1);
  clients.end('the ledger thread ended');
  const client = createLedgerClient(clients.connect());
  await clients.drain();
  const claimed = (await client).claim(CLAIM).catch((error: Error) => error.message);
  expect(await claimed).toBe('the ledger is closed');
});

test('a client that connects while its ledger thread is replaced uses the new thread', async () => {
  const ledger = { claim: async () => 1, claimOnce: async () => 1, recall: async () => true };
  const clients = createLedgerClients((port) => serveLedger(ledger, port), 1);
  clients.end('the ledger thread ended');
  const client = createLedgerClient(clients.connect());
  await settle();
  clients.reconnect();
  expect(await (await client).claim(CLAIM)).toBe(1);
  await clients.drain();
});

test('every claim of a client settles, in every order of answers, replaced threads, and the end', async () => {
  await withSeeds(300, async ({ random, holdOrFail, run }) => {
    const waiting = new Set<string>();
    let number = 0;
    const track = (name: string, promise: Promise<unknown>) => {
      const key = `${name} ${++number}`;
      waiting.add(key);
      const done = () => void waiting.delete(key);
      promise.then(done, done);
    };
    const ports: MessagePort[] = [];
    let counted = 0;
    const answer = async () => {
      await holdOrFail();
      return ++counted;
    };
    const ledger = {
      claim: answer,
      claimOnce: answer,
      recall: async () => (await answer()) > 0,
    };
    const clients = createLedgerClients((port) => {
      ports.push(port);
      serveLedger(ledger, port);
    }, 1 + random(3));
    const opened = Array.from({ length: 1 + random(2) }, () => createLedgerClient(clients.connect()));

    async function use(): Promise<void> {
      const client = await opened[random(opened.length)];
      const kind = random(4);
      if (client === undefined) return;
      if (kind === 0) track('recall', client.recall(KEY));
      else if (kind === 1) track('claim once', client.claimOnce(CLAIM, 2, KEY));
      else for (let i = random(30); i >= 0; i--) track('claim', client.claim(CLAIM));
    }

    /** A thread that ends closes its ports without answers. */
    function endThread(): void {
      for (const port of ports.splice(0)) port.close();
      clients.end('the ledger thread ended');
    }

    const uses = Array.from({ length: 5 }, () => () => track('use', use()));
    const replace = random(2) === 0 ? [endThread, ...uses, clients.reconnect] : [];
    const close = [() => track('drain', clients.drain()), ...uses.slice(3)];
    await run([...uses, ...replace, ...uses, ...(random(4) === 0 ? [endThread] : []), ...close]);
    await settle();
    expect([...waiting]).toEqual([]);
    for (const port of ports) port.close();
  });
});
