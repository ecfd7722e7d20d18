/**
 * `bun run fuzz`: mutates inputs of the parsers at random, keeps those that reach new code, and checks the properties of each target.
 * Reproducible: the same seed, number of runs, and corpus give the same result.
 *
 * --target NAME      runs one target instead of all
 * --runs N           total number of inputs of all targets (1000000)
 * --seed N           seed of the random numbers (1)
 * --replay           runs only the seeds and the corpus
 * --input LINE       runs only this input of one target, as a line of a corpus: a JSON string, or base64
 * --growth           also repeats parts of the inputs, and estimates how the time grows with the length
 * --save             adds the inputs that reach new code to the corpus
 * --json             prints the results as JSON
 *
 * Exit codes: 0, 1 if a property does not hold, 2 for invalid options.
 */
import { parseArgs } from 'node:util';
import { fromLine, readCorpus, toLine, writeCorpus } from './engine/corpus.ts';
import { type Failure, failureOf, fuzz, type Result } from './engine/engine.ts';
import { findSlowest } from './engine/growth.ts';
import { installInstrumentation } from './engine/instrument.ts';
import type { Target } from './engine/target.ts';

const { values } = parseArgs({
  options: {
    target: { type: 'string' },
    runs: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    replay: { type: 'boolean', default: false },
    input: { type: 'string' },
    growth: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

function wholeNumber(name: 'runs' | 'seed'): number {
  const number = Number(values[name]);
  return Number.isSafeInteger(number) && number >= 0
    ? number
    : fail(`--${name} must be a whole number, not ${values[name]}`);
}

installInstrumentation();
const { TARGETS } = await import('./targets/targets.ts');
const targets: readonly Target[] = TARGETS.filter(({ name }) => [undefined, name].includes(values.target));
if (targets.length === 0) fail(`--target must be one of ${TARGETS.map(({ name }) => name).join(', ')}`);
const [runs, seed] = [wholeNumber('runs'), wholeNumber('seed')];
const shares = targets.reduce((sum, { share = 1 }) => sum + share, 0);

function printFailure(target: Target, { input, message, stack }: Failure): void {
  const line = toLine(target, input);
  console.log(`\n${target.name}: ${message}\n${stack}\n  input: ${line}`);
  console.log(
    `  repeat: bun run fuzz -- --target ${target.name} --input '${line.replaceAll("'", "'\\''")}'\n`,
  );
}

const columns = [-18, 9, 7, 9, 9, 6, 6, 9] as const;
const row = (cells: readonly (string | number)[]) =>
  cells.map((cell, at) => {
    const width = columns[at] ?? 0;
    return width < 0 ? String(cell).padEnd(-width) : String(cell).padStart(width);
  });

function report(target: Target, { runs, seen, corpus, costPercent, cpuMs }: Result): void {
  const percent = `${Math.round((100 * seen.blocks()) / seen.reachable())}%`;
  const speed = Math.round(runs / (cpuMs / 1000));
  const cells = [target.name, runs, seen.blocks(), percent, seen.features(), corpus.length];
  console.log(row([...cells, `${Math.round(costPercent)}%`, speed]).join(' '));
}

async function runTarget(target: Target): Promise<{ readonly result: Result; readonly failed: boolean }> {
  const wanted = values.replay ? 0 : Math.ceil((runs * (target.share ?? 1)) / shares);
  const stored = readCorpus(target);
  const result = await fuzz(target, { runs: wanted, seed, corpus: stored });
  if (!values.json) report(target, result);
  const failure = result.failure ?? (values.growth ? await findSlowest(target, result.corpus) : undefined);
  if (failure !== undefined) printFailure(target, failure);
  if (values.save && failure === undefined) writeCorpus(target, result.corpus);
  return { result, failed: failure !== undefined };
}

if (values.input !== undefined) {
  const [target] = targets;
  if (targets.length !== 1 || target === undefined) fail('--input requires --target');
  const failure = await failureOf(target, fromLine(target, values.input));
  if (failure !== undefined) printFailure(target, failure);
  else console.log('all properties hold');
  process.exit(failure === undefined ? 0 : 1);
}

if (!values.json) {
  console.log(
    row(['target', 'inputs', 'blocks', 'covered', 'features', 'kept', 'cost', 'inputs/s']).join(' '),
  );
}
let [total, hasFailed] = [0, false];
const functions = new Set<string>();
const summary: object[] = [];
for (const target of targets) {
  const { result, failed } = await runTarget(target);
  total += result.runs;
  hasFailed ||= failed;
  for (const name of result.seen.functions()) functions.add(name);
  summary.push({ name: target.name, runs: result.runs, blocks: result.seen.blocks(), failed });
}
if (values.json) console.log(JSON.stringify({ targets: summary, functions: [...functions].sort() }));
else console.log(`${total} inputs, seed ${seed}${hasFailed ? ', FAILED' : ', all properties hold'}`);
process.exit(hasFailed ? 1 : 0);
