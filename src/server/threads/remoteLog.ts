import { LOG_LEVELS, type Log, type LogLevel } from '../../lib/log.ts';
import type { LogEntry } from './methods.ts';

/** Creates the log of a request thread, whose events the management thread writes. */
export function createRemoteLog(level: LogLevel, send: (entry: LogEntry) => void): Log {
  const isOn = (other: LogLevel) => LOG_LEVELS.indexOf(other) >= LOG_LEVELS.indexOf(level);
  const writer =
    (own: LogLevel): Log[LogLevel] =>
    (event, fields = {}) => {
      if (isOn(own)) send({ level: own, event, fields });
    };
  return {
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    isOn,
  };
}
