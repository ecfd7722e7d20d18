import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test';
import { type Runner, type RunnerOptions, startRunner } from '../../src/background/runner.ts';
import { createLog } from '../../src/lib/log.ts';
import type { Instant } from '../../src/lib/time.ts';
import type { TaskStep } from '../../src/model/ports.ts';
import type { Task } from '../../src/model/task.ts';
import { createFakeTasks, type FakeTasks, numberOf } from './fakeTasks.ts';

const MINUTE = 60_000;
const realImmediate = globalThis.setImmediate;

let tasks: FakeTasks;
let time: number;
let isPaused: boolean;
let failures: unknown[];
let logged: Record<string, unknown>[];
let runner: Runner | undefined;
/** Plans that wait for the network: their number, and how they end. */
let plans: Map<number, PromiseWithResolvers<readonly TaskStep[]>>;
/** Every plan that was begun. */
let begun: number[];

beforeEach(() => {
  jest.useFakeTimers();
  tasks = createFakeTasks();
  time = 0;
  isPaused = false;
  failures = [];
  logged = [];
  plans = new Map();
  begun = [];
});

afterEach(() => {
  runner?.stop();
  runner = undefined;
  jest.useRealTimers();
});

const stepsOf = ({ order }: Task): readonly TaskStep[] =>
  order.items.map((id) => ({ do: 'delete', id: id as never }));

/** All that goes on without the clock. */
async function settle(turns = 8): Promise<void> {
  for (let i = 0; i < turns; i++) await new Promise<void>((resolve) => realImmediate(resolve));
}

/** Turns the clock, a look at a time. */
async function turn(milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += 1000) {
    time += 1000;
    jest.advanceTimersByTime(1000);
    await settle(4);
  }
}

async function start(more: Partial<RunnerOptions> = {}): Promise<Runner> {
  let random = 0;
  runner = await startRunner({
    tasks,
    plan: async (task) => {
      begun.push(numberOf(task));
      return stepsOf(task);
    },
    isPaused: () => isPaused,
    onFailure: (error) => failures.push(error),
    clock: () => time as Instant,
    random: (bytes) => bytes.fill(++random),
    log: createLog({
      level: 'info',
      format: 'json',
      clock: () => time as Instant,
      write: (line) => logged.push(JSON.parse(line)),
    }),
    ...more,
  });
  await settle();
  return runner;
}

/** Planning that waits until the test ends it. */
const waiting: Pick<RunnerOptions, 'plan'> = {
  plan(task) {
    const plan = Promise.withResolvers<readonly TaskStep[]>();
    begun.push(numberOf(task));
    plans.set(numberOf(task), plan);
    return plan.promise;
  },
};

async function endPlan(number: number, ending: 'well' | 'badly' = 'well'): Promise<void> {
  if (ending === 'well') plans.get(number)?.resolve([{ do: 'delete', id: 1 as never }]);
  else plans.get(number)?.reject(new Error('broken'));
  await settle();
}

const written = (what: string) => tasks.written.filter((line) => line.startsWith(what));
const eventsOf = (event: string) => logged.filter((line) => line.event === event);

describe('the order', () => {
  test("one user's tasks end one after another, in the order given", async () => {
    for (let i = 0; i < 5; i++) tasks.add(1);
    await start();
    await settle(40);
    const each = [1, 2, 3, 4, 5].flatMap((number) => [`claim ${number}`, `finish ${number}`]);
    expect(tasks.written).toEqual(['release', ...each]);
  });

  test("the next of a user's tasks is not planned while one is", async () => {
    for (let i = 0; i < 2; i++) tasks.add(1);
    await start(waiting);
    await turn(3000);
    expect(begun).toEqual([1]);
    await endPlan(1);
    expect(begun).toEqual([1, 2]);
  });

  test('users go side by side: the quick one ends while the slow one is planned', async () => {
    for (const user of [1, 2, 2]) tasks.add(user);
    await start(waiting);
    expect(begun).toEqual([1, 2]);
    await endPlan(2);
    await endPlan(3);
    expect(written('finish')).toEqual(['finish 2', 'finish 3']);
  });

  test('64 users at once, and the next when one of them has ended', async () => {
    for (let user = 1; user <= 70; user++) tasks.add(user);
    await start(waiting);
    await settle(100);
    expect(begun).toHaveLength(64);
    await turn(2000);
    expect(begun).toHaveLength(64);
    await endPlan(40);
    expect(begun).toHaveLength(65);
    expect(begun.at(-1)).toBe(65);
  });

  // A thousand tasks that needed no network were carried out in one go, and no visitor got a puzzle for seconds.
  test('between two writes requests get their turn', async () => {
    for (let user = 1; user <= 4; user++) for (let i = 0; i < 3; i++) tasks.add(user);
    await start();
    let most = 0;
    while (written('finish').length < 12) {
      const before = tasks.written.length;
      await settle(1);
      most = Math.max(most, tasks.written.length - before);
    }
    expect(most).toBe(1);
  });
});

