import { runCommandLine } from './cli/run.ts';
import { createAskHidden } from './cli/terminal.ts';

/** Resolves when all results are written. A pipe accepts 64 KiB at once, and the process would discard the rest on exit. */
let written: Promise<void> = Promise.resolve();

function writeResult(line: string): void {
  written = new Promise((resolve) => void process.stdout.write(`${line}\n`, () => resolve()));
}

function writeError(line: string): void {
  process.stderr.write(`${line}\n`);
}

// Only the user of this process can read the files that it creates.
process.umask(0o077);
const exitCode = await runCommandLine(process.argv.slice(2), {
  out: writeResult,
  err: writeError,
  stdin: () => Bun.stdin.text(),
  askHidden: createAskHidden(),
});
await written;
process.exit(exitCode);
