import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Suite, Test } from './harness.ts';

/** Runs collected tests. */

/** Thrown if a test or a hook does not end in time. */
export class TooSlowError extends Error {
  override readonly name = 'TooSlowError';
}

// Tests replace it.
const { setTimeout, clearTimeout } = globalThis;

const MIN_STOLEN_MS = 50;

/** Milliseconds for which the threads of this process could have run, but other processes used the cores. */
function stolenMs(): number {
  const tasks = '/proc/self/task';
  if (!existsSync(tasks)) return 0;
  const nanoseconds = readdirSync(tasks).map((task) => {
    try {
      return Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[1]);
    } catch {
      // The thread has ended.
      return 0;
    }
  });
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6;
}

/**
 * Waits for the work, at most twice as long as the limit. If other processes use the cores in the second half, their time is added:
 * a busy machine must not make a test fail.
 */
async function within(limitMs: number, work: () => unknown): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  let timer: Timer | undefined;
  function waitAgain(ms: number): void {
    const before = stolenMs();
    timer = setTimeout(() => {
      const stolen = stolenMs() - before;
      if (stolen > MIN_STOLEN_MS) waitAgain(stolen);
      else reject(new TooSlowError(`more than ${limitMs} ms`));
    }, ms);
  }
  timer = setTimeout(() => waitAgain(limitMs), limitMs);
  try {
    await Promise.race([work(), promise]);
  } finally {
    clearTimeout(timer);
  }
}

export const isTest = (child: Suite | Test): child is Test => 'run' in child;

export function testsOf(suite: Suite): readonly Test[] {
  return suite.children.flatMap((child) => (isTest(child) ? [child] : testsOf(child)));
}

export type Play = {
  readonly isChosen: (test: Test) => boolean;
  /** Milliseconds. */
  readonly limitOf: (test: Test) => number;
  /** Milliseconds. */
  readonly hookLimit: number;
  /** The order of the tests and suites of a suite. */
  readonly ordered?: (suite: Suite) => readonly (Suite | Test)[];
  readonly onStart?: (test: Test) => void;
  /** Called after each test with its error. @returns whether to continue */
  readonly onEnd: (test: Test, error: unknown) => boolean;
  /** Called after the hooks that precede the tests of a suite, and after those that follow them. */
  readonly onHooks?: (suite: Suite) => void;
};

/** Runs the chosen tests. Hooks that fail count as a failure of the suite's first test. @returns whether to continue */
export async function play(suite: Suite, options: Play, outer: readonly Suite[] = []): Promise<boolean> {
  const chosen = testsOf(suite).filter(options.isChosen);
  const [first] = chosen;
  if (first === undefined) return true;
  const suites = [...outer, suite];
  let continues = true;
  try {
    const failure = await failureOf(suite.hooks.beforeAll, options.hookLimit);
    options.onHooks?.(suite);
    if (failure !== undefined) return options.onEnd(first, failure.error);
    for (const child of options.ordered?.(suite) ?? suite.children) {
      if (!isTest(child)) continues = await play(child, options, suites);
      else if (options.isChosen(child)) {
        options.onStart?.(child);
        const failure = await runTest(child, suites, options);
        continues = options.onEnd(child, failure?.error);
      }
      if (!continues) return false;
    }
  } finally {
    const failure = await failureOf(suite.hooks.afterAll, options.hookLimit);
    options.onHooks?.(suite);
    if (failure !== undefined && continues) continues = options.onEnd(first, failure.error);
  }
  return continues;
}

type Failure = { readonly error: unknown };

async function failureOf(works: readonly (() => unknown)[], limitMs: number): Promise<Failure | undefined> {
  let failure: Failure | undefined;
  for (const work of works) {
    try {
      await within(limitMs, work);
    } catch (error) {
      failure ??= { error: error ?? new Error('undefined was thrown') };
    }
  }
  return failure;
}

async function runTest(test: Test, suites: readonly Suite[], options: Play): Promise<Failure | undefined> {
  const { hookLimit } = options;
  const before = suites.flatMap(({ hooks }) => hooks.beforeEach);
  const after = suites.toReversed().flatMap(({ hooks }) => hooks.afterEach);
  const failure =
    (await failureOf(before, hookLimit)) ?? (await failureOf([test.run], options.limitOf(test)));
  const afterFailure = await failureOf(after, hookLimit);
  return failure ?? afterFailure;
}
