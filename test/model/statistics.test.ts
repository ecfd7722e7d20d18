import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  addCounts,
  COUNTER,
  COUNTS_SIZE,
  dayFromHour,
  FAILURE_POSITIONS,
  firstHourOf,
  parseRange,
  settingsCode,
  solveTimeAt,
  solveTimeHistogram,
  solveTimeRange,
  toBucket,
} from '../../src/model/statistics.ts';

const U32_MAX = 2 ** 32 - 1;
const milliseconds = fc.oneof(
  fc.integer({ min: 0, max: U32_MAX }),
  fc.integer({ min: 0, max: 32 }).map((doubling) => Math.min(2 ** doubling, U32_MAX)),
  fc.integer({ min: 0, max: 5000 }),
);

function countsOf(times: readonly number[]): Float64Array {
  const counts = new Float64Array(COUNTS_SIZE);
  for (const time of times) {
    const position = COUNTER.solved + toBucket(time);
    counts[position] = (counts[position] ?? 0) + 1;
  }
  return counts;
}

describe('solve times', () => {
  test('have a bucket for every u32, whose middle differs by at most 12.5%', () => {
    fc.assert(
      fc.property(milliseconds, (time) => {
        expect(toBucket(time)).toBeWithin(0, COUNTS_SIZE - COUNTER.solved);
        const reported = solveTimeAt(1, countsOf([time])) ?? Number.NaN;
        expect(Math.abs(reported - time)).toBeLessThanOrEqual(0.125 * time);
      }),
    );
  });

  test('never have a lower bucket if they are longer', () => {
    fc.assert(
      fc.property(milliseconds, milliseconds, (one, other) => {
        const [less, more] = [Math.min(one, other), Math.max(one, other)];
        expect(toBucket(less)).toBeLessThanOrEqual(toBucket(more));
      }),
    );
  });

  test('have the same percentiles as the exact times, within the resolution', () => {
    const share = fc.constantFrom(0.5, 0.75, 0.95, 0.99);
    fc.assert(
      fc.property(fc.array(milliseconds, { minLength: 1, maxLength: 300 }), share, (times, share) => {
        const sorted = times.toSorted((a, b) => a - b);
        const exact = sorted[Math.ceil(share * times.length) - 1] ?? Number.NaN;
        const reported = solveTimeAt(share, countsOf(times)) ?? Number.NaN;
        expect(Math.abs(reported - exact)).toBeLessThanOrEqual(0.125 * exact);
      }),
    );
  });

  test('have no percentiles and no histogram if there are no times', () => {
    expect(solveTimeAt(0.5, countsOf([]))).toBeUndefined();
    expect(solveTimeHistogram(countsOf([]))).toEqual([]);
  });

  test('are each in one range of the histogram, whose at most 24 ranges have no gaps', () => {
    fc.assert(
      fc.property(fc.array(milliseconds, { minLength: 1, maxLength: 300 }), (times) => {
        const ranges = solveTimeHistogram(countsOf(times));
        expect(ranges.length).toBeWithin(1, 26);
        for (const [index, { least, end, count }] of ranges.entries()) {
          expect(count).toBe(times.filter((time) => time >= least && time < end).length);
          if (index > 0) expect(least).toBe(ranges[index - 1]?.end as number);
        }
        expect(ranges.reduce((sum, { count }) => sum + count, 0)).toBe(times.length);
        expect([ranges[0]?.count, ranges.at(-1)?.count]).not.toContain(0);
      }),
    );
  });

  test('within a doubling have a range for each bucket', () => {
    expect(solveTimeHistogram(countsOf([128, 130, 159, 200, 255]))).toEqual([
      { least: 128, end: 160, count: 3 },
      { least: 160, end: 192, count: 0 },
      { least: 192, end: 224, count: 1 },
      { least: 224, end: 256, count: 1 },
    ]);
  });

  test('of a few milliseconds have ranges of whole milliseconds', () => {
    expect(solveTimeHistogram(countsOf([1]))).toEqual([{ least: 1, end: 2, count: 1 }]);
    expect(solveTimeHistogram(countsOf([3]))).toEqual([{ least: 3, end: 4, count: 1 }]);
  });

  test('in 24 buckets have 24 ranges; in more, ranges are twice as wide', () => {
    expect(solveTimeHistogram(countsOf([16, 1023]))).toHaveLength(24);
    const wide = solveTimeHistogram(countsOf([16, 1024]));
    expect(wide).toHaveLength(13);
    expect(wide[0]).toEqual({ least: 16, end: 24, count: 1 });
  });

  test('have the same histogram if the counts end with the last solve time', () => {
    const counts = countsOf([16, 1025]);
    const shorter = counts.slice(0, COUNTER.solved + toBucket(1025) + 1);
    expect(solveTimeHistogram(shorter)).toEqual(solveTimeHistogram(counts));
  });
});

test.each(['', '24', '24H', ' 7d', '1y ', 'constructor', '2h'])('%p is not a range', (text) => {
  expect(parseRange(text)).toBeUndefined();
});

describe('the range of a solve time', () => {
  /** Counts with one solve time in a bucket. */
  const inBucket = (bucket: number) => new Float64Array(COUNTS_SIZE).with(COUNTER.solved + bucket, 1);

  test.each([
    [0, { least: 0, end: 1 }],
    [1, { least: 1, end: 2 }],
    [2, { least: 2, end: 3 }],
    [3, { least: 3, end: 4 }],
    [9, { least: 8, end: 10 }],
    [1000, { least: 896, end: 1024 }],
  ])('of %d ms is %j', (time, expected) => {
    expect(solveTimeRange(0.5, inBucket(toBucket(time)))).toEqual(expected);
    const middle = solveTimeAt(0.5, inBucket(toBucket(time))) ?? Number.NaN;
    expect(middle).toBe(Math.floor((expected.least + expected.end - 1) / 2));
  });

  test('begins with a whole millisecond, also in a bucket that no whole time has', () => {
    expect(solveTimeRange(0.5, inBucket(toBucket(1) + 1))).toEqual({ least: 2, end: 2 });
  });

  test('is undefined without solve times', () => {
    expect(solveTimeRange(0.5, new Float64Array(COUNTS_SIZE))).toBeUndefined();
  });
});

test('counts have 16 positions for verdict codes, and hours belong to days in UTC', () => {
  expect(FAILURE_POSITIONS).toBe(16);
  const day = 20_000 as ReturnType<typeof dayFromHour>;
  expect(firstHourOf(day)).toBe(480_000 as ReturnType<typeof firstHourOf>);
  const hours = [480_000, 480_023, 480_024] as ReturnType<typeof firstHourOf>[];
  expect(hours.map(dayFromHour)).toEqual([20_000, 20_000, 20_001] as never);
});

test('levels of all kinds of challenges have different codes', () => {
  expect(settingsCode({ level: 100, challenge: 'blake2b' })).toBe(100);
  expect(settingsCode({ level: 100, challenge: 'argon2id' })).toBe(356);
  expect(settingsCode({ level: 100, challenge: 'hashwx' })).toBe(612);
});

test('counts can be shorter than their sum', () => {
  const sum = Float64Array.of(1, 2, 3);
  addCounts(sum, [10, 20]);
  expect([...sum]).toEqual([11, 22, 3]);
});
