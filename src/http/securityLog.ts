import { toTruncatedNetwork } from '../lib/address.ts';
import type { Log } from '../lib/log.ts';

/** Events that can indicate an attack. Their names are a public interface (docs/reference/logs.md). */
export const SECURITY_EVENTS = ['api-key-rejected', 'form-rejected', 'sign-in-throttled'] as const;
export type SecurityEvent = (typeof SECURITY_EVENTS)[number];

export type SecurityLog = {
  /**
   * Logs an event at `info`, unless 30 of its kind were logged in the last minute.
   *
   * @param reason a fixed text without data from the client
   */
  readonly record: (event: SecurityEvent, request: Request, reason: string) => void;
  /** Logs the numbers of suppressed events and stops all timers. */
  readonly close: () => void;
};

export type SecurityLogDeps = {
  readonly log: Pick<Log, 'info'>;
  /** The full address; undefined for a closed connection. */
  readonly addressOf: (request: Request) => string | undefined;
  /** Runs a function after a delay. @returns a function that cancels the timer */
  readonly timer: (milliseconds: number, run: () => void) => () => void;
  /** Called for every event, including those that are not logged. */
  readonly onEvent?: (event: SecurityEvent) => void;
};

/** Maximum number of lines per kind and window: 43,200 a day. */
const LIMIT = 30;
const WINDOW_MS = 60_000;

type Window = { logged: number; suppressed: number; readonly cancel: () => void };

/** @see SecurityLog */
export function createSecurityLog(deps: SecurityLogDeps): SecurityLog {
  /** One entry for each kind of event in the last minute. */
  const windows = new Map<SecurityEvent, Window>();

  function open(event: SecurityEvent): Window {
    const cancel = deps.timer(WINDOW_MS, () => end(event));
    const window: Window = { logged: 0, suppressed: 0, cancel };
    windows.set(event, window);
    return window;
  }

  function end(event: SecurityEvent): void {
    const suppressed = windows.get(event)?.suppressed ?? 0;
    windows.delete(event);
    if (suppressed > 0) deps.log.info('security-events-suppressed', { kind: event, suppressed });
  }

  return {
    record(event, request, reason) {
      deps.onEvent?.(event);
      const window = windows.get(event) ?? open(event);
      if (window.logged >= LIMIT) {
        window.suppressed++;
        return;
      }
      window.logged++;
      const address = deps.addressOf(request);
      const network = address === undefined ? undefined : toTruncatedNetwork(address);
      deps.log.info(event, { reason, network });
    },
    close() {
      for (const [event, { cancel }] of [...windows]) {
        cancel();
        end(event);
      }
    },
  };
}
