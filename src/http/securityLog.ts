import { toTruncatedNetwork } from '../lib/address.ts';
import type { Log } from '../lib/log.ts';
import type { SecurityEvent } from '../model/logEvents.ts';

export type SecurityLog = {
  /**
   * Logs an event at `info`.
   *
   * @param reason a fixed text without data from the client
   */
  readonly record: (event: SecurityEvent, request: Request, reason: string) => void;
};

export type SecurityLogDeps = {
  readonly log: Pick<Log, 'info'>;
  /** The full address; undefined for a closed connection. */
  readonly addressOf: (request: Request) => string | undefined;
  /** Called for every event, including those that are not logged. */
  readonly onEvent?: (event: SecurityEvent) => void;
};

/** @see SecurityLog */
export function createSecurityLog({ log, addressOf, onEvent }: SecurityLogDeps): SecurityLog {
  return {
    record(event, request, reason) {
      onEvent?.(event);
      const address = addressOf(request);
      log.info(event, { reason, network: address === undefined ? undefined : toTruncatedNetwork(address) });
    },
  };
}
