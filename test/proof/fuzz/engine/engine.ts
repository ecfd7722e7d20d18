import { createRandom } from '../../../support/random.ts';
import { beginRun, createSeen, endRun, NO_RANGES, type Seen, TooManyStepsError } from './coverage.ts';
import { minimize } from './minimize.ts';
import { createMutator, type Mutate, type Random } from './mutate.ts';
import { isLargerThan } from './size.ts';
import { DEFAULT_COST, type Target } from './target.ts';

/** A property that did not hold. */
export type Failure = { readonly input: string; readonly message: string; readonly stack: string };

/** The result of fuzzing a target. */
export type Result = {
  readonly runs: number;
  readonly seen: Seen;
  /** The shortest inputs that reach the blocks that were reached, but not by the seeds. */
  readonly corpus: readonly string[];
  /** The highest percentage of its maximum number of steps that an input took. */
  readonly costPercent: number;
  /** Milliseconds of processor time. */
  readonly cpuMs: number;
  /** The smallest input that fails in the same way as the first one that failed; the target then ends. */
  readonly failure: Failure | undefined;
};

export type Options = { readonly runs: number; readonly seed: number; readonly corpus: readonly string[] };

/** Maximum number of values and characters in a result: a constant, plus more for each character of the input. */
const RESULT_SIZE = { fixed: 10_000, perCharacter: 64 };
/** An input is also kept if its cost exceeds that of every earlier input by this factor. */
const COST_GAIN = 1.1;
/** The number of the newest inputs, which are mutated more often than others. */
const NEWEST = 16;

type Outcome = { readonly failure?: Failure; readonly cost: number };

/** @returns the failure of one input, and its steps as a fraction of the maximum */
async function execute(target: Target, input: string): Promise<Outcome> {
  const { fixed, perCharacter } = target.cost ?? DEFAULT_COST;
  const limit = fixed + perCharacter * input.length;
  beginRun(limit);
  try {
    const returned = target.check(input);
    const value = returned instanceof Promise ? await returned : returned;
    const steps = endRun();
    // A parser may have caught the error that ends a run with too many steps.
    if (steps > limit) throw new TooManyStepsError(`more than ${limit} steps`);
    const size = RESULT_SIZE.fixed + RESULT_SIZE.perCharacter * input.length;
    if (isLargerThan(value, size)) throw new Error(`the result is larger than ${size}`);
    return { cost: steps / limit };
  } catch (error) {
    endRun();
    return { failure: toFailure(input, error), cost: 1 };
  }
}

function toFailure(input: string, error: unknown): Failure {
  if (!(error instanceof Error)) return { input, message: `threw ${String(error)}`, stack: '' };
  return { input, message: `${error.name}: ${error.message}`, stack: error.stack ?? '' };
}

/** Failures of the same kind most likely have the same cause. */
function kindOf({ message }: Failure): string {
  return message.slice(0, 40).replace(/\d+/g, '0');
}

/** @returns the failure of one input, if there is one */
export async function failureOf(target: Target, input: string): Promise<Failure | undefined> {
  return (await execute(target, input)).failure;
}

/** Mutates inputs at random, and keeps those that reach something new. Reproducible: equal options give equal results. */
export async function fuzz(target: Target, { runs, seed, corpus: stored }: Options): Promise<Result> {
  const startedAt = process.cpuUsage();
  const random = createRandom(seed);
  const seen = createSeen();
  const corpus: string[] = [];
  let greatestCost = 0;
  let failure: Failure | undefined;
  let done = 0;

  async function run(input: string): Promise<void> {
    done++;
    const outcome = await execute(target, input);
    failure ??= outcome.failure;
    const isCostly = outcome.cost > greatestCost * COST_GAIN;
    greatestCost = Math.max(greatestCost, outcome.cost);
    if (seen.add() > 0 || isCostly) corpus.push(input);
  }

  for (const input of [...target.seeds, ...stored]) {
    await run(input);
    if (failure !== undefined) break;
  }
  const next = createNext(target, corpus, seen, random);
  while (done < runs && failure === undefined) await run(next());
  const { user, system } = process.cpuUsage(startedAt);
  const smallest = failure && (await shrink(target, failure));
  return {
    runs: done,
    seen,
    corpus: await reduce(target, corpus),
    costPercent: 100 * greatestCost,
    cpuMs: (user + system) / 1000,
    failure: smallest,
  };
}

/** @returns the function that makes the next input from those in the corpus */
function createNext(target: Target, corpus: readonly string[], seen: Seen, random: Random): () => string {
  const literals = seen.literals().filter((text) => text.length > 0 && text.length <= 40);
  const mutate = createMutator({
    random,
    max: target.kind === 'text' ? 0xffff : 0xff,
    tokens: [...new Set([...(target.tokens ?? []), ...literals])],
    maxLength: target.maxLength ?? 2000,
  });
  const change: Mutate = (input, other) =>
    target.mutate !== undefined && random(4) > 0
      ? target.mutate(input, other, mutate, random)
      : mutate(input, other);
  const any = () => corpus[random(corpus.length)] ?? '';
  const recent = () => corpus[corpus.length - 1 - random(Math.min(NEWEST, corpus.length))] ?? '';
  return () => change(random(3) === 0 ? recent() : any(), any());
}

async function shrink(target: Target, failure: Failure): Promise<Failure> {
  const kind = kindOf(failure);
  let smallest = failure;
  await minimize(failure.input, async (input) => {
    const other = await failureOf(target, input);
    if (other === undefined || kindOf(other) !== kind) return false;
    smallest = other;
    return true;
  });
  return smallest;
}

/** @returns the shortest inputs that together reach all blocks that the corpus reaches and the seeds do not reach */
async function reduce(target: Target, corpus: readonly string[]): Promise<readonly string[]> {
  const seen = createSeen(NO_RANGES);
  const kept: string[] = [];
  const ordered = corpus.toSorted((a, b) => a.length - b.length);
  for (const input of [...target.seeds, ...ordered]) {
    await execute(target, input);
    if (seen.add() > 0 && !target.seeds.includes(input)) kept.push(input);
  }
  return kept;
}
