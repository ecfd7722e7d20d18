import type { Log } from '../lib/log.ts';
import { type Periodic, startPeriodic } from '../lib/periodic.ts';
import type { DatabaseServers } from '../model/ports/databaseServers.ts';

export type ServerWatchOptions = {
  readonly servers: DatabaseServers;
  readonly log: Log;
  /** Called with the number of servers that accept writes. */
  readonly onCount: (primaries: number) => void;
  readonly everyMs: number;
};

/** Checks the database servers. Logs when several of them start to accept writes, and when only one does so again. */
export function startServerWatch(options: ServerWatchOptions): Pick<Periodic, 'run' | 'stop'> {
  const { servers, log, onCount, everyMs } = options;
  let reported = '';

  async function work(): Promise<void> {
    const { writable, used } = await servers.check();
    onCount(writable.length);
    const names = writable.length > 1 ? writable.join(', ') : '';
    if (names !== '' && names !== reported)
      log.error('two-primaries', { servers: names, used: used ?? 'none' });
    if (names === '' && reported !== '') log.info('one-primary', { server: used ?? 'none' });
    reported = names;
  }

  const { run, stop } = startPeriodic({ work, everyMs });
  return { run, stop };
}
