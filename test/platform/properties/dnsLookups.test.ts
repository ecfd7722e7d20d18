import { describe, expect, test } from 'bun:test';
import { createLookups, type LookupOwner } from '../../../src/platform/properties/dnsLookups.ts';
import type { LookupResult } from '../../../src/platform/properties/dnsResolver.ts';
import { withSeeds } from '../../support/randomScheduler.ts';
import { createVirtualTime } from '../../support/virtualTime.ts';

const ANN = 'user 1';
const BEN = 'user 2';
const FOUND: LookupResult = { resolution: 'found', ttlSeconds: 60, queries: 1 };
const MISSING: LookupResult = { resolution: 'missing', ttlSeconds: undefined, queries: 3 };

/** @param answerOf returns the answer that arrives after 5 ms; undefined if none ever arrives */
function begin(answerOf: (domain: string) => LookupResult | undefined = () => FOUND, capacity?: number) {
  const time = createVirtualTime();
  /** All queries in order. */
  const sent: { readonly domain: string; readonly at: number }[] = [];
  const beginLookups = createLookups({
    now: time.now,
    timer: time.timer,
    ...(capacity !== undefined && { capacity }),
    resolve(domain) {
      const answer = answerOf(domain);
      for (let i = 0; i < (answer?.queries ?? 1); i++) sent.push({ domain, at: time.now() });
      const { promise, resolve } = Promise.withResolvers<LookupResult>();
      if (answer !== undefined) time.timer(5, () => resolve(answer));
      return promise;
    },
  });
  return { time, sent, beginLookups };
}

const names = (count: number, of = 'x') => Array.from({ length: count }, (_, i) => `d${i}.${of}.example`);

/** The highest number of queries within one second. */
function peakOf(sent: readonly { readonly at: number }[]): number {
  let first = 0;
  let peak = 0;
  sent.forEach(({ at }, last) => {
    while ((sent[first]?.at ?? at) <= at - 1000) first++;
    peak = Math.max(peak, last - first + 1);
  });
  return peak;
}

describe('the limit of a user', () => {
  test.each([
    ['existing domains', FOUND],
    ['missing domains', MISSING],
  ])('allows 20 queries in any second for 60 batches of 128 %s', async (_, answer) => {
    const { time, sent, beginLookups } = begin(() => answer);
    let resolved = 0;
    for (let batch = 0; batch < 60; batch++) {
      const lookUp = beginLookups(ANN);
      for (const name of names(128, `b${batch}`)) void lookUp(name).then(() => resolved++);
    }
    while (await time.step()) {}
    expect(resolved).toBe(60 * 128);
    expect(new Set(sent.map(({ domain }) => domain)).size).toBe(60 * 128);
    expect(peakOf(sent)).toBeLessThanOrEqual(20);
    // The limit is used up to its full extent.
    expect(sent.length / (time.now() / 1000)).toBeGreaterThan(15);
  });

  test('does not delay other users', async () => {
    const { time, sent, beginLookups } = begin();
    const flood = beginLookups(ANN);
    for (const name of names(1000)) void flood(name);
    await time.pass(300);
    const quick = beginLookups(BEN)('quick.example');
    await time.pass(5);
    expect(await quick).toBe('found');
    expect(sent.at(-1)).toEqual({ domain: 'quick.example', at: 300 });
  });

  test('counts the queries to a silent server once', async () => {
    const { time, sent, beginLookups } = begin(() => undefined);
    const lookUp = beginLookups(ANN);
    for (const name of names(16)) void lookUp(name);
    await time.pass(60_000);
    expect(sent).toHaveLength(16);
    expect(peakOf(sent)).toBeLessThanOrEqual(20);
  });
});

test('at most 256 lookups run in parallel, and the next one belongs to the task with the fewest', async () => {
  const waiting = new Map<string, (found: LookupResult) => void>();
  const { time } = begin();
  const beginLookups = createLookups({
    ...time,
    resolve: (domain) => new Promise((resolve) => waiting.set(domain, resolve)),
  });
  for (let user = 1; user <= 20; user++) {
    const lookUp = beginLookups(`user ${user}`);
    for (const name of names(16, `u${user}`)) void lookUp(name);
  }
  await time.pass(10_000);
  expect(waiting.size).toBe(256);
  const quick = beginLookups('user 99')('quick.example');
  await time.pass(0);
  expect(waiting.has('quick.example')).toBe(false);
  waiting.get([...waiting.keys()].at(-1) ?? '')?.(MISSING);
  await time.pass(0);
  expect(waiting.has('quick.example')).toBe(true);
  waiting.get('quick.example')?.(FOUND);
  expect(await quick).toBe('found');
});

