import { Database, type Statement } from 'bun:sqlite';
import type { Simulation, Thread } from './kernel.ts';

/**
 * The claims file on a simulated disk: SQL runs in a real in-memory SQLite database, and this module decides which transactions survive.
 * It models what SQLite documents for a write-ahead log (https://sqlite.org/wal.html, https://sqlite.org/pragma.html#pragma_synchronous):
 * a transaction is durable after an `fsync`, a power failure keeps a prefix of the transactions that are not durable, and a failed commit
 * may reappear after a crash if no later commit has overwritten it. `tornFiles.test.ts` checks these assumptions with real files.
 */

/** The current behavior of the disk. */
export type DiskFaults = {
  /** Percentage of the statements and commits that fail. */
  failing: number;
  isFull: boolean;
  /** Maximum duration of an `fsync`, in milliseconds. */
  slowestMs: number;
};

/** A transaction that can still be undone by a crash. */
type Commit = {
  readonly writer: Thread;
  durableAt: number;
  /** Whether another connection has read it. */
  isSeen: boolean;
};

type Recorded = readonly [statement: Statement, values: readonly unknown[]];

const diskError = (code: string, message: string): Error => Object.assign(new Error(message), { code });

/** All schedules of this process share a database and its schema, because creating them takes as long as a schedule. */
const image = new Database(':memory:');
const statements = new Map<string, Statement>();
const created = new Set<string>();

/** `Database.query` keeps only twenty statements. */
function prepare(sql: string): Statement {
  const known = statements.get(sql);
  if (known !== undefined) return known;
  const statement = image.prepare(sql);
  statements.set(sql, statement);
  return statement;
}

const execute = (sql: string) => void prepare(sql).run();

function create(sql: string): void {
  if (created.has(sql)) return;
  execute('COMMIT');
  image.run(sql);
  execute('BEGIN');
  created.add(sql);
}

function emptyImage(): void {
  if (image.inTransaction) execute('ROLLBACK');
  for (const [name] of image.query("SELECT name FROM sqlite_master WHERE type = 'table'").values())
    execute(`DELETE FROM ${String(name)}`);
  execute('BEGIN');
}

