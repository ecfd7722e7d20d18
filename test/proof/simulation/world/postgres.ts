import type { Connection } from '../../../../src/storage/postgres/ledger/connections.ts';
import type { Simulation, Thread } from './kernel.ts';
import { createStatements, type Rows } from './postgresStatements.ts';

/** The current behavior of the network and the server. All numbers except `slowestMs` are percentages of the round trips. */
export type DatabaseFaults = {
  /** The connection is lost before the server receives the statement. */
  lostBefore: number;
  /** The connection is lost after the server received the statement, so its result is unknown. */
  lostAfter: number;
  /** The server does not answer, and the connection stays open. */
  silent: number;
  /** The statement fails. */
  failing: number;
  /** The statement reaches the server seconds after it was sent. */
  late: number;
  slowestMs: number;
};

/** A transaction of the server. Nothing else sees its changes before the commit. */
export type Transaction = {
  readonly changes: Map<string, unknown>;
  readonly locks: Set<string>;
  isEnded: boolean;
};

/** The server's time limit for a statement, and for an idle transaction, in milliseconds. */
const STATEMENT_TIMEOUT_MS = 4000;

/**
 * A PostgreSQL server that several nodes use over connections that fail: rows, row locks that last until the end of a transaction, `read
 * committed`, and the statements of the ledger. A commit takes time, and becomes durable and visible at the same moment, as with a
 * synchronous standby.
 */
