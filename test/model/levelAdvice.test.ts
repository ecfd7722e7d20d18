import { describe, expect, test } from 'bun:test';
import { ADVICE_MIN_SAMPLES, sumOfSettings, toLevelAdvice } from '../../src/model/levelAdvice.ts';
import { COUNTER, COUNTS_SIZE, settingsCode, toBucket } from '../../src/model/statistics.ts';

const anyLevel = (_: number) => true;

/** The counts of an hour in which the property had a level. */
function countsOf(times: readonly number[], level = 128): Float64Array {
  const counts = new Float64Array(COUNTS_SIZE);
  const add = (position: number, count: number) => {
    counts[position] = (counts[position] ?? 0) + count;
  };
  for (const time of times) {
    add(COUNTER.solved + toBucket(Math.round(time)), 1);
    add(COUNTER.settings, settingsCode({ level, challenge: 'blake2b' }));
  }
  return counts;
}

const times = (count: number, time: number) => Array.from({ length: count }, () => time);
const resultOf = (all: readonly number[], level = 128, isComparable = anyLevel) =>
  toLevelAdvice(level, countsOf(all, level), isComparable).result;

describe('advice on the level', () => {
  test('needs 100 solve times', () => {
    const few = times(ADVICE_MIN_SAMPLES - 1, 300);
    expect(toLevelAdvice(128, countsOf(few), anyLevel)).toEqual({ level: 128, samples: 99 });
    expect(resultOf([...few, 300])).toBeDefined();
  });

  test.each([
    ['short times allow twice the work', 400, 'fast', { level: 136, p95: 896 }, { level: 120, p95: 349 }],
    ['longer times fit the level', 900, 'fits', { level: 136, p95: 2 * 1024 }, { level: 120, p95: 637 }],
    ['long times ask for a lower level', 3000, 'slow', { level: 136, p95: 6144 }, { level: 120, p95: 1661 }],
    [
      'very long times ask for a level that is several steps lower',
      9000,
      'slow',
      { level: 136, p95: 20_480 },
      { level: 104, p95: 1499 },
    ],
  ] as const)('%s', (_, time, assessment, higher, lower) => {
    expect(resultOf(times(200, time))).toMatchObject({ assessment, higher, lower });
  });

  test('names a time that 95% of the times are below', () => {
    const all = [...times(95, 300), ...times(5, 5000)];
    const p95 = resultOf(all)?.p95 ?? Number.NaN;
    expect(p95).toBe(320);
    expect(all.filter((time) => time < p95).length).toBeGreaterThanOrEqual(95);
    expect(resultOf(times(100, 0))?.p95).toBe(1);
  });

  test('names no level outside 1..255, and none of another kind', () => {
    expect(resultOf(times(100, 5000), 250)?.higher).toBeUndefined();
    expect(resultOf(times(100, 5000), 247)?.higher).toMatchObject({ level: 255 });
    expect(resultOf(times(100, 5000), 8)?.lower).toBeUndefined();
    expect(resultOf(times(100, 5000), 9)?.lower).toMatchObject({ level: 1 });
    // argon2id puzzles begin at level 152.
    const isArgon2id = (level: number) => level >= 152;
    expect(resultOf(times(100, 5000), 156, isArgon2id)?.lower).toBeUndefined();
    expect(resultOf(times(100, 9000), 168, isArgon2id)?.lower).toMatchObject({ level: 152 });
  });
});

describe('the solve times for the advice', () => {
  test('are those of hours with only the current level', () => {
    const at = (level: number, count: number) => ({ counts: countsOf(times(count, 300), level) });
    const changed = {
      counts: countsOf(times(3, 300), 120).map((count, i) => count + (at(128, 4).counts[i] ?? 0)),
    };
    const unknown = { counts: at(128, 5).counts.with(COUNTER.settings, 0) };
    const hours = [
      at(128, 10),
      at(120, 20),
      changed,
      unknown,
      { counts: new Float64Array(COUNTS_SIZE) },
      at(128, 1),
    ];
    const count = (code: number) => toLevelAdvice(code, sumOfSettings(hours, code), anyLevel).samples;
    expect([count(128), count(120), count(124)]).toEqual([11, 20, 0]);
  });
});

/** @returns pseudorandom numbers, 0 to 1, that are the same in each run (mulberry32) */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Visitor = { readonly overheadMs: number; readonly hashesPerMs: number };

/** Visitors with a share of slow phones, some faster phones, and laptops. Their overhead is between half of the mean and 1.5 times the mean. */
function visitorsOf(
  count: number,
  slowShare: number,
  meanOverheadMs: number,
  random: () => number,
): readonly Visitor[] {
  return Array.from({ length: count }, () => {
    const kind = random();
    const hashesPerMs = kind < slowShare ? 1000 : kind < 0.5 ? 8000 : 31_000;
    return {
      hashesPerMs: hashesPerMs * 2 ** (random() - 0.5),
      overheadMs: meanOverheadMs * (0.5 + random()),
    };
  });
}

/** The solve times of a puzzle: 16 solutions, each with a geometric number of attempts. */
function solve(visitors: readonly Visitor[], level: number, random: () => number): readonly number[] {
  const attempts = () => -Math.log(1 - random()) * 2 ** (level / 8);
  return visitors.map(({ overheadMs, hashesPerMs }) => {
    let sum = 0;
    for (let i = 0; i < 16; i++) sum += attempts();
    return overheadMs + sum / hashesPerMs;
  });
}

const p95Of = (all: readonly number[]) =>
  all.toSorted((a, b) => a - b)[Math.ceil(0.95 * all.length) - 1] ?? Number.NaN;

/** The resolution of the buckets, and the difference between two samples of 4,000 visitors. */
const [RESOLUTION, SAMPLING] = [1.25, 1.12];

describe('predictions for simulated visitors', () => {
  const cases = [0, 20, 100, 200].flatMap((overhead) =>
    [0, 0.03, 0.1, 0.4].flatMap((slowShare) =>
      [96, 128, 152].map((level) => [overhead, slowShare, level] as const),
    ),
  );

  test.each(cases)(
    'with %d ms of overhead and a share of %d slow phones at level %d',
    (overhead, slowShare, level) => {
      const random = createRandom(overhead + 1000 * slowShare + level);
      const visitors = visitorsOf(4000, slowShare, overhead, random);
      const result = resultOf(solve(visitors, level, random), level);
      const { p95 = 0, higher, lower } = result ?? {};
      expect(p95Of(solve(visitors, level, random))).toBeLessThanOrEqual(p95 * SAMPLING);

      // Twice the work takes at most twice the time; less if a large part of it is overhead.
      const atHigher = p95Of(solve(visitors, level + 8, random));
      expect(atHigher).toBeLessThanOrEqual((higher?.p95 ?? 0) * SAMPLING);
      expect(higher?.p95).toBeLessThanOrEqual((atHigher + 1.5 * overhead) * RESOLUTION * SAMPLING + 1);

      // The estimate for less work is not too low, and too high by at most the first percentile, of which 250 ms are counted as overhead.
      const atLower = p95Of(solve(visitors, lower?.level ?? 0, random));
      expect(lower?.p95).toBeGreaterThanOrEqual((atLower - overhead) / SAMPLING);
      expect(lower?.p95).toBeLessThanOrEqual((atLower + 250) * RESOLUTION * SAMPLING + 1);
    },
  );
});
