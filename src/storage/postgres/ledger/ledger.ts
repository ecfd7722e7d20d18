import { runAll } from '../../../lib/runAll.ts';
import { timer as systemTimer, type Timer } from '../../../lib/timer.ts';
import type { Claim, ClaimLedger } from '../../../model/ports/replayLedger.ts';
import { createLedgerClients } from '../../ledgerClient/clients.ts';
import { serveLedger } from '../../ledgerClient/serveLedger.ts';
import type { LedgerOptions, ServerLedger } from '../../storage.ts';
import { countGroup, type Executor, isPurged, type Purges } from './claims.ts';
import { type Connections, createConnections, type OpenConnection, type Run } from './connections.ts';
import { createHoldTime } from './holdTime.ts';
import { hasOtherOrigin } from './origin.ts';
import { PURGE_TIMEOUT_MS, purge, purgedBefore } from './purge.ts';
import { countOnce, recall } from './repeats.ts';

type Waiting = {
  readonly claim: Claim;
  readonly resolve: (presentations: number) => void;
  readonly reject: (reason: unknown) => void;
};

export type PostgresLedgerOptions = LedgerOptions & {
  readonly open: OpenConnection;
  /** Number of connections; 4 by default. */
  readonly size?: number | undefined;
  /** Time limit for a transaction, in milliseconds, for tests. */
  readonly timeoutMs?: number | undefined;
  /** Replaces the system's timer and clock, for tests. */
  readonly timer?: Timer;
  readonly now?: () => number;
};

const CONNECTIONS = 4;
/** Clients do not wait for answers, because the ledger itself gathers the claims of all clients into groups. */
const MAX_UNANSWERED = Number.POSITIVE_INFINITY;
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
 * busy. While it is, claims wait longer, and also if all connections are free (`holdTime.ts`).
 */
const HOLD_MS = 5;
/** Delay after a failure before the database is tried again, in milliseconds. */
const RETRY_MS = 500;

/** Writes a row and deletes it. Only the test puzzle has the expiration 0, and it is never claimed. */
const PROBE = `
DO $$ BEGIN
  INSERT INTO claims VALUES (0, '\\x0000000000000000', 0) ON CONFLICT DO NOTHING;
  DELETE FROM claims WHERE expires_at = 0 AND presentations = 0;
END $$`;

/**
 * Opens the replay ledger on PostgreSQL, which several nodes can use at the same time.
 *
 * Claims are committed in groups, each with one statement on one connection. Claims that arrive while all connections are busy share the
 * next group. The promise of a claim resolves after its transaction was committed, which with the durability `full` means that it is
 * on disk. If the result of a transaction is unknown, the promise rejects. The claim may then have been counted, so a later presentation
 * of the puzzle may not be accepted. While no server accepts writes, claims are rejected immediately.
 *
 * @throws (rejects) if no server accepts writes
 */
export async function openLedger(options: PostgresLedgerOptions): Promise<ServerLedger> {
  const { timer = systemTimer, now = () => performance.now(), size = CONNECTIONS } = options;
  const connections = createConnections({
    open: options.open,
    size,
    timeoutMs: options.timeoutMs,
    timer,
    now,
    onFailedToOpen: () => health.fail(),
  });
  // Groups of claims, requests that may be repeated, and maintenance get even shares of the connections.
  const [runGroup, runOne, maintain] = [
    connections.createUser(),
    connections.createUser(),
    connections.createUser(),
  ];
  const health = createHealth(() => maintain((sql) => sql.unsafe(PROBE)), timer);
  let hasLostClaims: boolean;
  try {
    hasLostClaims = await maintain(hasOtherOrigin);
  } catch (error) {
    health.close();
    connections.close();
    throw error;
  }
  const groups = createGroups({ onCommit: options.onCommit, run: runGroup, connections, health, timer, now });
  const rejectIfClosed = () => {
    if (groups.isClosed()) throw new Error('the ledger is closed');
  };

  /** Requests that may be repeated and wait for a connection. */
  let waitingOnce = 0;

  const methods: ClaimLedger = {
    claim: groups.claim,
    async claimOnce(claim, maxCount, key) {
      rejectIfClosed();
      const startedAt = now();
      waitingOnce++;
      let isWaiting = true;
      function onGranted(): void {
        if (isWaiting) waitingOnce--;
        isWaiting = false;
      }
      const group = String(key.userId);
      const presentations = await health
        .observe(() => runOne((sql) => countOnce(sql, claim, maxCount, key), { group, onGranted }))
        .finally(onGranted);
      options.onCommit?.({ claims: 1, milliseconds: now() - startedAt });
      return presentations;
    },
    async recall(key) {
      rejectIfClosed();
      return runOne((sql) => recall(sql, key), { group: String(key.userId) });
    },
  };
  const clients = createLedgerClients((port) => serveLedger(methods, port), MAX_UNANSWERED);

  return {
    ...methods,
    connect: clients.connect,
    async purge(beforeSeconds, keyFingerprints) {
      rejectIfClosed();
      const work = (sql: Parameters<typeof purge>[0]) => purge(sql, beforeSeconds, keyFingerprints);
      return maintain(work, { timeoutMs: PURGE_TIMEOUT_MS });
    },
    async purgedBefore(keyFingerprint) {
      rejectIfClosed();
      return maintain((sql) => purgedBefore(sql, keyFingerprint));
    },
    isHealthy: () => health.isHealthy() && !groups.isClosed(),
    reportDelay: health.fail,
    load: () => ({ waiting: groups.waiting() + waitingOnce, connections: size, busy: connections.busy() }),
    hasLostClaims: () => hasLostClaims,
    close: () => runAll([clients.drain, groups.close, health.close, connections.close]),
  };
}

