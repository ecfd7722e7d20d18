import type { ParseArgsOptionsConfig } from 'node:util';
import { type ConfigReport, flagOf, SETTINGS } from '../config.ts';
import type { Office } from '../office.ts';

/** One word of the command line, as `keys create` or `serve`. */
export type Command = {
  /** One word, or two. */
  readonly name: string;
  /** What follows the name, as help shows it. */
  readonly usage: string;
  /** One line. */
  readonly summary: string;
  /** Its own options, beside those of all commands. */
  readonly options: ParseArgsOptionsConfig;
  /** How many words may follow; 0 unless said. */
  readonly operands?: number;
  readonly run: (context: Context) => Promise<ExitCode>;
};

/** 0 done, 1 failed, 2 wrong usage or configuration. */
export type ExitCode = 0 | 1 | 2;

export type Context = {
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  readonly operands: readonly string[];
  readonly report: ConfigReport;
  readonly isJson: boolean;
  /** Writes one line of results. */
  readonly out: (line: string) => void;
  /** Writes one line of everything else. */
  readonly err: (line: string) => void;
  /** All of standard input. */
  readonly stdin: () => Promise<string>;
};

/** The caller's mistake: shown with the command's usage, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A refusal or a failure in words: exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** What every command takes: the settings as flags, `--json`, `--help`. */
export const COMMON_OPTIONS: ParseArgsOptionsConfig = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  ...Object.fromEntries(SETTINGS.map((setting) => [flagOf(setting), { type: 'string' as const }])),
};

/** The settings among the options, by variable. */
export function settingFlags(options: Context['options']): Record<string, string | undefined> {
  return Object.fromEntries(
    SETTINGS.map((setting) => [setting.variable, options[flagOf(setting)] as string | undefined]),
  );
}

/** A text option that must be there. @throws UsageError */
export function requireOption({ options }: Context, name: string): string {
  const value = options[name];
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${name} is missing`);
  return value;
}

/** A text option that may be there. */
export function textOption({ options }: Context, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

/** A decimal number, whole, not negative. @throws UsageError */
export function countOption(context: Context, name: string): number | undefined {
  const text = textOption(context, name);
  if (text === undefined) return undefined;
  if (!/^\d{1,12}$/.test(text))
    throw new UsageError(`--${name} must be a whole number, not ${JSON.stringify(text)}`);
  return Number(text);
}

/** Runs work on the data folder, and closes it after. */
export type WithOffice = <T>(context: Context, work: (office: Office) => Promise<T>) => Promise<T>;
