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

export type Connections = {
  /** Whether work can start now. */
  readonly isFree: () => boolean;
  /** Number of connections that are working. */
  readonly busy: () => number;
  /** Whether no connection is open and the last attempt to open one failed. */
  readonly isDown: () => boolean;
  /**
   * Runs work on a free connection, or waits for one.
   *
   * @param timeoutMs time limit for the work, including the time to connect, but not the wait for a free connection
   * @throws the error of the work, or an error if too many calls wait, if the connection cannot be opened, or after the time limit; after
   *   the time limit, it is unknown whether the work was done
   */
  readonly run: <T>(work: (sql: Bun.ReservedSQL) => Promise<T>, timeoutMs?: number) => Promise<T>;
  readonly close: () => void;
};

/** Default time limit for work, in milliseconds. Longer than the server's statement timeout, which produces a better error message. */
const WORK_TIMEOUT_MS = 5000;
/** Maximum number of calls that wait for a connection. */
const MAX_QUEUE = 1000;

type Slot = { connection: Connection | undefined };

/**
 * Creates a pool of `size` connections. A connection is opened when work needs it, and closed after any error, because its state is then
 * unknown. Work is never repeated.
 */
export function createConnections(
  open: OpenConnection,
  size: number,
  defaultTimeoutMs = WORK_TIMEOUT_MS,
): Connections {
  // The most recently used slot is used first.
  const idle: Slot[] = Array.from({ length: size }, () => ({ connection: undefined }));
  const slots: readonly Slot[] = [...idle];
  const queue: ((slot: Slot) => void)[] = [];
  let hasFailedToOpen = false;

  function take(): Slot | Promise<Slot> {
    const slot = idle.pop();
    if (slot !== undefined) return slot;
    if (queue.length >= MAX_QUEUE) throw new Error('too many requests are waiting for the database');
    return new Promise((resolve) => queue.push(resolve));
  }

  function release(slot: Slot): void {
    const next = queue.shift();
    if (next === undefined) idle.push(slot);
    else next(slot);
  }

  /** Opens the connection of a slot unless it is open. A connection that opens after the time limit is closed immediately. */
  async function connected(slot: Slot, isExpired: () => boolean): Promise<Connection> {
    if (slot.connection?.isOpen()) return slot.connection;
    slot.connection?.close();
    slot.connection = undefined;
    try {
      const connection = await open();
      hasFailedToOpen = false;
      if (isExpired()) connection.close();
      else slot.connection = connection;
      return connection;
    } catch (error) {
      hasFailedToOpen = true;
      throw error;
    }
  }

  return {
    isFree: () => idle.length > 0,
    busy: () => size - idle.length,
    isDown: () => hasFailedToOpen && !slots.some(({ connection }) => connection?.isOpen()),
    async run(work, timeoutMs = defaultTimeoutMs) {
      const taken = take();
      const slot = taken instanceof Promise ? await taken : taken;
      const limit = createTimeLimit(timeoutMs);
      try {
        const done = connected(slot, limit.isExpired).then(({ sql }) => work(sql));
        return await Promise.race([done, limit.expired]);
      } catch (error) {
        slot.connection?.close();
        slot.connection = undefined;
        throw error;
      } finally {
        limit.end();
        release(slot);
      }
    },
    close() {
      for (const { connection } of slots) connection?.close();
    },
  };
}

function createTimeLimit(milliseconds: number) {
  let isExpired = false;
  let timer: Timer | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      isExpired = true;
      reject(new Error(`the database did not answer within ${milliseconds / 1000} s`));
    }, milliseconds);
  });
  return { expired, isExpired: () => isExpired, end: () => clearTimeout(timer) };
}
