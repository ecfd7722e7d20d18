import { expect, test } from 'bun:test';
import type { Claim } from '../../src/model/ports/replayLedger.ts';
import { CLAIM_SIZE, type Counted, encodeCounts } from '../../src/storage/ledgerClient/claimProtocol.ts';
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
