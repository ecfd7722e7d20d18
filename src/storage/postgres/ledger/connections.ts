import { createFairSemaphore } from '../../../lib/fairSemaphore.ts';
import type { Timer } from '../../../lib/timer.ts';

/** A connection to a server that accepts writes. */
export type Connection = {
  readonly sql: Bun.ReservedSQL;
  /** False after the connection was closed. */
  readonly isOpen: () => boolean;
  /** Closes the connection immediately. Running statements fail. */
  readonly close: () => void;
};

/** @throws (rejects) if no server accepts writes */
export type OpenConnection = () => Promise<Connection>;

export type RunOptions = {
  /** Time limit for the wait, and again for the work, including the time to connect. In milliseconds. */
  readonly timeoutMs?: number;
  /** A group of the user's calls. Groups share the connections and the queue evenly. */
  readonly group?: string;
  /** Called when the wait for a free connection ends, before the connection is opened. */
  readonly onGranted?: () => void;
};

/**
 * Runs work on a free connection, or waits for one.
 *
 * @throws the error of the work, or an error if too many calls wait, if the connection cannot be opened or is closed during the work, after
 *   a time limit, or when the pool is closed. If the work has started, it is then unknown whether it was done
 */
export type Run = <T>(work: (sql: Bun.ReservedSQL) => Promise<T>, options?: RunOptions) => Promise<T>;

export type Connections = ReturnType<typeof createConnections>;

export type ConnectionsOptions = {
  readonly open: OpenConnection;
  readonly size: number;
  /** Default of RunOptions. */
  readonly timeoutMs?: number | undefined;
  readonly timer: Timer;
  /** In milliseconds, monotonic. */
  readonly now: () => number;
  /** Called when a connection cannot be opened. */
  readonly onFailedToOpen: () => void;
};

/** Default time limit for work, in milliseconds. Longer than the server's statement timeout, which produces a better error message. */
const WORK_TIMEOUT_MS = 5000;
/** Maximum number of calls that wait for a connection. */
const MAX_QUEUE = 1000;

type Slot = { connection: Connection | undefined };

/**
 * Creates a pool of connections. A connection is opened when work needs it, and closed after any error, because its state is then unknown.
 * Work is never repeated.
 *
 * Only the semaphore decides which call gets a connection. A call that waits gets one when any call ends, whichever user made that call
 * and whatever its result was. Each call ends, because its work has a time limit.
 */
export function createConnections(options: ConnectionsOptions) {
  const { open, size, timeoutMs: defaultTimeoutMs = WORK_TIMEOUT_MS, timer, now, onFailedToOpen } = options;
  // The last slot is used first.
  const idle: Slot[] = Array.from({ length: size }, () => ({ connection: undefined }));
  const slots: readonly Slot[] = [...idle];
  const newHolder = createFairSemaphore(size, MAX_QUEUE);
  let users = 0;
  /** Functions that end running work with an error. */
  const running = new Set<(reason: Error) => void>();
  let isClosed = false;
  let hasFailedToOpen = false;

  /** Opens the connection of a slot unless it is open. @throws (rejects) if it cannot be opened, or opens after the work has ended */
  async function connected(slot: Slot, hasEnded: () => boolean): Promise<Connection> {
    if (slot.connection?.isOpen()) return slot.connection;
    slot.connection?.close();
    slot.connection = undefined;
    try {
      const connection = await open();
      hasFailedToOpen = false;
      if (!hasEnded()) {
        slot.connection = connection;
        return connection;
      }
      connection.close();
    } catch (error) {
      hasFailedToOpen = true;
      onFailedToOpen();
      throw error;
    }
    throw new Error('the connection was opened too late');
  }

  async function runOn<T>(slot: Slot, work: (sql: Bun.ReservedSQL) => Promise<T>, timeoutMs: number) {
    const limit = createTimeLimit(timeoutMs, timer);
    running.add(limit.abort);
    try {
      const done = connected(slot, limit.hasEnded).then(async ({ sql, isOpen }) => {
        const result = await work(sql);
        // Another server may have become the primary in the meantime, without the claims that this one stored.
        if (!isOpen()) throw new Error('the connection was closed during the work');
        return result;
      });
      return await Promise.race([done, limit.aborted]);
    } catch (error) {
      slot.connection?.close();
      slot.connection = undefined;
      throw error;
    } finally {
      running.delete(limit.abort);
      limit.end();
    }
  }

  function createUser(): Run {
    const user = String(users++);
    return async (work, { timeoutMs = defaultTimeoutMs, group = '', onGranted } = {}) => {
      const startedAt = now();
      const share = newHolder(user, group);
      if (!(await share.acquire())) throw new Error('too many requests are waiting for the database');
      const slot = idle.pop() as Slot;
      try {
        onGranted?.();
        if (isClosed) throw closedError();
        if (now() - startedAt > timeoutMs) throw noAnswer(timeoutMs);
        return await runOn(slot, work, timeoutMs);
      } finally {
        // Open connections are used first.
        if (slot.connection === undefined) idle.unshift(slot);
        else idle.push(slot);
        share.release();
      }
    };
  }

  return {
    /** Number of connections that are working. */
    busy: (): number => size - idle.length,
    /** Whether no connection is open and the last attempt to open one failed. */
    isDown: (): boolean => hasFailedToOpen && !slots.some(({ connection }) => connection?.isOpen()),
    /** Creates a user of the connections. Users share the connections and the queue evenly, however many calls each of them makes. */
    createUser,
    /** Ends running work, and rejects calls that wait. */
    close(): void {
      isClosed = true;
      for (const abort of running) abort(closedError());
      for (const { connection } of slots) connection?.close();
    },
  };
}

function createTimeLimit(milliseconds: number, timer: Timer) {
  const { promise: aborted, reject: abort } = Promise.withResolvers<never>();
  const cancel = timer(milliseconds, () => abort(noAnswer(milliseconds)));
  let hasEnded = false;
  return {
    aborted,
    abort,
    hasEnded: () => hasEnded,
    end() {
      hasEnded = true;
      cancel();
    },
  };
}

function closedError(): Error {
  return new Error('the ledger is closed');
}

function noAnswer(milliseconds: number): Error {
  return new Error(`the database did not answer within ${milliseconds / 1000} s`);
}