export function createDisk(simulation: Simulation) {
  emptyImage();
  const faults: DiskFaults = { failing: 0, isFull: false, slowestMs: 2 };
  /** Oldest first. The savepoint of a commit is named after its index. */
  let undecided: Commit[] = [];
  /** The statements of a commit that failed after its frames were written. */
  let ghost: readonly Recorded[] = [];
  let lockedUntil = 0;
  let commits = 0;

  function failMaybe(share = faults.failing): void {
    if (faults.isFull) throw diskError('SQLITE_FULL', 'database or disk is full');
    if (share > 0 && simulation.chance(share)) throw diskError('SQLITE_IOERR', 'disk I/O error');
  }

  /** Makes commits permanent that no crash can undo anymore. */
  function settle(): void {
    if (undecided.length === 0 || undecided.some(({ durableAt }) => durableAt > simulation.now())) return;
    execute('COMMIT');
    execute('BEGIN');
    undecided = [];
  }

  /** Waits for the commit of another connection, after which its data can be read. */
  function waitForOthers(thread: Thread): void {
    if (lockedUntil > simulation.now()) simulation.wait(lockedUntil - simulation.now());
    for (const commit of undecided) if (commit.writer !== thread) commit.isSeen = true;
  }

  function undoFrom(index: number): void {
    if (index >= undecided.length) return;
    execute(`ROLLBACK TO s${index}`);
    execute(`RELEASE s${index}`);
    commits -= undecided.length - index;
    undecided = undecided.slice(0, index);
  }

  /** An `fsync` makes all earlier commits durable. */
  function flushBy(time: number): void {
    for (const commit of undecided) commit.durableAt = Math.min(commit.durableAt, time);
  }

  function raiseGhost(): void {
    const recorded = ghost;
    ghost = [];
    if (recorded.length === 0 || simulation.random(2) === 0) return;
    simulation.trace(() => 'a failed commit reappears');
    for (const [statement, values] of recorded) statement.run(...(values as []));
  }

  function open(thread: Thread): SimulatedConnection {
    let synchronous = 'FULL';
    let ownCommits = 0;
    let isWriting = false;
    let recorded: Recorded[] | undefined;

    function begin(): number {
      waitForOthers(thread);
      settle();
      failMaybe();
      execute(`SAVEPOINT s${undecided.length}`);
      isWriting = true;
      // Decided now, because only the statements of a commit that will fail are recorded.
      recorded = faults.failing > 0 && simulation.chance(faults.failing) ? [] : undefined;
      return undecided.length;
    }

    function rollBack(index: number): void {
      isWriting = false;
      execute(`ROLLBACK TO s${index}`);
      execute(`RELEASE s${index}`);
    }

    function commit(): void {
      isWriting = false;
      const isDurable = synchronous === 'FULL';
      const milliseconds = isDurable ? 0.02 + simulation.upTo(faults.slowestMs) : 0.02;
      simulation.wait(milliseconds);
      lockedUntil = simulation.now();
      ghost = [];
      commits++;
      ownCommits++;
      undecided.push({ writer: thread, durableAt: Number.POSITIVE_INFINITY, isSeen: false });
      if (isDurable) flushBy(lockedUntil);
    }

    function transact<T>(work: () => T): T {
      const index = begin();
      try {
        const result = work();
        if (recorded !== undefined) {
          ghost = recorded;
          throw diskError('SQLITE_IOERR_FSYNC', 'disk I/O error');
        }
        commit();
        return result;
      } catch (error) {
        rollBack(index);
        throw error;
      }
    }

    function write(statement: Statement, values: readonly unknown[]) {
      if (!isWriting) return transact(() => statement.run(...(values as [])));
      failMaybe(faults.failing / 5);
      recorded?.push([
        statement,
        values.map((value) => (value instanceof Uint8Array ? value.slice() : value)),
      ]);
      return statement.run(...(values as []));
    }

    function read<T>(work: () => T): T {
      if (!isWriting) {
        waitForOthers(thread);
        if (simulation.chance(faults.failing)) throw diskError('SQLITE_IOERR_READ', 'disk I/O error');
      }
      return work();
    }

    function pragma(sql: string): unknown {
      const level = /synchronous = (\w+)/.exec(sql)?.[1];
      if (level !== undefined) synchronous = level;
      if (!sql.includes('wal_checkpoint')) return null;
      waitForOthers(thread);
      failMaybe();
      simulation.wait(simulation.upTo(faults.slowestMs));
      flushBy(simulation.now());
      return { busy: 0 };
    }

    return {
      run(sql, values = []) {
        if (sql.startsWith('PRAGMA')) return void pragma(sql);
        const text = sql.trim();
        if (text.startsWith('CREATE')) create(text);
        else write(prepare(text), values);
      },
      query(sql) {
        if (sql === 'PRAGMA data_version') return { ...NO_ROWS, values: () => [[1 + commits - ownCommits]] };
        if (sql.startsWith('PRAGMA')) return { ...NO_ROWS, get: () => pragma(sql) };
        const statement = prepare(sql);
        return {
          get: (...values) => read(() => statement.get(...(values as []))),
          all: (...values) => read(() => statement.all(...(values as []))),
          values: (...values) => read(() => statement.values(...(values as []))),
          iterate: (...values) => read(() => statement.all(...(values as []))),
          run: (...values) => write(statement, values),
        };
      },
      transaction(work) {
        const run = (...values: never[]) => transact(() => work(...values));
        return Object.assign(run, { immediate: run });
      },
      fileControl() {},
      close() {},
    };
  }

  return {
    faults,
    /** Opens the file, on the running thread. @throws if the disk fails */
    open(): SimulatedConnection {
      failMaybe();
      return open(simulation.thread());
    },
    /** All processes have ended, and data that was not flushed may be lost. */
    powerFailure(): void {
      const first = undecided.findIndex(({ durableAt }) => durableAt > simulation.now());
      const kept = first < 0 ? undecided.length : first + simulation.random(undecided.length - first + 1);
      if (kept < undecided.length)
        simulation.trace(() => `the power failure undoes ${undecided.length - kept} commits`);
      undoFrom(kept);
      flushBy(0);
      raiseGhost();
      lockedUntil = 0;
    },
    /**
     * Threads have ended. A commit that they have not finished may be in the file or not. Connections see a commit only after its `fsync`,
     * except for the first one that opens the file: it reads the log itself, with whatever was written to it.
     *
     * @param isLast whether no other process has the file open, so the next one reads the log again
     */
    ended(hasEnded: (thread: Thread) => boolean, isLast: boolean): void {
      const last = undecided.at(-1);
      const wasWriting = last !== undefined && hasEnded(last.writer) && lockedUntil > simulation.now();
      if (wasWriting) {
        lockedUntil = 0;
        if (!last.isSeen && simulation.random(2) === 0) {
          simulation.trace(() => 'an unfinished commit is undone');
          undoFrom(undecided.length - 1);
        } else last.durableAt = isLast ? Number.POSITIVE_INFINITY : simulation.now();
      }
      if (isLast) raiseGhost();
    },
  };
}

/** The part of `Database` of `bun:sqlite` that the ledger uses. */
export type SimulatedConnection = {
  readonly run: (sql: string, values?: readonly unknown[]) => void;
  readonly query: (sql: string) => SimulatedStatement;
  readonly transaction: <T>(work: (...values: never[]) => T) => unknown;
  readonly fileControl: () => void;
  readonly close: () => void;
};

type SimulatedStatement = Readonly<
  Record<'get' | 'all' | 'values' | 'iterate' | 'run', (...values: readonly unknown[]) => unknown>
>;

const NO_ROWS: SimulatedStatement = {
  get: () => null,
  all: () => [],
  values: () => [],
  iterate: () => [],
  run: () => undefined,
};
