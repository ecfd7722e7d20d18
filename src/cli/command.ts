import type { ParseArgsOptionsConfig } from 'node:util';
import type { ConfigReport } from '../config.ts';
import { SETTINGS } from '../settings.ts';
import type { AskHidden } from './terminal.ts';

/** A command, such as `serve` or `keys create`. */
export type Command = {
  /** One or two words. */
  readonly name: string;
  /** The arguments in the usage line, which define the options; `COMMON_OPTIONS` apply too. Positional arguments are first. */
  readonly usage: string;
  /** One line. */
  readonly summary: string;
  /**
   * What each option of the usage line means, by its name without dashes. The text of an option that has a value and can be left out ends
   * with its default.
   */
  readonly options?: Readonly<Record<string, string>>;
  /** A complete command line, which a test runs. */
  readonly example: string;
  /** The maximum number of positional arguments, if it is not the number in the usage line. */
  readonly operands?: number;
  readonly run: (context: Context) => Promise<ExitCode>;
};

/** 0: success, 1: failure, 2: incorrect usage or configuration. */
export type ExitCode = 0 | 1 | 2;

export type Context = {
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  readonly operands: readonly string[];
  readonly report: ConfigReport;
  readonly isJson: boolean;
  /** Writes one line of the result to standard output. */
  readonly out: (line: string) => void;
  /** Writes one line to standard error. */
  readonly err: (line: string) => void;
  /** Reads all of standard input. */
  readonly stdin: () => Promise<string>;
  /** Asks on the terminal; undefined if standard input is not a terminal. */
  readonly askHidden: AskHidden | undefined;
  /** Standard input as a stream, for input that may be large. */
  readonly input: () => ReadableStream<Uint8Array>;
};

/** Incorrect usage: printed with the usage of the command; exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** An invalid configuration: each error is printed; exit code 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly errors: readonly string[];

  constructor(errors: readonly string[]) {
    super(errors.join('; '));
    this.errors = errors;
  }
}

/** A rejection or a failure with a message for the user; exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** The options of every command: `--json`, `--help`, and every setting. */
export const COMMON_OPTIONS: ParseArgsOptionsConfig = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  ...Object.fromEntries(SETTINGS.map(({ flag }) => [flag, { type: 'string' as const }])),
};

/**
 * The options in the usage line of a command. An option takes a value if a word or a quotation mark follows (`--name N`), and can be
 * repeated if it is in brackets with three dots: `[--header "NAME: VALUE"]...`. `--json` is one of the `COMMON_OPTIONS`.
 */
export function optionsOf({ usage }: Pick<Command, 'usage'>): ParseArgsOptionsConfig {
  // The name; the start of its value, if it has one; and the end of its brackets, if three dots follow.
  const found = usage.matchAll(/--(?!json\b)([a-z-]+)(?=( ["\w])?)(?=([^\][]*\]\.{3})?)/g);
  const options = [...found].map(([, name, value, more]) => {
    return [name, { type: value === undefined ? 'boolean' : 'string', multiple: more !== undefined }];
  });
  return Object.fromEntries(options);
}

/** An option of a command, for the help text, the completions, and the manual page. */
export type OptionHelp = {
  /** With two dashes. */
  readonly flag: string;
  /** The placeholder or the choices in the usage line; undefined if the option takes no value. */
  readonly value: string | undefined;
  readonly meaning: string;
};

/** @returns the options of a command, in the order of the usage line */
export function helpOfOptions({
  usage,
  options = {},
}: Pick<Command, 'usage' | 'options'>): readonly OptionHelp[] {
  return Object.keys(optionsOf({ usage })).map((name) => {
    const [, value] = new RegExp(`--${name} ("[^"]*"|\\w[^\\s\\]}]*)`).exec(usage) ?? [];
    return { flag: `--${name}`, value, meaning: options[name] ?? '' };
  });
}

/** @returns the maximum number of positional arguments */
export function operandsOf({ usage, operands }: Command): number {
  // The words before the first option and its brackets.
  const [before = ''] = usage.split(/[[{]*--/);
  return operands ?? before.split(' ').filter((word) => word !== '').length;
}
