import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kernelOf } from '../../bundle.ts';
import { DEFAULT_SETTINGS } from '../../src/model/propertyFields.ts';
import { openChromium, openFirefox, type Page } from './solverBrowsers.ts';
import { timeClicks } from './solverClick.ts';
import type { PuzzleTime } from './solverPuzzle.ts';
import { openRunners } from './solverRunners.ts';

/**
 * Measures the hashes per second of one worker in Bun, Chromium, and Firefox, and of scalar C, in alternating windows. Prints the
 * median and the best window, which other work on the machine disturbed least. Then measures whole puzzles, and the time from a
 * click to the verified state. Checks that all results agree, but asserts no times.
 */

const WINDOW_MS = 60;
const WINDOWS = Number(process.env.BENCH_WINDOWS ?? 25);
const PUZZLES = 15;
const THREADS = 2;
const RANGE = 20_000;
const THRESHOLD = 300_000;

const block = new Uint8Array(128);
for (let i = 0; i < 47; i++) block[i] = 251 * (i + 1);
const kernels = [kernelOf('simd'), kernelOf('scalar')] as const;

type Contender = { name: string; attempts: () => Promise<number>; rate: () => Promise<number> };

/** Native code: scalar, as the yardstick, and with vectors, as an attacker would use. */
const NATIVE: readonly {
  readonly name: string;
  readonly flag?: string;
  readonly options: readonly string[];
}[] = [
  { name: 'native scalar C', options: ['-fno-tree-slp-vectorize'] },
  { name: 'native C with AVX2', flag: 'avx2', options: ['-mavx2', '-DLANES=4'] },
  {
    name: 'native C with AVX-512',
    flag: 'avx512f',
    options: ['-mavx512f', '-mprefer-vector-width=512', '-DLANES=8'],
  },
];

/** @returns the variants that the processor supports, scalar first; none if no compiler is installed */
function compileNative(folder: string): Contender[] {
  const compiler = Bun.which('clang') ?? Bun.which('gcc');
  if (compiler === null) return [];
  const flags = existsSync('/proc/cpuinfo') ? readFileSync('/proc/cpuinfo', 'utf8').split(/\s+/) : [];
  const supported = NATIVE.filter(({ flag }) => flag === undefined || flags.includes(flag));
  return supported.flatMap(({ name, options }, index) => {
    const binary = join(folder, `native${index}`);
    const source = join(import.meta.dir, 'solverNative.c');
    if (!Bun.spawnSync([compiler, '-O3', ...options, '-o', binary, source]).success) return [];
    const run = (count: number, threshold: number) => {
      const command = [binary, block.toHex(), '1', '0', String(count), String(threshold)];
      return Bun.spawnSync(command).stdout.toString().split(' ').map(Number) as [number, number];
    };
    const attempts = async () => run(RANGE, THRESHOLD)[0];
    return [{ name, attempts, rate: async () => 1 / run(1_000_000, 0)[1] }];
  });
}

async function inBun(): Promise<Contender[]> {
  return (await openRunners(block, kernels)).map((runner) => ({
    name: `Bun, ${runner.name}`,
    attempts: async () => runner.attempts(RANGE, THRESHOLD),
    rate: async () => runner.rate(WINDOW_MS),
  }));
}

/** Loads the runners and the pool of workers into the page. */
async function load(page: Page): Promise<void> {
  const [script, program] = await Promise.all([
    bundleOf('iife', 'solverRunners.ts', 'solverPuzzle.ts'),
    bundleOf('esm', '../../src/widget/worker.ts'),
  ]);
  await page.evaluate(`(0, eval)(${JSON.stringify(script)}), 0`);
  await page.evaluate(`globalThis.posternSolver = function (self) {${program}}, 0`);
  const [ofBlock, simd, scalar] = [block, ...kernels].map(
    (bytes) => `Uint8Array.fromHex('${bytes.toHex()}')`,
  );
  await page.evaluate(`globalThis.simd = ${simd}, 0`);
  await page.evaluate(
    `posternRunners(${ofBlock}, [simd, ${scalar}]).then((opened) => void (globalThis.runners = opened))`,
  );
}

