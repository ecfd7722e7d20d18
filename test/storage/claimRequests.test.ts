import { describe, expect, test } from 'bun:test';
import { reasonOf } from '../../src/lib/log.ts';
import type { AccountId } from '../../src/model/account.ts';
import type { Claim, RepeatKey } from '../../src/model/ports/replayLedger.ts';
import {
  CLAIM_SIZE,
  type Counted,
  claimsFrom,
  encodeCounts,
  fromText,
  NOT_COUNTED,
  toBytes,
} from '../../src/storage/ledgerClient/claimProtocol.ts';
import { type ClaimThread, createClaimRequests } from '../../src/storage/ledgerClient/claimRequests.ts';
import type { AnswerHandler } from '../../src/threads/protocol.ts';
import { withSeeds } from '../support/randomScheduler.ts';

const CLAIM: Claim = { puzzleId: new Uint8Array(8), expiresAtSeconds: 9, keyFingerprint: 1 };
/** Number of claims that are sent before the iteration of the event loop ends. */
const FULL_GROUP = 24;

/** A thread that counts groups of claims. */
function threadThat(count: (group: string, handler: AnswerHandler<Counted>) => void): ClaimThread {
  const send = (_: string, group: string, handler: AnswerHandler<Counted>) => count(group, handler);
  return { send, call: () => Promise.reject(new Error('is not used')) } as ClaimThread;
}

/** Records the sizes of the groups, and answers them one by one. */
function openRequests(maxUnanswered: number) {
  const sizes: number[] = [];
  const answers: (() => void)[] = [];
  let counted = 0;
  const thread = threadThat((group, { size, settle }) => {
    expect(group.length).toBe(size * CLAIM_SIZE);
    sizes.push(size);
    answers.push(() =>
      settle({ result: encodeCounts(Uint32Array.from({ length: size }, () => ++counted)) }, 0),
    );
  });
  const { claim } = createClaimRequests(() => thread, maxUnanswered);
  return {
    sizes,
    claimAll: (count: number) => Array.from({ length: count }, () => claim(CLAIM)),
    answerNext: () => answers.shift()?.(),
  };
}

const iteration = () => new Promise(setImmediate);

test('the claims of an iteration of the event loop are sent in full groups, and the rest at its end', async () => {
  const { sizes, claimAll, answerNext } = openRequests(32);
  const results = claimAll(2 * FULL_GROUP + 5);
  expect(sizes).toEqual([FULL_GROUP, FULL_GROUP]);
  await iteration();
  expect(sizes).toEqual([FULL_GROUP, FULL_GROUP, 5]);
  for (const _ of sizes) answerNext();
  expect(await Promise.all(results)).toEqual(results.map((_, i) => i + 1));
});

test('claims are gathered in one group while too many groups have no answer', async () => {
  const { sizes, claimAll, answerNext } = openRequests(1);
  const results = claimAll(3 * FULL_GROUP);
  await iteration();
  expect(sizes).toEqual([FULL_GROUP]);
  answerNext();
  await iteration();
  expect(sizes).toEqual([FULL_GROUP, 2 * FULL_GROUP]);
  answerNext();
  expect(await Promise.all(results)).toEqual(results.map((_, i) => i + 1));
});

/** Requests to a thread that the test answers, and what they told their owner. */
function openAnswered() {
  const groups: { readonly group: string; readonly settle: AnswerHandler<Counted>['settle'] }[] = [];
  const calls: unknown[][] = [];
  const stored: boolean[] = [];
  const state = { failure: undefined as Error | undefined };
  const thread = {
    send: (_: string, group: string, { settle }: AnswerHandler<Counted>) =>
      void groups.push({ group, settle }),
    async call(...args: unknown[]) {
      calls.push(args);
      if (state.failure !== undefined) throw state.failure;
      return 7;
    },
  } as unknown as ClaimThread;
  const requests = createClaimRequests(
    () => thread,
    2,
    (areStored) => stored.push(areStored),
  );
  return { ...requests, groups, calls, stored, state };
}

const KEY: RepeatKey = { hash: new Uint8Array(32), nowSeconds: 1, userId: 1 as AccountId };

