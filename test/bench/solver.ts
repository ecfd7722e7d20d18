import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kernelOf } from '../../bundle.ts';
import { openTab } from '../support/browser.ts';
import { openRunners } from './solverRunners.ts';

/**
 * One worker's hashes a second, in Bun and in Chromium, against scalar C in the same run: windows of all take turns, medians are
 * told. Answers are compared first; no time is asserted.
 */

const WINDOW_MS = 200;
const WINDOWS = Number(process.env.BENCH_WINDOWS ?? 9);
const RANGE = 20_000;
const THRESHOLD = 300_000;

const block = new Uint8Array(128);
for (let i = 0; i < 47; i++) block[i] = 251 * (i + 1);
const kernels = [kernelOf('simd'), kernelOf('scalar')] as const;

type Contender = { name: string; attempts: () => Promise<number>; rate: () => Promise<number> };

/** @returns undefined where there is no compiler */
function compileNative(folder: string): Contender | undefined {
  const compiler = Bun.which('clang') ?? Bun.which('gcc');
  if (compiler === null) return undefined;
  const binary = join(folder, 'native');
  const options = ['-O3', '-fno-tree-slp-vectorize', '-o', binary, join(import.meta.dir, 'solverNative.c')];
  if (!Bun.spawnSync([compiler, ...options]).success) return undefined;
  const run = (count: number, threshold: number) => {
    const words = [binary, block.toHex(), '1', '0', String(count), String(threshold)];
    return Bun.spawnSync(words).stdout.toString().split(' ').map(Number) as [number, number];
  };
  return {
    name: 'native scalar C',
    attempts: async () => run(RANGE, THRESHOLD)[0],
    rate: async () => 3 / run(3_000_000, 0)[1],
  };
}

async function inBun(): Promise<Contender[]> {
  return (await openRunners(block, kernels)).map((runner) => ({
    name: `Bun, ${runner.name}`,
    attempts: async () => runner.attempts(RANGE, THRESHOLD),
    rate: async () => runner.rate(WINDOW_MS),
  }));
}

async function inChromium(): Promise<Contender[]> {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, 'solverRunners.ts')],
    target: 'browser',
    format: 'iife',
  });
  const tab = await openTab();
  await tab.evaluate(`(0, eval)(${JSON.stringify(await outputs[0]?.text())}), 0`);
  const [ofBlock, simd, scalar] = [block, ...kernels].map(
    (bytes) => `Uint8Array.fromHex('${bytes.toHex()}')`,
  );
  const names = await tab.evaluate<string[]>(
    `posternRunners(${ofBlock}, [${simd}, ${scalar}]).then((opened) => (globalThis.runners = opened).map(({ name }) => name))`,
  );
  return names.map((name, i) => ({
    name: `Chromium, ${name}`,
    attempts: () => tab.evaluate<number>(`runners[${i}].attempts(${RANGE}, ${THRESHOLD})`),
    rate: () => tab.evaluate<number>(`runners[${i}].rate(${WINDOW_MS})`),
  }));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

const folder = mkdtempSync(join(tmpdir(), 'postern-bench-'));
const native = compileNative(folder);
if (native === undefined) console.log('SKIPPED: no C compiler, so nothing to compare with');
const browser = await inChromium().catch((cause: unknown) => {
  console.log(`SKIPPED: no Chromium: ${cause}`);
  return [];
});
const contenders = [...(native ? [native] : []), ...(await inBun()), ...browser];

// One after another: a tab takes one question at a time.
const answers: number[] = [];
for (const { attempts } of contenders) answers.push(await attempts());
if (answers[0] === 0 || new Set(answers).size !== 1) throw new Error(`they disagree: ${answers}`);

const rates = contenders.map((): number[] => []);
for (let window = 0; window < WINDOWS; window++) {
  for (const [i, { rate }] of contenders.entries()) rates[i]?.push(await rate());
}
contenders.forEach(({ name }, i) => {
  const ratios = (rates[i] ?? []).map((rate, window) => rate / (rates[0]?.[window] ?? Number.NaN));
  const ratio = native ? ` ${median(ratios).toFixed(2).padStart(6)} x native` : '';
  console.log(
    `${name.padEnd(26)} ${median(rates[i] ?? [])
      .toFixed(2)
      .padStart(6)} MH/s${ratio}`,
  );
});
rmSync(folder, { recursive: true });
process.exit(0);