async function bundleOf(format: 'iife' | 'esm', ...files: string[]): Promise<string> {
  const entrypoints = files.map((file) => join(import.meta.dir, file));
  const { outputs } = await Bun.build({ entrypoints, target: 'browser', format });
  return (await Promise.all(outputs.map((output) => output.text()))).join(';');
}

async function inPage({ name: browser, evaluate }: Page): Promise<Contender[]> {
  const names = await evaluate<string[]>('runners.map(({ name }) => name)');
  return names.map((name, i) => ({
    name: `${browser}, ${name}`,
    attempts: () => evaluate<number>(`runners[${i}].attempts(${RANGE}, ${THRESHOLD})`),
    rate: () => evaluate<number>(`runners[${i}].rate(${WINDOW_MS})`),
  }));
}

/** Measures puzzles at the default level with two workers, compared with the hash rate measured immediately before. */
async function measurePuzzles({ name, evaluate }: Page): Promise<void> {
  const { level } = DEFAULT_SETTINGS;
  const times: number[] = [];
  const ratios: number[] = [];
  for (let seed = 0; seed < PUZZLES; seed++) {
    const rate = await evaluate<number>(`runners[0].rate(${WINDOW_MS})`);
    const { elapsedMs, hashes } = await evaluate<PuzzleTime>(
      `posternPuzzle(posternSolver, simd, { seed: ${seed}, level: ${level}, threadCount: ${THREADS} })`,
    );
    times.push(elapsedMs);
    ratios.push(elapsedMs / (hashes / (THREADS * rate * 1000)));
  }
  const ratio = `${format(median(ratios), 2)} x hashes / (${THREADS} x rate)`;
  print(`${name}, a puzzle at ${level}`, `${format(median(times), 0)} ms   ${ratio}`);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

function format(value: number, digits: number): string {
  return value.toFixed(digits).padStart(6);
}

function print(name: string, result: string): void {
  console.log(`${name.padEnd(26)} ${result}`);
}

const folder = mkdtempSync(join(tmpdir(), 'postern-bench-'));
const native = compileNative(folder);
if (native.length === 0) console.log('SKIPPED: no C compiler for the comparison');
const pages: Page[] = [];
for (const open of [openChromium, openFirefox]) {
  try {
    const page = await open();
    await load(page);
    pages.push(page);
  } catch (cause) {
    console.log(`SKIPPED: no ${open.name.slice(4)}: ${cause}`);
  }
}
const contenders = [...native, ...(await inBun())];
for (const page of pages) contenders.push(...(await inPage(page)));

// Sequentially, because a tab evaluates one expression at a time.
const results: number[] = [];
for (const { attempts } of contenders) results.push(await attempts());
if (results[0] === 0 || new Set(results).size !== 1) throw new Error(`the results differ: ${results}`);

const rates = contenders.map((): number[] => []);
for (let window = 0; window < WINDOWS; window++) {
  for (const [i, { rate }] of contenders.entries()) rates[i]?.push(await rate());
}
const bests = rates.map((windows) => Math.max(...windows));
contenders.forEach(({ name }, i) => {
  const best = bests[i] ?? Number.NaN;
  const ratio = native.length > 0 ? ` ${format(best / (bests[0] ?? Number.NaN), 2)} x native` : '';
  print(name, `${format(median(rates[i] ?? []), 2)} MH/s, best ${format(best, 2)}${ratio}`);
});
for (const page of pages) await measurePuzzles(page);
if (pages[0]?.name === 'Chromium') {
  print('Chromium, click to verified', `${format(median(await timeClicks()), 0)} ms`);
}
for (const page of pages) page.close();
rmSync(folder, { recursive: true });
process.exit(0);
