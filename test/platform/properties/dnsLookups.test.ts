import { describe, expect, test } from 'bun:test';
import type { AccountId } from '../../../src/model/account.ts';
import { createLookups } from '../../../src/platform/properties/dnsLookups.ts';
import type { LookUp } from '../../../src/platform/properties/dnsResolver.ts';
import { createVirtualTime } from '../../support/virtualTime.ts';

const ANN = 1 as AccountId;
const BEN = 2 as AccountId;
const FOUND: LookUp = { resolution: 'found', ttlSeconds: 60, questions: 1 };
const MISSING: LookUp = { resolution: 'missing', ttlSeconds: undefined, questions: 3 };

/** @param answerOf what the DNS says after 5 ms; undefined: it never answers */
function begin(answerOf: (domain: string) => LookUp | undefined = () => FOUND, capacity?: number) {
  const time = createVirtualTime();
  /** Every question, in its order. */
  const asked: { readonly domain: string; readonly at: number }[] = [];
  const beginLookups = createLookups({
    now: time.now,
    timer: time.timer,
    ...(capacity !== undefined && { capacity }),
    resolve(domain) {
      const answer = answerOf(domain);
      for (let i = 0; i < (answer?.questions ?? 1); i++) asked.push({ domain, at: time.now() });
      const { promise, resolve } = Promise.withResolvers<LookUp>();
      if (answer !== undefined) time.timer(5, () => resolve(answer));
      return promise;
    },
  });
  return { time, asked, beginLookups };
}

const names = (count: number, of = 'x') => Array.from({ length: count }, (_, i) => `d${i}.${of}.example`);

/** The most questions in any one second. */
function peakOf(asked: readonly { readonly at: number }[]): number {
  let first = 0;
  let peak = 0;
  asked.forEach(({ at }, last) => {
    while ((asked[first]?.at ?? at) <= at - 1000) first++;
    peak = Math.max(peak, last - first + 1);
  });
  return peak;
}

describe('a limit for each user', () => {
  test.each([
    ['domains that exist', FOUND],
    ['domains that do not', MISSING],
  ])('20 queries in any second for 60 batches of 128 %s', async (_, answer) => {
    const { time, asked, beginLookups } = begin(() => answer);
    let resolved = 0;
    for (let batch = 0; batch < 60; batch++) {
      const lookUp = beginLookups(ANN);
      for (const name of names(128, `b${batch}`)) void lookUp(name).then(() => resolved++);
    }
    while (await time.step()) {}
    expect(resolved).toBe(60 * 128);
    expect(new Set(asked.map(({ domain }) => domain)).size).toBe(60 * 128);
    expect(peakOf(asked)).toBeLessThanOrEqual(20);
    // Waiting is all that it costs: the limit is used.
    expect(asked.length / (time.now() / 1000)).toBeGreaterThan(15);
  });

  test('which delays no other user', async () => {
    const { time, asked, beginLookups } = begin();
    const flood = beginLookups(ANN);
    for (const name of names(1000)) void flood(name);
    await time.pass(300);
    const quick = beginLookups(BEN)('quick.example');
    await time.pass(5);
    expect(await quick).toBe('found');
    expect(asked.at(-1)).toEqual({ domain: 'quick.example', at: 300 });
  });

  test('which counts the queries to a silent server once', async () => {
    const { time, asked, beginLookups } = begin(() => undefined);
    const lookUp = beginLookups(ANN);
    for (const name of names(16)) void lookUp(name);
    await time.pass(60_000);
    expect(asked).toHaveLength(16);
    expect(peakOf(asked)).toBeLessThanOrEqual(20);
  });
});

test('256 domains are looked up at once in total; the next place goes to a task that has none', async () => {
  const waiting = new Map<string, (found: LookUp) => void>();
  const { time } = begin();
  const beginLookups = createLookups({
    ...time,
    resolve: (domain) => new Promise((resolve) => waiting.set(domain, resolve)),
  });
  for (let user = 1; user <= 20; user++) {
    const lookUp = beginLookups(user as AccountId);
    for (const name of names(16, `u${user}`)) void lookUp(name);
  }
  await time.pass(10_000);
  expect(waiting.size).toBe(256);
  const quick = beginLookups(99 as AccountId)('quick.example');
  await time.pass(0);
  expect(waiting.has('quick.example')).toBe(false);
  // Tasks that hold fewer places than others and wait come before it no longer than they have none.
  waiting.get([...waiting.keys()].at(-1) ?? '')?.(MISSING);
  await time.pass(0);
  expect(waiting.has('quick.example')).toBe(true);
  waiting.get('quick.example')?.(FOUND);
  expect(await quick).toBe('found');
});

describe('a cache', () => {
  test.each<[string, LookUp, number]>([
    ['an address with a TTL of a minute', FOUND, 60],
    ['one with a TTL of a second', { ...FOUND, ttlSeconds: 1 }, 5],
    ['one with a TTL of a day', { ...FOUND, ttlSeconds: 86_400 }, 300],
    ['a domain that does not exist', MISSING, 5],
    ['no answer', { ...MISSING, resolution: 'unanswered' }, 5],
  ])('keeps %s for its time, whoever asks', async (_, answer, seconds) => {
    const { time, asked, beginLookups } = begin(() => answer);
    const ask = async (user: AccountId) => {
      const resolution = beginLookups(user)('shop.example');
      await time.pass(5);
      return resolution;
    };
    expect(await ask(ANN)).toBe(answer.resolution);
    await time.pass(seconds * 1000 - 5);
    expect(await ask(BEN)).toBe(answer.resolution);
    expect(asked).toHaveLength(answer.questions);
    expect(await ask(ANN)).toBe(answer.resolution);
    expect(asked).toHaveLength(2 * answer.questions);
  });

  test('answers a repeated batch at once, without a query and without using the limit', async () => {
    const { time, asked, beginLookups } = begin();
    const batch = () => Promise.all(names(128).map(beginLookups(ANN)));
    const first = batch();
    while (await time.step()) {}
    await first;
    const at = time.now();
    for (let i = 0; i < 10; i++) expect(new Set(await batch())).toEqual(new Set(['found']));
    expect(asked).toHaveLength(128);
    expect(time.now()).toBe(at);
  });

  test('shares a running lookup', async () => {
    const { time, asked, beginLookups } = begin();
    const both = Promise.all([beginLookups(ANN)('shop.example'), beginLookups(BEN)('shop.example')]);
    await time.pass(5);
    expect(await both).toEqual(['found', 'found']);
    expect(asked).toHaveLength(1);
  });

  test('evicts the oldest entry above the capacity', async () => {
    const { time, asked, beginLookups } = begin(() => FOUND, 2);
    for (const name of ['a.example', 'b.example', 'c.example', 'c.example', 'b.example', 'a.example']) {
      const resolution = beginLookups(ANN)(name);
      await time.pass(5);
      await resolution;
    }
    expect(asked.map(({ domain }) => domain)).toEqual(['a.example', 'b.example', 'c.example', 'a.example']);
  });
});
