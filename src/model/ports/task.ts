import type { Outcome } from '../../lib/outcome.ts';
import type { PageSlice } from '../../lib/page.ts';
import type { Instant } from '../../lib/time.ts';
import type { TenantActor } from '../actor.ts';
import type { OrganizationId } from '../organization.ts';
import type { Problem } from '../problems.ts';
import type { PropertyId } from '../property.ts';
import type { TaskBacklog } from '../readings.ts';
import type { PropertyUpdate, Task, TaskId, TaskOrder, TaskResult } from '../task.ts';
import type { NewProperty } from './property.ts';

/** The planned step for one item of a task. Checks that need stored data are made when the step runs. */
export type TaskStep =
  | { readonly do: 'create'; readonly property: NewProperty; readonly skipsDnsCheck?: boolean }
  | ({ readonly do: 'update'; readonly skipsDnsCheck?: boolean } & PropertyUpdate)
  | { readonly do: 'delete'; readonly id: PropertyId }
  | { readonly do: 'reject'; readonly result: TaskResult & { readonly problem: Problem } };

export type NewTask = { readonly id: TaskId; readonly actor: TenantActor; readonly order: TaskOrder };

/** The exclusive right to finish a task, until it expires. */
export type Lease = {
  /** Unique. */
  readonly token: string;
  readonly until: Instant;
};

/** The maximum numbers of tasks of one account. */
export type TaskLimits = {
  readonly unfinished: number;
  /** Finished and unfinished tasks; more than `unfinished`. */
  readonly total: number;
};

export interface TaskStore {
  /**
   * Stores a task. At the total limit, it replaces the oldest finished task. The tasks of an organization's keys count for the account
   * that owns the organization now.
   *
   * @returns rejected at the limit of unfinished tasks
   */
  enqueue(task: NewTask, limits: TaskLimits, now: Instant): Promise<Outcome<void, 'task-queue-full'>>;
  /**
   * Finds a task of the actor's account; for a user key that is limited to an organization, only one with the same limit. A key of an
   * organization finds the tasks of all keys of the organization. The portal also finds those of the user's organizations.
   */
  byId(id: TaskId, actor: TenantActor): Promise<Task | undefined>;
  /** Lists part of the same tasks, newest first. */
  page(actor: TenantActor, slice: PageSlice): Promise<readonly Task[]>;
  /** Finds a task of an organization. @see Task */
  byIdIn(id: TaskId, organizationId: OrganizationId): Promise<Task | undefined>;
  /** Lists part of the tasks of an organization, newest first. */
  pageIn(organizationId: OrganizationId, slice: PageSlice): Promise<readonly Task[]>;
  /** Counts the unfinished tasks of all accounts. */
  backlog(): Promise<TaskBacklog>;
  /**
   * Leases the oldest task that is not leased. Of each account, only the oldest unfinished task qualifies, so tasks of an account
   * finish in the order in which they were started.
   */
  claim(lease: Lease, now: Instant): Promise<Task | undefined>;
  /** @returns false if the lease has been lost */
  renew(id: TaskId, lease: Lease): Promise<boolean>;
  /** Counts a failed attempt, and lets the lease expire at `retryAt`. */
  postpone(id: TaskId, token: string, retryAt: Instant): Promise<void>;
  /**
   * Called when a server starts. If only one server can use the storage, ends all leases, because their processes have ended. Otherwise,
   * changes nothing, because other servers may hold leases; the leases of servers that have ended expire.
   */
  releaseAbandoned(): Promise<void>;
  /** @returns the results of the tasks that are finished, by id */
  resultsOf(ids: readonly TaskId[]): Promise<ReadonlyMap<TaskId, readonly TaskResult[]>>;
  /**
   * Runs all steps and stores the results in one transaction. Each step checks access, names, and quotas. If the API key has been
   * revoked or the account disabled, every step is rejected. If a step of an import is rejected, no step is applied, and the results
   * of the others have the problem `import-not-applied`.
   *
   * @returns the results in the order of the steps; undefined, without a change, if the lease has been lost
   */
  finish(
    id: TaskId,
    token: string,
    steps: readonly TaskStep[],
    now: Instant,
  ): Promise<readonly TaskResult[] | undefined>;
  /** Runs the steps like `finish` runs those of a task, in a transaction that changes nothing. @returns the result of each step */
  rehearse(actor: TenantActor, steps: readonly TaskStep[], now: Instant): Promise<readonly TaskResult[]>;
  /** Deletes a batch of tasks that finished before `before`. @returns their number; 0 if none are left */
  purge(before: Instant): Promise<number>;
}