describe('the answer to a group', () => {
  test('can be a part of one that several groups share', async () => {
    const { claim, groups, stored } = openAnswered();
    const claims = [claim(CLAIM), claim(CLAIM)];
    await iteration();
    groups[0]?.settle({ result: encodeCounts(Uint32Array.of(90, 91, 5, 6)) }, 2);
    expect(await Promise.all(claims)).toEqual([5, 6]);
    expect(stored).toEqual([true]);
    expect(claimsFrom(fromText(groups[0]?.group ?? ''))).toEqual([CLAIM, CLAIM]);
  });

  test('can reject some of its claims, with the reason', async () => {
    const { claim, groups } = openAnswered();
    const claims = [claim(CLAIM), claim(CLAIM), claim(CLAIM)];
    await iteration();
    groups[0]?.settle({ result: `${encodeCounts(Uint32Array.of(1, NOT_COUNTED, 0))}the disk is full` }, 0);
    expect(await Promise.all(claims.map((one) => one.catch(reasonOf)))).toEqual([1, 'the disk is full', 0]);
  });

  test('can reject all of its claims', async () => {
    const { claim, groups, stored } = openAnswered();
    const claims = [claim(CLAIM), claim(CLAIM)];
    await iteration();
    groups[0]?.settle({ reason: 'the thread ended' }, 0);
    expect(await Promise.all(claims.map((one) => one.catch(reasonOf)))).toEqual([
      'the thread ended',
      'the thread ended',
    ]);
    expect(stored).toEqual([false]);
  });

  test('lets the claims that were gathered in the meantime be sent, in one group', async () => {
    const { claim, groups } = openAnswered();
    for (let n = 0; n < 2; n++) {
      void claim(CLAIM);
      await iteration();
    }
    void claim(CLAIM);
    void claim(CLAIM);
    await iteration();
    expect(groups).toHaveLength(2);
    groups[0]?.settle({ result: encodeCounts(Uint32Array.of(1)) }, 0);
    expect(groups).toHaveLength(2);
    void claim(CLAIM);
    await iteration();
    expect(groups.map(({ group }) => group.length / CLAIM_SIZE)).toEqual([1, 1, 3]);
  });
});

describe('a claim of a request that may be repeated', () => {
  test('is sent alone, with its limit and its key', async () => {
    const { claimOnce, recall, calls, stored } = openAnswered();
    expect(await claimOnce(CLAIM, 3, KEY)).toBe(7);
    expect(calls).toEqual([['countOnce', { claim: toBytes([CLAIM]), maxCount: 3, key: KEY }]]);
    expect(stored).toEqual([true]);
    expect(await recall(KEY)).toBe(7 as never);
    expect(calls[1]).toEqual(['recall', KEY]);
    expect(stored).toEqual([true]);
  });

  test('is rejected with the reason of the thread', async () => {
    const { claimOnce, state, stored } = openAnswered();
    state.failure = new Error('the disk is full');
    expect(await claimOnce(CLAIM, 3, KEY).catch(reasonOf)).toBe('the disk is full');
    expect(stored).toEqual([false]);
  });
});

test('after the end, gathered claims are sent, and later ones are rejected', async () => {
  const { claim, claimOnce, recall, close, groups, calls } = openAnswered();
  const last = claim(CLAIM);
  close();
  expect(groups).toHaveLength(1);
  groups[0]?.settle({ result: encodeCounts(Uint32Array.of(1)) }, 0);
  expect(await last).toBe(1);
  for (const later of [claim(CLAIM), claimOnce(CLAIM, 1, KEY), recall(KEY)])
    expect(await later.catch(reasonOf)).toBe('the ledger is closed');
  await iteration();
  expect([groups.length, calls]).toEqual([1, []]);
  close();
  expect(groups).toHaveLength(1);
});

test('every claim settles, in whatever order claims and answers arrive', async () => {
  await withSeeds(300, async ({ random, holdOrFail, mustSettle, run }) => {
    const thread = threadThat(
      (_, { size, settle }) =>
        void holdOrFail().then(
          () => settle({ result: encodeCounts(new Uint32Array(size).fill(1)) }, 0),
          () => settle({ reason: 'failed' }, 0),
        ),
    );
    const { claim } = createClaimRequests(() => thread, 1 + random(3));
    const claims = Array.from({ length: 20 + random(60) }, (_, i) => () => {
      void mustSettle(`claim ${i}`, claim(CLAIM)).catch(() => {});
    });
    await run(claims);
  });
});
