import type { Outcome } from '../../lib/outcome.ts';
import type { Instant } from '../../lib/time.ts';
import type { UserActor } from '../actor.ts';
import type { Problem } from '../problems.ts';
import type { PropertyId } from '../property.ts';
import type { PropertyUpdate, Task, TaskId, TaskOrder, TaskResult } from '../task.ts';
import type { NewProperty } from './property.ts';

/** What a planned task does for one item. What depends on the state is judged when it is done. */
export type TaskStep =
  | { readonly do: 'create'; readonly property: NewProperty; readonly skipsDnsCheck?: boolean }
  | ({ readonly do: 'update'; readonly skipsDnsCheck?: boolean } & PropertyUpdate)
  | { readonly do: 'delete'; readonly id: PropertyId }
  | { readonly do: 'refuse'; readonly result: TaskResult & { readonly problem: Problem } };

export type NewTask = { readonly id: TaskId; readonly actor: UserActor; readonly order: TaskOrder };

/** The right to finish a task, until it lapses. */
export type Lease = {
  /** Told apart from all others. */
  readonly token: string;
  readonly until: Instant;
};

/** How many tasks of one account there may be. */
export type TaskLimits = {
  /** Unfinished ones. */
  readonly unfinished: number;
  /** In all; more than of the unfinished ones. */
  readonly kept: number;
};

export interface TaskStore {
  /**
   * Where the account has as many tasks as are kept, the oldest finished ones make room.
   *
   * @returns refused where it has as many unfinished ones as it may have
   */
  enqueue(task: NewTask, limits: TaskLimits, now: Instant): Promise<Outcome<void, 'task-queue-full'>>;
  /** Those that the account started with the same limit to an organization, or none. */
  byId(id: TaskId, actor: UserActor): Promise<Task | undefined>;
  /** A piece of the same, newest first. */
  page(
    actor: UserActor,
    slice: { readonly offset: number; readonly limit: number },
  ): Promise<readonly Task[]>;
  /**
   * Leases the oldest task that can go on: of one account only the oldest unfinished one can, so its tasks end in
   * the order in which they were given.
   */
  claim(lease: Lease, now: Instant): Promise<Task | undefined>;
  /** @returns false where the lease has been lost */
  renew(id: TaskId, lease: Lease): Promise<boolean>;
  /** Planning broke down: it is counted, and the lease ends at `retryAt`. */
  postpone(id: TaskId, token: string, retryAt: Instant): Promise<void>;
  /** Ends every lease: their holders are known to be gone. */
  releaseAll(): Promise<void>;
  /**
   * Does every step and keeps the results, all or nothing. Permissions, names and quotas are judged at this moment; of
   * a key that has been revoked meanwhile nothing is done.
   *
   * @returns the results in the order of the steps; undefined where the lease has been lost, then nothing was done
   */
  finish(
    id: TaskId,
    token: string,
    steps: readonly TaskStep[],
    now: Instant,
  ): Promise<readonly TaskResult[] | undefined>;
  /** Forgets some of the tasks that ended before this moment. @returns how many; 0 when none is left */
  purge(before: Instant): Promise<number>;
}
