import { describe, expect, test } from 'bun:test';
import { createUsage, UNKNOWN_PROPERTY } from '../../src/captcha/usage.ts';
import { VERDICT_CODES, type Verdict, type VerdictName } from '../../src/captcha/verdict.ts';
import { HOUR, type Instant, later } from '../../src/lib/time.ts';
import type { ApiKeyId } from '../../src/model/apiKey.ts';
import type { PropertyId, Sitekey } from '../../src/model/property.ts';
import {
  COUNTER,
  COUNTS_SIZE,
  FAILURE_POSITIONS,
  toBucket,
  toHour,
  type UsageRecord,
} from '../../src/model/statistics.ts';

const now = Date.UTC(2026, 0, 31, 12, 59, 59) as Instant;
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(32)) as [
  Sitekey,
  Sitekey,
  Sitekey,
  Sitekey,
];

/** The property's number is that of the sitekey's first digits. */
const propertyOf = (sitekey: Sitekey) => ({
  sitekey,
  id: Number.parseInt(sitekey.slice(0, 3), 16) as PropertyId,
});

/** In descending order, so that records have to be sorted. */
const sitekeyOf = (number: number) =>
  (1000 - number).toString(16).padStart(3, '0').padEnd(32, '0') as Sitekey;

function verdict(name: VerdictName, success = false, verifiedAt = now): Verdict {
  return { success, name, origin: '', verifiedAt, issuedAt: undefined, isUnavailable: false, pageData: {} };
}

/** A copy of a record: sitekey, hours since `now`, and the counters that are not zero. */
function copyOf({ sitekey, hour, counts }: UsageRecord) {
  const some = Array.from(counts).flatMap((count, position) => (count === 0 ? [] : [[position, count]]));
  return [sitekey, hour - toHour(now), Object.fromEntries(some)] as const;
}

/** A usage with a writer that can fail. */
function open(capacity = 100) {
  const written: ReturnType<typeof copyOf>[] = [];
  let full = 0;
  const usage = createUsage(capacity, () => full++);
  const state = { isBroken: false, during: () => {} };
  return {
    ...usage,
    state,
    written,
    full: () => full,
    /** Flushes into a list. */
    collect: (into: UsageRecord[]) =>
      usage.flush(async (records) => {
        into.push(...records);
      }),
    flush: () =>
      usage.flush(async (records) => {
        if (state.isBroken) throw new Error('disk failure');
        written.push(...records.map(copyOf));
        state.during();
      }),
    /** Number of puzzles written. */
    total: () => written.reduce((sum, [, , some]) => sum + (some[COUNTER.issued] ?? 0), 0),
  };
}

describe('usage counts', () => {
  test('events of two alternating hours in two records', async () => {
    const usage = open();
    for (let n = 0; n < 1000; n++) usage.countPuzzle(propertyOf(a), later(now, (n % 2) * HOUR));
    await usage.flush();
    const issued = { [COUNTER.issued]: 500 };
    expect(usage.written).toEqual([
      [a, 0, issued],
      [a, 1, issued],
    ]);
    expect([usage.full(), usage.takeLost()]).toEqual([0, 0]);
  });

  test('puzzles per property and hour', async () => {
    const usage = open();
    for (const sitekey of [a, b, a]) usage.countPuzzle(propertyOf(sitekey), now);
    usage.countPuzzle(propertyOf(a), later(now, 1000));
    expect(usage.pending()).toBe(4);
    await usage.flush();
    expect(usage.written).toEqual([
      [a, 0, { [COUNTER.issued]: 2 }],
      [a, 1, { [COUNTER.issued]: 1 }],
      [b, 0, { [COUNTER.issued]: 1 }],
    ]);
    expect(usage.pending()).toBe(0);
  });

  test('failures per verdict, for the installation if the property is unknown', async () => {
    const usage = open();
    usage.countVerdict(verdict('solution-invalid'), propertyOf(a));
    usage.countVerdict(verdict('solution-verified-before'), propertyOf(a));
    usage.countVerdict(verdict('integrity-error'), UNKNOWN_PROPERTY);
    await usage.flush();
    expect(usage.written).toEqual([
      [undefined, 0, { [COUNTER.failed + 11]: 1 }],
      [a, 0, { [COUNTER.failed + 3]: 1, [COUNTER.failed + 8]: 1 }],
    ]);
  });

  test('successes with the metadata of the widget, and repeats without', async () => {
    const usage = open();
    const metadata = { errorCode: 0, usedWasm: true, elapsedMs: 700 };
    usage.countVerdict(verdict('no-error', true), { ...propertyOf(a), settings: 128 }, metadata);
    usage.countVerdict(
      verdict('maintenance-mode', true),
      { ...propertyOf(a), settings: 120 },
      { ...metadata, usedWasm: false },
    );
    usage.countVerdict(verdict('no-error', true), propertyOf(a), metadata);
    usage.countVerdict(verdict('no-error', true), propertyOf(a));
    usage.countVerdict(verdict('solution-verified-before', true), propertyOf(a), metadata);
    usage.countVerdict(verdict('solution-invalid'), propertyOf(a), metadata);
    await usage.flush();
    expect(usage.written.map(([, , some]) => some)).toEqual([
      {
        [COUNTER.verified]: 4,
        [COUNTER.repeated]: 1,
        [COUNTER.usedWasm]: 2,
        [COUNTER.failed + 3]: 1,
        [COUNTER.solved + toBucket(700)]: 3,
        [COUNTER.settings]: 248,
      },
    ]);
  });

  test('no verdicts of the test property', async () => {
    const usage = open();
    usage.countVerdict(verdict('property-test', true), UNKNOWN_PROPERTY);
    await usage.flush();
    expect(usage.written).toEqual([]);
  });

  test('every verdict in a separate counter', () => {
    expect(Math.max(...Object.values(VERDICT_CODES))).toBeLessThan(FAILURE_POSITIONS);
  });
});

