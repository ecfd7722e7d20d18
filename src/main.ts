import { parseArgs } from 'node:util';
import {
  COMMON_OPTIONS,
  type Command,
  type Context,
  type ExitCode,
  settingFlags,
  UsageError,
} from './cli/command.ts';
import { COMMANDS } from './cli/commands.ts';
import { showOne, usageOf } from './cli/help.ts';
import { readConfig } from './config.ts';
import { reasonOf } from './lib/log.ts';

/** argv -> command -> exit code. */
async function main(words: readonly string[]): Promise<ExitCode> {
  const found = find(words);
  if (found === undefined) {
    writeError(`postern: there is no command "${words.slice(0, 2).join(' ')}"; postern help lists them`);
    return 2;
  }
  try {
    return await runCommand(found.command, found.rest);
  } catch (error) {
    writeError(`postern: ${reasonOf(error)}`);
    if (error instanceof UsageError || isParseError(error)) {
      writeError(usageOf(found.command));
      return 2;
    }
    return 1;
  }
}

async function runCommand(command: Command, rest: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseArgs({
    args: [...rest],
    options: { ...COMMON_OPTIONS, ...command.options },
    allowPositionals: true,
    strict: true,
  });
  const options = values as Context['options'];
  if (positionals.length > (command.operands ?? 0)) {
    throw new UsageError(`unexpected "${positionals[command.operands ?? 0]}"`);
  }
  const context: Context = {
    options,
    operands: positionals,
    report: readConfig(settingFlags(options)),
    isJson: options.json === true,
    out: (line) => process.stdout.write(`${line}\n`),
    err: writeError,
    stdin: () => Bun.stdin.text(),
  };
  if (options.help !== true) return command.run(context);
  showOne(command, context.out);
  return 0;
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

function isParseError(error: unknown): boolean {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

function writeError(line: string): void {
  process.stderr.write(`${line}\n`);
}

// Keys and claims are nobody's business but ours.
process.umask(0o077);
process.exit(await main(process.argv.slice(2)));
