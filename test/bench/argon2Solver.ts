import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kernelOf } from '../../bundle.ts';
import { openArgon2Runners } from './argon2SolverRunners.ts';
import { openChromium, openFirefox, type Page } from './solverBrowsers.ts';

/**
 * Measures the milliseconds per argon2id hash of one thread in Bun, Node.js, Chromium, and Firefox, and of scalar C, in alternating
 * windows. Prints the median and the best window, which other work on the machine disturbed least. Checks that all results agree, but
 * asserts no times.
 */

const WINDOWS = Number(process.env.BENCH_WINDOWS ?? 25);
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

function outputOf(command: string[]): number[] {
  const { stdout, stderr, success } = Bun.spawnSync(command);
  if (!success) throw new Error(stderr.toString());
  return stdout.toString().split(' ').map(Number);
}

/** @returns undefined if no compiler is installed */
function compileNative(folder: string): Contender | undefined {
  const compiler = Bun.which('clang') ?? Bun.which('gcc');
  if (compiler === null) return undefined;
  const binary = join(folder, 'native');
  const source = join(import.meta.dir, 'argon2Native.c');
  // Without vectors, like the other benchmark.
  outputOf([compiler, '-O3', '-fno-tree-vectorize', '-o', binary, source]);
  const run = (...values: number[]) => outputOf([binary, block.toHex(), '1', ...values.map(String)]);
  return {
    name: 'native scalar C',
    first: async (counter) => smallestAccepted((threshold) => run(counter, 1, threshold)[0] === 1),
    time: async () => ((run(0, HASHES, 0)[1] ?? Number.NaN) * 1000) / HASHES,
  };
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

const names = ['SIMD', 'scalar', 'hash-wasm'];
const literal = (bytes: Uint8Array) => `Uint8Array.from([${bytes.join()}])`;

async function runnersScript(): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, 'argon2SolverRunners.ts')],
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
  const run = (...values: number[]) => outputOf([node, file, ...values.map(String)])[0] ?? Number.NaN;
  return names.map((name, i) => ({
    name: `Node.js, ${name}`,
    first: async (counter) => run(i, counter, 0),
    time: async () => run(i, 0, HASHES),
  }));
}

async function inPage({ name: browser, evaluate }: Page): Promise<Contender[]> {
  await evaluate(`(0, eval)(${JSON.stringify(await runnersScript())}), 0`);
  await evaluate(`${OPEN}.then((opened) => void (globalThis.runners = opened))`);
  return names.map((name, i) => ({
    name: `${browser}, ${name}`,
    first: (counter) => evaluate<number>(`runners[${i}].first(${counter})`),
    time: () => evaluate<number>(`runners[${i}].time(${HASHES})`),
  }));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

const format = (value: number) => value.toFixed(2).padStart(6);

const folder = mkdtempSync(join(tmpdir(), 'postern-bench-'));
const native = compileNative(folder);
if (native === undefined) console.log('SKIPPED: no C compiler for the comparison');
const contenders = [...(native ? [native] : []), ...(await inBun()), ...(await inNode(folder))];
for (const open of [openChromium, openFirefox]) {
  try {
    contenders.push(...(await inPage(await open())));
  } catch (cause) {
    console.log(`SKIPPED: no ${open.name.slice(4)}: ${cause}`);
  }
}

for (let counter = 0; counter < CHECKED; counter++) {
  const results = new Set<number>();
  for (const { first } of contenders) results.add(await first(counter));
  if (results.size !== 1) throw new Error(`the results differ: ${[...results]}`);
}

const times = contenders.map((): number[] => []);
for (let window = 0; window < WINDOWS; window++) {
  for (const [i, { time }] of contenders.entries()) times[i]?.push(await time());
}
contenders.forEach(({ name }, i) => {
  const [typical, best] = [median(times[i] ?? []), Math.min(...(times[i] ?? []))];
  const ratios = [typical / median(times[0] ?? []), best / Math.min(...(times[0] ?? []))].map(format);
  const comparison = native ? `  ${ratios[0]} and ${ratios[1]} x native` : '';
  console.log(`${name.padEnd(22)} ${format(typical)} ms, best ${format(best)}${comparison}`);
});
rmSync(folder, { recursive: true });
process.exit(0);
