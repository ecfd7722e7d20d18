/** Collects what must be undone when a benchmark ends: processes, folders, worktrees. */
export type Cleanup = {
  /** Adds a step. The steps run in reverse order. */
  readonly defer: (step: () => unknown) => void;
  /** Runs all steps once, even if some of them fail. @throws AggregateError with the failures */
  readonly run: () => Promise<void>;
};

export function createCleanup(): Cleanup {
  const steps: (() => unknown)[] = [];
  return {
    defer: (step) => void steps.push(step),
    async run() {
      const failures: unknown[] = [];
      for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
        try {
          await step();
        } catch (cause) {
          failures.push(cause);
        }
      }
      if (failures.length > 0) throw new AggregateError(failures, 'the benchmark could not clean up');
    },
  };
}

/** Cleans up and exits with the usual code when the user or the system interrupts the benchmark. */
export function cleanUpWhenInterrupted({ run }: Cleanup): void {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.once(signal, () => {
      process.stderr.write('\ninterrupted; cleaning up\n');
      void run().then(
        () => process.exit(code),
        (cause) => {
          process.stderr.write(`${Bun.inspect(cause)}\n`);
          process.exit(code);
        },
      );
    });
  }
}

/** Of the output of a program that failed. */
const SHOWN_LINES = 20;

/** @throws BenchError with the end of the program's output, if it fails. @returns its standard output */
export async function outputOf(
  command: readonly string[],
  { defer }: Pick<Cleanup, 'defer'>,
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  // A process group of its own, so that the programs that it starts end with it.
  const streams = { stdout: 'pipe', stderr: 'pipe', stdin: 'ignore' } as const;
  const child = Bun.spawn([...command], { ...options, ...streams, detached: true });
  defer(() => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL');
  });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) === 0) return output;
  const lines = `${output}${errors}`.trim().split('\n').slice(-SHOWN_LINES);
  throw new BenchError(`${command.join(' ').slice(0, 200)} failed:\n${lines.join('\n')}`);
}

/** A reason that the user can act on; it is printed without a stack. */
export class BenchError extends Error {}
