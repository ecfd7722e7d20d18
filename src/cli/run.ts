import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { type Environment, readConfig } from '../config.ts';
import { reasonOf } from '../lib/log.ts';
import {
  COMMON_OPTIONS,
  type Command,
  ConfigError,
  type Context,
  type ExitCode,
  operandsOf,
  optionsOf,
  UsageError,
} from './command.ts';
import { COMMANDS } from './commands.ts';
import { findCommands, printUsage, toUsageLine } from './help.ts';
import { settingFlags } from './options.ts';

/** The input and output of a command line. */
type Terminal = Pick<Context, 'out' | 'err' | 'stdin'> & {
  /** By default, there is no terminal. */
  readonly askHidden?: Context['askHidden'];
  /** By default, the standard input of the process. */
  readonly input?: Context['input'];
  /** The environment variables; by default those of the process. */
  readonly environment?: Environment;
};

/**
 * Runs one command. Errors are written to `terminal.err`.
 *
 * @param args the arguments after the name of the program
 * @returns the exit code
 */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const found = find(args);
  if (found === undefined) {
    terminal.err(describeUnknown(args));
    return 2;
  }
  try {
    return await runCommand(found.command, found.rest, terminal);
  } catch (error) {
    const reasons = error instanceof ConfigError ? error.errors : [reasonOf(error)];
    for (const reason of reasons) terminal.err(`postern: ${reason}`);
    if (error instanceof ConfigError) return 2;
    if (error instanceof UsageError || isParseError(error)) {
      terminal.err(toUsageLine(found.command));
      return 2;
    }
    return 1;
  }
}

async function runCommand(
  command: Command,
  args: readonly string[],
  { environment, askHidden, input = () => Bun.stdin.stream(), ...terminal }: Terminal,
): Promise<ExitCode> {
  const allOptions = { ...COMMON_OPTIONS, ...optionsOf(command) };
  const { values, positionals } = parseArgs({
    args: protectIds(args, allOptions),
    options: allOptions,
    allowPositionals: true,
    strict: true,
  });
  const options = values as Context['options'];
  const context: Context = {
    options,
    operands: positionals,
    report: readConfig(settingFlags(options), environment),
    isJson: options.json === true,
    askHidden,
    input,
    ...terminal,
  };
  if (options.help === true) {
    printUsage(command, context);
    return 0;
  }
  const [extra] = positionals.slice(operandsOf(command));
  if (extra !== undefined) throw new UsageError(`unexpected argument ${JSON.stringify(extra)}`);
  return command.run(context);
}

/** Finds the command with the longest matching name. Without a command, `serve` runs. */
function find(args: readonly string[]): { command: Command; rest: readonly string[] } | undefined {
  const [first, second] = args;
  if (first === '--version') return find(['version', ...args.slice(1)]);
  if (first === '--help' || first === '-h') return find(['help', ...args.slice(1)]);
  if (first === undefined || first.startsWith('-')) return find(['serve', ...args]);
  for (const [name, length] of [
    [`${first} ${second}`, 2],
    [first, 1],
  ] as const) {
    const command = COMMANDS.find((known) => known.name === name);
    if (command !== undefined) return { command, rest: args.slice(length) };
  }
  return undefined;
}

function describeUnknown([first = '', second = '']: readonly string[]): string {
  const related = findCommands(first, COMMANDS).map(({ name }) => name);
  const hint = related.length === 0 ? 'run "postern help" for a list' : `did you mean ${related.join(', ')}?`;
  return `postern: unknown command "${`${first} ${second}`.trim()}"; ${hint}`;
}

function isParseError(error: unknown): boolean {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

/** Ids are 22 base64url characters, so 1 in 64 starts with a dash. */
const ID_WITH_DASH = /^-[A-Za-z0-9_-]{21}$/;

/**
 * Rewrites arguments so that `parseArgs` does not mistake ids that start with a dash for options: `--org -x` becomes
 * `--org=-x`, and positional arguments move behind `--`.
 *
 * @param options the options of the command; arguments that name one of them stay unchanged
 */
export function protectIds(args: readonly string[], options: ParseArgsOptionsConfig): string[] {
  if (args.includes('--')) return [...args];
  const result: string[] = [];
  const operands: string[] = [];
  for (const arg of args) {
    if (!ID_WITH_DASH.test(arg) || findOption(arg, options) !== undefined) {
      result.push(arg);
      continue;
    }
    const previous = result.at(-1) ?? '';
    if (findOption(previous, options)?.type === 'string') result.splice(-1, 1, `${previous}=${arg}`);
    else operands.push(arg);
  }
  return operands.length === 0 ? result : [...result, '--', ...operands];
}

function findOption(arg: string, options: ParseArgsOptionsConfig) {
  const name = arg.slice(2);
  return arg.startsWith('--') && Object.hasOwn(options, name) ? options[name] : undefined;
}
