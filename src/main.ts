import { runCommandLine } from './cli/run.ts';

/** Settled when the last result has left this process: a pipe takes 64 KiB at once, and an exit drops the rest. */
let written: Promise<void> = Promise.resolve();

function writeResult(line: string): void {
  written = new Promise((resolve) => void process.stdout.write(`${line}\n`, () => resolve()));
}

function writeError(line: string): void {
  process.stderr.write(`${line}\n`);
}

// Keys and claims are nobody's business but ours.
process.umask(0o077);
const exitCode = await runCommandLine(process.argv.slice(2), {
  out: writeResult,
  err: writeError,
  stdin: () => Bun.stdin.text(),
});
await written;
process.exit(exitCode);
