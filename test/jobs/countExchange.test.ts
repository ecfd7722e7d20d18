import { describe, expect, test } from 'bun:test';
import { decodeBatch, encodeBatch, MAX_BATCH_SIZE, MAX_KEYS } from '../../src/jobs/countBatch.ts';
import { startCountExchange } from '../../src/jobs/countExchange.ts';
import type { Instant } from '../../src/lib/time.ts';
import { MINUTE, SECOND } from '../../src/lib/time.ts';
import { COUNT_KINDS, type CountKind, type Counts, type SharedCounts } from '../../src/model/sharedCounts.ts';
import { createCountNode, createFakeExchange } from '../support/countNodes.ts';

const CLIENT = 4711;

function open() {
  const time = { now: Date.UTC(2026, 0, 1) };
  const now = () => time.now;
  const exchange = createFakeExchange(now);
  return { time, exchange, start: (name: string) => createCountNode({ exchange, name, now }) };
}

/** The number of puzzles in a client's bucket before this puzzle, by its work on `medium`. */
const fillOf = (work: number | undefined) => Math.round(((work ?? Number.NaN) - 1) * 5);

describe('a node', () => {
  test('adds the counts of other nodes once, and does not forward them', async () => {
    const { exchange, start } = open();
    const [anna, bert, carl] = [start('anna'), start('bert'), start('carl')];
    for (let i = 0; i < 5; i++) anna.puzzle(CLIENT, 'medium');
    for (let round = 0; round < 3; round++) {
      for (const { exchanger } of [anna, bert, carl]) await exchanger.run();
    }
    expect(exchange.stored()).toHaveLength(1);
    // Five puzzles double the work.
    for (const node of [bert, carl]) expect(node.puzzle(CLIENT, 'medium')).toBeCloseTo(2, 6);
    expect(anna.events).toEqual(['sent']);
    expect(bert.events).toEqual(['received']);
  });

  test('stores nothing if it has counted nothing', async () => {
    const { exchange, start } = open();
    const anna = start('anna');
    for (let round = 0; round < 3; round++) expect(await anna.exchanger.run()).toBe(true);
    expect(exchange.stored()).toEqual([]);
    expect(anna.events).toEqual([]);
  });

  test.each(['before', 'after'] as const)(
    'sends a batch again if the storage failed %s it was stored, and it counts once',
    async (failure) => {
      const { exchange, start } = open();
      const [anna, bert] = [start('anna'), start('bert')];
      for (let i = 0; i < 5; i++) anna.puzzle(CLIENT, 'medium');
      exchange.failure = failure;
      expect(await anna.exchanger.run()).toBe(false);
      expect(await anna.exchanger.run()).toBe(false);
      for (let i = 0; i < 5; i++) anna.puzzle(CLIENT, 'medium');
      exchange.failure = undefined;
      expect(await anna.exchanger.run()).toBe(true);
      expect(await anna.exchanger.run()).toBe(true);
      await bert.exchanger.run();
      expect(fillOf(bert.puzzle(CLIENT, 'medium'))).toBe(10);
      expect(anna.events).toEqual(['failed', 'failed', 'sent', 'sent']);
    },
  );

  test('logs the first of consecutive failures and the recovery', async () => {
    const { exchange, start } = open();
    const anna = start('anna');
    for (const failure of ['before', 'after', undefined, undefined, 'before'] as const) {
      exchange.failure = failure;
      await anna.exchanger.run();
    }
    expect(anna.logged).toEqual([
      ['count-exchange-failed', { reason: 'connection refused' }],
      ['count-exchange-recovered'],
      ['count-exchange-failed', { reason: 'connection refused' }],
    ]);
  });

  test('agrees on the secret at first, once a minute, and after each failure', async () => {
    const { time, exchange } = open();
    let agreed = 0;
    const agree = async () => void agreed++;
    const { exchanger } = createCountNode({ exchange, agree, name: 'anna', now: () => time.now });
    const runs: (readonly [milliseconds: number, failure: 'before' | undefined, agreed: number])[] = [
      [0, undefined, 1],
      [MINUTE - 1, undefined, 1],
      [1, undefined, 2],
      [250, 'before', 2],
      [250, undefined, 3],
      [250, undefined, 3],
    ];
    for (const [milliseconds, failure, expected] of runs) {
      time.now += milliseconds;
      exchange.failure = failure;
      await exchanger.run();
      expect(agreed).toBe(expected);
    }
  });

  test('drops counts that it could not send for ten seconds', async () => {
    const { time, exchange, start } = open();
    const [anna, bert] = [start('anna'), start('bert')];
    exchange.failure = 'before';
    for (let second = 0; second < MINUTE / SECOND; second++) {
      anna.puzzle(CLIENT, 'medium');
      await anna.exchanger.run();
      time.now += SECOND;
    }
    exchange.failure = undefined;
    await anna.exchanger.run();
    await anna.exchanger.run();
    await bert.exchanger.run();
    expect(anna.events).toContain('lost');
    expect(fillOf(bert.puzzle(CLIENT, 'medium'))).toBeWithin(1, 12);
  });

  test('that restarts adds the counts of the last ten seconds, including its own, and is a new node to the others', async () => {
    const { time, start } = open();
    const [anna, bert] = [start('anna'), start('bert')];
    for (const node of [anna, bert]) {
      for (let i = 0; i < 5; i++) node.puzzle(CLIENT, 'medium');
      await node.exchanger.run();
    }
    time.now += 5 * SECOND;
    const restarted = start('anna, restarted');
    await restarted.exchanger.run();
    expect(fillOf(restarted.puzzle(CLIENT, 'medium'))).toBe(10);
    await restarted.exchanger.run();
    await bert.exchanger.run();
    // 11 puzzles, less those that leaked in five seconds.
    expect(fillOf(bert.puzzle(CLIENT, 'medium'))).toBeWithin(10, 12);
  });

  test('that the others have forgotten is not counted twice', async () => {
    const { time, start } = open();
    const [anna, bert] = [start('anna'), start('bert')];
    for (let i = 0; i < 5; i++) anna.puzzle(CLIENT, 'medium');
    await anna.exchanger.run();
    for (let i = 0; i < 20; i++) {
      await bert.exchanger.run();
      time.now += 10 * SECOND;
    }
    expect(bert.events).toEqual(['received']);
  });
});

