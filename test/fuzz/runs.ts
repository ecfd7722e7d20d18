import { assert, type IAsyncProperty, type IProperty } from 'fast-check';

/** Number of cases per property; nightly runs set FUZZ_RUNS to 100000. */
const RUNS = { numRuns: Number(process.env.FUZZ_RUNS ?? 200) };

/** Timeout in milliseconds. */
export const FUZZ_TIMEOUT_MS = 5000 + RUNS.numRuns * 20;

/** Checks a rule with random cases. @throws with the smallest case that violates it */
export function holds<Given>(rule: IProperty<Given>): void {
  // Synchronous for a synchronous rule.
  void assert(rule, RUNS);
}

/** Checks an asynchronous rule. @see holds */
export function holdsLater<Given>(rule: IAsyncProperty<Given>): Promise<void> {
  return assert(rule, RUNS);
}
