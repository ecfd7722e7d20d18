import { describe, expect, test } from 'bun:test';
import { reasonOf } from '../../../src/lib/log.ts';
import type { AccountId } from '../../../src/model/account.ts';
import { type Claim, REPEAT_WINDOW_SECONDS, type RepeatKey } from '../../../src/model/ports/replayLedger.ts';
import {
  countGroup,
  type Executor,
  hasOtherOrigin,
  isPurged,
} from '../../../src/storage/postgres/ledger/claims.ts';
import type { Connections, Run } from '../../../src/storage/postgres/ledger/connections.ts';
import { createGroups } from '../../../src/storage/postgres/ledger/groups.ts';
import { purge, purgedBefore } from '../../../src/storage/postgres/ledger/purge.ts';
import { createOnce, recall } from '../../../src/storage/postgres/ledger/repeats.ts';
import { createVirtualTime } from '../../support/virtualTime.ts';

/** The statements of the ledger and what it makes of their results, without a database. The contract suites run them on one. */

type Rows = readonly unknown[] & { count?: number };
type Statement = { readonly text: string; readonly values: readonly unknown[] };

/** An executor that answers with what a test returns for each statement. */
function executor(answer: (statement: Statement) => Rows | Promise<Rows>) {
  const statements: Statement[] = [];
  const unsafe = (text: string, values: readonly unknown[] = []) => {
    statements.push({ text, values });
    const rows = Promise.resolve(answer({ text, values }));
    return Object.assign(rows, { values: () => rows });
  };
  const begin = (work: (sql: unknown) => unknown) => work({ unsafe });
  return { sql: { unsafe, begin } as unknown as Executor & Bun.ReservedSQL, statements };
}

const claim = (puzzle: number, expiresAtSeconds = 1000, keyFingerprint = 7): Claim => ({
  puzzleId: Uint8Array.of(puzzle, 0, 0, 0, 0, 0, 0, 0xff),
  expiresAtSeconds,
  keyFingerprint,
});
const idOf = (puzzle: number) => claim(puzzle).puzzleId;
const keyTextOf = (puzzle: number, expiresAt = 1000) =>
  `${expiresAt}:${Buffer.from(idOf(puzzle)).toString('hex')}`;

describe('a group of claims', () => {
  const count = async (claims: readonly Claim[], row?: readonly unknown[]) => {
    const { sql, statements } = executor(() => (row === undefined ? [] : [row]));
    return { counted: await countGroup(sql, claims), statements };
  };

  test('is sent as its expirations and its ids', async () => {
    const { statements } = await count([claim(1), claim(2, 2000)], ['2', null, null]);
    expect(statements.map(({ values }) => values)).toEqual([
      ['{1000,2000}', Buffer.from([...idOf(1), ...idOf(2)])],
    ]);
  });

  test('of new puzzles has the numbers 1', async () => {
    const { counted } = await count([claim(1), claim(2)], ['2', null, null]);
    expect(counted).toEqual({ numbers: [1, 1], purges: new Map() });
  });

  test('gives the presentations of one puzzle consecutive numbers, the last one the highest', async () => {
    const repeated = `${keyTextOf(1)}:5,${keyTextOf(2, 2000)}:9`;
    const claims = [claim(1), claim(3), claim(1), claim(2, 2000), claim(1), claim(2)];
    const { counted } = await count(claims, ['4', repeated, null]);
    expect(counted.numbers).toEqual([3, 1, 4, 9, 5, 1]);
  });

  test('fails if the server did not store each different puzzle', async () => {
    const fails = (claims: readonly Claim[], row?: readonly unknown[]) => count(claims, row).catch(reasonOf);
    expect(await fails([claim(1)])).toContain('did not count');
    expect(await fails([claim(1), claim(2)], ['1', null, null])).toBe('the database stored 1 of 2 claims');
    const twice = [claim(1), claim(1)];
    expect(await fails(twice, ['2', `${keyTextOf(1)}:2`, null])).toBe('the database stored 2 of 1 claims');
    expect(await fails(twice, ['1', `${keyTextOf(1)}:2`, null])).toMatchObject({
      counted: { numbers: [1, 2] },
    });
  });

  test('has the number 0 for puzzles that expired before a purge of their key', async () => {
    const claims = [claim(1, 1499), claim(2, 1500), claim(3, 1499, 8), claim(4, 1499, 9)];
    const { counted } = await count(claims, ['4', null, '7:1500,8:1400']);
    expect(counted.numbers).toEqual([0, 1, 1, 1]);
    expect([...counted.purges]).toEqual([
      [7, 1500],
      [8, 1400],
    ]);
    expect(claims.map((one) => isPurged(one, counted.purges))).toEqual([true, false, false, false]);
  });
});

