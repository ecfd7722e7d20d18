import type { Timer } from './timer.ts';

/** Limits how often each event is logged, so that no client can fill the log. */
export type LogLimit = {
  /** Counts an event. @returns whether it may be logged */
  readonly take: (event: string) => boolean;
  /** Adds events that another thread did not log. */
  readonly add: (event: string, suppressed: number) => void;
  /** Reports the events that were not logged since the last report, and stops all timers. */
  readonly flush: () => void;
};

export type LogLimitOptions = {
  readonly timer: Timer;
  /** Events without a limit: those that no client can cause, and of which the server may log many at once. */
  readonly unlimited: readonly string[];
  /** Called at the end of a minute with the number of events that were not logged, if there are any. */
  readonly onSuppressed: (event: string, suppressed: number) => void;
};

/** Maximum number of lines per event and minute: 43,200 a day. */
const LIMIT = 30;
const WINDOW_MS = 60_000;

type Window = { logged: number; suppressed: number; readonly cancel: () => void };

/** @see LogLimit */
export function createLogLimit({ timer, unlimited, onSuppressed }: LogLimitOptions): LogLimit {
  /** The minutes that began with the first event of each name. The names are in the code, so there are only a few. */
  const windows = new Map<string, Window>();

  function windowOf(event: string): Window {
    const known = windows.get(event);
    if (known !== undefined) return known;
    const window = { logged: 0, suppressed: 0, cancel: timer(WINDOW_MS, () => end(event)) };
    windows.set(event, window);
    return window;
  }

  function end(event: string): void {
    const suppressed = windows.get(event)?.suppressed ?? 0;
    windows.delete(event);
    if (suppressed > 0) onSuppressed(event, suppressed);
  }

  return {
    take(event) {
      if (unlimited.includes(event)) return true;
      const window = windowOf(event);
      if (window.logged >= LIMIT) {
        window.suppressed++;
        return false;
      }
      window.logged++;
      return true;
    },
    add(event, suppressed) {
      windowOf(event).suppressed += suppressed;
    },
    flush() {
      for (const [event, { cancel }] of [...windows]) {
        cancel();
        end(event);
      }
    },
  };
}
