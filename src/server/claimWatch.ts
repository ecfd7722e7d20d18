import type { Log } from '../lib/log.ts';
import type { Timer } from '../lib/timer.ts';
import type { ClaimLedger } from '../model/ports/replayLedger.ts';
import type { ServerLedger } from '../storage/storage.ts';

/** Time after which a waiting claim makes the server unready, in milliseconds. */
export const LONGEST_WAIT_MS = 5000;
/** Time after which a claim is rejected, in milliseconds. Longer than the time limits of the storage, whose errors state the cause. */
export const CLAIM_DEADLINE_MS = 10_000;

/** Maximum number of claims of one thread that wait for an answer, with those that were rejected after their deadline. */
const MAX_WAITING = 50_000;
/** Interval of checks for claims that have waited too long, in milliseconds. */
const CHECK_MS = 250;
/** Minimum time between two log entries, in milliseconds. */
const LOG_MS = 60_000;

/** The clock and timer of the deadlines. Tests replace them. */
export type ClaimTime = {
  /** In milliseconds, monotonic, the same on all threads. */
  readonly now: () => number;
  readonly timer: Timer;
};

/** The time at which the oldest waiting claim of a thread began to wait, in memory that threads may share. */
export type OldestClaim = {
  /** Undefined if no claim waits. */
  readonly get: () => number | undefined;
  readonly set: (since: number | undefined) => void;
};

/** The time in milliseconds that all threads of this process share. */
export const sharedNow = (): number => performance.timeOrigin + performance.now();

type Waiting = {
  readonly since: number;
  readonly reject: (reason: Error) => void;
  isSettled: boolean;
  next: Waiting | undefined;
};

/**
 * Rejects claims that the ledger has not answered by their deadline. It is then unknown whether the claim was counted: the ledger may
 * still count it. It does not depend on the ledger, so it works even if the ledger loses a claim.
 *
 * While claims wait, a timer runs, so each of them is rejected even if no other event happens.
 */
export function limitClaims(
  ledger: ClaimLedger,
  oldest: OldestClaim,
  { now, timer }: ClaimTime,
): ClaimLedger {
  /** The claims in the order of their calls, without settled ones at the start. */
  let first: Waiting | undefined;
  let last: Waiting | undefined;
  let isTimerSet = false;
  /** Claims that the ledger has not answered. */
  let unanswered = 0;
  oldest.set(undefined);

  function skipSettled(): void {
    const previous = first;
    while (first?.isSettled) first = first.next;
    if (first === previous) return;
    if (first === undefined) last = undefined;
    oldest.set(first?.since);
  }

  function append(entry: Waiting): void {
    if (last === undefined) {
      first = entry;
      oldest.set(entry.since);
    } else {
      last.next = entry;
    }
    last = entry;
    setTimer();
  }

  function setTimer(): void {
    if (isTimerSet) return;
    isTimerSet = true;
    timer(CHECK_MS, check);
  }

  function check(): void {
    isTimerSet = false;
    const expired = now() - CLAIM_DEADLINE_MS;
    for (let entry = first; entry !== undefined && entry.since <= expired; entry = entry.next) {
      entry.isSettled = true;
      entry.reject(new Error(`the ledger did not answer within ${CLAIM_DEADLINE_MS / 1000} s`));
    }
    skipSettled();
    if (first !== undefined) setTimer();
  }

  function limit<T>(method: () => Promise<T>): Promise<T> {
    if (unanswered >= MAX_WAITING) return Promise.reject(new Error('too many claims are waiting'));
    return new Promise((resolve, reject) => {
      const answer = method();
      const entry: Waiting = { since: now(), reject, isSettled: false, next: undefined };
      unanswered++;
      append(entry);
      const settle = () => {
        unanswered--;
        entry.isSettled = true;
        if (entry === first) skipSettled();
      };
      answer.then(
        (result) => {
          settle();
          resolve(result);
        },
        (error: unknown) => {
          settle();
          reject(error);
        },
      );
    });
  }

  return {
    claim: (claim) => limit(() => ledger.claim(claim)),
    claimOnce: (claim, maxCount, key) => limit(() => ledger.claimOnce(claim, maxCount, key)),
    recall: (key) => limit(() => ledger.recall(key)),
  };
}

export type ClaimWatchOptions = ClaimTime & {
  /** The oldest claims of all threads. */
  readonly oldest: readonly Pick<OldestClaim, 'get'>[];
  /** Called when a claim has waited too long. */
  readonly onDelay: () => void;
  readonly log: Pick<Log, 'error' | 'info'>;
};

/** Watches how long the claims of all threads have waited. */
export function startClaimWatch({ oldest, onDelay, log, now, timer }: ClaimWatchOptions) {
  let wasDelayed = false;
  let loggedAt = Number.NEGATIVE_INFINITY;
  let cancelTimer = timer(CHECK_MS, tick);

  /** Whether a claim has waited longer than LONGEST_WAIT_MS. */
  function isDelayed(): boolean {
    const waited = oldest.map(({ get }) => now() - (get() ?? Number.POSITIVE_INFINITY));
    const longest = Math.max(...waited);
    const isDelayedNow = longest > LONGEST_WAIT_MS;
    if (isDelayedNow && !wasDelayed) report(longest);
    wasDelayed = isDelayedNow;
    return isDelayedNow;
  }

  function report(waitedMs: number): void {
    onDelay();
    if (now() - loggedAt < LOG_MS) return;
    loggedAt = now();
    log.error('claims-delayed', { waited_ms: Math.round(waitedMs) });
  }

  function tick(): void {
    isDelayed();
    cancelTimer = timer(CHECK_MS, tick);
  }

  return { isDelayed, stop: () => cancelTimer() };
}

/**
 * Adds the deadlines to a ledger of this thread. The ledger is unhealthy while a claim of any thread waits too long, and stays unhealthy until
 * it has checked that it can store claims.
 */
export function watchLedger(
  ledger: ServerLedger,
  oldest: readonly [OldestClaim, ...Pick<OldestClaim, 'get'>[]],
  { log, ...time }: ClaimTime & Pick<ClaimWatchOptions, 'log'>,
): ServerLedger {
  const watch = startClaimWatch({ ...time, oldest, onDelay: ledger.reportDelay, log });
  return {
    ...ledger,
    ...limitClaims(ledger, oldest[0], time),
    isHealthy: () => !watch.isDelayed() && ledger.isHealthy(),
    close() {
      watch.stop();
      return ledger.close();
    },
  };
}
