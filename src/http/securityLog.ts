import { toTruncatedNetwork } from '../lib/address.ts';
import type { Log } from '../lib/log.ts';

/** Events that can indicate an attack. Their names are a public interface (docs/reference/logs.md). */
export const SECURITY_EVENTS = ['api-key-rejected', 'form-rejected', 'sign-in-throttled'] as const;
export type SecurityEvent = (typeof SECURITY_EVENTS)[number];

/**
 * How many events of each kind the log may still contain in the current window. All threads share the numbers, so the limit applies to
 * their events in total.
 */
export type SecurityBudget = {
  /** Counts an event. @returns whether it may be logged */
  readonly take: (event: SecurityEvent) => boolean;
  /** Begins a new window. @returns the number of events of the previous one that were not logged */
  readonly renew: (event: SecurityEvent) => number;
};

/** Maximum number of lines per kind and window: 43,200 a day. */
const LIMIT = 30;
const WINDOW_MS = 60_000;

/** The number of cells of a SecurityBudget: the lines that were logged and the events that were not, for each kind. */
export const BUDGET_CELLS = 2 * SECURITY_EVENTS.length;

/** @see SecurityBudget @param cells 0 at first */
export function createSecurityBudget(cells: Int32Array = new Int32Array(BUDGET_CELLS)): SecurityBudget {
  const loggedAt = (event: SecurityEvent) => 2 * SECURITY_EVENTS.indexOf(event);
  return {
    take(event) {
      const at = loggedAt(event);
      // Only a few threads can increment the number beyond the limit.
      if (Atomics.load(cells, at) < LIMIT && Atomics.add(cells, at, 1) < LIMIT) return true;
      Atomics.add(cells, at + 1, 1);
      return false;
    },
    renew(event) {
      Atomics.store(cells, loggedAt(event), 0);
      return Atomics.exchange(cells, loggedAt(event) + 1, 0);
    },
  };
}

export type SecurityLog = {
  /**
   * Logs an event at `info`, unless 30 of its kind were logged in the last minute.
   *
   * @param reason a fixed text without data from the client
   */
  readonly record: (event: SecurityEvent, request: Request, reason: string) => void;
};

export type RecordingDeps = {
  readonly budget: SecurityBudget;
  /** The full address; undefined for a closed connection. */
  readonly addressOf: (request: Request) => string | undefined;
  /** Called for every event, including those that are not logged. */
  readonly onEvent?: (event: SecurityEvent) => void;
  /** Called for each event that may be logged. */
  readonly write: (event: SecurityEvent, reason: string, network: string | undefined) => void;
};

/** @see SecurityLog */
export function createSecurityLog({ budget, addressOf, onEvent, write }: RecordingDeps): SecurityLog {
  return {
    record(event, request, reason) {
      onEvent?.(event);
      if (!budget.take(event)) return;
      const address = addressOf(request);
      write(event, reason, address === undefined ? undefined : toTruncatedNetwork(address));
    },
  };
}

/** Writes security events to the log. */
export type SecurityLogWriter = {
  readonly write: RecordingDeps['write'];
  /** Logs the numbers of suppressed events and stops all timers. */
  readonly close: () => void;
};

export type WriterDeps = {
  readonly log: Pick<Log, 'info'>;
  readonly budget: Pick<SecurityBudget, 'renew'>;
  /** Runs a function after a delay. @returns a function that cancels the timer */
  readonly timer: (milliseconds: number, run: () => void) => () => void;
};

/** @see SecurityLogWriter */
export function createSecurityLogWriter({ log, budget, timer }: WriterDeps): SecurityLogWriter {
  /** The timers of the kinds of events in the last minute. */
  const windows = new Map<SecurityEvent, () => void>();

  function end(event: SecurityEvent): void {
    windows.delete(event);
    const suppressed = budget.renew(event);
    if (suppressed > 0) log.info('security-events-suppressed', { kind: event, suppressed });
  }

  return {
    write(event, reason, network) {
      if (!windows.has(event))
        windows.set(
          event,
          timer(WINDOW_MS, () => end(event)),
        );
      log.info(event, { reason, network });
    },
    close() {
      for (const [event, cancel] of [...windows]) {
        cancel();
        end(event);
      }
    },
  };
}
