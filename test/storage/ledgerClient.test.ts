import { describe, expect, test } from 'bun:test';
import { reasonOf } from '../../src/lib/log.ts';
import type { AccountId } from '../../src/model/account.ts';
import type { Claim, ClaimLedger, RepeatKey } from '../../src/model/ports/replayLedger.ts';
import {
  type ClaimMethods,
  encodeCounts,
  toBytes,
  toText,
} from '../../src/storage/ledgerClient/claimProtocol.ts';
import { type ClientMethods, createLedgerClient } from '../../src/storage/ledgerClient/client.ts';
import { createLedgerClients, serveLedger } from '../../src/storage/ledgerClient/clients.ts';
import { connectThread } from '../../src/threads/protocol.ts';

/** The client of a ledger and its server in one thread, connected by ports. ledgerClients.test.ts uses threads. */

const KEY: RepeatKey = { hash: new Uint8Array(32).fill(5), nowSeconds: 1, userId: 1 as AccountId };
const claimOf = (number: number): Claim => ({
  puzzleId: Uint8Array.of(number, 0, 0, 0, 0, 0, 0, 1),
  expiresAtSeconds: 1000 + number,
  keyFingerprint: 2 ** 32 - number,
});

/** Ledgers, of which the newest one is connected, and what they were asked. */
function open(maxUnanswered = 2) {
  const asked: unknown[] = [];
  const ports: MessagePort[] = [];
  const state = { held: Promise.resolve(), failing: new Set<number>() };
  const ledger: ClaimLedger = {
    async claim(claim) {
      asked.push(claim);
      const number = claim.expiresAtSeconds - 1000;
      await state.held;
      if (state.failing.has(number)) throw new Error(`claim ${number} failed`);
      return number;
    },
    async claimOnce(claim, maxCount, key) {
      asked.push([claim, maxCount, key]);
      return 4;
    },
    async recall(key) {
      asked.push(key);
      return true;
    },
  };
  const clients = createLedgerClients((port) => {
    ports.push(port);
    serveLedger(ledger, port);
  }, maxUnanswered);
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    state.held = promise;
    return resolve;
  };
  return { ledger, clients, asked, ports, state, hold };
}

