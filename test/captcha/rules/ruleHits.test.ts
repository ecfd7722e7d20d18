import { expect, test } from 'bun:test';
import { createRuleHits } from '../../../src/captcha/rules/ruleHits.ts';
import { HOUR, type Instant } from '../../../src/lib/time.ts';
import type { RuleHitRecord } from '../../../src/model/ports/rules.ts';
import type { RuleId } from '../../../src/model/rules/rule.ts';

const at = (time: number) => time as Instant;
const rule = (id: string) => ({ id: id as RuleId });

/** Flushes everything. @returns the records */
async function flush({ flush }: ReturnType<typeof createRuleHits>): Promise<RuleHitRecord[]> {
  const written: RuleHitRecord[] = [];
  await flush(async (records) => void written.push(...records));
  return written;
}

test('the hits of another thread are added, with the latest time', async () => {
  const [own, other] = [createRuleHits(10), createRuleHits(10)];
  own.count(rule('a'), at(5));
  other.count(rule('a'), at(3));
  other.count(rule('a'), at(4));
  other.count(rule('b'), at(6));
  own.merge(await flush(other));
  expect(own.pending()).toBe(4);
  expect(await flush(own)).toEqual([
    { ...rule('a'), hits: 3, lastHitAt: at(5) },
    { ...rule('b'), hits: 1, lastHitAt: at(6) },
  ]);
});

test('the hits of two hours are separate records', async () => {
  const hits = createRuleHits(2);
  for (const time of [HOUR - 2, HOUR - 1, HOUR, HOUR + 1]) hits.count(rule('a'), at(time));
  hits.merge([{ ...rule('a'), hits: 5, lastHitAt: at(HOUR - 3) }]);
  hits.count(rule('b'), at(HOUR));
  expect([hits.pending(), hits.takeLost()]).toEqual([9, 1]);
  expect(await flush(hits)).toEqual([
    { ...rule('a'), hits: 7, lastHitAt: at(HOUR - 1) },
    { ...rule('a'), hits: 2, lastHitAt: at(HOUR + 1) },
  ]);
});

test('the hits of another thread are lost, and counted as lost, if there is no space', async () => {
  const hits = createRuleHits(1);
  hits.merge([
    { ...rule('a'), hits: 2, lastHitAt: at(1) },
    { ...rule('b'), hits: 3, lastHitAt: at(1) },
  ]);
  hits.addLost(4);
  expect(hits.takeLost()).toBe(7);
  expect(hits.pending()).toBe(2);
});

test('a rule that has hits already needs no space for others', async () => {
  const hits = createRuleHits(1);
  for (const time of [1, 2, 3]) hits.count(rule('a'), at(time));
  expect([hits.takeLost(), hits.pending()]).toEqual([0, 3]);
  expect(await flush(hits)).toEqual([{ ...rule('a'), hits: 3, lastHitAt: at(3) }]);
});

const ids = (count: number) => Array.from({ length: count }, (_, index) => `r${index}`);

test('hits are written in batches of 128 rules', async () => {
  const hits = createRuleHits(1000);
  for (const id of ids(300)) hits.count(rule(id), at(1));
  const sizes: number[] = [];
  const written: string[] = [];
  await hits.flush(async (records) => {
    sizes.push(records.length);
    written.push(...records.map(({ id }) => id));
  });
  expect(sizes).toEqual([128, 128, 44]);
  expect(written).toEqual(ids(300));
  expect(hits.pending()).toBe(0);
  expect(await flush(hits)).toEqual([]);
});

test('a batch that failed is written again, before the hits since then', async () => {
  const hits = createRuleHits(3);
  hits.count(rule('a'), at(1));
  const failed = await hits
    .flush(() => Promise.reject(new Error('full')))
    .catch((error: Error) => error.message);
  expect(failed).toBe('full');
  hits.count(rule('a'), at(2));
  hits.count(rule('b'), at(3));
  // Records that are not written yet use the space of others.
  hits.count(rule('c'), at(4));
  expect([hits.pending(), hits.takeLost(), hits.takeLost()]).toEqual([3, 1, 0]);
  const batches: (readonly RuleHitRecord[])[] = [];
  await hits.flush(async (records) => void batches.push(records));
  expect(batches).toEqual([
    [{ ...rule('a'), hits: 1, lastHitAt: at(1) }],
    [
      { ...rule('a'), hits: 1, lastHitAt: at(2) },
      { ...rule('b'), hits: 1, lastHitAt: at(3) },
    ],
  ]);
  hits.count(rule('c'), at(5));
  expect([hits.pending(), hits.takeLost()]).toEqual([1, 0]);
});
