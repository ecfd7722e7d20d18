import { describe, expect, test } from 'bun:test';
import { createUsage, NOBODY } from '../../src/captcha/usage.ts';
import { VERDICT_CODES, type Verdict, type VerdictName } from '../../src/captcha/verdict.ts';
import { HOUR, type Instant, later } from '../../src/lib/time.ts';
import type { PropertyId, Sitekey } from '../../src/model/property.ts';
import { bucketOf, COUNTER, FAILURE_ROOM, hourOf, type UsageRecord } from '../../src/model/statistics.ts';

const now = Date.UTC(2026, 0, 31, 12, 59, 59) as Instant;
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(32)) as [
  Sitekey,
  Sitekey,
  Sitekey,
  Sitekey,
];

/** A property by its sitekey; its number is that of the sitekey's first digits. */
const of = (sitekey: Sitekey) => ({ sitekey, id: Number.parseInt(sitekey.slice(0, 3), 16) as PropertyId });

/** Backwards, so that properties do not come in their order. */
const sitekeyOf = (number: number) =>
  (1000 - number).toString(16).padStart(3, '0').padEnd(32, '0') as Sitekey;

function verdict(name: VerdictName, success = false, verifiedAt = now): Verdict {
  return { success, name, origin: '', verifiedAt, issuedAt: undefined, isUnavailable: false };
}

/** A record as it is handed out, copied: sitekey, hours from `now`, and the positions that are not zero. */
function copyOf({ sitekey, hour, counts }: UsageRecord) {
  const some = Array.from(counts).flatMap((count, position) => (count === 0 ? [] : [[position, count]]));
  return [sitekey, hour - hourOf(now), Object.fromEntries(some)] as const;
}

/** A usage with somebody who writes, and may fail. */
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
    flush: () =>
      usage.flush(async (records) => {
        if (state.isBroken) throw new Error('the disk is gone');
        written.push(...records.map(copyOf));
        state.during();
      }),
    /** Puzzles written and not, by sitekey. */
    total: () => written.reduce((sum, [, , some]) => sum + (some[COUNTER.issued] ?? 0), 0),
  };
}

describe('what is counted', () => {
  test('in two hours by turns takes two records', async () => {
    const usage = open();
    for (let n = 0; n < 1000; n++) usage.issued(of(a), later(now, (n % 2) * HOUR));
    await usage.flush();
    const issued = { [COUNTER.issued]: 500 };
    expect(usage.written).toEqual([
      [a, 0, issued],
      [a, 1, issued],
    ]);
    expect([usage.full(), usage.takeLost()]).toEqual([0, 0]);
  });

  test('are puzzles by property and hour', async () => {
    const usage = open();
    for (const sitekey of [a, b, a]) usage.issued(of(sitekey), now);
    usage.issued(of(a), later(now, 1000));
    expect(usage.pending()).toBe(4);
    await usage.flush();
    expect(usage.written).toEqual([
      [a, 0, { [COUNTER.issued]: 2 }],
      [a, 1, { [COUNTER.issued]: 1 }],
      [b, 0, { [COUNTER.issued]: 1 }],
    ]);
    expect(usage.pending()).toBe(0);
  });

  test('are refusals by verdict, of the installation where the property is not known', async () => {
    const usage = open();
    usage.judged(verdict('solution-invalid'), of(a));
    usage.judged(verdict('solution-verified-before'), of(a));
    usage.judged(verdict('integrity-error'), NOBODY);
    await usage.flush();
    expect(usage.written).toEqual([
      [undefined, 0, { [COUNTER.failed + 11]: 1 }],
      [a, 0, { [COUNTER.failed + 3]: 1, [COUNTER.failed + 8]: 1 }],
    ]);
  });

  test('are acceptances with what the widget says, repeats without', async () => {
    const usage = open();
    const told = { errorCode: 0, usedWasm: true, elapsedMs: 700 };
    usage.judged(verdict('no-error', true), of(a), told);
    usage.judged(verdict('maintenance-mode', true), of(a), { ...told, usedWasm: false });
    usage.judged(verdict('no-error', true), of(a));
    usage.judged(verdict('solution-verified-before', true), of(a), told);
    usage.judged(verdict('solution-invalid'), of(a), told);
    await usage.flush();
    expect(usage.written.map(([, , some]) => some)).toEqual([
      {
        [COUNTER.verified]: 3,
        [COUNTER.repeated]: 1,
        [COUNTER.usedWasm]: 1,
        [COUNTER.failed + 3]: 1,
        [COUNTER.solved + bucketOf(700)]: 2,
      },
    ]);
  });

  test('is not the test property, whose puzzles are nobody’s', async () => {
    const usage = open();
    usage.judged(verdict('property-test', true), NOBODY);
    await usage.flush();
    expect(usage.written).toEqual([]);
  });

  test('has room for every verdict that there is', () => {
    expect(Math.max(...Object.values(VERDICT_CODES))).toBeLessThan(FAILURE_ROOM);
  });
});