test.each([
  [[{ is_same: true }], false],
  [[{ is_same: false }], true],
  [[], true],
])('a table whose identity is %j has another origin: %p', async (rows, expected) => {
  expect(await hasOtherOrigin(executor(() => rows).sql)).toBe(expected);
});

describe('a purge', () => {
  const counted = (count: number) => Object.assign([], { count });

  /** Runs a purge. @param last the last row of a full batch */
  async function run(before: number, keys: readonly number[], last?: object, isSame = true) {
    const { sql, statements } = executor(({ text }) => {
      if (text.includes('is_same')) return [{ is_same: isSame }];
      if (text.includes('OFFSET')) return last === undefined ? [] : [last];
      if (text.startsWith('DELETE FROM claims')) return counted(3);
      return text.includes('DELETE FROM repeats') ? counted(4) : [];
    });
    const deleted = await purge(sql, before, keys);
    return { deleted, texts: statements.map(({ text }) => text.trim()), statements };
  }

  test('deletes claims and results, and records its time for its keys', async () => {
    const { deleted, statements, texts } = await run(1500, [7, 8]);
    expect(deleted).toBe(7);
    const valuesOf = (start: string) => statements.find(({ text }) => text.trim().startsWith(start))?.values;
    expect(valuesOf('DELETE FROM claims WHERE expires_at <')).toEqual([1500]);
    expect(valuesOf('DELETE FROM repeats')).toEqual([1500]);
    const recorded = statements.filter(({ text }) => text.includes('purged') && text.includes('keys AS'));
    expect(recorded.map(({ values }) => values)).toEqual([['{7,8}', 1500], ['{7,8}']]);
    // The settings that prevent deadlocks come before everything else.
    expect(texts.slice(0, 3).every((text) => text.startsWith('SET LOCAL'))).toBe(true);
    expect(texts.filter((text) => text.startsWith('SET LOCAL'))).toHaveLength(3);
    expect(texts.some((text) => text.includes('lock'))).toBe(true);
  });

  test('deletes a batch up to its last row', async () => {
    const { deleted, statements } = await run(1500, [7], { expires_at: '1200', puzzle_id: idOf(1) });
    expect(deleted).toBe(7);
    const [batch] = statements.filter(({ text }) => text.startsWith('DELETE FROM claims'));
    expect(batch?.values).toEqual(['1200', idOf(1)]);
    expect(batch?.text).toContain('<=');
  });

  test('of all puzzles happens only once, because another node may have a new key', async () => {
    const all = 2 ** 32 - 1;
    expect((await run(all, [7])).deleted).toBe(0);
    expect((await run(all, [7])).texts.some((text) => text.startsWith('DELETE'))).toBe(false);
    expect((await run(all, [7], undefined, false)).deleted).toBe(7);
    expect((await run(all - 1, [7])).deleted).toBe(7);
  });

  test.each([
    [[{ expired_before: '1500' }], 1500],
    [[], 0],
  ])('has the time %j', async (rows, expected) => {
    const { sql, statements } = executor(() => rows);
    expect(await purgedBefore(sql, 7)).toBe(expected);
    expect(statements[0]?.values).toEqual([7]);
  });
});

