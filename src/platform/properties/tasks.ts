import type { Random } from '../../lib/ids.ts';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { fetchPage, type Page, type PageSlice } from '../../lib/page.ts';
import type { Clock } from '../../lib/time.ts';
import type { TenantActor } from '../../model/actor.ts';
import type { OrganizationId } from '../../model/organization.ts';
import type { TaskLimits, TaskStore } from '../../model/ports/task.ts';
import { parseTaskId, type Task, type TaskId, type TaskOrder } from '../../model/task.ts';
import type { Access, AccessProblem } from '../organizations/access.ts';

/**
 * Maximum numbers of tasks of one user. They limit the queue and the disk space, and no ordinary script reaches them. The results of
 * a full batch whose items were all rejected take about 80 kB.
 */
const LIMITS: TaskLimits = { unfinished: 5000, total: 10_000 };

/** Use cases for tasks: batches of changes to properties that run in the background. */
export type Tasks = ReturnType<typeof createTasks>;

/** @see Tasks */
export function createTasks(deps: {
  readonly store: TaskStore;
  readonly access: Access;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits?: TaskLimits;
}) {
  return {
    /** Stores a task, which runs soon after, even if this process is killed now. */
    async start(
      actor: TenantActor,
      order: TaskOrder,
    ): Promise<Outcome<TaskId, AccessProblem | 'task-queue-full'>> {
      if ('organizationId' in order) {
        const organization = await deps.access.requireMember(actor, order.organizationId);
        if (!organization.ok) return organization;
      }
      const id = deps.random(new Uint8Array(16)).toHex() as TaskId;
      const limits = deps.limits ?? LIMITS;
      const enqueued = await deps.store.enqueue({ id, actor, order }, limits, deps.clock());
      return enqueued.ok ? done(id) : enqueued;
    },
    /**
     * Finds a task of the user. A key that is limited to an organization finds only tasks of keys with the same limit. A key of an
     * organization finds the tasks of all keys of the organization, and so do its owner and members in the portal.
     */
    async byId(actor: TenantActor, id: string): Promise<Outcome<Task, 'task-unknown'>> {
      const parsed = parseTaskId(id);
      const task = parsed.ok ? await deps.store.byId(parsed.value, actor) : undefined;
      return task === undefined ? reject('task-unknown') : done(task);
    },
    /** Lists part of the same tasks, newest first. @param slice limit at least 1 */
    page: (actor: TenantActor, { offset, limit }: PageSlice): Promise<Page<Task>> =>
      fetchPage(limit, (upTo) => deps.store.page(actor, { offset, limit: upTo })),
    /** Finds a task of an organization for its owner and members, including tasks of other users. */
    async byIdIn(
      actor: TenantActor,
      organizationId: OrganizationId,
      id: string,
    ): Promise<Outcome<Task, AccessProblem | 'task-unknown'>> {
      const organization = await deps.access.requireMember(actor, organizationId);
      if (!organization.ok) return organization;
      const parsed = parseTaskId(id);
      const task = parsed.ok ? await deps.store.byIdIn(parsed.value, organizationId) : undefined;
      return task === undefined ? reject('task-unknown') : done(task);
    },
    /** Lists part of the same tasks, newest first. @param slice limit at least 1 */
    async pageIn(
      actor: TenantActor,
      organizationId: OrganizationId,
      { offset, limit }: PageSlice,
    ): Promise<Outcome<Page<Task>, AccessProblem>> {
      const organization = await deps.access.requireMember(actor, organizationId);
      if (!organization.ok) return organization;
      const page = (upTo: number) => deps.store.pageIn(organizationId, { offset, limit: upTo });
      return done(await fetchPage(limit, page));
    },
  };
}
