import { expect, test } from 'bun:test';
import { createUsageWriter } from '../../src/jobs/usageFlush.ts';
import { systemRandom } from '../../src/lib/ids.ts';
import type { Hour, UsageBatch, UsageRecord } from '../../src/model/statistics.ts';
import { StoreFailure } from '../../src/model/storeFailure.ts';

const recordsOf = (hour: number): readonly UsageRecord[] => [
  { sitekey: undefined, hour: hour as Hour, counts: [1] },
];

test('a batch keeps its number until it is written, and the next one has a greater number', async () => {
  const calls: [number | undefined, UsageBatch | undefined][] = [];
  const failures = [new StoreFailure('lost'), new StoreFailure('lost'), undefined, undefined];
  const store = {
    async add(records: readonly UsageRecord[], batch?: UsageBatch) {
      calls.push([records[0]?.hour, batch]);
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
    },
  };
  const write = createUsageWriter({ ...store, random: systemRandom });
  for (const hour of [1, 1, 1, 2]) await write(recordsOf(hour)).catch(() => {});
  const writer = calls[0]?.[1]?.writer ?? '';
  expect(writer).toMatch(/^[0-9a-f]{32}$/);
  expect(calls).toEqual([
    [1, { writer, number: 1 }],
    [1, { writer, number: 1 }],
    [1, { writer, number: 1 }],
    [2, { writer, number: 2 }],
  ]);
});

test('two processes have different names', async () => {
  const writers: unknown[] = [];
  const store = { add: async (_: unknown, batch?: UsageBatch) => void writers.push(batch?.writer) };
  for (let n = 0; n < 2; n++) await createUsageWriter({ ...store, random: systemRandom })(recordsOf(1));
  expect(new Set(writers).size).toBe(2);
});
