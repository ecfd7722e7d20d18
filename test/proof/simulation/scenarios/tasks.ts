import { startTaskRunner, type TaskRunner } from '../../../../src/jobs/taskRunner.ts';
import type { Instant } from '../../../../src/lib/time.ts';
import type { TaskStep } from '../../../../src/model/ports/task.ts';
import { StoreFailure } from '../../../../src/model/storeFailure.ts';
import type { Task, TaskId } from '../../../../src/model/task.ts';
import { createFakeTasks, numberOf } from '../../../jobs/fakeTasks.ts';
import { createHistory, type History, requireResults } from '../history.ts';
import { createProcess, createThread, killProcess, type Simulation, type Thread } from '../world/kernel.ts';
import { silentLog } from './ledgerNode.ts';

type RunningNode = { readonly thread: Thread; runner: TaskRunner | undefined };

/** After this time without failures, all tasks are finished, in milliseconds. The tasks of a user run one after another. */
const LONGEST_MS = 1_200_000;
/** After the last task, its node may still wait for the answer of the store. */
const QUIET_MS = 15_000;
/** Longer than a lease, so the lease must be renewed. */
const LONG_PLAN_MS = 70_000;
/** A request waits for a task for eight seconds. In milliseconds. */
const LONGEST_WAIT_MS = 8100;

