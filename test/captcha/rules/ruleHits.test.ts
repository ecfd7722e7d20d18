import { expect, test } from 'bun:test';
import { createRuleHits } from '../../../src/captcha/rules/ruleHits.ts';
import type { Instant } from '../../../src/lib/time.ts';
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
