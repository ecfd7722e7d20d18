import { expect, test } from 'bun:test';
import { createExposition } from '../../src/metrics/exposition.ts';
import type { Family } from '../../src/metrics/family.ts';

/** Another metric that can always be read. */
const OTHER = {
  name: 'postern_other',
  help: 'Other.',
  type: 'gauge',
  labels: [],
  read: () => [{ value: 7 }],
} as const satisfies Family;

test('histograms have cumulative buckets, a sum, and a count; texts are escaped', async () => {
  const family: Family = {
    name: 'postern_wait_seconds',
    help: 'Wait \\ and\nmore.',
    type: 'histogram',
    labels: ['kind'],
    read: () => [
      { labels: { kind: 'a"b\\' }, histogram: { bounds: [0.5, 1], counts: [2, 3, 4], sum: 12.5 } },
    ],
  };
  const text = await createExposition([family], () => {}).render();
  expect(text.split('\n')).toEqual([
    '# HELP postern_wait_seconds Wait \\\\ and\\nmore.',
    '# TYPE postern_wait_seconds histogram',
    'postern_wait_seconds_bucket{kind="a\\"b\\\\",le="0.5"} 2',
    'postern_wait_seconds_bucket{kind="a\\"b\\\\",le="1"} 5',
    'postern_wait_seconds_bucket{kind="a\\"b\\\\",le="+Inf"} 9',
    'postern_wait_seconds_sum{kind="a\\"b\\\\"} 12.5',
    'postern_wait_seconds_count{kind="a\\"b\\\\"} 9',
    '',
  ]);
});

test('a metric that cannot be read has no samples, and its name is reported', async () => {
  const failures: string[] = [];
  const broken: Family = {
    ...OTHER,
    name: 'postern_broken',
    read() {
      throw new Error('no file');
    },
  };
  const text = await createExposition([broken, OTHER], (name) => failures.push(name)).render();
  expect(text).toContain('# TYPE postern_broken gauge\n# HELP postern_other');
  expect(text).toContain('\npostern_other 7\n');
  expect(failures).toEqual(['postern_broken']);
});

test('simultaneous callers share one reading; the next caller gets a new one', async () => {
  let readings = 0;
  const counted: Family = { ...OTHER, read: () => [{ value: ++readings }] };
  const { render } = createExposition([counted], () => {});
  const texts = await Promise.all([render(), render(), render()]);
  expect(new Set(texts).size).toBe(1);
  expect(readings).toBe(1);
  expect(await render()).toContain('postern_other 2');
});

test('an invalid name is rejected at the start', () => {
  expect(() => createExposition([{ ...OTHER, name: 'postern-other' }], () => {})).toThrow();
});