describe('a nudge', () => {
  test('wakes at once, without the clock', async () => {
    const { nudge } = await start();
    tasks.add(1);
    await settle();
    expect(begun).toEqual([]);
    nudge();
    await settle();
    expect(written('finish')).toEqual(['finish 1']);
  });

  test('during a look that is past it is not lost', async () => {
    const { claim } = tasks;
    let hasCome = false;
    const late: FakeTasks = {
      ...tasks,
      async claim(lease, now) {
        const found = await claim(lease, now);
        if (found === undefined && !hasCome) {
          hasCome = true;
          tasks.add(1);
          runner?.nudge();
        }
        return found;
      },
    };
    const { nudge } = await start({ tasks: late });
    // The look at the start came before there was a runner to nudge.
    hasCome = false;
    nudge();
    await settle();
    expect(written('finish')).toEqual(['finish 1', 'finish 2']);
  });

  test('that never comes costs a second', async () => {
    await start();
    tasks.add(1);
    await turn(1000);
    expect(written('finish')).toEqual(['finish 1']);
  });
});

describe('in maintenance', () => {
  test('nothing is taken up, and all of it afterwards', async () => {
    isPaused = true;
    tasks.add(1);
    const { nudge } = await start();
    nudge();
    await turn(3000);
    expect(tasks.written).toEqual(['release']);
    isPaused = false;
    await turn(1000);
    expect(written('finish')).toEqual(['finish 1']);
  });

  // It was written all the same, where the planning had begun before.
  test('nothing is written of what was planned before it began; it ends afterwards, planned once', async () => {
    for (const user of [1, 2]) tasks.add(user);
    await start(waiting);
    isPaused = true;
    const before = tasks.written.length;
    await endPlan(1);
    await endPlan(2, 'badly');
    await turn(3 * MINUTE);
    expect(tasks.written).toHaveLength(before);
    isPaused = false;
    await turn(1000);
    expect(tasks.written.slice(before)).toEqual(['finish 1', 'postpone 2']);
    expect(begun).toEqual([1, 2]);
  });

  test('no lease is renewed', async () => {
    tasks.add(1);
    await start(waiting);
    isPaused = true;
    await turn(MINUTE);
    expect(written('renew')).toEqual([]);
  });
});

describe('planning that breaks down', () => {
  test('is tried again after 5, 10, 15, 20 and 25 s; then every item is refused, and the next task goes on', async () => {
    tasks.add(1, 3);
    tasks.add(1);
    const plan = async (task: Task) => {
      begun.push(numberOf(task));
      if (numberOf(task) === 1) throw new Error('broken');
      return stepsOf(task);
    };
    await start({ plan });
    const from: number[] = [];
    for (let i = 0; i < 80; i++) {
      if (tasks.postponedTo.length > from.length) from.push(time);
      await turn(1000);
    }
    expect(tasks.postponedTo.map((until, i) => until - (from[i] ?? 0))).toEqual([
      5000, 10_000, 15_000, 20_000, 25_000,
    ]);
    expect(begun).toEqual([1, 1, 1, 1, 1, 2]);
    const refusal = { do: 'refuse', result: { problem: 'internal-error' } } as const;
    expect(tasks.steps.get(1)).toEqual([refusal, refusal, refusal]);
    expect(written('finish')).toEqual(['finish 1', 'finish 2']);
    expect(eventsOf('task-failed').map(({ failures }) => failures)).toEqual([1, 2, 3, 4, 5]);
    expect(eventsOf('task-finished')[0]).toMatchObject({ items: 3, refused: 3 });
  });

  test("holds up nobody else's tasks", async () => {
    for (const user of [1, 2]) tasks.add(user);
    await start(waiting);
    await endPlan(1, 'badly');
    await endPlan(2);
    expect(written('finish')).toEqual(['finish 2']);
  });
});