describe('a batch of another version or from damaged storage', () => {
  const valid = encodeBatch({
    ageMs: 0,
    counts: new Map([[COUNT_KINDS.clientLoad.id, new Map([[CLIENT, 5]])]]),
  });
  const changed = (change: (view: DataView) => void, batch = valid) => {
    const copy = batch.slice();
    change(new DataView(copy.buffer));
    return copy;
  };
  const cases: readonly (readonly [string, Uint8Array, string])[] = [
    ['is empty', new Uint8Array(), 'malformed'],
    ['ends in its header', valid.slice(0, 4), 'malformed'],
    ['ends in the header of a kind', valid.slice(0, 7), 'malformed'],
    ['ends in an entry', valid.slice(0, -1), 'malformed'],
    ['has more bytes than entries', Uint8Array.from([...valid, 0]), 'malformed'],
    ['has another version', changed((view) => view.setUint8(0, 2)), 'of another version'],
    ['has a negative key', changed((view) => view.setFloat64(8, -1, true)), 'malformed'],
    ['has a fractional key', changed((view) => view.setFloat64(8, 0.5, true)), 'malformed'],
    ['has no number as a key', changed((view) => view.setFloat64(8, Number.NaN, true)), 'malformed'],
    ['has a negative amount', changed((view) => view.setFloat32(16, -1, true)), 'malformed'],
    ['has an amount of 0', changed((view) => view.setFloat32(16, 0, true)), 'malformed'],
    ['has an infinite amount', changed((view) => view.setFloat32(16, 1e39, true)), 'malformed'],
    ['is too large', new Uint8Array(MAX_BATCH_SIZE + 1).fill(1), 'too large'],
  ];

  test.each(cases)('is ignored if it %s', async (_, payload, problem) => {
    const { time, exchange, start } = open();
    const bert = start('bert');
    exchange.store({ node: 'anna', sequence: 1, payload });
    exchange.store({ node: 'anna', sequence: 2, payload });
    expect(await bert.exchanger.run()).toBe(true);
    expect(bert.events).toEqual(['ignored', 'ignored']);
    const logged = ['count-batch-ignored', { node: 'anna', reason: `the batch is ${problem}` }] as const;
    expect(bert.logged).toEqual([logged]);
    expect(bert.puzzle(CLIENT, 'medium')).toBe(1);
    time.now += MINUTE;
    exchange.store({ node: 'anna', sequence: 3, payload });
    await bert.exchanger.run();
    expect(bert.logged).toEqual([logged, logged]);
  });

  test('is used, except for the kinds that this version does not know', async () => {
    const { exchange, start } = open();
    const bert = start('bert');
    const counts = new Map<number, Counts>([
      [200, new Map([[1, 1]])],
      [COUNT_KINDS.clientLoad.id, new Map([[CLIENT, 5]])],
    ]);
    exchange.store({ node: 'anna', sequence: 1, payload: encodeBatch({ ageMs: 0, counts }) });
    await bert.exchanger.run();
    expect(bert.puzzle(CLIENT, 'medium')).toBeCloseTo(2, 6);
  });

  test('of random bytes never throws', () => {
    for (let round = 0; round < 2000; round++) {
      const bytes = crypto.getRandomValues(new Uint8Array(round % 200));
      if (round % 2 === 0 && bytes.length > 0) bytes[0] = 1;
      expect(typeof decodeBatch(bytes).ok).toBe('boolean');
    }
  });
});