describe('writing', () => {
  test('hands out everything once, in portions', async () => {
    const usage = open(1000);
    for (let i = 0; i < 500; i++) usage.issued(of(sitekeyOf(i)), now);
    let portions = 0;
    usage.state.during = () => portions++;
    await usage.flush();
    // In the order of the properties' numbers, in which they lie on the disk.
    const sitekeys = Array.from({ length: 500 }, (_, i) => sitekeyOf(499 - i));
    expect(usage.written.map(([sitekey]) => sitekey)).toEqual(sitekeys);
    expect([usage.total(), portions]).toEqual([500, 4]);
    await usage.flush();
    expect(usage.total()).toBe(500);
  });

  test('that fails keeps what was not taken, and counting goes on', async () => {
    const usage = open(1000);
    for (let i = 0; i < 200; i++) usage.issued(of(sitekeyOf(i)), now);
    usage.state.during = () => {
      usage.state.isBroken = true;
    };
    await usage.flush().catch(() => {});
    expect(usage.total()).toBe(128);
    for (let hour = 0; hour < 3; hour++) usage.issued(of(a), later(now, hour * HOUR));
    await usage.flush().catch(() => {});
    usage.state.isBroken = false;
    usage.state.during = () => {};
    await usage.flush();
    expect([usage.total(), usage.takeLost(), usage.pending()]).toEqual([203, 0, 0]);
  });

  test('does not hand out what is counted meanwhile, nor forgets it', async () => {
    const usage = open();
    usage.issued(of(a), now);
    usage.state.during = () => {
      usage.state.during = () => {};
      usage.issued(of(b), now);
      usage.issued(of(a), now);
    };
    await usage.flush();
    expect(usage.total()).toBe(1);
    await usage.flush();
    expect(usage.written.slice(1)).toEqual([
      [a, 0, { [COUNTER.issued]: 1 }],
      [b, 0, { [COUNTER.issued]: 1 }],
    ]);
  });
});

describe('a bound', () => {
  test('that is met asks for an early write, and loses nothing', async () => {
    const usage = open(2);
    for (const sitekey of [a, b, b, c, d]) usage.issued(of(sitekey), now);
    expect([usage.full(), usage.takeLost()]).toEqual([1, 0]);
    await usage.flush();
    expect([usage.total(), usage.pending()]).toEqual([5, 0]);
  });

  test('on solve times is met apart, and loses nothing either', async () => {
    const usage = open(4);
    const told = { errorCode: 0, usedWasm: false, elapsedMs: 700 };
    for (const sitekey of [a, a, b, a, b]) usage.judged(verdict('no-error', true), of(sitekey), told);
    expect([usage.full(), usage.takeLost()]).toEqual([1, 1]);
    await usage.flush();
    const times = usage.written.map(([sitekey, , some]) => [sitekey, some[COUNTER.solved + bucketOf(700)]]);
    expect(times).toEqual([
      [a, 2],
      [b, 2],
    ]);
  });

  test('that is met twice while nothing can be written loses newcomers alone, and says how many', async () => {
    const usage = open(1);
    usage.state.isBroken = true;
    usage.issued(of(a), now);
    await usage.flush().catch(() => {});
    for (const sitekey of [b, b, c, b, a]) usage.issued(of(sitekey), now);
    usage.judged(verdict('solution-invalid'), of(d));
    expect([usage.pending(), usage.takeLost(), usage.takeLost()]).toEqual([4, 3, 0]);
    usage.state.isBroken = false;
    await usage.flush();
    expect(usage.written).toEqual([
      [a, 0, { [COUNTER.issued]: 1 }],
      [b, 0, { [COUNTER.issued]: 3 }],
    ]);
    usage.issued(of(c), now);
    expect(usage.takeLost()).toBe(0);
  });
});