describe('a request that may be repeated', () => {
  const key: RepeatKey = { hash: new Uint8Array(32).fill(1), nowSeconds: 500, userId: 9 as AccountId };

  function open(found: Rows, row: readonly unknown[] = ['1', null, null]) {
    const { sql, statements } = executor(({ text }) => {
      if (text.includes('claim_puzzles')) return [row];
      return text.includes('AS is_known FROM repeats') ? found : [];
    });
    const options: unknown[] = [];
    const commits: unknown[] = [];
    const time = { now: 10 };
    let granted = Promise.resolve();
    const run: Run = async (work, given) => {
      options.push(given?.group);
      await granted;
      given?.onGranted?.();
      time.now += 5;
      return work(sql);
    };
    const health = { observe: <T>(work: () => Promise<T>) => work() } as never;
    const once = createOnce({ run, health, now: () => time.now, onCommit: (commit) => commits.push(commit) });
    const hold = () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      granted = promise;
      return resolve;
    };
    return { once, sql, statements, options, commits, hold };
  }

  test('is counted, and remembered for its time', async () => {
    const { once, statements, options, commits } = open([]);
    expect(await once.claim(claim(1), 3, key)).toBe(1);
    expect(options).toEqual(['9']);
    expect(commits).toEqual([{ claims: 1, milliseconds: 5 }]);
    const [lock, find, count, remember] = statements;
    expect(lock?.text).toContain('INSERT INTO repeats');
    expect(lock?.values).toEqual([key.hash]);
    expect(find?.values).toEqual([key.hash, 500, 2 * REPEAT_WINDOW_SECONDS]);
    expect(count?.text).toContain('claim_puzzles');
    expect(remember?.values).toEqual([key.hash, 500 + REPEAT_WINDOW_SECONDS, 1, 3]);
    expect(statements).toHaveLength(4);
  });

  test('that was counted before has the same number', async () => {
    const { once, statements } = open([{ presentations: 4, max_count: '3', is_known: true }]);
    expect(await once.claim(claim(1), 3, key)).toBe(4);
    expect(statements.some(({ text }) => text.includes('claim_puzzles'))).toBe(false);
  });

  test('of a purged puzzle has the number 0, and is not remembered', async () => {
    const { once, statements } = open([], ['1', null, '7:2000']);
    expect(await once.claim(claim(1), 3, key)).toBe(0);
    expect(statements.some(({ text }) => text.startsWith('UPDATE repeats'))).toBe(false);
  });

  test('fails with the database', async () => {
    const { once, commits } = open([], ['0', null, null]);
    expect(await once.claim(claim(1), 3, key).catch(reasonOf)).toContain('stored 0 of 1');
    expect([commits, once.waiting()]).toEqual([[], 0]);
  });

  test('does not wait any longer if it gets no connection', async () => {
    const health = { observe: <T>(work: () => Promise<T>) => work() } as never;
    const run: Run = () => Promise.reject(new Error('too many requests'));
    const once = createOnce({ run, health, now: () => 0, onCommit: undefined });
    expect(await once.claim(claim(1), 3, key).catch(reasonOf)).toBe('too many requests');
    expect(once.waiting()).toBe(0);
  });

  test('waits until it has a connection', async () => {
    const { once, hold } = open([]);
    expect(once.waiting()).toBe(0);
    const release = hold();
    const claims = [once.claim(claim(1), 3, key), once.claim(claim(2), 3, key)];
    expect(once.waiting()).toBe(2);
    release();
    await Promise.all(claims);
    expect(once.waiting()).toBe(0);
  });

  test.each([
    [[], undefined],
    [[{ presentations: 3, max_count: '3', is_known: true }], true],
    [[{ presentations: 4, max_count: '3', is_known: true }], false],
    [[{ presentations: 9, max_count: '10', is_known: true }], true],
  ])('with the row %j was accepted: %p', async (rows, expected) => {
    const { sql, statements } = open(rows);
    expect(await recall(sql, key)).toBe(expected as boolean);
    expect(statements[0]?.text).toEndWith('FOR UPDATE');
  });
});