describe('the size of a batch', () => {
  test('is bounded, and the fullest buckets come first', async () => {
    const { exchange, start } = open();
    const [anna, bert] = [start('anna'), start('bert')];
    for (let client = 0; client < 20_000; client++) anna.puzzle(client, 'medium');
    const busy = 15_000;
    for (let i = 0; i < 10; i++) anna.puzzle(busy, 'medium');
    await anna.exchanger.run();
    const [batch] = exchange.stored();
    expect(batch?.payload.length).toBeLessThanOrEqual(MAX_BATCH_SIZE);
    const decoded = decodeBatch(batch?.payload ?? new Uint8Array());
    const counts = decoded.ok ? decoded.value.counts.get(COUNT_KINDS.clientLoad.id) : undefined;
    expect(counts?.size).toBe(MAX_KEYS);
    expect(counts?.get(busy)).toBe(11);
    await bert.exchanger.run();
    expect(bert.events).toEqual(['received']);
  });

  test('is at most 336,029 bytes', () => {
    const entries = new Map(Array.from({ length: MAX_KEYS }, (_, key) => [key, 1]));
    const counts = new Map(Object.values(COUNT_KINDS).map(({ id }) => [id, entries]));
    const bytes = encodeBatch({ ageMs: 250, counts });
    expect(bytes.length).toBe(MAX_BATCH_SIZE);
    expect(MAX_BATCH_SIZE).toBe(336_029);
    expect(decodeBatch(bytes)).toEqual({ ok: true, value: { ageMs: 250, counts } });
  });

  test('no two kinds have the same id', () => {
    const ids = Object.values(COUNT_KINDS).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toBeWithin(1, 256);
  });
});

describe('late counts', () => {
  test('of rate limits are ignored, and those of the load are not', async () => {
    const { time, exchange, start } = open();
    const bert = start('bert');
    const counts = (kind: CountKind) =>
      new Map<number, Counts>([[COUNT_KINDS[kind].id, new Map([[CLIENT, 5]])]]);
    exchange.store({
      node: 'anna',
      sequence: 1,
      payload: encodeBatch({ ageMs: 600, counts: counts('clientLoad') }),
    });
    exchange.store({
      node: 'anna',
      sequence: 2,
      payload: encodeBatch({ ageMs: 600, counts: counts('puzzleLimit') }),
    });
    time.now += 500;
    const before = bert.limit.take(CLIENT).resetSeconds;
    await bert.exchanger.run();
    expect(bert.limit.take(CLIENT).resetSeconds).toBe(before);
    expect(bert.puzzle(CLIENT, 'medium')).toBeCloseTo(2, 6);
  });
});

describe('the periodic exchange', () => {
  function begin({ failure }: { readonly failure?: 'before' } = {}) {
    const exchange = createFakeExchange(Date.now);
    exchange.failure = failure;
    let pending = new Map<number, number>();
    const count = (key: number) => pending.set(key, 1);
    const counts: SharedCounts = {
      collect() {},
      take() {
        const taken = pending;
        pending = new Map();
        return taken;
      },
      add() {},
    };
    const agreed: string[] = [];
    const running = startCountExchange({
      exchange,
      agree: async () => void agreed.push('agreed'),
      node: 'anna',
      counts: new Map([['clientLoad', counts] as const]),
      clock: () => Date.now() as Instant,
      now: () => performance.now(),
      log: { info() {}, warn() {} },
    });
    return { exchange, count, running, agreed };
  }

  test('begins immediately, agrees on the secret first, and sends the last counts when it stops', async () => {
    const { exchange, count, running, agreed } = begin();
    count(1);
    const { stop } = await running;
    expect(agreed).toEqual(['agreed']);
    count(2);
    await stop();
    const keys = exchange.stored().flatMap(({ payload }) => {
      const decoded = decodeBatch(payload);
      return decoded.ok ? [...(decoded.value.counts.get(COUNT_KINDS.clientLoad.id)?.keys() ?? [])] : [];
    });
    expect(keys).toEqual([1, 2]);
  });

  test('begins and stops while the storage is unavailable', async () => {
    const { exchange, running } = begin({ failure: 'before' });
    const { stop } = await running;
    await stop();
    expect(exchange.stored()).toEqual([]);
  });
});
