import { describe, expect, test } from 'bun:test';
import { reasonOf } from '../../src/lib/log.ts';
import type { AccountId } from '../../src/model/account.ts';
import type { Claim, ClaimLedger, RepeatKey } from '../../src/model/ports/replayLedger.ts';
import {
  CLAIM_DEADLINE_MS,
  LONGEST_WAIT_MS,
  limitClaims,
  type OldestClaim,
  startClaimWatch,
} from '../../src/server/claimWatch.ts';
import { withSeeds } from '../support/randomScheduler.ts';
import { createVirtualTime } from '../support/virtualTime.ts';

const CLAIM: Claim = { puzzleId: new Uint8Array(8), expiresAtSeconds: 9, keyFingerprint: 1 };
const KEY: RepeatKey = { hash: new Uint8Array(32), nowSeconds: 1, userId: 1 as AccountId };
const MINUTE_MS = 60_000;

function createOldest(): OldestClaim {
  let oldest: number | undefined;
  return {
    get: () => oldest,
    set(since) {
      oldest = since;
    },
  };
}

/** A ledger that answers when the test calls `answer`, with the number of the claim. */
function createSlowLedger() {
  const answers: (() => void)[] = [];
  let calls = 0;
  const wait = () => {
    const number = ++calls;
    return new Promise<number>((resolve) => answers.push(() => resolve(number)));
  };
  const ledger: ClaimLedger = { claim: wait, claimOnce: wait, recall: () => wait().then(() => true) };
  return { ledger, answer: () => answers.shift()?.(), calls: () => calls };
}

function openWatched() {
  const time = createVirtualTime();
  const oldest = [createOldest(), createOldest()] as const;
  const slow = createSlowLedger();
  const logged: unknown[] = [];
  let delays = 0;
  const log = { info() {}, error: (...entry: unknown[]) => void logged.push(entry) };
  const onDelay = () => {
    delays++;
  };
  const watch = startClaimWatch({ ...time, oldest, onDelay, log });
  const limited = limitClaims(slow.ledger, oldest[0], time);
  return { ...slow, time, oldest, watch, limited, logged, delays: () => delays };
}

describe('a claim without an answer', () => {
  test.each([
    ['claim', ({ claim }: ClaimLedger) => claim(CLAIM)],
    ['claimOnce', ({ claimOnce }: ClaimLedger) => claimOnce(CLAIM, 1, KEY)],
    ['recall', ({ recall }: ClaimLedger) => recall(KEY)],
  ])('is rejected at its deadline (%s)', async (_, start) => {
    const { limited, time } = openWatched();
    let outcome: unknown;
    void start(limited).catch((error) => {
      outcome = reasonOf(error);
    });
    await time.pass(CLAIM_DEADLINE_MS - 1);
    expect(outcome).toBeUndefined();
    await time.pass(1000);
    expect(outcome).toBe('the ledger did not answer within 10 s');
  });

  test('is still counted if the answer comes after the deadline', async () => {
    const { limited, time, answer, calls } = openWatched();
    const rejected = limited.claim(CLAIM).catch(reasonOf);
    await time.pass(CLAIM_DEADLINE_MS + 1000);
    expect(await rejected).toContain('did not answer');
    answer();
    const next = limited.claim(CLAIM);
    await time.pass(1);
    answer();
    // The first claim has number 1.
    expect([await next, calls()]).toEqual([2, 2]);
  });

  test('allows a limited number of others', async () => {
    const { limited, time, answer, calls } = openWatched();
    const results = Array.from({ length: 50_001 }, () => limited.claim(CLAIM).catch(reasonOf));
    expect(await results.at(-1)).toBe('too many claims are waiting');
    expect(calls()).toBe(50_000);
    await time.pass(CLAIM_DEADLINE_MS + 1000);
    await Promise.all(results);
    // The ledger still has all of them.
    expect(await limited.claim(CLAIM).catch(reasonOf)).toBe('too many claims are waiting');
    answer();
    await time.pass(1);
    void limited.claim(CLAIM);
    expect(calls()).toBe(50_001);
  });
});

