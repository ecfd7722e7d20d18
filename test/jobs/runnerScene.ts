import { afterEach, beforeEach, jest } from 'bun:test';
import { startTaskRunner, type TaskRunner, type TaskRunnerOptions } from '../../src/jobs/taskRunner.ts';
import { createLog } from '../../src/lib/log.ts';
import type { Instant } from '../../src/lib/time.ts';
import { LOG_LIMITS } from '../../src/model/logEvents.ts';
import type { TaskStep } from '../../src/model/ports/task.ts';
import type { Task } from '../../src/model/task.ts';
import { createFakeTasks, type FakeTasks, numberOf } from './fakeTasks.ts';

export const MINUTE = 60_000;

const realImmediate = globalThis.setImmediate;

/** The surroundings of a runner, created for every test. */
export type Scene = {
  tasks: FakeTasks;
  /** Milliseconds. */
  time: number;
  isPaused: boolean;
  /** Errors passed to `onFailure`. */
  failures: unknown[];
  logged: Record<string, unknown>[];
  /** The calls of the meter. */
  metered: unknown[];
  /** Numbers of the tasks whose planning was started. */
  started: number[];
  /** Unfinished plans by task number. */
  plans: Map<number, PromiseWithResolvers<readonly TaskStep[]>>;
  runner: TaskRunner | undefined;
};

const createScene = (): Scene => ({
  tasks: createFakeTasks(),
  time: 0,
  isPaused: false,
  failures: [],
  logged: [],
  metered: [],
  started: [],
  plans: new Map(),
  runner: undefined,
});

/** Waits for everything that does not depend on the clock. */
export async function settle(iterations = 8): Promise<void> {
  for (let i = 0; i < iterations; i++) await new Promise<void>((resolve) => realImmediate(resolve));
}

/** A plan that is available immediately. */
export const stepsOf = ({ order }: Task): readonly TaskStep[] =>
  order.items.map((id) => ({ do: 'delete', id: id as never }));

/** Creates a scene for each test of a file, with a clock that the test advances. */
export function useScene() {
  const scene = createScene();

  beforeEach(() => {
    jest.useFakeTimers();
    Object.assign(scene, createScene());
  });
  afterEach(() => {
    void scene.runner?.stop();
    jest.useRealTimers();
  });

  const clock = () => scene.time as Instant;

  return {
    scene,
    async start(more: Partial<TaskRunnerOptions> = {}): Promise<TaskRunner> {
      let random = 0;
      const write = (line: string) => scene.logged.push(JSON.parse(line));
      scene.runner = await startTaskRunner({
        tasks: scene.tasks,
        plan: async (task) => {
          scene.started.push(numberOf(task));
          return stepsOf(task);
        },
        isClustered: false,
        isPaused: () => scene.isPaused,
        onFailure: (error) => scene.failures.push(error),
        clock,
        random: (bytes) => bytes.fill(++random),
        log: createLog({ limits: LOG_LIMITS, level: 'info', format: 'json', clock, write }),
        meter: {
          finished: (items, waitedSeconds) => scene.metered.push({ ...items, waitedSeconds }),
          failed: () => scene.metered.push('failed'),
        },
        ...more,
      });
      await settle();
      return scene.runner;
    },
    /** Advances the clock in steps of one check. */
    async advance(milliseconds: number): Promise<void> {
      for (let passed = 0; passed < milliseconds; passed += 1000) {
        scene.time += 1000;
        jest.advanceTimersByTime(1000);
        await settle(4);
      }
    },
    /** Options for planning that waits until the test calls `endPlan`. */
    waiting: {
      plan(task: Task) {
        const plan = Promise.withResolvers<readonly TaskStep[]>();
        scene.started.push(numberOf(task));
        scene.plans.set(numberOf(task), plan);
        return plan.promise;
      },
    },
    async endPlan(number: number, ending: 'well' | 'badly' = 'well'): Promise<void> {
      if (ending === 'well') scene.plans.get(number)?.resolve([{ do: 'delete', id: 1 as never }]);
      else scene.plans.get(number)?.reject(new Error('broken'));
      await settle();
    },
    written: (what: string) => scene.tasks.written.filter((line) => line.startsWith(what)),
    eventsOf: (event: string) => scene.logged.filter((line) => line.event === event),
  };
}
