import type { Claim, ClaimLedger } from '../../../model/ports/replayLedger.ts';
import { createLedgerClients } from '../../ledgerClient/clients.ts';
import { serveLedger } from '../../ledgerClient/serveLedger.ts';
import type { LedgerOptions, ServerLedger } from '../../storage.ts';
import { countGroup, isPurged, type Purges } from './claims.ts';
import { type Connections, createConnections, type OpenConnection } from './connections.ts';
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
/** Maximum time that claims wait for a larger group while a connection is free, in milliseconds. */
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
 * Claims are committed in groups, each with one statement on a free connection. Claims that arrive while all connections are busy share
 * the next groups. The promise of a claim resolves after its transaction was committed, which with the durability `full` means that it is
 * on disk. If the result of a transaction is unknown, the promise rejects. The claim may then have been counted, so a later presentation
 * of the puzzle may not be accepted. While no server accepts writes, claims are rejected immediately.
 *
 * @throws (rejects) if no server accepts writes
 */
export async function openLedger(options: PostgresLedgerOptions): Promise<ServerLedger> {
  const connections = createConnections(options.open, options.size ?? CONNECTIONS, options.timeoutMs);
  let hasLostClaims: boolean;
  try {
    hasLostClaims = await connections.run(hasOtherOrigin);
  } catch (error) {
    connections.close();
    throw error;
  }
  const health = createHealth(connections);
  const groups = createGroups(options, connections, health);
  const rejectIfClosed = () => {
    if (groups.isClosed()) throw new Error('the ledger is closed');
  };

  const methods: ClaimLedger = {
    claim: groups.claim,
    async claimOnce(claim, maxCount, key) {
      rejectIfClosed();
      const startedAt = performance.now();
      const presentations = await health.observe(() =>
        connections.run((sql) => countOnce(sql, claim, maxCount, key)),
      );
      options.onCommit?.({ claims: 1, milliseconds: performance.now() - startedAt });
      return presentations;
    },
    async recall(key) {
      rejectIfClosed();
      return connections.run((sql) => recall(sql, key));
    },
  };
  const clients = createLedgerClients((port) => serveLedger(methods, port), MAX_UNANSWERED);

  return {
    ...methods,
    connect: clients.connect,
    async purge(beforeSeconds, keyFingerprints) {
      rejectIfClosed();
      const work = (sql: Parameters<typeof purge>[0]) => purge(sql, beforeSeconds, keyFingerprints);
      return connections.run(work, PURGE_TIMEOUT_MS);
    },
    async purgedBefore(keyFingerprint) {
      rejectIfClosed();
      return connections.run((sql) => purgedBefore(sql, keyFingerprint));
    },
    isHealthy: () => health.isHealthy() && !groups.isClosed(),
    hasLostClaims: () => hasLostClaims,
    async close() {
      await clients.drain();
      await groups.close();
      health.close();
      connections.close();
    },
  };
}

/** Gathers claims into groups. */
function createGroups({ onCommit }: LedgerOptions, connections: Connections, health: Health) {
  const waiting: Waiting[] = [];
  let holding: Timer | undefined;
  let isClosed = false;
  /** The times that the last group read. They only increase, so puzzles that expired before an outdated time are still purged. */
  let purges: Purges = new Map();
  const running = new Set<Promise<void>>();

  /** Sends waiting claims. @param isOverdue whether they have waited long enough for a larger group */
  function send(isOverdue: boolean): void {
    while (waiting.length > 0 && connections.isFree()) {
      if (!isOverdue && waiting.length <= connections.busy() * GROUP_STEP) {
        holding ??= setTimeout(sendOverdue, HOLD_MS);
        return;
      }
      const group = waiting.splice(0, MAX_GROUP);
      const committing = commit(group).finally(() => {
        running.delete(committing);
        send(isClosed);
      });
      running.add(committing);
    }
  }

  function sendOverdue(): void {
    holding = undefined;
    send(true);
  }

  async function commit(group: readonly Waiting[]): Promise<void> {
    const startedAt = performance.now();
    const claims = group.map(({ claim }) => claim);
    try {
      const counted = await health.observe(() => connections.run((sql) => countGroup(sql, claims)));
      purges = counted.purges;
      for (let i = 0; i < group.length; i++) group[i]?.resolve(counted.numbers[i] as number);
    } catch (error) {
      rejectAll(group, error);
      // Otherwise, each group would wait until the next attempt to connect fails.
      if (connections.isDown()) rejectAll(waiting.splice(0), error);
      return;
    }
    onCommit?.({ claims: group.length, milliseconds: performance.now() - startedAt });
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
        // More claims may arrive in the rest of this iteration of the event loop.
        if (waiting.length === 1) setImmediate(send, false);
      });
    },
    isClosed: () => isClosed,
    /** Sends the waiting claims, and waits until all claims are stored or rejected. */
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(holding);
      send(true);
      while (running.size > 0) await Promise.all(running);
    },
  };
}

function rejectAll(group: readonly Waiting[], reason: unknown): void {
  for (const { reject } of group) reject(reason);
}

type Health = ReturnType<typeof createHealth>;

/** Tracks whether claims can be stored. After a failure, probes the database until it works again, because no requests may arrive. */
function createHealth(connections: Connections) {
  let isHealthy = true;
  let isClosed = false;
  let retry: Timer | undefined;

  function recoverLater(): void {
    if (!isClosed) retry ??= setTimeout(() => void recover(), RETRY_MS).unref();
  }

  async function recover(): Promise<void> {
    retry = undefined;
    if (isHealthy) return;
    try {
      await connections.run((sql) => sql.unsafe(PROBE));
      isHealthy = true;
    } catch {
      recoverLater();
    }
  }

  return {
    isHealthy: () => isHealthy,
    async observe<T>(work: () => Promise<T>): Promise<T> {
      try {
        const result = await work();
        isHealthy = true;
        return result;
      } catch (error) {
        isHealthy = false;
        recoverLater();
        throw error;
      }
    },
    close(): void {
      isClosed = true;
      clearTimeout(retry);
    },
  };
}
