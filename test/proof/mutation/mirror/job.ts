/** What the runner asks of a process, and what the process answers. */

/**
 * `record`: runs the tests twice without a mutant, and notes which mutants each of them reaches.
 * `warm`: loads the modules once, and runs the tests with each mutant.
 * `reload`: loads the modules again for each mutant, because their first lines reach it.
 * `single`: like `reload`, for one mutant in a new process, whose failure needs no confirmation.
 */
export type Mode = 'record' | 'warm' | 'reload' | 'single';

export type Job = {
  readonly mode: Mode;
  /** Path of the test file below the root. */
  readonly file: string;
  readonly mutants: readonly Order[];
  /** By the number of the test. */
  readonly costs: readonly Cost[];
  /** Milliseconds of all hooks of the file. */
  readonly hookMs: number;
  /** Whether the tests run in the order of the file, because they depend on each other; otherwise, the fastest ones run first. */
  readonly isInOrder: boolean;
};

/** A mutant and the numbers of the tests to run. */
export type Order = { readonly mutant: number; readonly tests: readonly number[] };

/** Milliseconds, and passes of loops, without a mutant. */
export type Cost = { readonly ms: number; readonly steps: number };

/**
 * `missed`: no test reached the mutant this time, for example because a value is computed only once.
 * `unsure`: a test failed, and then also without the mutant.
 */
export type Verdict = 'killed' | 'survived' | 'slow' | 'missed' | 'unsure';

export type TestRecord = Cost & {
  /** Milliseconds of processor time, which depend less on other processes. */
  readonly cpuMs: number;
  readonly reached: readonly number[];
  readonly passed: boolean;
};

export type FileRecord = {
  /** The mutants that are reached when the modules are loaded. */
  readonly loaded: readonly number[];
  readonly tests: readonly TestRecord[];
  /** Milliseconds of all hooks. */
  readonly hookMs: number;
  readonly hookCpuMs: number;
  /** Milliseconds of processor time that loading the modules takes. */
  readonly loadCpuMs: number;
  /** Whether the tests also pass a second time, in another order. */
  readonly isRepeatable: boolean;
};

export type Answer =
  | { readonly start: number }
  | { readonly mutant: number; readonly verdict: Verdict }
  | { readonly record: FileRecord };

/** Precedes an answer in the output of a process. */
export const MARK = '@@mutation ';