export function createDatabase(simulation: Simulation) {
  const faults: DatabaseFaults = {
    lostBefore: 0,
    lostAfter: 0,
    silent: 0,
    failing: 0,
    late: 0,
    slowestMs: 2,
  };
  const rows = new Map<string, unknown>();
  const locks = new Map<string, { holder: Transaction; readonly waiting: (() => void)[] }>();
  const sessions = new Set<{ readonly lose: () => void }>();
  let isDown = false;

  const server = (delayMs: number, run: () => void) => simulation.schedule(undefined, delayMs, run);
  const latency = () => 0.05 + simulation.upTo(faults.slowestMs);

  function begin(): Transaction {
    return { changes: new Map(), locks: new Set(), isEnded: false };
  }

  function end(transaction: Transaction, isCommitted: boolean): void {
    if (transaction.isEnded) return;
    transaction.isEnded = true;
    if (isCommitted)
      for (const [key, value] of transaction.changes) {
        if (value === undefined) rows.delete(key);
        else rows.set(key, value);
      }
    for (const key of transaction.locks) {
      const next = locks.get(key)?.waiting.shift();
      if (next === undefined) locks.delete(key);
      else next();
    }
  }

  /** Calls `next` when the transaction holds the lock. */
  function lock(transaction: Transaction, key: string, next: () => void): void {
    const known = locks.get(key);
    const take = () => {
      const lock = locks.get(key);
      if (transaction.isEnded) {
        const after = lock?.waiting.shift();
        if (after === undefined) locks.delete(key);
        else after();
        return;
      }
      if (lock === undefined) locks.set(key, { holder: transaction, waiting: [] });
      else lock.holder = transaction;
      transaction.locks.add(key);
      next();
    };
    if (known === undefined) take();
    else if (known.holder === transaction) next();
    else known.waiting.push(take);
  }

  const execute = createStatements({ rows, lock, isLocked: (key) => locks.has(key) });

  function openSession(owner: Thread): Connection {
    let isOpen = true;
    let isLost = false;
    let transaction: Transaction | undefined;
    /** The newest transaction of the session, which ends with it. */
    let newest: Transaction | undefined;
    const order = { last: 0 };
    /** Number of statements that the server received. */
    const arrived = 0;
    const unanswered = new Set<(reason: Error) => void>();

    const reply = (run: () => void) => simulation.schedule(owner, latency(), run, order);

    /** The client detects the loss immediately or later; the server immediately, or when its time limit ends the transaction. */
    function lose(): void {
      if (isLost) return;
      isLost = true;
      sessions.delete(session);
      reply(close);
      const lost = newest;
      if (lost !== undefined) server(simulation.random(2) * STATEMENT_TIMEOUT_MS, () => end(lost, false));
    }
    const session = { lose };
    sessions.add(session);
    owner.process.onKill.add(lose);

    function close(): void {
      isOpen = false;
      const failed = new Error('the connection was closed');
      for (const reject of unanswered) reject(failed);
      unanswered.clear();
    }

    type Work = (answer: (result: Rows) => void, fail: (reason: Error) => void) => void;

    /** One round trip. */
    function call(name: string, work: Work): Promise<Rows> {
      return new Promise((resolve, reject) => {
        if (!isOpen) return reject(new Error('the connection was closed'));
        unanswered.add(reject);
        const settle = (run: () => void) => {
          if (isLost) return;
          reply(() => {
            if (unanswered.delete(reject)) run();
          });
        };
        const answer = (result: Rows) => settle(() => resolve(result));
        const fail = (reason: Error) => settle(() => reject(reason));
        const fate = simulation.random(100);
        const before = faults.lostBefore;
        const after = before + faults.lostAfter;
        if (fate < before) {
          simulation.trace(() => `${name}: the connection is lost before the server gets it`);
          return lose();
        }
        const isSilent = fate >= after && fate < after + faults.silent;
        if (isSilent) simulation.trace(() => `${name}: the server does not answer`);
        const delay = simulation.chance(faults.late) ? simulation.upTo(6000) : latency();
        server(delay, () => {
          if (isDown || (isLost && !isSilent && simulation.random(2) === 0)) return lose();
          if (fate < after) {
            simulation.trace(() => `${name}: the connection is lost after the server got it`);
            lose();
          }
          if (isSilent)
            return simulation.random(2) === 0
              ? work(
                  () => {},
                  () => {},
                )
              : undefined;
          if (simulation.chance(faults.failing)) return fail(new Error('the server failed'));
          work(answer, fail);
        });
      });
    }

    /** The server ends a session whose transaction waits too long for the next statement. */
    function limitIdle(idle: Transaction): void {
      const seen = arrived;
      server(STATEMENT_TIMEOUT_MS, () => {
        if (idle.isEnded || arrived !== seen) return;
        end(idle, false);
        lose();
      });
    }

    /** Commits take time. A server that stops before their end has not stored them. */
    function commit(committed: Transaction, answer: (result: Rows) => void, result: Rows): void {
      server(latency(), () => {
        if (isDown) return end(committed, false);
        end(committed, true);
        answer(result);
      });
    }

    function statement(text: string, values: readonly unknown[] = []) {
      const copied = values.map((value) => (value instanceof Uint8Array ? value.slice() : value));
      const own = transaction;
      const result = call(text.trim().slice(0, 24), (answer, fail) => {
        const running = own ?? begin();
        if (running.isEnded) return fail(new Error('the transaction was ended'));
        let isFinished = false;
        server(STATEMENT_TIMEOUT_MS, () => {
          if (isFinished) return;
          end(running, false);
          fail(new Error('canceling statement due to statement timeout'));
        });
        execute(running, text, copied, (found) => {
          isFinished = true;
          if (own === undefined) commit(running, answer, found);
          else {
            limitIdle(own);
            answer(found);
          }
        });
      });
      return Object.assign(result, { values: () => result });
    }

    async function runTransaction<T>(work: (sql: unknown) => Promise<T>): Promise<T> {
      const started = begin();
      await call('BEGIN', (answer) => answer([]));
      transaction = started;
      newest = started;
      try {
        const result = await work({ unsafe: statement });
        await call('COMMIT', (answer, fail) => {
          if (started.isEnded) return fail(new Error('the transaction was ended'));
          commit(started, answer, []);
        });
        return result;
      } catch (error) {
        await call('ROLLBACK', (answer) => {
          end(started, false);
          answer([]);
        }).catch(() => {});
        throw error;
      } finally {
        transaction = undefined;
      }
    }

    // The ledger uses only these methods.
    const sql = { unsafe: statement, begin: runTransaction } as unknown as Bun.ReservedSQL;
    return {
      sql,
      isOpen: () => isOpen,
      close() {
        lose();
        close();
      },
    };
  }

  return {
    faults,
    /** Opens a connection for the running thread. */
    open(): Promise<Connection> {
      const owner = simulation.thread();
      return new Promise((resolve, reject) => {
        server(latency(), () => {
          if (isDown || simulation.chance(faults.lostBefore))
            simulation.schedule(owner, latency(), () => reject(new Error('connection refused')));
          else simulation.schedule(owner, latency(), () => resolve(openSession(owner)));
        });
      });
    },
    /** The primary fails, and a synchronous standby, which has all confirmed commits, takes over. */
    failOver(downMs: number): void {
      isDown = true;
      for (const { lose } of [...sessions]) lose();
      server(downMs, () => {
        isDown = false;
      });
    },
  };
}
