import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kernelOf } from '../../../build/bundle.ts';
import type { Lab } from '../harness/lab.ts';
import { type Row, type Target, toRow } from '../harness/row.ts';
import { openArgon2Runners } from '../solver/argon2idRunners.ts';
import { openPages, type Page } from '../solver/browsers.ts';
import type { Part } from './part.ts';

const WINDOWS = 25;
const QUICK_WINDOWS = 2;
const HASHES = 5;
const CHECKED = 3;

const block = new Uint8Array(128);
for (let i = 0; i < 48; i++) block[i] = 251 * (i + 1);
const kernels = [kernelOf('argon2idSimd'), kernelOf('argon2idScalar')] as const;

type Contender = {
  readonly name: string;
  readonly first: (counter: number) => Promise<number>;
  readonly time: () => Promise<number>;
};

const TARGETS: Readonly<Record<string, Target>> = {
  'Chromium, SIMD': { of: 'value', bound: 'at most', required: 8 },
};

function numbersOf(command: string[]): number[] {
  const { stdout, stderr, success } = Bun.spawnSync(command);
  if (!success) throw new Error(stderr.toString());
  return stdout.toString().split(' ').map(Number);
}

/** @returns nothing if no compiler is installed */
export function compileNative(folder: string): Contender[] {
  const compiler = Bun.which('clang') ?? Bun.which('gcc');
  if (compiler === null) return [];
  const binary = join(folder, 'argon2idNative');
  const source = join(import.meta.dir, '../solver/argon2idNative.c');
  // Without vectors, like the other benchmark.
  numbersOf([compiler, '-O3', '-fno-tree-vectorize', '-o', binary, source]);
  const run = (...values: number[]) => numbersOf([binary, block.toHex(), '1', ...values.map(String)]);
  return [
    {
      name: 'scalar C',
      first: async (counter) => smallestAccepted((threshold) => run(counter, 1, threshold)[0] === 1),
      time: async () => ((run(0, HASHES, 0)[1] ?? Number.NaN) * 1000) / HASHES,
    },
  ];
}

/** Binary search, because the program only compares hashes with a threshold. */
function smallestAccepted(isAccepted: (threshold: number) => boolean): number {
  let [low, high] = [0, 2 ** 32 - 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isAccepted(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

async function inBun(): Promise<Contender[]> {
  const runners = await openArgon2Runners(block, kernels);
  return runners.map(({ name, first, time }) => ({ name: `Bun, ${name}`, first, time: () => time(HASHES) }));
}

const NAMES = ['SIMD', 'scalar', 'hash-wasm'];
const literal = (bytes: Uint8Array) => `Uint8Array.from([${bytes.join()}])`;

async function runnersScript(): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, '../solver/argon2idRunners.ts')],
    target: 'browser',
    format: 'iife',
  });
  return (await Promise.all(outputs.map((output) => output.text()))).join(';');
}

const OPEN = `posternArgon2Runners(${literal(block)}, [${kernels.map(literal).join()}])`;

/** A process for each window, which computes some hashes before it measures. */
async function inNode(folder: string): Promise<Contender[]> {
  const node = Bun.which('node');
  if (node === null) return [];
  const file = join(folder, 'runners.mjs');
  const main = `const [index, counter, hashes] = process.argv.slice(2).map(Number);
    const runner = (await ${OPEN})[index];
    if (!hashes) process.stdout.write(String(await runner.first(counter)));
    else { await runner.time(5); process.stdout.write(String(await runner.time(hashes))); }`;
  writeFileSync(file, `${await runnersScript()};${main}`);
  const run = (...values: number[]) => numbersOf([node, file, ...values.map(String)])[0] ?? Number.NaN;
  return NAMES.map((name, i) => ({
    name: `Node.js, ${name}`,
    first: async (counter) => run(i, counter, 0),
    time: async () => run(i, 0, HASHES),
  }));
}

async function inPage({ name: browser, evaluate }: Page): Promise<Contender[]> {
  await evaluate(`(0, eval)(${JSON.stringify(await runnersScript())}), 0`);
  await evaluate(`${OPEN}.then((opened) => void (globalThis.argon2Runners = opened))`);
  return NAMES.map((name, i) => ({
    name: `${browser}, ${name}`,
    first: (counter) => evaluate<number>(`argon2Runners[${i}].first(${counter})`),
    time: () => evaluate<number>(`argon2Runners[${i}].time(${HASHES})`),
  }));
}

/** @throws if the implementations compute different hashes */
async function checkResults(contenders: readonly Contender[]): Promise<void> {
  for (let counter = 0; counter < CHECKED; counter++) {
    const results = new Set<number>();
    for (const { first } of contenders) results.add(await first(counter));
    if (results.size !== 1) throw new Error(`the results differ: ${[...results]}`);
  }
}

async function run({ folder, duration, defer, progress }: Lab): Promise<readonly Row[]> {
  const contenders = [...compileNative(folder), ...(await inBun()), ...(await inNode(folder))];
  for (const page of await openPages(defer, progress)) contenders.push(...(await inPage(page)));
  await checkResults(contenders);
  const times = contenders.map((): number[] => []);
  for (let window = 0; window < (duration.isQuick ? QUICK_WINDOWS : WINDOWS); window++) {
    for (const [i, { time }] of contenders.entries()) times[i]?.push(await time());
  }
  const native = times[0] ?? [];
  return contenders.map(({ name }, i) =>
    toRow({
      name,
      unit: 'ms/hash',
      values: times[i] ?? [],
      ...(i > 0 && { yardstick: { name: 'scalar C', values: native } }),
      ...(TARGETS[name] && { target: TARGETS[name] }),
    }),
  );
}

export const argon2id: Part = {
  name: 'argon2id',
  title: 'Solving argon2id puzzles',
  method:
    'Milliseconds for one argon2id hash (16 MiB, one pass) of one thread, in 25 windows of five hashes for each implementation; all implementations take turns. The baseline is scalar C. The results of all implementations are compared before the measurement.',
  limitSeconds: 180,
  isMissing: () => ((Bun.which('clang') ?? Bun.which('gcc')) ? undefined : 'no C compiler is installed'),
  run,
};
