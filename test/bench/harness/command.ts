import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { BenchError, type Cleanup } from './cleanup.ts';

/** Code that `bun run bench`, `bun run compare`, and `bun run clients` share. */

/** Prints a line about what the command does. Its results are on standard output. */
export function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Parses the arguments of `bun run NAME`; `--help` and `-h` are among the options. @throws BenchError if an argument is invalid */
export function parseArguments<const Options extends ParseArgsOptionsConfig>(
  name: string,
  args: readonly string[],
  options: Options,
) {
  const help = { type: 'boolean', short: 'h' } as const;
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: { ...options, help } });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : cause;
    throw new BenchError(`${reason}\nRun \`bun run ${name} --help\` for the usage.`, { cause });
  }
}

/** Runs a command, cleans up, and ends the process with the exit code of the command, or with 2 if it fails. */
export async function runCommand(command: () => Promise<number>, cleanup: Cleanup): Promise<never> {
  let exitCode: number;
  try {
    exitCode = await command();
  } catch (cause) {
    progress(cause instanceof BenchError ? cause.message : Bun.inspect(cause));
    exitCode = 2;
  }
  await cleanup.run();
  // Browsers and thread pools would keep the process running.
  process.exit(exitCode);
}