describe('claims that wait for a transaction', () => {
  /** Groups whose transactions the test ends. */
  function open({ busy = 0 } = {}) {
    const time = createVirtualTime();
    const granted: Promise<void> | undefined = undefined;
    const state = {
      busy,
      isDown: false,
      isHealthy: true,
      requests: 0,
      granted: granted as Promise<void> | undefined,
    };
    const pending: {
      readonly size: number;
      readonly end: (error?: Error, purges?: string | null) => void;
    }[] = [];
    const commits: unknown[] = [];
    const run: Run = async (work, given) => {
      state.requests++;
      await state.granted;
      state.busy++;
      given?.onGranted?.();
      const { sql } = executor(async ({ values: [, ids] }) => {
        const { promise, resolve, reject } = Promise.withResolvers<Rows>();
        const size = (ids as Buffer).length / 8;
        const end = (error?: Error, purges: string | null = null) =>
          error === undefined ? resolve([[String(size), null, purges]]) : reject(error);
        pending.push({ size, end });
        return promise;
      });
      try {
        return await work(sql as never);
      } finally {
        state.busy--;
      }
    };
    const connections = { busy: () => state.busy, isDown: () => state.isDown } as Connections;
    const health = {
      observe: <T>(work: () => Promise<T>) => work(),
      isHealthy: () => state.isHealthy,
    } as never;
    const groups = createGroups({
      run,
      connections,
      health,
      ...time,
      onCommit: (commit) => commits.push(commit),
    });
    let puzzles = 0;
    const claims = (count: number) =>
      Array.from({ length: count }, () =>
        groups.claim({
          ...claim(0),
          puzzleId: Uint8Array.of(...new Uint8Array(new Uint32Array([++puzzles, 0]).buffer)),
        }),
      );
    return { groups, claims, time, state, pending, commits };
  }
  const settle = () => new Promise(setImmediate);

  /** Raises the hold time to 10 ms. */
  async function makeBusy({ claims, pending, time }: ReturnType<typeof open>): Promise<void> {
    for (let n = 0; n < 48; n++) {
      const [counted] = claims(1);
      await settle();
      while (pending.length === 0) await time.step();
      await time.pass(n < 16 ? 1 : 20);
      pending.shift()?.end();
      await counted;
      await settle();
    }
  }

  test('are sent together at the end of the iteration of the event loop', async () => {
    const { claims, pending, commits, groups, time } = open();
    const counted = claims(3);
    expect([pending.length, groups.waiting()]).toEqual([0, 3]);
    await settle();
    expect(pending.map(({ size }) => size)).toEqual([3]);
    expect(groups.waiting()).toBe(0);
    await time.pass(4);
    pending[0]?.end();
    expect(await Promise.all(counted)).toEqual([1, 1, 1]);
    expect(commits).toEqual([{ claims: 3, milliseconds: 4 }]);
  });

  test('wait 5 ms for a larger group while a connection is busy', async () => {
    const { claims, pending, time } = open({ busy: 1 });
    claims(8);
    await settle();
    await time.pass(4);
    expect(pending).toHaveLength(0);
    await time.pass(1);
    expect(pending.map(({ size }) => size)).toEqual([8]);
  });

  test('do not wait if there are more than eight for each busy connection', async () => {
    const { claims, pending } = open({ busy: 2 });
    claims(16);
    await settle();
    expect(pending).toHaveLength(0);
    claims(1);
    await settle();
    expect(pending.map(({ size }) => size)).toEqual([17]);
  });

  test('form groups of at most 512, and the others join the next group', async () => {
    const { claims, pending, groups } = open();
    const counted = claims(1030);
    await settle();
    await settle();
    expect(pending.map(({ size }) => size)).toEqual([512, 512]);
    expect(groups.waiting()).toBe(6);
    for (const { end } of pending.splice(0)) end();
    await settle();
    await settle();
    expect(pending.map(({ size }) => size)).toEqual([6]);
    pending[0]?.end();
    expect(await Promise.all(counted)).toEqual(counted.map(() => 1));
  });

  test('are rejected with their group if it fails, and others are not', async () => {
    const { claims, pending, groups } = open();
    const [first, second] = [claims(1), claims(0)];
    await settle();
    const later = claims(20);
    await settle();
    expect(second).toEqual([]);
    pending[0]?.end(new Error('the disk is full'));
    expect(await first[0]?.catch(reasonOf)).toBe('the disk is full');
    await settle();
    for (const { end } of pending.slice(1)) end();
    expect(await Promise.all(later)).toEqual(later.map(() => 1));
    expect(groups.waiting()).toBe(0);
  });

  test('are all rejected if no server accepts writes', async () => {
    const { claims, pending, state, time } = open({ busy: 1 });
    const first = claims(9);
    await settle();
    const waiting = claims(1);
    state.isDown = true;
    pending[0]?.end(new Error('no server'));
    expect(await Promise.all([...first, ...waiting].map((one) => one.catch(reasonOf)))).toEqual(
      Array(10).fill('no server'),
    );
    const [next] = claims(1);
    state.isHealthy = false;
    const [rejected] = claims(1);
    expect(await rejected?.catch(reasonOf)).toBe('no database server accepts claims');
    await time.pass(5);
    pending.at(-1)?.end();
    expect(await next).toBe(1);
  });

  test('of puzzles that were purged are answered without the database', async () => {
    const { groups, claims, pending } = open();
    const [first] = claims(1);
    await settle();
    pending[0]?.end(undefined, '8:5000');
    expect(await first).toBe(1);
    expect(await groups.claim(claim(1, 4999, 8))).toBe(0);
    expect(groups.waiting()).toBe(0);
    void groups.claim(claim(1, 5000, 8));
    expect(groups.waiting()).toBe(1);
  });

  test('join the group that waits for a connection', async () => {
    const { claims, pending, state, groups } = open();
    const { promise, resolve } = Promise.withResolvers<void>();
    state.granted = promise;
    for (let turn = 0; turn < 3; turn++) {
      claims(9);
      await settle();
    }
    expect([state.requests, groups.waiting(), pending.length]).toEqual([1, 27, 0]);
    resolve();
    await settle();
    expect(pending.map(({ size }) => size)).toEqual([27]);
  });

  test('wait again for 5 ms after each group that was sent after its time', async () => {
    const { claims, pending, time } = open({ busy: 1 });
    claims(1);
    await settle();
    await time.pass(3);
    claims(1);
    await settle();
    await time.pass(2);
    expect(pending.map(({ size }) => size)).toEqual([2]);
    await time.pass(1);
    claims(1);
    await settle();
    await time.pass(4);
    expect(pending).toHaveLength(1);
    await time.pass(1);
    expect(pending.map(({ size }) => size)).toEqual([2, 1]);
  });

  test('wait again for 5 ms after a group that did not have to wait', async () => {
    const { claims, pending, time } = open({ busy: 1 });
    claims(1);
    await settle();
    await time.pass(1);
    claims(8);
    await settle();
    expect(pending.map(({ size }) => size)).toEqual([9]);
    claims(1);
    await settle();
    await time.pass(4);
    expect(pending).toHaveLength(1);
    await time.pass(1);
    expect(pending.map(({ size }) => size)).toEqual([9, 1]);
  });

  test('are held although a connection is free while commits take longer than usual', async () => {
    const scene = open();
    const { claims, pending, time } = scene;
    await makeBusy(scene);
    claims(8);
    await settle();
    await time.pass(9);
    expect(pending).toHaveLength(0);
    await time.pass(1);
    expect(pending.map(({ size }) => size)).toEqual([8]);
  });

  test('are held, and then sent, after others were rejected while they were held', async () => {
    const scene = open();
    const { claims, pending, state, time } = scene;
    await makeBusy(scene);
    const sent = claims(9);
    await settle();
    const held = claims(1);
    await settle();
    state.isDown = true;
    pending.shift()?.end(new Error('no server'));
    expect(new Set(await Promise.all([...sent, ...held].map((one) => one.catch(reasonOf))))).toEqual(
      new Set(['no server']),
    );
    await time.pass(10);
    state.isDown = false;
    claims(1);
    await settle();
    expect(pending).toHaveLength(0);
    await time.pass(10);
    expect(pending.map(({ size }) => size)).toEqual([1]);
  });

  test('wait further if another group fails while a server accepts writes', async () => {
    const { claims, pending, time } = open({ busy: 1 });
    const first = claims(9);
    await settle();
    const later = claims(1);
    await settle();
    pending[0]?.end(new Error('a deadlock'));
    expect(await first[0]?.catch(reasonOf)).toBe('a deadlock');
    for (const other of first.slice(1)) await other.catch(() => {});
    await time.pass(5);
    pending[1]?.end();
    expect(await later[0]).toBe(1);
  });

  test.each([
    [true, true],
    [false, false],
  ])(
    'are accepted unless no server is known and the last one failed (down: %p, healthy: %p)',
    async (isDown, isHealthy) => {
      const { claims, pending, state } = open();
      Object.assign(state, { isDown, isHealthy });
      const [counted] = claims(1);
      await settle();
      pending[0]?.end();
      expect(await counted).toBe(1);
    },
  );

  test('are at most 50,000', async () => {
    const { claims, groups } = open({ busy: 100_000 });
    const waiting = claims(50_000);
    expect(await claims(1)[0]?.catch(reasonOf)).toBe('too many claims are waiting');
    expect([waiting.length, groups.waiting()]).toEqual([50_000, 50_000]);
  });

  test('are sent at once when the ledger closes, which waits for them', async () => {
    const { claims, groups, pending } = open({ busy: 3 });
    const counted = claims(2);
    expect(groups.isClosed()).toBe(false);
    let isClosed = false;
    const closed = groups.close().then(() => {
      isClosed = true;
    });
    expect(groups.isClosed()).toBe(true);
    await settle();
    expect([pending.map(({ size }) => size), isClosed]).toEqual([[2], false]);
    expect(await claims(1)[0]?.catch(reasonOf)).toBe('the ledger is closed');
    pending[0]?.end();
    expect(await Promise.all(counted)).toEqual([1, 1]);
    await closed;
  });
});
