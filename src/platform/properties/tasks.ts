import type { Random } from '../../lib/ids.ts';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { fetchPage, type Page } from '../../lib/page.ts';
import type { Clock } from '../../lib/time.ts';
import type { UserActor } from '../../model/actor.ts';
import type { TaskLimits, TaskStore } from '../../model/ports/task.ts';
import { parseTaskId, type Task, type TaskId, type TaskOrder } from '../../model/task.ts';
import type { Access, AccessProblem } from '../organizations/access.ts';

/**
 * Tasks of one user at most: a queue with an end, which no script meets by accident, and a share of the disk. A full
 * batch of refused items keeps about 80 kB.
 */
const LIMITS: TaskLimits = { unfinished: 5000, total: 10_000 };

export type Tasks = {
  /** Keeps the order and returns; it is carried out soon after, also if this process is killed now. */
  readonly start: (
    actor: UserActor,
    order: TaskOrder,
  ) => Promise<Outcome<TaskId, AccessProblem | 'task-queue-full'>>;
  /** Seen by the user that started it; through a key with a limit, those that were started through such a key. */
  readonly byId: (actor: UserActor, id: string) => Promise<Outcome<Task, 'task-unknown'>>;
  /** A piece of those, newest first. @param slice limit at least 1 */
  readonly page: (
    actor: UserActor,
    slice: { readonly offset: number; readonly limit: number },
  ) => Promise<Page<Task>>;
};

/** Use cases around batches that a client asked for. */
export function createTasks(deps: {
  readonly store: TaskStore;
  readonly access: Access;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits?: TaskLimits;
}): Tasks {
  return {
    async start(actor, order) {
      if (order.kind === 'create-properties') {
        const organization = await deps.access.use(actor, order.organizationId);
        if (!organization.ok) return organization;
      }
      const id = deps.random(new Uint8Array(16)).toHex() as TaskId;
      const limits = deps.limits ?? LIMITS;
      const kept = await deps.store.enqueue({ id, actor, order }, limits, deps.clock());
      return kept.ok ? done(id) : kept;
    },
    async byId(actor, id) {
      const parsed = parseTaskId(id);
      const task = parsed.ok ? await deps.store.byId(parsed.value, actor) : undefined;
      return task === undefined ? reject('task-unknown') : done(task);
    },
    page: (actor, { offset, limit }) =>
      fetchPage(limit, (upTo) => deps.store.page(actor, { offset, limit: upTo })),
  };
}
