import { expect, test } from 'bun:test';
import { reasonOf } from '../../../src/lib/log.ts';
import type { Timer } from '../../../src/lib/timer.ts';
import type { AccountId } from '../../../src/model/account.ts';
import type { Claim, RepeatKey } from '../../../src/model/ports/replayLedger.ts';
import type { Connection } from '../../../src/storage/postgres/ledger/connections.ts';
import { openLedger } from '../../../src/storage/postgres/ledger/ledger.ts';
import type { ServerLedger } from '../../../src/storage/storage.ts';
import { type RandomScheduler, withSeeds } from '../../support/randomScheduler.ts';

/** The ledger with connections that a scheduler holds, releases, closes, and lets fail, in every order. */

const ID_SIZE = 8;
const SEEDS = 400;

const claimOf = (number: number): Claim => ({
  puzzleId: Uint8Array.of(number, number >> 8, 0, 0, 0, 0, 0, 0),
  expiresAtSeconds: 1000,
  keyFingerprint: 1,
});
const keyOf = (number: number, userId = 1): RepeatKey => ({
  hash: new Uint8Array(32).fill(number),
  nowSeconds: 500,
  userId: userId as AccountId,
});

/** A database whose answers the scheduler delays. `isFaulty` decides whether it also fails, hangs, and closes connections. */
function createDatabase(
  { hold, holdOrFail, random }: RandomScheduler,
  state: { isFaulty: boolean; isSlow: boolean },
) {
  const wait = async () => {
    if (!state.isSlow) return;
    if (!state.isFaulty) return hold();
    if (random(20) === 0) return new Promise<void>(() => {});
    return holdOrFail();
  };
  const rowsOf = (text: string, ids: Uint8Array) => {
    if (text.includes('claim_puzzles')) return [[String(ids.length / ID_SIZE), null, null]];
    if (text.includes('synchronous_standby_names')) return [{ synchronousStandbys: '' }];
    return text.includes('claims_identity') ? [{ is_same: true }] : [];
  };
  return async function open(): Promise<Connection> {
    await wait();
    let isOpen = true;
    const answer = async (text: string, ids: Uint8Array) => {
      await wait();
      if (state.isFaulty && random(15) === 0) isOpen = false;
      if (!isOpen) throw new Error('the connection was closed');
      return Object.assign(rowsOf(text, ids), { count: 0 });
    };
    const statement = (text: string, [, ids = new Uint8Array()]: readonly Uint8Array[] = []) => {
      const rows = answer(text, ids);
      return Object.assign(rows, { values: () => rows });
    };
    const begin = (work: (sql: unknown) => unknown) => work({ unsafe: statement });
    // The ledger uses only these methods.
    const sql = { unsafe: statement, begin } as unknown as Bun.ReservedSQL;
    const close = () => {
      isOpen = false;
    };
    return { sql, isOpen: () => isOpen, close };
  };
}

async function openRandomLedger(scheduler: RandomScheduler, timer = scheduler.time.timer) {
  const state = { isFaulty: false, isSlow: false };
  const { now } = scheduler.time;
  const open = createDatabase(scheduler, state);
  const size = 1 + scheduler.random(4);
  const ledger = await openLedger({ open, durability: 'full', size, now, timer });
  return { ledger, state };
}

/** A ledger whose calls never time out, and the names of those that have finished. */
async function openSlowLedger(scheduler: RandomScheduler) {
  const { timer } = scheduler.time;
  const withoutTimeouts: Timer = (ms, run) => (ms < 1000 ? timer(ms, run) : () => {});
  const { ledger, state } = await openRandomLedger(scheduler, withoutTimeouts);
  state.isSlow = true;
  const finished: string[] = [];
  return { ledger, finished, note: (name: string) => () => void finished.push(name) };
}