/** Nodes that share tasks, with a store that fails before or after a write, plans that fail, and nodes that are killed. */
export function runTasks(simulation: Simulation): History {
  const { random, upTo, pick, schedule, chance, trace } = simulation;
  const history = createHistory();
  const stored = createFakeTasks();
  const faults = { before: 0, after: 0, plans: 0, slowestMs: 3 };
  const nodes: RunningNode[] = [];
  const nodeCount = 1 + random(3);
  const finished = new Map<number, number>();
  const owners: number[] = [];

  /** Passes each call to the shared store, which answers over the network. */
  function connect(thread: Thread): typeof stored {
    const delay = () => 0.1 + upTo(faults.slowestMs);
    const remote =
      <Args extends unknown[], Result>(name: string, method: (...args: Args) => Promise<Result>) =>
      (...args: Args): Promise<Result> =>
        new Promise((resolve, reject) => {
          const fail = () => {
            trace(() => `${name} fails`);
            schedule(thread, delay(), () => reject(new StoreFailure('the connection was lost')));
          };
          schedule(undefined, delay(), () => {
            if (chance(faults.before)) return fail();
            void method(...args).then((result) => {
              if (name === 'finish' && result !== undefined) recordFinish(args[0] as TaskId);
              if (chance(faults.after)) return fail();
              schedule(thread, delay(), () => resolve(result));
            });
          });
        });
    // With several servers, the leases of a killed server expire instead.
    const releaseAbandoned = nodeCount === 1 ? stored.releaseAbandoned : async () => {};
    return {
      ...stored,
      claim: remote('claim', stored.claim),
      renew: remote('renew', stored.renew),
      postpone: remote('postpone', stored.postpone),
      finish: remote('finish', stored.finish),
      resultsOf: remote('resultsOf', stored.resultsOf),
      releaseAbandoned: remote('releaseAbandoned', releaseAbandoned),
    };
  }

  function recordFinish(id: TaskId): void {
    const number = numberOf({ id });
    finished.set(number, (finished.get(number) ?? 0) + 1);
    trace(() => `task ${number} is finished`);
    const earlier = owners.findIndex(
      (owner, i) => i + 1 < number && owner === owners[number - 1] && !finished.has(i + 1),
    );
    if (earlier >= 0)
      history.violations.push(`task ${number} finished before task ${earlier + 1} of its user`);
  }

  /** Planning waits for the network. */
  function plan(task: Task): Promise<readonly TaskStep[]> {
    const thread = simulation.thread();
    const milliseconds = chance(4) ? LONG_PLAN_MS : pick([1, 100, 1000, 3000]);
    return new Promise((resolve, reject) => {
      schedule(thread, upTo(milliseconds), () => {
        if (chance(faults.plans)) reject(new Error('the plan failed'));
        else resolve(task.order.items.map((id) => ({ do: 'delete', id: id as never })));
      });
    });
  }

  function start(name: string): void {
    const thread = createThread(createProcess(name), 'main');
    const node: RunningNode = { thread, runner: undefined };
    nodes.push(node);
    simulation.runOn(thread, () => {
      startTaskRunner({
        tasks: connect(thread),
        plan,
        isClustered: nodeCount > 1,
        isPaused: () => false,
        onFailure() {},
        clock: () => Date.now() as Instant,
        random(bytes) {
          for (let i = 0; i < bytes.length; i++) bytes[i] = random(256);
          return bytes;
        },
        log: silentLog,
        meter: { finished() {}, failed() {} },
      }).then(
        (runner) => {
          node.runner = runner;
        },
        // The server ends, and starts again.
        () => kill(node),
      );
    });
  }

  function kill(node: RunningNode): void {
    if (!node.thread.isAlive) return;
    trace(() => `${node.thread.name} is killed`);
    killProcess(node.thread.process);
    schedule(undefined, 50 + upTo(2000), () => start(node.thread.process.name));
  }

  const running = () => nodes.filter(({ thread, runner }) => thread.isAlive && runner !== undefined);

  function submit(): void {
    const owner = random(3);
    const number = stored.add(owner, 1 + random(3));
    owners.push(owner);
    if (running().length === 0) return;
    const { thread, runner } = pick(running());
    simulation.runOn(thread, () => {
      runner?.checkQueue();
      if (runner !== undefined && random(2) === 0) waitFor(runner, number, thread);
    });
  }

  function waitFor(runner: TaskRunner, number: number, thread: Thread): void {
    const call = {
      name: `${thread.name}: the wait for task ${number}`,
      startedAtMs: simulation.now(),
      isPending: true,
      isAlive: () => thread.isAlive,
    };
    history.calls.push(call);
    void runner.finished(number.toString(16).padStart(32, '0') as TaskId).then((results) => {
      call.isPending = false;
      if (results !== undefined && !finished.has(number))
        history.violations.push(`${call.name} ended before the task`);
      if (simulation.now() - call.startedAtMs > LONGEST_WAIT_MS)
        history.violations.push(`${call.name} took too long`);
    });
  }

  for (let i = nodeCount; i > 0; i--) start(`node${i}`);
  const windowMs = pick([500, 5000, 60_000]);
  for (let i = 3 + random(8); i > 0; i--) schedule(undefined, 10 + upTo(windowMs), submit);
  const failures = [
    () => Object.assign(faults, { before: 50 }),
    () => Object.assign(faults, { after: 50 }),
    () => Object.assign(faults, { plans: 60 }),
    () => Object.assign(faults, { slowestMs: 2000 }),
    () => running().length > 0 && kill(pick(running())),
  ];
  const heal = () => Object.assign(faults, { before: 0, after: 0, plans: 0, slowestMs: 3 });
  for (let i = random(4); i > 0; i--) schedule(undefined, 10 + upTo(windowMs), () => void pick(failures)());
  simulation.runUntil(windowMs + 10 + upTo(5000));
  heal();
  const end = simulation.now() + LONGEST_MS;
  while (finished.size < owners.length && simulation.now() < end)
    simulation.runUntil(simulation.now() + QUIET_MS);
  simulation.runUntil(simulation.now() + QUIET_MS);

  requireResults(history, simulation.now());
  for (let number = 1; number <= owners.length; number++)
    if (finished.get(number) !== 1)
      history.violations.push(`task ${number} was finished ${finished.get(number) ?? 0} times`);
  for (const { thread, runner } of running())
    if (runner?.running() !== 0)
      history.violations.push(`${thread.name} still counts ${runner?.running()} running tasks`);
  return history;
}
