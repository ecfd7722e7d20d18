/**
 * `bun run bench`: measures the compiled server, the solvers, and the widget, and prints one table. `--help` shows the options. Asserts
 * no times: the results depend on the machine, and only a part that fails results in exit code 1.
 */

import { compareWith } from './against.ts';
import { writeDocument } from './document/document.ts';
import { BenchError, type Cleanup, cleanUpWhenInterrupted, createCleanup } from './harness/cleanup.ts';
import { progress, runCommand } from './harness/command.ts';
import { type Lab, openLab } from './harness/lab.ts';
import { BUSY, busyShare, currentCommit, describeMachine } from './harness/machine.ts';
import { helpText, type Options, parseOptions } from './harness/options.ts';
import {
  merged,
  type PartResult,
  RECORDED,
  type Results,
  readRecorded,
  writeResults,
} from './harness/results.ts';
import { formatTable } from './harness/table.ts';
import type { Part } from './parts/part.ts';
import { PARTS } from './parts/parts.ts';

// The recorded measurements are those of the complete browser.
const chromium = Bun.which('chromium');
if (chromium !== null) process.env.BUN_CHROME_PATH ??= chromium;

const cleanup = createCleanup();

/** @returns why the part cannot run; undefined if it can */
function reasonToSkip({ needs = [], isMissing }: Part): string | undefined {
  const missing = needs.filter((program) => Bun.which(program) === null);
  return missing.length > 0 ? `${missing.join(' and ')} not installed` : isMissing?.();
}

/** Runs a part with its limit. Its servers and files are removed in any case. */
async function runPart({ name, run, limitSeconds }: Part, labOf: (ofPart: Cleanup) => Lab) {
  const ofPart = createCleanup();
  cleanup.defer(ofPart.run);
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new BenchError(`${name} took longer than ${limitSeconds} s`)),
    limitSeconds * 1000,
  );
  try {
    return await Promise.race([run(labOf(ofPart)), expired]);
  } finally {
    clearTimeout(timer);
    await ofPart.run();
  }
}

async function measureParts({ parts, duration }: Options): Promise<{ results: Results; failures: string[] }> {
  const [machine, commit] = [describeMachine(), currentCommit()];
  const labOf = await openLab(duration, cleanup, progress);
  const results: PartResult[] = [];
  const failures: string[] = [];
  for (const part of parts) {
    const startedAt = performance.now();
    const common = { part: part.name, measuredAt: new Date().toISOString(), commit, machine };
    const skipped = reasonToSkip(part);
    const busyBefore = await busyShare();
    if (busyBefore > BUSY)
      progress(`warning: other programs use ${Math.round(100 * busyBefore)}% of the processor`);
    progress(skipped === undefined ? `${part.name} …` : `${part.name}: SKIPPED: ${skipped}`);
    try {
      const rows = skipped === undefined ? await runPart(part, labOf) : [];
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      results.push({ ...common, busyBefore, seconds, rows, ...(skipped !== undefined && { skipped }) });
    } catch (cause) {
      failures.push(`${part.name}: ${cause instanceof BenchError ? cause.message : Bun.inspect(cause)}`);
      progress(`FAILED: ${failures.at(-1)}`);
    }
  }
  return { results: { format: 1, parts: results }, failures };
}

/** @returns the exit code */
async function measureAll(options: Options): Promise<number> {
  const { results, failures } = await measureParts(options);
  const titleOf = (name: string) => PARTS.find((part) => part.name === name)?.title ?? name;
  const groups = results.parts.map(({ part, rows, skipped }) => ({
    title: skipped === undefined ? titleOf(part) : `${titleOf(part)}: SKIPPED: ${skipped}`,
    rows,
  }));
  console.log(formatTable(groups));
  if (options.duration.isQuick)
    console.log('\nThe windows were too short (--quick): these results are meaningless.');
  await writeResults(options.json, results);
  progress(`wrote ${options.json}`);
  if (options.records) {
    const order = PARTS.map(({ name }) => name);
    await writeResults(RECORDED, merged(await readRecorded(), results, order));
    progress(`wrote ${await writeDocument()}`);
  }
  for (const failure of failures) progress(`FAILED: ${failure}`);
  return failures.length > 0 ? 1 : 0;
}

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2));
  if (options === undefined) {
    console.log(helpText());
    return 0;
  }
  if (options.documents) {
    console.log(`wrote ${await writeDocument()}`);
    return 0;
  }
  if (process.platform !== 'linux') throw new BenchError('the benchmark needs Linux, because it reads /proc');
  cleanUpWhenInterrupted(cleanup);
  if (options.against === undefined) return measureAll(options);
  await compareWith(options.against, options, { cleanup, progress });
  return 0;
}

await runCommand(main, cleanup);