test('every claim settles by its deadline, in whatever order the ledger answers', async () => {
  await withSeeds(300, async ({ random, hold, holdOrFail, time, mustSettle, run }) => {
    const answer = async () => {
      if (random(5) === 0) await new Promise(() => {});
      await (random(2) === 0 ? hold() : holdOrFail());
      return 1;
    };
    const oldest = createOldest();
    const ledger = { claim: answer, claimOnce: answer, recall: () => answer().then(() => true) };
    const limited = limitClaims(ledger, oldest, time);
    const started: number[] = [];
    const actions = Array.from({ length: 30 }, (_, i) => () => {
      const startedAt = time.now();
      started.push(startedAt);
      const claim = random(2) === 0 ? limited.claim(CLAIM) : limited.recall(KEY);
      const settled = () => {
        expect(time.now() - startedAt).toBeLessThanOrEqual(CLAIM_DEADLINE_MS + 250);
      };
      void mustSettle(`claim ${i}`, claim.then(settled, settled));
    });
    await run(actions);
    expect(oldest.get()).toBeUndefined();
  });
});

describe('the watch', () => {
  test('reports a claim that has waited for more than five seconds, once', async () => {
    const { limited, time, watch, logged, delays } = openWatched();
    void limited.claim(CLAIM).catch(() => {});
    await time.pass(LONGEST_WAIT_MS);
    expect([watch.isDelayed(), delays()]).toEqual([false, 0]);
    await time.pass(1000);
    expect([watch.isDelayed(), delays()]).toEqual([true, 1]);
    expect(logged).toEqual([['claims-delayed', { waited_ms: expect.any(Number) }]]);
  });

  test('notices the delay when it is asked, even if no timer has run', async () => {
    const { limited, time, oldest } = openWatched();
    void limited.claim(CLAIM).catch(() => {});
    let now = 0;
    const asked = startClaimWatch({
      oldest,
      onDelay() {},
      log: { info() {}, error() {} },
      now: () => now,
      timer: () => () => {},
    });
    await time.pass(1);
    now = LONGEST_WAIT_MS + 1;
    oldest[0].set(0.5);
    expect(asked.isDelayed()).toBe(true);
  });

  test('considers the oldest claim that still waits', async () => {
    const { limited, time, watch, answer } = openWatched();
    const claims = [limited.claim(CLAIM)];
    await time.pass(4000);
    claims.push(limited.claim(CLAIM));
    answer();
    await time.pass(4000);
    expect(watch.isDelayed()).toBe(false);
    await time.pass(1500);
    expect(watch.isDelayed()).toBe(true);
    answer();
    expect(await Promise.all(claims)).toEqual([1, 2]);
    expect(watch.isDelayed()).toBe(false);
  });

  test('considers the claims of other threads', async () => {
    const { time, watch, oldest, delays } = openWatched();
    await time.pass(1);
    oldest[1].set(time.now());
    await time.pass(LONGEST_WAIT_MS + 1000);
    expect([watch.isDelayed(), delays()]).toEqual([true, 1]);
    oldest[1].set(undefined);
    expect(watch.isDelayed()).toBe(false);
  });

  test('logs at most one delay per minute', async () => {
    const { time, oldest, logged, delays } = openWatched();
    const delay = async () => {
      await time.pass(1);
      oldest[1].set(time.now());
      await time.pass(LONGEST_WAIT_MS + 1000);
      oldest[1].set(undefined);
      await time.pass(1000);
    };
    for (let i = 0; i < 3; i++) await delay();
    expect([delays(), logged.length]).toEqual([3, 1]);
    await time.pass(MINUTE_MS);
    await delay();
    expect(logged).toHaveLength(2);
  });
});
