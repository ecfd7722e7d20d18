import type { Timer } from '../../../lib/timer.ts';
import type { Claim } from '../../../model/ports/replayLedger.ts';
import type { LedgerHealth } from '../../ledgerHealth.ts';
import type { LedgerOptions } from '../../storage.ts';
import { type CountedClaims, countGroup, type Executor, isPurged, type Purges } from './claims.ts';
import type { Connections, Run } from './connections.ts';
import { createHoldTime, type HoldTime } from './holdTime.ts';

type Waiting = {
  readonly claim: Claim;
  readonly resolve: (presentations: number) => void;
  readonly reject: (reason: unknown) => void;
};

/** Maximum number of claims in a transaction. */
const MAX_GROUP = 512;
/** Maximum number of claims that wait for a transaction. */
const MAX_WAITING = 50_000;
/**
 * While connections are busy, another one is used only if more than this number of claims per busy connection are waiting, because larger
 * groups need less processor time.
 */
const GROUP_STEP = 8;
/**
 * Maximum time that claims wait for a larger group before they request another connection, in milliseconds, while the database is not
 * busy. While it is busy, claims wait longer, even if all connections are free (`holdTime.ts`).
 */
const HOLD_MS = 5;

export type GroupsOptions = {
  readonly onCommit: LedgerOptions['onCommit'];
  readonly run: Run;
  readonly connections: Connections;
  readonly health: LedgerHealth;
  readonly timer: Timer;
  readonly now: () => number;
};

/**
 * Gathers claims into groups.
 *
 * While claims wait, one of three events wakes `schedule` or forms the next group, and each of them occurs regardless of other calls:
 *
 * - `isScheduled`: the end of the iteration of the event loop in which a claim arrived;
 * - `holding`: the end of the time that claims wait for a larger group, or earlier the end of a group or another claim;
 * - `isRequested`: the group's turn in the queue for connections, which it shares with all other calls.
 */
export function createGroups({ onCommit, run, connections, health, timer, now }: GroupsOptions) {
  const holdTime = createHoldTime();
  const commit = createCommit({ onCommit, now }, holdTime);
  const waiting: Waiting[] = [];
  let isScheduled = false;
  let isRequested = false;
  /** Cancels the timer. */
  let holding: (() => void) | undefined;
  let isClosed = false;
  /** The times that the last group read. They only increase, so puzzles that expired before an outdated time are still purged. */
  let purges: Purges = new Map();
  const running = new Set<Promise<void>>();

  /** Requests a connection for the waiting claims. @param isOverdue whether they have waited long enough for a larger group */
  function schedule(isOverdue: boolean): void {
    if (waiting.length === 0 || isRequested) return;
    const holdMs = holdTime.milliseconds();
    const enough = (connections.busy() + Number(holdMs > 0)) * GROUP_STEP;
    if (!isOverdue && waiting.length <= enough) {
      holding ??= timer(Math.max(holdMs, HOLD_MS), () => {
        holding = undefined;
        schedule(true);
      });
      return;
    }
    holding?.();
    holding = undefined;
    isRequested = true;
    const committing = commitNext().finally(() => {
      running.delete(committing);
      schedule(isClosed);
    });
    running.add(committing);
  }

  /** The group consists of the claims that wait when it gets its connection. */
  async function commitNext(): Promise<void> {
    let group: readonly Waiting[] = [];
    function onGranted(): void {
      isRequested = false;
      group = waiting.splice(0, MAX_GROUP);
      schedule(isClosed);
    }
    try {
      const counted = await health.observe(() => run((sql) => commit(sql, group), { onGranted }));
      purges = counted.purges;
      for (const [i, { resolve }] of group.entries()) resolve(counted.numbers[i] as number);
    } catch (error) {
      rejectAll(group, error);
      // Otherwise, each group would wait until the next attempt to connect fails.
      if (connections.isDown()) rejectAll(waiting.splice(0), error);
    }
  }

  return {
    claim(claim: Claim): Promise<number> {
      if (isClosed) return Promise.reject(new Error('the ledger is closed'));
      // Otherwise, each presentation would store a row that the next purge would have to delete.
      if (isPurged(claim, purges)) return Promise.resolve(0);
      // While the ledger is healthy, nothing else would open a connection.
      if (connections.isDown() && !health.isHealthy())
        return Promise.reject(new Error('no database server accepts claims'));
      if (waiting.length >= MAX_WAITING) return Promise.reject(new Error('too many claims are waiting'));
      return new Promise((resolve, reject) => {
        waiting.push({ claim, resolve, reject });
        if (isScheduled) return;
        isScheduled = true;
        // More claims may arrive in the rest of this iteration of the event loop.
        setImmediate(() => {
          isScheduled = false;
          schedule(isClosed);
        });
      });
    },
    isClosed: () => isClosed,
    waiting: () => waiting.length,
    /** Sends the waiting claims, and waits until all claims are stored or rejected. */
    async close(): Promise<void> {
      isClosed = true;
      schedule(true);
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/** Creates a function that stores a group, and measures the commit. */
function createCommit({ onCommit, now }: Pick<GroupsOptions, 'onCommit' | 'now'>, holdTime: HoldTime) {
  return async (sql: Executor, group: readonly Waiting[]): Promise<CountedClaims> => {
    const startedAt = now();
    const claims = group.map(({ claim }) => claim);
    const counted = await countGroup(sql, claims);
    const milliseconds = now() - startedAt;
    holdTime.observe(milliseconds);
    onCommit?.({ claims: group.length, milliseconds });
    return counted;
  };
}

function rejectAll(group: readonly Waiting[], reason: unknown): void {
  for (const { reject } of group) reject(reason);
}
