import type { Instant } from '../../src/lib/time.ts';
import type { AccountId } from '../../src/model/account.ts';
import type { Lease, TaskStep, TaskStore } from '../../src/model/ports/task.ts';
import type { PropertyId } from '../../src/model/property.ts';
import type { Task, TaskId } from '../../src/model/task.ts';
import { userActor } from '../support/actors.ts';

type RunnerMethod = 'claim' | 'renew' | 'postpone' | 'releaseAbandoned' | 'resultsOf' | 'finish';

type Entry = { task: Task; lease: Lease | undefined };

/** A task store that records writes in order: `claim 1`, `finish 1`, and so on, by task number. */
export type FakeTasks = Pick<TaskStore, RunnerMethod> & {
  /** Adds a task of a user. @returns its number, starting at 1 */
  readonly add: (user: number, items?: number) => number;
  readonly written: string[];
  /** The steps of finished tasks by number. */
  readonly steps: Map<number, readonly TaskStep[]>;
  /** Gives the lease to another process. */
  readonly steal: (number: number) => void;
  readonly postponedTo: Instant[];
  readonly tokenOf: (number: number) => string | undefined;
};

export const numberOf = ({ id }: Pick<Task, 'id'>) => Number.parseInt(id, 16);

/** An in-memory queue that follows the contract of the port. */
export function createFakeTasks(): FakeTasks {
  const entries: Entry[] = [];
  const written: string[] = [];
  const steps = new Map<number, readonly TaskStep[]>();
  const postponedTo: Instant[] = [];

  const isOpen = ({ task }: Entry) => task.finishedAt === undefined;
  const isFree = ({ lease }: Entry, now: Instant) => lease === undefined || lease.until <= now;
  const accountOf = ({ task: { actor } }: Pick<Entry, 'task'>) => 'user' in actor && actor.user;
  const isFirst = ({ task }: Entry) =>
    entries.find((one) => isOpen(one) && accountOf(one) === accountOf({ task }))?.task === task;
  const held = (id: TaskId, token: string) =>
    entries.find((one) => one.task.id === id && one.lease?.token === token && isOpen(one));
  const write = (what: string, { task }: Entry) => written.push(`${what} ${numberOf(task)}`);

  return {
    written,
    steps,
    postponedTo,
    add(user, items = 1) {
      const order = {
        kind: 'delete-properties',
        items: Array.from({ length: items }, (_, i) => i as PropertyId),
      } as const;
      const id = (entries.length + 1).toString(16).padStart(32, '0') as TaskId;
      const actor = userActor({ id: user as AccountId });
      const rest = {
        organizationId: undefined,
        failures: 0,
        createdAt: 0 as Instant,
        finishedAt: undefined,
        results: undefined,
      };
      return entries.push({ task: { id, actor, order, ...rest }, lease: undefined });
    },
    tokenOf: (number) => entries[number - 1]?.lease?.token,
    steal(number) {
      const one = entries[number - 1];
      if (one?.lease !== undefined) one.lease = { ...one.lease, token: 'stolen' };
    },
    async claim(lease, now) {
      const next = entries.find((one) => isOpen(one) && isFree(one, now) && isFirst(one));
      if (next === undefined) return undefined;
      next.lease = lease;
      write('claim', next);
      return next.task;
    },
    async renew(id, lease) {
      const one = held(id, lease.token);
      if (one === undefined) return false;
      one.lease = lease;
      write('renew', one);
      return true;
    },
    async postpone(id, token, retryAt) {
      const one = held(id, token);
      if (one === undefined) return;
      one.task = { ...one.task, failures: one.task.failures + 1 };
      one.lease = { token, until: retryAt };
      postponedTo.push(retryAt);
      write('postpone', one);
    },
    async resultsOf(ids) {
      const finished = entries.filter(({ task }) => ids.includes(task.id) && task.results !== undefined);
      return new Map(finished.map(({ task }) => [task.id, task.results ?? []]));
    },
    async releaseAbandoned() {
      for (const one of entries) one.lease = undefined;
      written.push('release');
    },
    async finish(id, token, given, now) {
      const one = held(id, token);
      if (one === undefined) return undefined;
      const results = given.map((step) => (step.do === 'reject' ? step.result : {}));
      one.task = { ...one.task, finishedAt: now, results };
      steps.set(numberOf(one.task), given);
      write('finish', one);
      return results;
    },
  };
}
