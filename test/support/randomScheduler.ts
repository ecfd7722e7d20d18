import { createRandom } from './random.ts';
import { createVirtualTime, type VirtualTime } from './virtualTime.ts';

/** Runs the events of a test in a random order that its seed repeats, and finds promises that never settle. */
export type RandomScheduler = {
  /** @returns an integer, 0 to `below` - 1 */
  readonly random: (below: number) => number;
  /** Its timers are among the events. */
  readonly time: VirtualTime;
  /** Waits until the scheduler chooses to continue, as for a resource that answers at some time. */
  readonly hold: () => Promise<void>;
  /** Like `hold`, but rejects every fourth time. */
  readonly holdOrFail: () => Promise<void>;
  /** Returns a promise that must settle before the end of `run`. Either result is fine. */
  readonly mustSettle: <T>(name: string, promise: Promise<T>) => Promise<T>;
  /**
   * Starts the actions in their order. In between, and until nothing is left to do, it lets time pass and continues what is held, in a
   * random order.
   *
   * @throws (rejects) if a promise of `mustSettle` cannot settle anymore
   */
  readonly run: (actions: readonly (() => void)[]) => Promise<void>;
};

function createRandomScheduler(seed: number): RandomScheduler {
  const random = createRandom(seed);
  const time = createVirtualTime();
  const held: (() => void)[] = [];
  const unsettled = new Set<string>();

  const hold = (isFailing: () => boolean) =>
    new Promise<void>((resolve, reject) => {
      held.push(() => (isFailing() ? reject(new Error('the scheduler chose a failure')) : resolve()));
    });

  return {
    random,
    time,
    hold: () => hold(() => false),
    holdOrFail: () => hold(() => random(4) === 0),
    mustSettle(name, promise) {
      unsettled.add(name);
      const settle = () => void unsettled.delete(name);
      promise.then(settle, settle);
      return promise;
    },
    async run(actions) {
      const remaining = [...actions];
      for (;;) {
        const event = random(3);
        if (event === 0 && remaining.length > 0) {
          remaining.shift()?.();
          // Some actions start in the same iteration of the event loop.
          if (random(2) === 0) await pass();
        } else if (event === 1 && held.length > 0) {
          held.splice(random(held.length), 1)[0]?.();
          await pass();
        } else if (event === 2 && !(await time.step()) && remaining.length + held.length === 0) {
          break;
        }
      }
      if (unsettled.size > 0) throw new Error(`never settled: ${[...unsettled].join(', ')}`);
    },
  };
}

/** Waits for the callbacks of promises and of `setImmediate`, and for those that they start. */
async function pass(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** Runs a test with the seeds from 1 to `count`. @throws (rejects) with the seed of the first failure */
export async function withSeeds(
  count: number,
  run: (scheduler: RandomScheduler) => Promise<void>,
): Promise<void> {
  for (let seed = 1; seed <= count; seed++) {
    try {
      await run(createRandomScheduler(seed));
    } catch (error) {
      throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : error}`, { cause: error });
    }
  }
}
