import { readFileSync } from 'node:fs';
import { reasonOf } from '../lib/log.ts';
import type { Outcome } from '../lib/outcome.ts';
import { PROBLEMS, type Problem } from '../model/problems.ts';
import { SETTINGS } from '../settings.ts';
import { CommandError, type Context, UsageError } from './command.ts';

type Range = { readonly min: number; readonly max: number };

/** @returns the value @throws CommandError with the message of the problem */
export function unwrap<T>(outcome: Outcome<T, Problem>): T {
  if (!outcome.ok) throw new CommandError(PROBLEMS[outcome.problem].sentence);
  return outcome.value;
}

/** @returns the settings that are set as flags, by variable */
export function settingFlags(options: Context['options']): Record<string, string | undefined> {
  return Object.fromEntries(
    SETTINGS.map(({ flag, variable }) => {
      const value = options[flag];
      return [variable, typeof value === 'string' ? value : undefined];
    }),
  );
}

/** @returns the bytes of a stream; undefined if there are more than the maximum, which it does not read to the end */
export async function readBounded(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) return undefined;
  }
  return Buffer.concat(chunks);
}

/** @returns the text of a file with a secret, without the line break at its end @throws CommandError if it cannot be read */
export function readSecretFile(file: string, secret: 'password' | 'passphrase'): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    throw new CommandError(`the ${secret} file cannot be read: ${reasonOf(cause)}`, { cause });
  }
}

/** The first positional argument. @param placeholder its name in the usage line @throws UsageError if it is missing */
export function requireOperand({ operands }: Context, placeholder: string): string {
  const [operand] = operands;
  if (operand === undefined || operand === '') throw new UsageError(`${placeholder} is missing`);
  return operand;
}

/** @throws UsageError if the option is missing or empty */
export function requireOption({ options }: Context, name: string): string {
  const value = options[name];
  if (typeof value !== 'string') throw new UsageError(`--${name} is missing`);
  if (value === '') throw new UsageError(`--${name} is empty`);
  return value;
}

/** @returns the URL without query and trailing slash @throws UsageError if it is not an http or https URL */
export function parseWebUrl(name: string, text: string): string {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new UsageError(`--${name} must be an http or https URL, not ${JSON.stringify(text)}`);
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** @returns undefined if the option is missing */
export function textOption({ options }: Context, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

/** @returns whether an option without a value is present */
export function hasOption({ options }: Context, name: string): boolean {
  return options[name] === true;
}

/** @returns undefined if the option is missing @throws UsageError if it is not a whole number in the range */
export function wholeNumberOption(context: Context, name: string, { min, max }: Range): number | undefined {
  const text = textOption(context, name);
  if (text === undefined) return undefined;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new UsageError(`--${name} must be a whole number from ${min} to ${max}, not ${JSON.stringify(text)}`);
}

/** @throws UsageError if the option is missing or not a whole number in the range */
export function requireWholeNumber(context: Context, name: string, range: Range): number {
  requireOption(context, name);
  return wholeNumberOption(context, name, range) ?? range.min;
}

/** @throws UsageError if the option is missing or not one of the choices */
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

/** @returns undefined if the option is missing @throws UsageError if it is not one of the choices */
export function choiceOption<Choice extends string>(
  context: Context,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  return context.options[name] === undefined ? undefined : requireChoice(context, name, choices);
}
