import type { Clock } from './time.ts';
import { toIso } from './time.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Details of an event. Never contains secrets, solutions, or full addresses. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Writes one line per event. Event names are a public interface: operators define alerts on them (docs/reference/logs.md). */
export type Log = {
  readonly [Level in LogLevel]: (event: string, fields?: LogFields) => void;
} & { readonly isOn: (level: LogLevel) => boolean };

export type LogOptions = {
  readonly level: LogLevel;
  readonly format: 'json' | 'pretty';
  readonly clock: Clock;
  readonly write: (line: string) => void;
};

// A safety net: API keys in any text, and fields whose name suggests a secret, are masked.
const KEY = /postern_(portal|verify)_[0-9A-Za-z]+/g;
const SECRET_FIELD = /password|secret|token|api_?key|authorization|cookie/i;
const MASK = '********';

/** @returns a log that writes each event at or above the configured level as one line of JSON or of readable text */
export function createLog(options: LogOptions): Log {
  const least = LOG_LEVELS.indexOf(options.level);

  function writer(level: LogLevel): Log[LogLevel] {
    if (LOG_LEVELS.indexOf(level) < least) return () => {};
    return (event, fields = {}) => {
      const entry = { time: toIso(options.clock()), level, event, ...mask(fields) };
      options.write(options.format === 'json' ? JSON.stringify(entry) : pretty(entry));
    };
  }

  return {
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    isOn: (level) => LOG_LEVELS.indexOf(level) >= least,
  };
}

function mask(fields: LogFields): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (SECRET_FIELD.test(name)) return [name, MASK];
      return [name, typeof value === 'string' ? value.replace(KEY, `postern_$1_${MASK}`) : value];
    }),
  );
}

function pretty(entry: { time: string; level: string; event: string } & LogFields): string {
  const { time, level, event, ...fields } = entry;
  const facts = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? JSON.stringify(value) : value}`);
  return [time, level.toUpperCase().padEnd(5), event, ...facts].join(' ');
}

/** @returns the message of an error, or any other thrown value as text, for a log field */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
