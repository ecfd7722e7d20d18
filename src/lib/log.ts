import { createLogLimit, type LogLimitOptions } from './logLimit.ts';
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

/** A log that limits how often each event is written. */
export type LimitedLog = Log & {
  /** Adds events that another thread did not send. */
  readonly addSuppressed: (event: string, suppressed: number) => void;
  /** Writes how many events were not written, and stops all timers. */
  readonly flush: () => void;
};

export type LogOptions = {
  readonly level: LogLevel;
  readonly format: 'json' | 'pretty';
  readonly clock: Clock;
  readonly write: (line: string) => void;
  readonly limits: Omit<LogLimitOptions, 'onSuppressed'> & {
    /** The event that reports how many of these events were not written. It has the fields `kind` and `suppressed`. */
    readonly summaryOf: (event: string) => { readonly level: LogLevel; readonly event: string };
  };
};

// A safety net: API keys in any text, also in the formats of other vendors, and fields whose name suggests a secret, are masked.
const KEY = /(postern_(?:portal|verify)_|0x(?=0{8}[0-9a-f]{32}\b)|ES_(?=[0-9a-f]{32}\b))[0-9a-z]+/gi;
const SECRET_FIELD = /password|secret|token|api_?key|authorization|cookie/i;
const MASK = '********';

/**
 * Creates a log that writes each event at or above the configured level as one line of JSON or of readable text. Each event is written
 * at most 30 times a minute, because a client may cause it, except at the level `debug`.
 */
export function createLog(options: LogOptions): LimitedLog {
  const least = LOG_LEVELS.indexOf(options.level);

  function writer(level: LogLevel): Log[LogLevel] {
    if (LOG_LEVELS.indexOf(level) < least) return () => {};
    return (event, fields = {}) => {
      if (level === 'debug' || limit.take(event)) write(level, event, fields);
    };
  }

  function write(level: LogLevel, event: string, fields: LogFields): void {
    const entry = { time: toIso(options.clock()), level, event, ...mask(fields) };
    options.write(options.format === 'json' ? JSON.stringify(entry) : pretty(entry));
  }

  const limit = createLogLimit({
    ...options.limits,
    onSuppressed(kind, suppressed) {
      // Regardless of the configured level, because the events themselves have it.
      const { level, event } = options.limits.summaryOf(kind);
      write(level, event, { kind, suppressed });
    },
  });

  return {
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    isOn: (level) => LOG_LEVELS.indexOf(level) >= least,
    addSuppressed: limit.add,
    flush: limit.flush,
  };
}

function mask(fields: LogFields): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (SECRET_FIELD.test(name)) return [name, MASK];
      return [name, typeof value === 'string' ? value.replace(KEY, `$1${MASK}`) : value];
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