type GroupsOptions = {
  readonly onCommit: LedgerOptions['onCommit'];
  readonly run: Run;
  readonly connections: Connections;
  readonly health: Health;
  readonly timer: Timer;
  readonly now: () => number;
};

/**
 * Gathers claims into groups.
 *
 * While claims wait, one of three events wakes `schedule` or forms the next group, and each of them happens whatever other calls do:
 *
 * - `isScheduled`: the end of the iteration of the event loop in which a claim arrived;
 * - `holding`: the end of the time that claims wait for a larger group, or earlier the end of a group or another claim;
 * - `isRequested`: the group's turn in the queue for connections, which it shares with all other calls.
 */
function createGroups({ onCommit, run, connections, health, timer, now }: GroupsOptions) {
  const holdTime = createHoldTime();
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
      await health.observe(() => run((sql) => commit(sql, group), { onGranted }));
    } catch (error) {
      rejectAll(group, error);
      // Otherwise, each group would wait until the next attempt to connect fails.
      if (connections.isDown()) rejectAll(waiting.splice(0), error);
    }
  }

  async function commit(sql: Executor, group: readonly Waiting[]): Promise<void> {
    const startedAt = now();
    const counted = await countGroup(
      sql,
      group.map(({ claim }) => claim),
    );
    purges = counted.purges;
    for (let i = 0; i < group.length; i++) group[i]?.resolve(counted.numbers[i] as number);
    const milliseconds = now() - startedAt;
    holdTime.observe(milliseconds);
    onCommit?.({ claims: group.length, milliseconds });
  }

  return {
    claim(claim: Claim): Promise<number> {
      if (isClosed) return Promise.reject(new Error('the ledger is closed'));
      // Otherwise, each presentation would store a row that the next purge would have to delete.
      if (isPurged(claim, purges)) return Promise.resolve(0);
      if (connections.isDown()) return Promise.reject(new Error('no database server accepts claims'));
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

function rejectAll(group: readonly Waiting[], reason: unknown): void {
  for (const { reject } of group) reject(reason);
}

type Health = ReturnType<typeof createHealth>;

/** Tracks whether claims can be stored. After a failure, probes the database until it works again, because no requests may arrive. */
function createHealth(probe: () => Promise<unknown>, timer: Timer) {
  let isHealthy = true;
  let isClosed = false;
  let isRecovering = false;
  let cancelRetry = () => {};

  function fail(): void {
    isHealthy = false;
    if (isClosed || isRecovering) return;
    isRecovering = true;
    cancelRetry = timer(RETRY_MS, () => void recover());
  }

  async function recover(): Promise<void> {
    const hasRecovered =
      isHealthy ||
      (await probe().then(
        () => true,
        () => false,
      ));
    isRecovering = false;
    if (hasRecovered) isHealthy = true;
    else fail();
  }

  return {
    isHealthy: () => isHealthy,
    fail,
    async observe<T>(work: () => Promise<T>): Promise<T> {
      try {
        const result = await work();
        isHealthy = true;
        return result;
      } catch (error) {
        fail();
        throw error;
      }
    },
    close(): void {
      isClosed = true;
      cancelRetry();
    },
  };
}