describe('a lease', () => {
  test('is renewed every quarter of a minute, as long as planning takes', async () => {
    tasks.add(1);
    await start(waiting);
    await turn(2 * MINUTE + 5000);
    expect(written('renew')).toHaveLength(8);
    expect(begun).toEqual([1]);
    await endPlan(1);
    await turn(MINUTE);
    expect(written('renew')).toHaveLength(8);
    expect(written('finish')).toEqual(['finish 1']);
  });

  test('that was lost makes the plan worthless', async () => {
    tasks.add(1);
    await start(waiting);
    tasks.steal(1);
    await endPlan(1);
    expect(written('finish')).toEqual([]);
    expect(eventsOf('task-finished')).toEqual([]);
    await turn(MINUTE);
    expect(begun).toEqual([1, 1]);
  });

  test('of an earlier process is ended before anything is taken up', async () => {
    tasks.add(1);
    await tasks.claim({ token: 'of the dead', until: 1e15 as Instant }, 0 as Instant);
    tasks.written.length = 0;
    await start();
    expect(tasks.written).toEqual(['release', 'claim 1', 'finish 1']);
  });
});

describe('stopping', () => {
  test('leaves what is planned to the next start, and takes up nothing more', async () => {
    for (const user of [1, 2]) tasks.add(user);
    const { stop, nudge } = await start(waiting);
    stop();
    const before = tasks.written.length;
    tasks.add(3);
    nudge();
    await endPlan(1);
    await endPlan(2, 'badly');
    await turn(MINUTE);
    expect(tasks.written).toHaveLength(before);
    await start();
    expect(written('finish')).toEqual(['finish 1', 'finish 2', 'finish 3']);
  });

  test('in the middle of a look ends it', async () => {
    for (let user = 1; user <= 30; user++) tasks.add(user);
    const { stop } = await start(waiting);
    stop();
    const before = tasks.written.length;
    expect(before).toBeLessThan(30);
    await settle(50);
    expect(tasks.written).toHaveLength(before);
  });
});

describe('a database that fails', () => {
  /** The queue, of which these fail while `isBroken`. */
  function broken(...names: readonly (keyof RunnerOptions['tasks'])[]) {
    const state = { isBroken: true, tries: 0 };
    const failing = { ...tasks } as Record<string, unknown>;
    for (const name of names) {
      const method = tasks[name] as (...given: readonly unknown[]) => Promise<unknown>;
      failing[name] = async (...given: readonly unknown[]) => {
        if (!state.isBroken) return method(...given);
        state.tries++;
        throw new Error('database or disk is full');
      };
    }
    return { state, tasks: failing as RunnerOptions['tasks'] };
  }

  test('when a task is claimed is told of, and left alone for some seconds, nudges or not', async () => {
    const { state, tasks: failing } = broken('claim');
    tasks.add(1);
    const { nudge } = await start({ tasks: failing });
    for (let i = 0; i < 20; i++) nudge();
    await settle();
    expect([state.tries, failures.length]).toEqual([1, 1]);
    await turn(10_000);
    expect(state.tries).toBe(3);
    state.isBroken = false;
    await turn(5000);
    expect(written('finish')).toEqual(['finish 1']);
  });

  test('when a task ends postpones it; it is done when all is well again', async () => {
    const { state, tasks: failing } = broken('finish');
    tasks.add(1);
    await start({ tasks: failing });
    expect(written('postpone')).toEqual(['postpone 1']);
    expect(eventsOf('task-failed')[0]).toMatchObject({
      failures: 1,
      reason: expect.stringContaining('full'),
    });
    state.isBroken = false;
    await turn(5000);
    expect(tasks.steps.get(1)).toEqual([{ do: 'delete', id: 0 as never }]);
  });

  test('also when a task is postponed: its lease lapses, and it is taken up again', async () => {
    const { state, tasks: failing } = broken('finish', 'postpone');
    tasks.add(1);
    await start({ tasks: failing });
    expect([state.tries, failures.length]).toEqual([2, 1]);
    await turn(MINUTE - 2000);
    expect(state.tries).toBe(2);
    state.isBroken = false;
    await turn(3000);
    expect(written('finish')).toEqual(['finish 1']);
  });

  test('when a lease is renewed is told of; planning goes on', async () => {
    const { tasks: failing } = broken('renew');
    tasks.add(1);
    await start({ ...waiting, tasks: failing });
    await turn(16_000);
    expect(failures).toHaveLength(1);
    await endPlan(1);
    expect(written('finish')).toEqual(['finish 1']);
  });
});
