import type { Clock } from './time.ts';
import { isoOf } from './time.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Named facts of an event. Never secrets, solutions or full addresses. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** One line per named event. The names are an interface: operators alert on them (docs/how-to/operate.md). */
export type Log = {
  readonly [Level in LogLevel]: (event: string, fields?: LogFields) => void;
} & { readonly isOn: (level: LogLevel) => boolean };

export type LogOptions = {
  readonly level: LogLevel;
  readonly format: 'json' | 'pretty';
  readonly clock: Clock;
  readonly write: (line: string) => void;
};

// What is never to be seen, in case it is ever handed in: our keys, and fields named like secrets.
const KEY = /postern_(portal|verify)_[0-9A-Za-z]+/g;
const SECRET_FIELD = /password|secret|token|api_?key|authorization|cookie/i;
const MASK = '********';

/** Writes JSON lines, or lines for people. */
export function createLog(options: LogOptions): Log {
  const least = LOG_LEVELS.indexOf(options.level);

  function writer(level: LogLevel): Log[LogLevel] {
    if (LOG_LEVELS.indexOf(level) < least) return () => {};
    return (event, fields = {}) => {
      const entry = { time: isoOf(options.clock()), level, event, ...mask(fields) };
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

/** What an error says, for a log field. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