describe('flushing', () => {
  test('writes everything once, in batches', async () => {
    const usage = open(1000);
    for (let i = 0; i < 500; i++) usage.countPuzzle(propertyOf(sitekeyOf(i)), now);
    let batches = 0;
    usage.state.during = () => batches++;
    await usage.flush();
    // Sorted by property number, as in the database.
    const sitekeys = Array.from({ length: 500 }, (_, i) => sitekeyOf(499 - i));
    expect(usage.written.map(([sitekey]) => sitekey)).toEqual(sitekeys);
    expect([usage.total(), batches]).toEqual([500, 4]);
    await usage.flush();
    expect(usage.total()).toBe(500);
  });

  test('keeps unwritten records if it fails, while counting continues', async () => {
    const usage = open(1000);
    for (let i = 0; i < 200; i++) usage.countPuzzle(propertyOf(sitekeyOf(i)), now);
    usage.state.during = () => {
      usage.state.isBroken = true;
    };
    await usage.flush().catch(() => {});
    expect(usage.total()).toBe(128);
    for (let hour = 0; hour < 3; hour++) usage.countPuzzle(propertyOf(a), later(now, hour * HOUR));
    await usage.flush().catch(() => {});
    usage.state.isBroken = false;
    usage.state.during = () => {};
    await usage.flush();
    expect([usage.total(), usage.takeLost(), usage.pending()]).toEqual([203, 0, 0]);
  });

  test('leaves events that are counted in the meantime to the next flush', async () => {
    const usage = open();
    usage.countPuzzle(propertyOf(a), now);
    usage.state.during = () => {
      usage.state.during = () => {};
      usage.countPuzzle(propertyOf(b), now);
      usage.countPuzzle(propertyOf(a), now);
    };
    await usage.flush();
    expect(usage.total()).toBe(1);
    await usage.flush();
    expect(usage.written.slice(1)).toEqual([
      [a, 0, { [COUNTER.issued]: 1 }],
      [b, 0, { [COUNTER.issued]: 1 }],
    ]);
  });

  test('writes everything that was counted before, also if the buffers are swapped at any moment', async () => {
    for (let turns = 0; turns < 12; turns++) {
      const usage = open(1);
      // The second property fills the other buffer.
      for (const sitekey of [a, b]) usage.countPuzzle(propertyOf(sitekey), now);
      usage.state.during = () => {
        usage.state.during = () => {};
        void (async () => {
          for (let turn = 0; turn < turns; turn++) await undefined;
          usage.countPuzzle(propertyOf(c), now);
        })();
      };
      await usage.flush();
      expect(usage.written.map(([sitekey]) => sitekey)).toContain(a);
      expect(usage.written.map(([sitekey]) => sitekey)).toContain(b);
    }
  });
});

