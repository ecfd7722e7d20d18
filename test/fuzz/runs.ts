import { assert, type IAsyncProperty, type IProperty } from 'fast-check';

/** How many cases each property is tried with; nightly runs set FUZZ_RUNS to 100000. */
const RUNS = { numRuns: Number(process.env.FUZZ_RUNS ?? 200) };

/** Many runs take their time. */
export const FUZZ_TIMEOUT_MS = 5000 + RUNS.numRuns * 20;

/** The rule holds for whatever comes. @throws with the smallest case for which it does not */
export function holds<Given>(rule: IProperty<Given>): void {
  // Of a rule without promises, assert makes none.
  void assert(rule, RUNS);
}

/** @see holds */
export function holdsLater<Given>(rule: IAsyncProperty<Given>): Promise<void> {
  return assert(rule, RUNS);
}
