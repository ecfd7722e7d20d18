/**
 * Protects memory that threads share. Between `acquire` and `release`, code must not throw, wait, or allocate much: it should take less
 * than a microsecond. A thread that holds the lock must not acquire it again.
 */
export type Lock = {
  /** Waits until no other thread holds the lock, and then holds it. */
  readonly acquire: () => void;
  readonly release: () => void;
};

/** The cells of a lock. */
const STATE = 0;
const TURN = 1;
/** The number of cells that a lock uses. */
export const LOCK_CELLS = 2;

const FREE = 0;
const HELD = 1;
/** At least one thread may be waiting. */
const AWAITED = 2;

/** Reads of the state before a thread sleeps. They take about as long as a critical section. */
const SPINS = 100;
const WAIT_MS = 50;
/**
 * If one thread holds the lock for this many waits in a row, it has ended without releasing it. There are several short waits because
 * a pause of the whole process, such as SIGSTOP, can only end one of them.
 */
const MAX_WAITS = 20;

/** The lock of memory that only one thread uses. */
const NO_LOCK: Lock = { acquire() {}, release() {} };

/**
 * Creates a lock in the first two of these cells, which are 0 at first. The lock does nothing if they are not in shared memory.
 *
 * The state is that of mutex 2 in "Futexes Are Tricky" (Ulrich Drepper, 2011): free, held, or held with waiting threads. Only the last
 * state costs a system call to release. An uncontended `acquire` and `release` take about 15 ns.
 *
 * A thread that is terminated while it holds the lock never releases it. After a second, a waiting thread therefore takes over. The turn
 * changes whenever the lock is acquired, so a waiting thread notices if other threads make progress. The memory that the lock
 * protects must remain usable after a partial update.
 */
export function createLock(cells: Int32Array): Lock {
  if (!(cells.buffer instanceof SharedArrayBuffer)) return NO_LOCK;
  let turn = 0;

  function begin(): void {
    turn = ((cells[TURN] as number) + 1) | 0;
    cells[TURN] = turn;
  }

  return {
    acquire() {
      if (Atomics.compareExchange(cells, STATE, FREE, HELD) === FREE || spin(cells)) begin();
      else if (wait(cells)) begin();
      else turn = Atomics.load(cells, TURN);
    },
    release() {
      // Another thread took over.
      if (cells[TURN] !== turn) return;
      if (Atomics.exchange(cells, STATE, FREE) === AWAITED) Atomics.notify(cells, STATE, 1);
    },
  };
}

/** @returns whether the lock was acquired */
function spin(cells: Int32Array): boolean {
  for (let i = 0; i < SPINS; i++) {
    if (Atomics.load(cells, STATE) !== FREE) continue;
    if (Atomics.compareExchange(cells, STATE, FREE, HELD) === FREE) return true;
  }
  return false;
}

/** Sleeps until the lock is free, and acquires it. @returns false if the lock was taken over instead, in a new turn */
function wait(cells: Int32Array): boolean {
  let turn = Atomics.load(cells, TURN);
  let waits = 0;
  while (Atomics.exchange(cells, STATE, AWAITED) !== FREE) {
    const now = Atomics.load(cells, TURN);
    waits = now === turn ? waits + 1 : 0;
    turn = now;
    // Of several waiting threads, one takes over.
    if (waits > MAX_WAITS && Atomics.compareExchange(cells, TURN, turn, (turn + 1) | 0) === turn)
      return false;
    if (Atomics.wait(cells, STATE, AWAITED, WAIT_MS) !== 'timed-out') waits = 0;
  }
  return true;
}