describe('a client of a ledger', () => {
  test('gets the number of each claim from the ledger', async () => {
    const { clients, asked } = open();
    const client = await createLedgerClient(clients.connect());
    const claims = [3, 1, 2].map(claimOf);
    expect(await Promise.all(claims.map(client.claim))).toEqual([3, 1, 2]);
    expect(asked).toEqual(claims);
    client.close();
  });

  test('gets only the numbers if all claims of a group are stored', async () => {
    const { port1, port2 } = new MessageChannel();
    serveLedger(open().ledger, port1);
    const thread = connectThread<ClaimMethods>(port2, {});
    const group = toText(toBytes([claimOf(3), claimOf(1)]));
    expect(await thread.call('count', group)).toBe(encodeCounts(Uint32Array.of(3, 1)));
    thread.end('the test ends');
  });

  test('repeats and recalls requests', async () => {
    const { clients, asked } = open();
    const client = await createLedgerClient(clients.connect());
    expect(await client.claimOnce(claimOf(7), 3, KEY)).toBe(4);
    expect(await client.recall(KEY)).toBe(true);
    expect(asked).toEqual([[claimOf(7), 3, KEY], KEY]);
    client.close();
  });

  test('learns which claims of a group failed, and why', async () => {
    const { clients, state } = open();
    const client = await createLedgerClient(clients.connect());
    state.failing = new Set([2]);
    const results = await Promise.all(
      [1, 2, 3].map((number) => client.claim(claimOf(number)).catch(reasonOf)),
    );
    expect(results).toEqual([1, 'claim 2 failed', 3]);
    client.close();
  });

  test('sends at most as many groups as the ledger allows', async () => {
    const { clients, asked, hold } = open(1);
    const client = await createLedgerClient(clients.connect());
    const release = hold();
    const first = client.claim(claimOf(1));
    while (asked.length < 1) await new Promise(setImmediate);
    const second = client.claim(claimOf(2));
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect(asked).toHaveLength(1);
    release();
    expect(await Promise.all([first, second])).toEqual([1, 2]);
    client.close();
  });

  test('rejects claims while the thread of the ledger is being replaced, and then uses the new one', async () => {
    const { clients, hold, ports, state } = open();
    const client = await createLedgerClient(clients.connect());
    hold();
    const waiting = client.claim(claimOf(1)).catch(reasonOf);
    await new Promise(setImmediate);
    clients.end('the thread has ended');
    expect(await waiting).toContain('the thread has ended');
    expect(await client.claim(claimOf(2)).catch(reasonOf)).toContain('the thread has ended');
    expect(ports).toHaveLength(1);
    state.held = Promise.resolve();
    clients.reconnect();
    let result: unknown;
    while (result !== 3) result = await client.claim(claimOf(3)).catch(reasonOf);
    expect(ports).toHaveLength(2);
    client.close();
  });

  test('is connected to a new thread although the end of the old one was not noticed', async () => {
    const { clients, hold, state, ports } = open();
    const client = await createLedgerClient(clients.connect());
    hold();
    const waiting = client.claim(claimOf(1)).catch(reasonOf);
    await new Promise(setImmediate);
    state.held = Promise.resolve();
    clients.reconnect();
    expect(await waiting).toBe('the ledger thread was replaced');
    expect(await client.claim(claimOf(2))).toBe(2);
    expect(ports).toHaveLength(2);
    client.close();
  });

  test('can connect after a thread was replaced', async () => {
    const { clients } = open();
    clients.end('the thread has ended');
    clients.reconnect();
    const client = await createLedgerClient(clients.connect());
    expect(await client.claim(claimOf(2))).toBe(2);
    client.close();
  });

  test('that connects while there is no thread waits for the next one', async () => {
    const { clients, ports } = open();
    clients.end('the thread has ended');
    let isConnected = false;
    const connecting = createLedgerClient(clients.connect()).then((client) => {
      isConnected = true;
      return client;
    });
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect([isConnected, ports.length]).toEqual([false, 0]);
    clients.end('no thread can be started');
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    clients.reconnect();
    const client = await connecting;
    expect(await client.claim(claimOf(3))).toBe(3);
    client.close();
  });

  test('rejects everything after it was closed', async () => {
    const { clients, hold, state } = open();
    const client = await createLedgerClient(clients.connect());
    hold();
    const waiting = client.claim(claimOf(1)).catch(reasonOf);
    await new Promise(setImmediate);
    client.close();
    expect(await waiting).toBe('the ledger is closed');
    expect(await client.claim(claimOf(2)).catch(reasonOf)).toBe('the ledger is closed');
    expect(await client.claimOnce(claimOf(2), 1, KEY).catch(reasonOf)).toBe('the ledger is closed');
    state.held = Promise.resolve();
    clients.reconnect();
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect(await client.claim(claimOf(3)).catch(reasonOf)).toBe('the ledger is closed');
  });

  test('rejects the claims that it has not sent when it is closed', async () => {
    const { clients, hold } = open(1);
    const client = await createLedgerClient(clients.connect());
    hold();
    const sent = client.claim(claimOf(1)).catch(reasonOf);
    await new Promise(setImmediate);
    const gathered = client.claim(claimOf(2)).catch(reasonOf);
    client.close();
    expect(await Promise.all([sent, gathered])).toEqual(['the ledger is closed', 'the ledger is closed']);
  });
});

describe('the end of a ledger', () => {
  test('waits for the claims of its clients, which send no others', async () => {
    const { clients, hold, asked } = open();
    const all = await Promise.all([
      createLedgerClient(clients.connect()),
      createLedgerClient(clients.connect()),
    ]);
    const release = hold();
    const claims = all.map((client, at) => client.claim(claimOf(at + 1)));
    while (asked.length < 2) await new Promise(setImmediate);
    let isDrained = false;
    const drained = clients.drain().then(() => {
      isDrained = true;
    });
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect(isDrained).toBe(false);
    expect(await all[0]?.claim(claimOf(9)).catch(reasonOf)).toBe('the ledger is closed');
    release();
    expect(await Promise.all(claims)).toEqual([1, 2]);
    await drained;
    expect(asked).toHaveLength(2);
  });

  test('does not wait for a client that was closed, or that never got a connection', async () => {
    const { clients } = open();
    const client = await createLedgerClient(clients.connect());
    client.close();
    clients.end('the thread has ended');
    const connecting = createLedgerClient(clients.connect());
    await clients.drain();
    const late = await connecting;
    late.close();
    expect(await late.claim(claimOf(1)).catch(reasonOf)).toBe('the ledger is closed');
  });

  test('succeeds in a client that never got a connection', async () => {
    const { port1, port2 } = new MessageChannel();
    const ledger = connectThread<ClientMethods>(port2, {});
    const connecting = createLedgerClient(port1);
    await ledger.call('drain', undefined);
    (await connecting).close();
  });

  test('disconnects its clients', async () => {
    const { clients } = open();
    const ended = Promise.withResolvers<string>();
    const methods = { connect() {}, drain: async () => {} };
    connectThread(clients.connect(), methods, 'ledger', ended.resolve);
    await clients.drain();
    expect(await ended.promise).toBe('the ledger ended');
  });

  test('without clients takes no time', async () => {
    await open().clients.drain();
    expect(open().ports).toEqual([]);
  });
});
