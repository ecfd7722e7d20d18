import type { ParseArgsOptionsConfig } from 'node:util';
import type { ConfigReport } from '../config.ts';
import type { Outcome } from '../lib/outcome.ts';
import { PROBLEMS, type Problem } from '../model/problems.ts';
import { SETTINGS } from '../settings.ts';

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

/** Settings that cannot be used: each mistake is shown, exit code 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(mistakes.join('; '));
    this.mistakes = mistakes;
  }
}

/** A refusal or a failure in words: exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** What every command takes: the settings as flags, `--json`, `--help`. */
export const COMMON_OPTIONS: ParseArgsOptionsConfig = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  ...Object.fromEntries(SETTINGS.map((setting) => [setting.flag, { type: 'string' as const }])),
};

/** The settings among the options, by variable. */
export function settingFlags(options: Context['options']): Record<string, string | undefined> {
  return Object.fromEntries(
    SETTINGS.map((setting) => [setting.variable, options[setting.flag] as string | undefined]),
  );
}

/** The value of a good ending. @throws CommandError with the problem's sentence */
export function granted<T>(outcome: Outcome<T, Problem>): T {
  if (!outcome.ok) throw new CommandError(PROBLEMS[outcome.problem].sentence);
  return outcome.value;
}

/** A word that must follow the command. @param placeholder as the usage line has it @throws UsageError */
export function requireOperand({ operands }: Context, placeholder: string): string {
  const [word] = operands;
  if (word === undefined || word === '') throw new UsageError(`${placeholder} is missing`);
  return word;
}

/** A text option that must be there. @throws UsageError */
export function requireOption({ options }: Context, name: string): string {
  const value = options[name];
  if (typeof value !== 'string') throw new UsageError(`--${name} is missing`);
  if (value === '') throw new UsageError(`--${name} is empty`);
  return value;
}

/** @returns the URL without query and trailing slash @throws UsageError where it is none of the web */
export function webUrl(name: string, text: string): string {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new UsageError(`--${name} must be an http or https URL, not ${JSON.stringify(text)}`);
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** A text option that may be there. */
export function textOption({ options }: Context, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

/** Whether an option without value is there. */
export function hasOption({ options }: Context, name: string): boolean {
  return options[name] === true;
}

/** A decimal number, whole, within its inclusive bounds. @throws UsageError */
export function countOption(
  context: Context,
  name: string,
  { min, max }: { readonly min: number; readonly max: number },
): number | undefined {
  const text = textOption(context, name);
  if (text === undefined) return undefined;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new UsageError(`--${name} must be a whole number from ${min} to ${max}, not ${JSON.stringify(text)}`);
}

/** The same, that must be there. @throws UsageError */
export function requireCount(
  context: Context,
  name: string,
  range: { readonly min: number; readonly max: number },
): number {
  requireOption(context, name);
  return countOption(context, name, range) ?? range.min;
}

/** One of a few words, that must be there. @throws UsageError */
export function requireChoice<Choice extends string>(
  context: Context,
  name: string,
  choices: readonly Choice[],
): Choice {
  const text = requireOption(context, name);
  const choice = choices.find((known) => known === text);
  if (choice !== undefined) return choice;
  throw new UsageError(`--${name} must be one of ${choices.join(', ')}, not ${JSON.stringify(text)}`);
}

/** One of a few words, that may be there. @throws UsageError */
export function choiceOption<Choice extends string>(
  context: Context,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  return context.options[name] === undefined ? undefined : requireChoice(context, name, choices);
}
