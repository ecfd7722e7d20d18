import type { Growth } from '../../src/model/propertyFields.ts';
import { createSource } from './random.ts';
import { play, SCENARIOS, type Scenario } from './scenarios.ts';
import { type Code, type Group, LEVEL } from './world.ts';

/** What a scenario shows about a group. Factors are multiples of the work of the level. */
export type Summary = {
  readonly group: string;
  readonly isAttacker: boolean;
  readonly puzzles: number;
  /** The mean factor. */
  readonly mean: number;
  /** Factors of the puzzle that is at least as hard as 50, 95, and 99% of the puzzles. */
  readonly factors: readonly [p50: number, p95: number, p99: number];
  /** Hashes for whole puzzles at level 128, in millions: 50, 95, and 99% need at most as many. */
  readonly megahashes: readonly [p50: number, p95: number, p99: number];
  /** The mean factor of each fiftieth of the measured time; null without puzzles. */
  readonly course: readonly (number | null)[];
};

/** The summaries by the name of the scenario. */
export type Results = Readonly<Record<string, readonly Summary[]>>;

export type Options = { readonly code: Code; readonly growth: Growth; readonly seed: number };

const COURSE = 50;
const SOLUTIONS = 16;

export const factorOf = (rise: number): number => 2 ** (rise / 8);

/** Runs scenarios, by default all. */
export function simulate(options: Options, scenarios: readonly Scenario[] = SCENARIOS): Results {
  return Object.fromEntries(
    scenarios.map((scenario) => [
      scenario.name,
      summariesOf(scenario, play(scenario, options), options.seed),
    ]),
  );
}

/** Summarizes the groups that requested puzzles in the measured time. */
export function summariesOf(scenario: Scenario, groups: readonly Group[], seed: number): readonly Summary[] {
  return groups.filter(({ times }) => times.length > 0).map((group) => summarize(group, scenario, seed));
}

function summarize({ name, isAttacker, times, rises }: Group, { period }: Scenario, seed: number): Summary {
  const factors = Float64Array.from(rises, factorOf);
  const random = createSource(seed);
  // The work of a puzzle is random. Samples of 50,000 puzzles are enough for a 99th percentile.
  const step = Math.ceil(factors.length / 50_000);
  const sampled = factors.filter((_, index) => index % step === 0);
  const hashes = sampled.map((factor) => random.gamma(SOLUTIONS) * factor * 2 ** (LEVEL / 8));
  return {
    group: name,
    isAttacker,
    puzzles: factors.length,
    mean: round(mean(factors)),
    factors: quantiles(factors.toSorted()),
    megahashes: quantiles(hashes.map((count) => count / 1e6).toSorted()),
    course: courseOf(times, factors, period),
  };
}

function courseOf(times: readonly number[], factors: Float64Array, { from, until }: Scenario['period']) {
  const sums = new Float64Array(COURSE);
  const counts = new Float64Array(COURSE);
  times.forEach((time, index) => {
    const part = Math.floor(((time - from) / (until - from)) * COURSE);
    sums[part] = (sums[part] ?? 0) + (factors[index] ?? 0);
    counts[part] = (counts[part] ?? 0) + 1;
  });
  return Array.from(sums, (sum, part) => {
    const count = counts[part] ?? 0;
    return count === 0 ? null : round(sum / count);
  });
}

function quantiles(sorted: Float64Array): readonly [number, number, number] {
  const at = (share: number) => round(sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN);
  return [at(0.5), at(0.95), at(0.99)];
}

const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Four significant digits. */
const round = (value: number) => Number(value.toPrecision(4));
