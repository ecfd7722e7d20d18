import { describe, expect, test } from 'bun:test';
import { reasonOf } from '../../../src/lib/log.ts';
import type { AccountId } from '../../../src/model/account.ts';
import type { Claim, RepeatKey } from '../../../src/model/ports/replayLedger.ts';
import type { Connection } from '../../../src/storage/postgres/ledger/connections.ts';
import { openLedger } from '../../../src/storage/postgres/ledger/ledger.ts';
import { createVirtualTime } from '../../support/virtualTime.ts';

const CLAIM: Claim = { puzzleId: new Uint8Array(8).fill(1), expiresAtSeconds: 1000, keyFingerprint: 7 };
const KEY: RepeatKey = { hash: new Uint8Array(32), nowSeconds: 1, userId: 1 as AccountId };

/** A ledger on connections that answer at once, or when the test releases them. */
function open({ isSame = true, failure }: { isSame?: boolean; failure?: Error } = {}) {
  const time = createVirtualTime();
  const texts: string[] = [];
  const state = { opened: 0, closed: 0, held: Promise.resolve() };
  async function connect(): Promise<Connection> {
    state.opened++;
    let isOpen = true;
    const unsafe = (text: string) => {
      texts.push(text);
      const rowsOf = (): unknown[] => {
        if (text.includes('is_same')) return [{ is_same: isSame }];
        if (text.includes('synchronous_standby_names')) return [{ synchronousStandbys: '' }];
        return text.includes('claim_puzzles') ? [['1', null, null]] : [];
      };
      const rows = state.held.then(() => {
        if (failure !== undefined) throw failure;
        return Object.assign(rowsOf(), { count: 0 });
      });
      return Object.assign(rows, { values: () => rows });
    };
    const begin = (work: (sql: unknown) => unknown) => work({ unsafe });
    return {
      sql: { unsafe, begin } as unknown as Bun.ReservedSQL,
      isOpen: () => isOpen,
      close() {
        if (isOpen) state.closed++;
        isOpen = false;
      },
    };
  }
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    state.held = promise;
    return resolve;
  };
  const opening = openLedger({ open: connect, durability: 'full', size: 2, ...time });
  return { opening, state, texts, time, hold };
}

const settle = () => new Promise(setImmediate);

describe('a ledger on PostgreSQL', () => {
  test.each([
    [true, false],
    [false, true],
  ])('whose table has the same identity: %p, has lost claims: %p', async (isSame, expected) => {
    const ledger = await open({ isSame }).opening;
    expect(ledger.hasLostClaims()).toBe(expected);
    await ledger.close();
  });

  test('counts claims, and knows how many wait', async () => {
    const { opening, hold } = open();
    const ledger = await opening;
    expect(await ledger.claim(CLAIM)).toBe(1);
    expect(ledger.load?.()).toEqual({ waiting: 0, connections: 2, busy: 0 });
    const release = hold();
    const running = [ledger.claimOnce(CLAIM, 1, KEY), ledger.claimOnce(CLAIM, 1, KEY)];
    await settle();
    const waiting = [ledger.claimOnce(CLAIM, 1, KEY), ledger.claim(CLAIM)];
    await settle();
    expect(ledger.load?.()).toEqual({ waiting: 2, connections: 2, busy: 2 });
    release();
    await Promise.all([...running, waiting[0]]);
    await ledger.close();
    expect(await waiting[1]).toBe(1);
  });

  test('does nothing after it was closed, and closes its connections', async () => {
    const { opening, texts, state } = open();
    const ledger = await opening;
    await ledger.claim(CLAIM);
    await ledger.close();
    expect([state.closed, state.opened]).toEqual([1, 1]);
    const before = texts.length;
    const calls = [
      ledger.claim(CLAIM),
      ledger.claimOnce(CLAIM, 1, KEY),
      ledger.recall(KEY),
      ledger.purge(2000, [7]),
      ledger.purgedBefore(7),
    ];
    for (const call of calls) expect(await call.then(String, reasonOf)).toBe('the ledger is closed');
    expect([texts.length, ledger.isHealthy(), state.opened]).toEqual([before, false, 1]);
  });

  test('is not opened if its table cannot be read, and leaves no connection', async () => {
    const { opening, state, time } = open({ failure: new Error('no such table') });
    expect(await opening.then(String, reasonOf)).toBe('no such table');
    expect(state.closed).toBe(state.opened);
    expect(await time.step()).toBe(false);
  });

  test('is not opened if no server accepts writes, and does not try again', async () => {
    const time = createVirtualTime();
    const open = () => Promise.reject(new Error('no server'));
    const opening = openLedger({ open, durability: 'full', ...time });
    expect(await opening.then(String, reasonOf)).toBe('no server');
    expect(await time.step()).toBe(false);
  });
});
