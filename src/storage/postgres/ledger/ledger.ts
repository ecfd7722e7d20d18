import { runAll } from '../../../lib/closing.ts';
import { timer as systemTimer, type Timer } from '../../../lib/timer.ts';
import type { ClaimLedger } from '../../../model/ports/replayLedger.ts';
import { createLedgerClients, serveLedger } from '../../ledgerClient/clients.ts';
import { createLedgerHealth } from '../../ledgerHealth.ts';
import type { LedgerOptions, ServerLedger } from '../../storage.ts';
import { requireCommits } from '../standbys.ts';
import { hasOtherOrigin } from './claims.ts';
import { createConnections, type OpenConnection } from './connections.ts';
import { createGroups } from './groups.ts';
import { PURGE_TIMEOUT_MS, purge, purgedBefore } from './purge.ts';
import { createOnce, recall } from './repeats.ts';

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
  const health = createLedgerHealth(
    () => maintain((sql) => requireCommits(sql).then(() => sql.unsafe(PROBE))),
    timer,
  );
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

  const once = createOnce({ onCommit: options.onCommit, run: runOne, health, now });

  const methods: ClaimLedger = {
    claim: groups.claim,
    async claimOnce(claim, maxCount, key) {
      rejectIfClosed();
      return once.claim(claim, maxCount, key);
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
    isHealthy: health.isHealthy,
    reportDelay: health.fail,
    load: () => ({ waiting: groups.waiting() + once.waiting(), connections: size, busy: connections.busy() }),
    hasLostClaims: () => hasLostClaims,
    close: () => runAll([clients.drain, health.close, groups.close, connections.close]),
  };
}
