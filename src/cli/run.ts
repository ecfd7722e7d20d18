import { parseArgs } from 'node:util';
import { type Environment, readConfig } from '../config.ts';
import { reasonOf } from '../lib/log.ts';
import {
  COMMON_OPTIONS,
  type Command,
  ConfigError,
  type Context,
  type ExitCode,
  settingFlags,
  UsageError,
} from './command.ts';
import { COMMANDS } from './commands.ts';
import { commandsUnder, showOne, usageOf } from './help.ts';
import { protectIds } from './words.ts';

/** What a command line reads and writes. */
export type Terminal = Pick<Context, 'out' | 'err' | 'stdin'> & {
  /** The environment variables; those of the process unless given. */
  readonly environment?: Environment;
};

/**
 * Runs one command. Errors are written to `terminal.err`.
 *
 * @param words the arguments after the program's name
 * @returns the exit code
 */
export async function runCommandLine(words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const found = find(words);
  if (found === undefined) {
    terminal.err(noSuchCommand(words));
    return 2;
  }
  try {
    return await runCommand(found.command, found.rest, terminal);
  } catch (error) {
    const reasons = error instanceof ConfigError ? error.mistakes : [reasonOf(error)];
    for (const reason of reasons) terminal.err(`postern: ${reason}`);
    if (error instanceof ConfigError) return 2;
    if (error instanceof UsageError || isParseError(error)) {
      terminal.err(usageOf(found.command));
      return 2;
    }
    return 1;
  }
}

async function runCommand(
  command: Command,
  rest: readonly string[],
  { environment, out, err, stdin }: Terminal,
): Promise<ExitCode> {
  const known = { ...COMMON_OPTIONS, ...command.options };
  const { values, positionals } = parseArgs({
    args: protectIds(rest, known),
    options: known,
    allowPositionals: true,
    strict: true,
  });
  const options = values as Context['options'];
  const context: Context = {
    options,
    operands: positionals,
    report: readConfig(settingFlags(options), environment),
    isJson: options.json === true,
    out,
    err,
    stdin,
  };
  if (options.help === true) {
    showOne(command, context);
    return 0;
  }
  const [extra] = positionals.slice(command.operands ?? 0);
  if (extra !== undefined) throw new UsageError(`unexpected ${JSON.stringify(extra)}`);
  return command.run(context);
}

/** The longest name that the words begin with; no words, or only flags, mean `serve`. */
function find(words: readonly string[]): { command: Command; rest: readonly string[] } | undefined {
  const [first, second] = words;
  if (first === '--version') return find(['version', ...words.slice(1)]);
  if (first === '--help' || first === '-h') return find(['help', ...words.slice(1)]);
  if (first === undefined || first.startsWith('-')) return find(['serve', ...words]);
  for (const [name, length] of [
    [`${first} ${second}`, 2],
    [first, 1],
  ] as const) {
    const command = COMMANDS.find((known) => known.name === name);
    if (command !== undefined) return { command, rest: words.slice(length) };
  }
  return undefined;
}

function noSuchCommand([first = '', second = '']: readonly string[]): string {
  const family = commandsUnder(first, COMMANDS).map(({ name }) => name);
  const hint = family.length === 0 ? 'postern help lists them' : `there are ${family.join(', ')}`;
  return `postern: there is no command "${`${first} ${second}`.trim()}"; ${hint}`;
}

function isParseError(error: unknown): boolean {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}