describe('the cache', () => {
  test.each<[string, LookupResult, number]>([
    ['an address with a TTL of one minute', FOUND, 60],
    ['an address with a TTL of one second', { ...FOUND, ttlSeconds: 1 }, 5],
    ['an address with a TTL of one day', { ...FOUND, ttlSeconds: 86_400 }, 300],
    ['a domain that does not exist', MISSING, 5],
    ['no answer', { ...MISSING, resolution: 'unanswered' }, 5],
  ])('stores %s for its time, for all users', async (_, answer, seconds) => {
    const { time, sent, beginLookups } = begin(() => answer);
    const lookUp = async (user: LookupOwner) => {
      const resolution = beginLookups(user)('shop.example');
      await time.pass(5);
      return resolution;
    };
    expect(await lookUp(ANN)).toBe(answer.resolution);
    await time.pass(seconds * 1000 - 5);
    expect(await lookUp(BEN)).toBe(answer.resolution);
    expect(sent).toHaveLength(answer.queries);
    expect(await lookUp(ANN)).toBe(answer.resolution);
    expect(sent).toHaveLength(2 * answer.queries);
  });

  test('answers a repeated batch immediately, without queries and without using the limit', async () => {
    const { time, sent, beginLookups } = begin();
    const batch = () => Promise.all(names(128).map(beginLookups(ANN)));
    const first = batch();
    while (await time.step()) {}
    await first;
    const at = time.now();
    for (let i = 0; i < 10; i++) expect(new Set(await batch())).toEqual(new Set(['found']));
    expect(sent).toHaveLength(128);
    expect(time.now()).toBe(at);
  });

  test('shares a running lookup', async () => {
    const { time, sent, beginLookups } = begin();
    const both = Promise.all([beginLookups(ANN)('shop.example'), beginLookups(BEN)('shop.example')]);
    await time.pass(5);
    expect(await both).toEqual(['found', 'found']);
    expect(sent).toHaveLength(1);
  });

  test('evicts the oldest entry above the capacity', async () => {
    const { time, sent, beginLookups } = begin(() => FOUND, 2);
    for (const name of ['a.example', 'b.example', 'c.example', 'c.example', 'b.example', 'a.example']) {
      const resolution = beginLookups(ANN)(name);
      await time.pass(5);
      await resolution;
    }
    expect(sent.map(({ domain }) => domain)).toEqual(['a.example', 'b.example', 'c.example', 'a.example']);
  });
});

describe('lookups that fail', () => {
  test('reject only their own callers, and return their permit', async () => {
    const time = createVirtualTime();
    let isBroken = true;
    const beginLookups = createLookups({
      now: time.now,
      timer: time.timer,
      async resolve() {
        if (isBroken) throw new Error('no more sockets');
        return FOUND;
      },
    });
    const failures: string[] = [];
    for (let user = 1; user <= 300; user++) {
      const lookUp = beginLookups(`user ${user}`);
      void lookUp(`d${user}.example`).catch(({ message }: Error) => failures.push(message));
    }
    await time.pass(1000);
    expect(failures).toEqual(Array(300).fill('no more sockets'));
    isBroken = false;
    const again: string[] = [];
    for (let user = 1; user <= 300; user++) {
      void beginLookups(`user ${user}`)(`d${user}.example`).then((resolution) => again.push(resolution));
    }
    await time.pass(10_000);
    expect(again).toEqual(Array(300).fill('found'));
  });

  test('of many users settle in every order of answers, failures, and limits', async () => {
    await withSeeds(300, async ({ random, holdOrFail, time, mustSettle, run }) => {
      let running = 0;
      const beginLookups = createLookups({
        now: time.now,
        timer: time.timer,
        parallel: 2,
        async resolve() {
          running++;
          expect(running).toBeLessThanOrEqual(2);
          await holdOrFail().finally(() => running--);
          return random(2) === 0 ? FOUND : MISSING;
        },
      });
      const lookUp = () => {
        const begun = beginLookups(random(2) === 0 ? ANN : BEN);
        for (let i = random(8); i >= 0; i--) {
          const domain = `d${random(20)}.example`;
          mustSettle(domain, begun(domain)).catch(() => {});
        }
      };
      await run(Array(12).fill(lookUp));
      expect(running).toBe(0);
    });
  });
});
