import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kernelOf } from '../../../build/bundle.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/propertyFields.ts';
import type { Lab } from '../harness/lab.ts';
import { type Row, type Target, toRow } from '../harness/row.ts';
import { loadScripts, openPages, type Page } from '../solver/browsers.ts';
import type { PuzzleTime } from '../solver/puzzle.ts';
import { openRunners } from '../solver/runners.ts';
import type { Part } from './part.ts';

const WINDOW_MS = 60;
const WINDOWS = 25;
const QUICK_WINDOWS = 2;
const PUZZLES = 15;
const THREADS = 2;
const RANGE = 20_000;
const THRESHOLD = 300_000;
/** Of the whole puzzle, relative to the hashes alone, and additional milliseconds. */
const PUZZLE_LIMIT = { factor: 1.35, ms: 20 };

const block = new Uint8Array(128);
for (let i = 0; i < 47; i++) block[i] = 251 * (i + 1);
const kernel = kernelOf('scalar');

type Contender = { name: string; attempts: () => Promise<number>; rate: () => Promise<number> };

const atLeast = (required: number, goal: number, of: Target['of'] = 'ratio'): Target => ({
  of,
  bound: 'at least',
  required,
  goal,
});

const TARGETS: Readonly<Record<string, Target>> = {
  'Chromium, SIMD': atLeast(1.1, 1.4),
  'Firefox, SIMD': atLeast(1.1, 1.4),
  'Chromium, scalar': atLeast(0.75, 0.95),
  'Bun, SIMD': atLeast(1, 1.15),
  'Bun, JavaScript': atLeast(1, 1.5, 'value'),
  'Chromium, JavaScript': atLeast(1, 1.5, 'value'),
  'Firefox, JavaScript': atLeast(1, 1.5, 'value'),
};

/** Native code: scalar, as the baseline, and with vectors, as an attacker would use. */
const NATIVE: readonly {
  readonly name: string;
  readonly flag?: string;
  readonly options: readonly string[];
}[] = [
  { name: 'scalar C', options: ['-fno-tree-slp-vectorize'] },
  { name: 'C with AVX2', flag: 'avx2', options: ['-mavx2', '-DLANES=4'] },
  {
    name: 'C with AVX-512',
    flag: 'avx512f',
    options: ['-mavx512f', '-mprefer-vector-width=512', '-DLANES=8'],
  },
];

/** @returns the variants that the processor supports, scalar first; none if no compiler is installed */
export function compileNative(folder: string): Contender[] {
  const compiler = Bun.which('clang') ?? Bun.which('gcc');
  if (compiler === null) return [];
  const flags = existsSync('/proc/cpuinfo') ? readFileSync('/proc/cpuinfo', 'utf8').split(/\s+/) : [];
  const supported = NATIVE.filter(({ flag }) => flag === undefined || flags.includes(flag));
  return supported.flatMap(({ name, options }, index) => {
    const binary = join(folder, `native${index}`);
    const source = join(import.meta.dir, '../solver/native.c');
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
  return (await openRunners(block, kernel)).map((runner) => ({
    name: `Bun, ${runner.name}`,
    attempts: async () => runner.attempts(RANGE, THRESHOLD),
    rate: async () => runner.rate(WINDOW_MS),
  }));
}

/** Loads the runners and the pool of workers into the page. */
async function load(page: Page): Promise<void> {
  await loadScripts(
    page,
    ['test/bench/solver/runners.ts', 'test/bench/solver/puzzle.ts'],
    'src/widget/worker.ts',
  );
  const [ofBlock, ofKernel] = [block, kernel].map((bytes) => `Uint8Array.fromHex('${bytes.toHex()}')`);
  await page.evaluate(
    `posternRunners(${ofBlock}, ${ofKernel}).then((opened) => void (globalThis.runners = opened))`,
  );
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
async function measurePuzzles({ name, evaluate }: Page, count: number): Promise<Row> {
  const { level } = DEFAULT_SETTINGS;
  const values: number[] = [];
  const limits: number[] = [];
  for (let seed = 0; seed < count; seed++) {
    const rate = await evaluate<number>(`runners[0].rate(${WINDOW_MS})`);
    const { elapsedMs, hashes } = await evaluate<PuzzleTime>(
      `posternPuzzle(posternSolver, { seed: ${seed}, level: ${level}, threadCount: ${THREADS} })`,
    );
    values.push(elapsedMs);
    limits.push((PUZZLE_LIMIT.factor * hashes) / (THREADS * rate * 1000) + PUZZLE_LIMIT.ms);
  }
  return toRow({
    name: `${name}, a whole puzzle at the default level, two workers`,
    unit: 'ms',
    values,
    yardstick: { name: '1.35 × hashes ÷ (workers × rate) + 20 ms', values: limits },
    target: { of: 'ratio', bound: 'at most', required: 1 },
  });
}

async function measureRates(contenders: readonly Contender[], windows: number): Promise<Row[]> {
  const rates = contenders.map((): number[] => []);
  for (let window = 0; window < windows; window++) {
    for (const [i, { rate }] of contenders.entries()) rates[i]?.push(await rate());
  }
  const native = rates[0] ?? [];
  return contenders.map(({ name }, i) =>
    toRow({
      name,
      unit: 'MH/s',
      values: rates[i] ?? [],
      ...(i > 0 && { yardstick: { name: 'scalar C', values: native } }),
      ...(TARGETS[name] && { target: TARGETS[name] }),
    }),
  );
}

/** @throws if the implementations find different solutions */
async function checkResults(contenders: readonly Contender[]): Promise<void> {
  // Sequentially, because a tab evaluates one expression at a time.
  const results: number[] = [];
  for (const { attempts } of contenders) results.push(await attempts());
  if (results[0] === 0 || new Set(results).size !== 1) throw new Error(`the results differ: ${results}`);
}

async function run({ folder, duration, defer, progress }: Lab): Promise<readonly Row[]> {
  const pages = await openPages(defer, progress);
  for (const page of pages) await load(page);
  const contenders = [...compileNative(folder), ...(await inBun())];
  for (const page of pages) contenders.push(...(await inPage(page)));
  await checkResults(contenders);
  const rows = await measureRates(contenders, duration.isQuick ? QUICK_WINDOWS : WINDOWS);
  for (const page of pages) rows.push(await measurePuzzles(page, duration.isQuick ? 1 : PUZZLES));
  return rows;
}

export const solver: Part = {
  name: 'solver',
  title: 'Solving BLAKE2b puzzles',
  method:
    'Millions of hashes per second of one thread, in 25 windows of 60 ms for each implementation; all implementations take turns. The baseline is the same search in scalar C, with unrolled rounds and without the zero words. C with vectors shows what an attacker reaches with one core. The results of all implementations are compared before the measurement. The libraries hash-wasm, @noble/hashes, and blakejs are called once for each hash, as in normal use. Browsers run in headless mode; their figures are from the main thread of a page.',
  limitSeconds: 180,
  isMissing: () => ((Bun.which('clang') ?? Bun.which('gcc')) ? undefined : 'no C compiler is installed'),
  run,
};