describe('a full buffer', () => {
  test('requests an early flush and loses no events', async () => {
    const usage = open(2);
    for (const sitekey of [a, b, b, c, d]) usage.countPuzzle(propertyOf(sitekey), now);
    expect([usage.full(), usage.takeLost()]).toEqual([1, 0]);
    await usage.flush();
    expect([usage.total(), usage.pending()]).toEqual([5, 0]);
  });

  test('of solve times requests an early flush too, and counts lost events', async () => {
    const usage = open(4);
    const metadata = { errorCode: 0, usedWasm: false, elapsedMs: 700 };
    for (const sitekey of [a, a, b, a, b])
      usage.countVerdict(verdict('no-error', true), propertyOf(sitekey), metadata);
    expect([usage.full(), usage.takeLost()]).toEqual([1, 1]);
    await usage.flush();
    const times = usage.written.map(([sitekey, , some]) => [sitekey, some[COUNTER.solved + toBucket(700)]]);
    expect(times).toEqual([
      [a, 2],
      [b, 2],
    ]);
  });

  test('loses only events that need a new row, and counts them, while flushing fails', async () => {
    const usage = open(1);
    usage.state.isBroken = true;
    usage.countPuzzle(propertyOf(a), now);
    await usage.flush().catch(() => {});
    for (const sitekey of [b, b, c, b, a]) usage.countPuzzle(propertyOf(sitekey), now);
    usage.countVerdict(verdict('solution-invalid'), propertyOf(d));
    expect([usage.pending(), usage.takeLost(), usage.takeLost()]).toEqual([4, 3, 0]);
    usage.state.isBroken = false;
    await usage.flush();
    expect(usage.written).toEqual([
      [a, 0, { [COUNTER.issued]: 1 }],
      [b, 0, { [COUNTER.issued]: 3 }],
    ]);
    usage.countPuzzle(propertyOf(c), now);
    expect(usage.takeLost()).toBe(0);
  });
});

describe('the memory for counts', () => {
  const metadata = { elapsedMs: 700, usedWasm: true } as never;

  test('has solve times for a quarter of the records, and the others need none', async () => {
    const usage = open(8);
    for (let i = 0; i < 8; i++) usage.countVerdict(verdict('no-error', true), propertyOf(sitekeyOf(i)));
    expect([usage.full(), usage.takeLost()]).toEqual([0, 0]);
    const timed = open(5);
    for (let i = 0; i < 2; i++)
      timed.countVerdict(verdict('no-error', true), propertyOf(sitekeyOf(i)), metadata);
    expect(timed.full()).toBe(0);
    timed.countVerdict(verdict('no-error', true), propertyOf(sitekeyOf(2)), metadata);
    expect([timed.full(), timed.takeLost()]).toEqual([1, 0]);
  });

  test('is written in as many batches as needed', async () => {
    for (const [count, expected] of [
      [127, 1],
      [128, 1],
      [129, 2],
      [256, 2],
    ] as const) {
      const usage = open(1000);
      let batches = 0;
      usage.state.during = () => batches++;
      for (let i = 0; i < count; i++) usage.countPuzzle(propertyOf(sitekeyOf(i)), now);
      await usage.flush();
      expect([count, batches, usage.written.length]).toEqual([count, expected, count]);
    }
  });

  test('has an order of its own for each flush', async () => {
    const usage = open(1000);
    for (const numbers of [[1, 2, 3], [9, 8, 7, 6, 5], [4]]) {
      for (const number of numbers) usage.countPuzzle(propertyOf(sitekeyOf(number)), now);
      usage.written.length = 0;
      await usage.flush();
      expect(usage.written.map(([sitekey]) => sitekey)).toEqual(
        numbers.toSorted().toReversed().map(sitekeyOf),
      );
    }
  });

  test('grows with the records, whose counts stay', async () => {
    const usage = open(5000);
    for (let round = 1; round <= 3; round++)
      for (let i = 0; i < 900; i++) {
        usage.countPuzzle(propertyOf(sitekeyOf(i)), now);
        usage.countVerdict(verdict('no-error', true), propertyOf(sitekeyOf(i)), metadata);
      }
    await usage.flush();
    expect(usage.written).toHaveLength(900);
    for (const [, , some] of usage.written)
      expect(some).toMatchObject({
        [COUNTER.issued]: 3,
        [COUNTER.verified]: 3,
        [COUNTER.solved + toBucket(700)]: 3,
      });
  });

  test('is used again after a flush, without the counts from before', async () => {
    const usage = open(4);
    for (let round = 0; round < 5; round++) {
      for (const sitekey of [a, b, c]) usage.countPuzzle(propertyOf(sitekey), later(now, round * HOUR));
      usage.countVerdict(verdict('no-error', true), propertyOf(d), metadata);
      usage.written.length = 0;
      await usage.flush();
      expect(usage.written.toSorted()).toEqual([
        [a, round, { [COUNTER.issued]: 1 }],
        [b, round, { [COUNTER.issued]: 1 }],
        [c, round, { [COUNTER.issued]: 1 }],
        [d, 0, { [COUNTER.verified]: 1, [COUNTER.usedWasm]: 1, [COUNTER.solved + toBucket(700)]: 1 }],
      ]);
    }
    expect([usage.full(), usage.pending(), usage.takeLost()]).toEqual([0, 0, 0]);
  });

  test('has no record for another hour of the same property before it is counted', async () => {
    const usage = open(4);
    for (const hours of [0, 1, 2, 0]) usage.countPuzzle(propertyOf(a), later(now, hours * HOUR));
    await usage.flush();
    const counted = usage.written.map(([, hour, some]) => [hour, some[COUNTER.issued]]);
    const sum = (wanted: unknown) =>
      counted.reduce((total, [hour, count]) => total + (hour === wanted ? (count ?? 0) : 0), 0);
    expect([0, 1, 2].map(sum)).toEqual([2, 1, 1]);
  });

  test('has short records: no zeros at the end, and no reference to the property', async () => {
    const usage = open(4);
    const records: UsageRecord[] = [];
    usage.countPuzzle({ ...propertyOf(a), extra: 'x' } as never, now);
    usage.countVerdict(verdict('integrity-error'), { settings: 5 });
    await usage.collect(records);
    expect(records).toEqual([
      { sitekey: undefined, id: undefined, hour: toHour(now), counts: expect.anything() },
      { ...propertyOf(a), hour: toHour(now), counts: [1] },
    ]);
    expect(records.map(({ counts }) => counts.length)).toEqual([
      COUNTER.failed + VERDICT_CODES['integrity-error'] + 1,
      1,
    ]);
  });

  test('of another thread without solve times needs none here', async () => {
    const usage = open(4);
    const counts = new Array<number>(COUNTS_SIZE).fill(0).with(COUNTER.issued, 5);
    usage.merge([a, b, c, d].map((sitekey) => ({ ...propertyOf(sitekey), hour: toHour(now), counts })));
    expect([usage.full(), usage.takeLost(), usage.pending()]).toEqual([0, 0, 20]);
    const records: UsageRecord[] = [];
    await usage.collect(records);
    expect(records.map((record) => record.counts)).toEqual([[5], [5], [5], [5]]);
  });
});

