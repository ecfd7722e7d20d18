import { LOG_LEVELS, type Log, type LogLevel } from '../../lib/log.ts';
import type { LogLimit } from '../../lib/logLimit.ts';
import type { LogEntry } from './threadMethods.ts';

/** Maximum number of entries that the management thread has not written yet. At 300 bytes each, they use 0.3 MB. */
const MAX_UNWRITTEN = 1000;
/** Debug entries are lost while at least this many entries are unwritten. The remaining space is for entries of other levels. */
const MAX_BEFORE_DEBUG = 900;

/**
 * Creates the log of a request thread, whose events the management thread writes. If the management thread is slower than this thread,
 * entries are lost. After the first lost entry, all debug entries are lost until at most half of MAX_UNWRITTEN entries are unwritten.
 *
 * @param limit is also applied by the log of the management thread, to the events of all threads; here it bounds the messages
 * @param send resolves when the entry is written
 * @param onLost called with the number of lost entries
 */
export function createRemoteLog(
  level: LogLevel,
  limit: Pick<LogLimit, 'take'>,
  send: (entry: LogEntry) => Promise<void>,
  onLost: (entries: number) => void,
): Log {
  const isOn = (other: LogLevel) => LOG_LEVELS.indexOf(other) >= LOG_LEVELS.indexOf(level);
  let unwritten = 0;
  let lost = 0;

  function onWritten(): void {
    unwritten--;
    if (lost === 0 || unwritten > MAX_UNWRITTEN / 2) return;
    onLost(lost);
    lost = 0;
  }

  function sendEntry(entry: LogEntry): void {
    unwritten++;
    // If the management thread has ended, so does this thread.
    send(entry).then(onWritten, onWritten);
  }

  const writer =
    (own: LogLevel): Log[LogLevel] =>
    (event, fields = {}) => {
      if (!isOn(own) || !(own === 'debug' || limit.take(event))) return;
      const isLost = own === 'debug' ? lost > 0 || unwritten >= MAX_BEFORE_DEBUG : unwritten >= MAX_UNWRITTEN;
      if (isLost) lost++;
      else sendEntry({ level: own, event, fields });
    };
  return {
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    isOn,
  };
}