/** Starts a random method of the ledger. */
function startRandom(ledger: ServerLedger, { random, mustSettle }: RandomScheduler, number: number): void {
  const ignore = () => {};
  const kind = random(10);
  const named = (name: string, promise: Promise<unknown>) =>
    void mustSettle(`${name} ${number}`, promise).catch(ignore);
  if (kind < 4) named('claim', ledger.claim(claimOf(number)));
  else if (kind < 8) named('claimOnce', ledger.claimOnce(claimOf(number), 1, keyOf(number)));
  else if (kind < 9) named('recall', ledger.recall(keyOf(number)));
  else named('purgedBefore', ledger.purgedBefore(1));
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

test('every claim settles, whatever the connections do, and the ledger recovers', async () => {
  await withSeeds(SEEDS, async (scheduler) => {
    const { ledger, state } = await openRandomLedger(scheduler);
    state.isSlow = true;
    state.isFaulty = scheduler.random(2) === 0;
    await scheduler.run(upTo(30).map((number) => () => startRandom(ledger, scheduler, number)));
    state.isFaulty = false;
    state.isSlow = false;
    await scheduler.run([]);
    expect(ledger.isHealthy()).toBe(true);
    const later = scheduler.mustSettle('later claim', ledger.claim(claimOf(1000)));
    await scheduler.run([]);
    expect(await later).toBe(1);
  });
});

test('every claim settles if the ledger is closed in between', async () => {
  await withSeeds(SEEDS, async (scheduler) => {
    const { ledger, state } = await openRandomLedger(scheduler);
    state.isSlow = true;
    state.isFaulty = scheduler.random(2) === 0;
    const actions = upTo(20).map((number) => () => startRandom(ledger, scheduler, number));
    const close = () => void scheduler.mustSettle('close', ledger.close());
    await scheduler.run(actions.toSpliced(scheduler.random(20), 0, close));
    expect(await ledger.claim(claimOf(1000)).catch(reasonOf)).toBe('the ledger is closed');
  });
});

// When the operator clears the names of its standbys, an old primary can confirm a commit that waited for one (docs/project/model.md).
test('a claim is not accepted if its server was replaced before it answered', async () => {
  await withSeeds(20, async (scheduler) => {
    let primary = 1;
    const database = createDatabase(scheduler, { isFaulty: false, isSlow: false });
    async function open(): Promise<Connection> {
      const opened = primary;
      const { sql, ...connection } = await database();
      const unsafe = (text: string, values: unknown[]) => {
        if (text.includes('claim_puzzles')) primary++;
        return sql.unsafe(text, values);
      };
      const begin = (work: (sql: unknown) => unknown) => work({ unsafe });
      return {
        ...connection,
        sql: { unsafe, begin } as unknown as Bun.ReservedSQL,
        isOpen: () => opened === primary,
      };
    }
    const { now, timer } = scheduler.time;
    const opening = openLedger({ open, durability: 'full', size: 2, now, timer });
    await scheduler.run([]);
    const ledger = await opening;
    const claims = [ledger.claim(claimOf(1)), ledger.claimOnce(claimOf(2), 1, keyOf(2))];
    const results = claims.map((claim, i) => scheduler.mustSettle(`${i}`, claim.then(String, reasonOf)));
    await scheduler.run([]);
    expect(new Set(await Promise.all(results))).toEqual(
      new Set(['the connection was closed during the work']),
    );
  });
});

test('claims get a connection while many requests that may be repeated wait, and the other way around', async () => {
  await withSeeds(20, async (scheduler) => {
    const { ledger, finished, note } = await openSlowLedger(scheduler);
    const repeat = (number: number) =>
      ledger.claimOnce(claimOf(number), 1, keyOf(number)).then(note('repeatable'));
    function claimBeside() {
      for (const number of upTo(100)) void repeat(number);
      void ledger.claim(claimOf(500)).then(note('plain'));
    }
    await scheduler.run([claimBeside]);
    expect(finished.indexOf('plain')).toBeLessThan(30);
    finished.length = 0;
    function claimMany() {
      // Twenty groups.
      for (const number of upTo(10_240)) void ledger.claim(claimOf(1000 + number)).then(note('plain'));
      void ledger.recall(keyOf(200)).then(note('recalled'));
    }
    await scheduler.run([claimMany]);
    expect(finished).toHaveLength(10_241);
    expect(finished.indexOf('recalled')).toBeLessThan(8000);
  });
});

test('a user with more calls than the queue holds does not keep out another one', async () => {
  await withSeeds(20, async (scheduler) => {
    const { ledger, finished, note } = await openSlowLedger(scheduler);
    const rejections: string[] = [];
    const reject = (error: unknown) => void rejections.push(reasonOf(error));
    function callMany() {
      for (const number of upTo(1100)) ledger.recall(keyOf(number)).then(note('first user'), reject);
      void ledger.recall(keyOf(1, 2)).then(note('second user'));
      void ledger.claim(claimOf(1)).then(note('claim'));
      void ledger.purgedBefore(1).then(note('maintenance'));
    }
    await scheduler.run([callMany]);
    expect(new Set(rejections)).toEqual(new Set(['too many requests are waiting for the database']));
    for (const name of ['second user', 'claim', 'maintenance'])
      expect(finished.indexOf(name)).toBeWithin(0, 30);
  });
});

// A lightly loaded node used to send each claim alone, however busy the database was.
test('while commits take much longer than the shortest ones, claims wait for a group, and each of them settles', async () => {
  await withSeeds(50, async (scheduler) => {
    const { random, time } = scheduler;
    let commitMs = 1;
    const groups: number[] = [];
    const open = createDatabase(scheduler, { isFaulty: false, isSlow: false });
    const openTimed = async (): Promise<Connection> => {
      const connection = await open();
      const unsafe: Bun.SQL['unsafe'] = (text, values) => {
        const rows = connection.sql.unsafe(text, values);
        if (!text.includes('claim_puzzles')) return rows;
        const elapsed = new Promise<void>((resolve) => void time.timer(commitMs, resolve));
        return Object.assign(rows, { values: () => elapsed.then(() => rows) });
      };
      return { ...connection, sql: { ...connection.sql, unsafe } as Bun.ReservedSQL };
    };
    const onCommit = ({ claims }: { readonly claims: number }) => void groups.push(claims);
    const options = { open: openTimed, durability: 'full', size: 1, now: time.now, onCommit } as const;
    const ledger = await openLedger({ ...options, timer: time.timer });
    let number = 0;
    const claimSome = async (count: number) => {
      const claims = upTo(count).map(() => claimOf(number++));
      await scheduler.run(
        claims.map(
          (claim) => () => void scheduler.mustSettle(`claim ${claim.puzzleId}`, ledger.claim(claim)),
        ),
      );
    };
    for (let i = 0; i < 32; i++) await claimSome(1);
    expect(new Set(groups)).toEqual(new Set([1]));
    commitMs = 20;
    for (let i = 0; i < 100; i++) await claimSome(1);
    const startedAt = time.now();
    groups.length = 0;
    await claimSome(1);
    expect(groups).toEqual([1]);
    expect(time.now() - startedAt).toBe(20 + 25);
    await claimSome(2 + random(6));
    const last = scheduler.mustSettle('last claim', ledger.claim(claimOf(number)));
    await scheduler.run([() => void scheduler.mustSettle('close', ledger.close())]);
    expect(await last).toBe(1);
  });
});