describe('the counts of another thread', () => {
  test('are added to those of this thread', async () => {
    const [first, second] = [open(), open()];
    const metadata = { elapsedMs: 700, usedWasm: true } as never;
    for (const usage of [first, second]) {
      usage.countPuzzle(propertyOf(a), now);
      usage.countVerdict(verdict('no-error', true), propertyOf(a), metadata);
      usage.countVerdict(verdict('solution-verified-before', true), propertyOf(a));
      usage.countVerdict(verdict('integrity-error'), UNKNOWN_PROPERTY);
    }
    second.countPuzzle(propertyOf(b), later(now, -HOUR));
    const records: UsageRecord[] = [];
    await second.collect(records);
    first.merge(records);
    expect(first.pending()).toBe(4 + 5);
    await first.flush();
    const failed = COUNTER.failed + VERDICT_CODES['integrity-error'];
    const bucket = COUNTER.solved + toBucket(700);
    expect(first.written.toSorted()).toEqual(
      [
        [undefined, 0, { [failed]: 2 }],
        [
          a,
          0,
          {
            [COUNTER.issued]: 2,
            [COUNTER.verified]: 2,
            [COUNTER.repeated]: 2,
            [COUNTER.usedWasm]: 2,
            [bucket]: 2,
          },
        ],
        [b, -1, { [COUNTER.issued]: 1 }],
      ].toSorted() as never,
    );
  });

  test('are lost, and their number is counted, if there is no space', () => {
    const usage = createUsage(1, () => {});
    const counts = new Array<number>(COUNTS_SIZE).fill(0).with(COUNTER.issued, 5);
    const record = (sitekey: Sitekey): UsageRecord => ({ sitekey, hour: toHour(now), counts });
    // Trailing zeros may be omitted.
    usage.merge([record(a), record(b), { ...record(c), counts: [5] }]);
    usage.addLost(2);
    expect(usage.pending()).toBe(10);
    expect(usage.takeLost()).toBe(7);
  });
});

test('requests of API keys are counted by outcome and hour, apart from properties, also from another thread', async () => {
  const [own, other] = [createUsage(10, () => {}), createUsage(10, () => {})];
  const [first, second] = [1 as ApiKeyId, 2 as ApiKeyId];
  for (const usage of [own, other]) {
    usage.countKey(first, 'accepted', now);
    usage.countKey(second, 'limited', now);
    usage.countKey(first, 'rejected', later(now, HOUR));
    usage.countPuzzle(propertyOf(a), now);
  }
  await other.flush(async (records) => own.merge(records));
  expect(own.pending()).toBe(8);
  const written: UsageRecord[] = [];
  await own.flush(async (records) => void written.push(...records));
  const keys = written.filter(({ key }) => key !== undefined);
  expect(keys.map(({ key, hour, counts }) => [key as number, hour - toHour(now), [...counts]])).toEqual([
    [1, 0, [2]],
    [2, 0, [0, 0, 2]],
    [1, 1, [0, 2]],
  ]);
  expect(written.filter(({ sitekey }) => sitekey === a)).toHaveLength(1);
});
