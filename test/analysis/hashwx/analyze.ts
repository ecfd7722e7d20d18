/**
 * `bun test/analysis/hashwx/analyze.ts`: statistics of HashWX for docs/explanation/hashwx.md, as text. Takes 6 to 20 minutes. A number
 * divides the sample sizes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '../../support/random.ts';
import { compileHashwx, hasAvx512 } from './native.ts';

const divisor = Number(process.argv[2] ?? 1);
const sized = (full: number) => Math.ceil(full / divisor);

const PROGRAMS = 3000;
const NONCES = 4096;
const COMPILED = 40;
const WARP = 32;

const random = createRandom(20_261_128);
const randomSeed = () => Uint8Array.from({ length: 32 }, () => random(256));
const folder = mkdtempSync(join(tmpdir(), 'postern-hashwx-'));
const interpreter = compileHashwx(folder, { source: 'native.c' });
const print = (label: string, ...values: (string | number)[]) =>
  console.log(`${label}: ${values.join(', ')}`);

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
const mean = (values: readonly number[]) => sum(values) / values.length;
const deviation = (values: readonly number[]) => {
  const middle = mean(values);
  return Math.sqrt(sum(values.map((value) => (value - middle) ** 2)) / (values.length - 1));
};
const digits = (value: number) => Number(value.toPrecision(4));

/** Whether the programs have more or less hits than chance explains: the chi-squared statistic as a standard normal value. */
function printHits(hits: readonly number[], nonces: number, probability: number): void {
  const expected = nonces * probability;
  const chi = sum(hits.map((count) => (count - expected) ** 2)) / (expected * (1 - probability));
  const z = (chi - hits.length) / Math.sqrt(2 * hits.length);
  print(`hits with probability 1/${1 / probability}`, `programs ${hits.length}`, `nonces ${nonces}`);
  print('  mean, expected', digits(mean(hits)), expected);
  print(
    '  standard deviation, expected',
    digits(deviation(hits)),
    digits(Math.sqrt(expected * (1 - probability))),
  );
  print('  fewest, most', Math.min(...hits), Math.max(...hits));
  print('  chi-squared as a standard normal value', digits(z));
}

function analyzeHits(): void {
  const [programs, nonces] = [sized(PROGRAMS), NONCES];
  const numbers = interpreter.run('hits', randomSeed().toHex(), programs, nonces);
  const column = (at: number) => Array.from({ length: programs }, (_, i) => numbers[3 * i + at] as number);
  printHits(column(0), nonces, 1 / 64);
  printHits(column(1), nonces, 1 / 1024);
}

function analyzeBits(): void {
  const [programs, nonces] = [sized(PROGRAMS), 1000];
  const ones = interpreter.run('bits', randomSeed().toHex(), programs, nonces);
  const hashes = programs * nonces;
  const scores = ones.map((count) => (count - hashes / 2) / Math.sqrt(hashes / 4));
  print(
    `bits of ${hashes} hashes: largest bias in standard deviations`,
    digits(Math.max(...scores.map(Math.abs))),
  );
  print('  sum of squares for 64 bits', digits(sum(scores.map((z) => z ** 2))));
}

/** The compiled programs of some seeds, in alternating windows. The fastest window of each counts. */
function analyzeTimes(): void {
  const hashes = sized(30_000);
  const all = Array.from({ length: sized(COMPILED) }, () => {
    const seed = randomSeed();
    return {
      seed,
      native: compileHashwx(folder, { source: 'native.c', seed }),
      best: Number.POSITIVE_INFINITY,
    };
  });
  for (let window = 0; window < 7; window++) {
    for (const one of all) {
      const [seconds = Number.NaN] = one.native.run('rate', one.seed.toHex(), hashes);
      one.best = Math.min(one.best, (seconds * 1e6) / hashes);
    }
  }
  const times = all.map(({ best }) => best);
  print(`µs/hash of ${all.length} compiled programs: mean`, digits(mean(times)));
  print(
    '  standard deviation, least, most',
    ...[deviation(times), Math.min(...times), Math.max(...times)].map(digits),
  );
}

function analyzeCosts(): void {
  const seed = randomSeed();
  const [creations, hashes] = [sized(20_000), sized(100_000)];
  const best = (run: () => number) => Math.min(...Array.from({ length: 5 }, run));
  const microseconds = (native: typeof interpreter, command: string, count: number) =>
    digits(best(() => ((native.run(command, seed.toHex(), count)[0] ?? Number.NaN) * 1e6) / count));
  print('µs to create the programs of a seed', microseconds(interpreter, 'create', creations));
  print('µs/hash, interpreter in C', microseconds(interpreter, 'rate', hashes));
  print(
    'µs/hash, compiled',
    microseconds(compileHashwx(folder, { source: 'native.c', seed }), 'rate', hashes),
  );
  if (!hasAvx512()) return;
  const lanes = compileHashwx(folder, { source: 'native.c', seed, lanes: 8 });
  print('µs/hash, compiled, 8 lanes of AVX-512', microseconds(lanes, 'rate', hashes));
}

function analyzeWarps(): void {
  for (const lanes of [8, WARP]) {
    const runs = interpreter.run('warps', randomSeed().toHex(), sized(1000), lanes);
    print(`runs of programs by a group of ${lanes} lanes, instead of 512`, digits(mean(runs)));
    print('  share of the lanes that work', digits(512 / mean(runs)));
  }
}

try {
  for (const analyze of [analyzeHits, analyzeBits, analyzeTimes, analyzeCosts, analyzeWarps]) analyze();
} finally {
  rmSync(folder, { recursive: true });
}
