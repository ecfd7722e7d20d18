import type { Challenge } from '../model/propertyFields.ts';
import { expectedAttempts } from '../puzzle/check.ts';
import { minLevelOf, NEWEST_VERSION, workFor } from '../puzzle/kinds.ts';

/** Returns the lowest level of puzzles of a kind. Below it, puzzles require BLAKE2b. */
export const lowestLevelOf: (challenge: Challenge) => number = minLevelOf;

type Solver = {
  /** Hashes per second of the whole device. */
  readonly rates: Readonly<Record<Challenge, number>>;
  /** The price of renting it; undefined for devices that visitors own. */
  readonly dollarsPerHour?: number;
};

/**
 * Solvers of puzzles, from slow to fast. docs/explanation/proof-of-work.md#what-a-puzzle-costs names the source of each number. Rates of
 * visitors are rather too low, those of attackers rather too high.
 */
export const SOLVERS = {
  /**
   * Assumed: BLAKE2b at the speed of a desktop browser without WebAssembly. For argon2id, a phone of 2013 takes 4.5 s for 3 passes over
   * 64 MiB in a browser without SIMD; two workers. @see https://github.com/bitwarden/clients/pull/4578
   * HashWX: assumed, the laptop's rate divided by 2.2.
   */
  slowPhone: { rates: { blake2b: 1e6, argon2id: 5, hashwx: 320e3 } },
  /**
   * Estimated: BLAKE2b at a quarter of the laptop's rate. For argon2id, phones of 2022 take 0.15 s for 3 passes over 64 MiB in native code
   * with four threads; half of that rate in a browser. @see https://github.com/ava-labs/core-mobile/pull/370
   * HashWX: between the rates of the slow phone and the laptop (their geometric mean).
   */
  phone: { rates: { blake2b: 8e6, argon2id: 40, hashwx: 470e3 } },
  /**
   * Measured: two workers in Chromium on two cores. For argon2id, 7.6 ms for each hash of a worker: the best of 25 windows on a busy machine.
   * In another run, it was 5.4 ms. @see docs/project/experiments.md#solver
   * HashWX: 340,000 (Firefox) to 370,000 (Chromium) for each worker, measured with a prototype.
   */
  laptop: { rates: { blake2b: 31e6, argon2id: 260, hashwx: 700e3 } },
  /**
   * Measured: native code on one core. BLAKE2b with AVX-512 (4.1 times the rate of scalar code; AVX2: 2.2 times). The price is that of two
   * of the eight threads of a server for 14.58 EUR a month. @see https://docs.rs/pow-buster
   * HashWX: programs compiled to native code. Eight lanes with AVX-512 are at most 1.02 times as fast.
   */
  serverCore: { rates: { blake2b: 40e6, argon2id: 280, hashwx: 447e3 }, dollarsPerHour: 0.005 },
  /**
   * Published, NVIDIA RTX 4090: hashcat's rate of BLAKE2b-512 (mode 600). For argon2id, hashcat's rate of 1,667 hashes per second with 64 MiB
   * and 3 passes, scaled by memory traffic: (3 × passes − 1) × memory. The price is that of a rented card.
   * @see https://github.com/dosoos/hashcat_speeds/blob/76b4d462c7d87f292bba2d7a480f7f9cd4900430/benchmarks/RTX4090.txt
   * @see https://github.com/hashcat/hashcat/pull/4284
   * @see https://github.com/OWASP/CheatSheetSeries/issues/595
   * @see https://deploybase.ai/articles/rtx-4090-cloud
   * HashWX: the rate of an RTX 5060 Ti, as published by the author of HashWX, scaled by the number of cores (16,384 and 4,608). We have
   * not measured it. @see https://github.com/tevador/hashwx
   */
  gpu: {
    rates: { blake2b: 13_072e6, argon2id: (1667 * (8 * 64)) / (2 * 16), hashwx: (5.5e6 * 16_384) / 4608 },
    dollarsPerHour: 0.34,
  },
} as const satisfies Readonly<Record<string, Solver>>;

export type SolverName = keyof typeof SOLVERS;

export const SOLVER_NAMES = Object.keys(SOLVERS) as readonly SolverName[];

/** The work of a puzzle. */
export type Work = {
  /** The kind of the puzzle, which is BLAKE2b if the level is too low for the property's kind. */
  readonly challenge: Challenge;
  /** The average number of hashes. */
  readonly attempts: number;
};

/** @param level integer, 1..255, after growth @param challenge the kind that the property is set to */
export function workOf(level: number, challenge: Challenge): Work {
  const work = workFor(challenge, level, NEWEST_VERSION);
  return { challenge: work.challenge, attempts: expectedAttempts(work.difficulty) * work.solutionCount };
}

/** Returns the average time that a solver needs for one puzzle, without the time to load the widget and start its workers. */
export function solveSeconds(work: Work, solver: SolverName): number {
  return work.attempts / SOLVERS[solver].rates[work.challenge];
}

/**
 * Returns the price in US dollars of a million puzzles that each take a device one second, on the cheapest rented solver.
 *
 * @param device a device that visitors own
 */
export function dollarsPerMillionSeconds(challenge: Challenge, device: SolverName): number {
  const prices = SOLVER_NAMES.map((solver) =>
    solveDollars({ challenge, attempts: SOLVERS[device].rates[challenge] }, solver, 1e6),
  );
  return Math.min(...prices.filter((price) => price !== undefined));
}

/** Returns the price in US dollars of solving `puzzles` puzzles on a rented solver; undefined for devices that visitors own. */
export function solveDollars(work: Work, solver: SolverName, puzzles: number): number | undefined {
  const { dollarsPerHour }: Solver = SOLVERS[solver];
  return dollarsPerHour === undefined
    ? undefined
    : (solveSeconds(work, solver) / 3600) * dollarsPerHour * puzzles;
}
