/** Runs Spin (https://spinroot.com), which translates a model to C; the compiled program visits every state. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Configuration } from './configurations.ts';

export type Result = {
  /** The first error that was found; undefined if there is none, and every state was visited. */
  readonly error: string | undefined;
  readonly states: number;
  /** Length of the longest path. */
  readonly depth: number;
  readonly seconds: number;
  readonly megabytes: number;
};

/** Maximum memory of the checker, in MiB. */
const MEMORY_MB = 1800;
/** Maximum length of a path. */
const MAX_DEPTH = 2_000_000;

/** @throws with the output if a program fails */
async function run(folder: string, ...command: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = (await Promise.all([child.stdout.text(), child.stderr.text()])).join('');
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}: ${output}`);
  return output;
}

const definitions = ({ settings, isLiveness }: Configuration) => [
  ...Object.entries(settings).map(([name, value]) => `-D${name}${value === true ? '' : `=${value}`}`),
  ...(isLiveness ? ['-DLIVENESS'] : []),
];

/**
 * Checks one configuration.
 *
 * @param onError called with the steps that lead to the error, one per line
 * @throws if a program fails, or not every state could be visited
 */
export async function check(
  configuration: Configuration,
  onError?: (steps: string) => void,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-model-'));
  // Spin expects the model in the folder of the trail file, which contains the steps to an error.
  const model = `${configuration.model}.pml`;
  copyFileSync(join(import.meta.dir, model), join(folder, model));
  const { isLiveness, isBroken } = configuration;
  try {
    await run(folder, 'spin', ...definitions(configuration), '-a', model);
    // The search ends at the first error, before the optimization would pay off.
    const optimization = isBroken ? '-O0' : '-O1';
    const options = isLiveness ? '-DNFAIR=3' : '-DSAFETY';
    await run(folder, 'gcc', optimization, '-w', `-DMEMLIM=${MEMORY_MB}`, options, '-o', 'pan', 'pan.c');
    const flags = isLiveness ? ['-a', '-f'] : [];
    const output = await run(folder, './pan', `-m${MAX_DEPTH}`, '-w22', ...flags);
    const result = resultOf(output);
    if (result.error !== undefined && onError !== undefined)
      onError(await run(folder, 'spin', ...definitions(configuration), '-t', '-p', '-g', model));
    return result;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @throws if the output does not show that every state was visited, or an error */
function resultOf(output: string): Result {
  const numberIn = (pattern: RegExp) => {
    const [, found] = pattern.exec(output) ?? [];
    if (found === undefined) throw new Error(output);
    return Number(found);
  };
  const errors = numberIn(/errors: (\d+)/);
  if (errors === 0 && /search not completed|max search depth too small|out of memory/i.test(output))
    throw new Error(output);
  return {
    error:
      errors === 0 ? undefined : (/^pan:\d+: (.*?)(?: \(at depth \d+\))?$/m.exec(output)?.[1] ?? 'unknown'),
    states: numberIn(/([\d.e+]+) states, stored/),
    depth: numberIn(/depth reached (\d+)/),
    seconds: Number(/elapsed time ([\d.e-]+) seconds/.exec(output)?.[1] ?? 0),
    megabytes: numberIn(/([\d.]+)\s+total actual memory usage/),
  };
}
