import { and, asc, count, desc, eq, inArray, isNotNull, isNull, lt, or, sql } from 'drizzle-orm';
import { done, type Outcome, reject } from '../../../lib/outcome.ts';
import { type Instant, later, MINUTE } from '../../../lib/time.ts';
import type { AccountId } from '../../../model/account.ts';
import type { OrganizationActor, TenantActor } from '../../../model/actor.ts';
import type { ApiKeyId } from '../../../model/apiKey.ts';
import { toKeyActorName } from '../../../model/audit.ts';
import type { OrganizationId } from '../../../model/organization.ts';
import type { TaskStep, TaskStore } from '../../../model/ports/task.ts';
import type { Problem } from '../../../model/problems.ts';
import type { TaskId, TaskOrder, TaskResult } from '../../../model/task.ts';
import { toTask } from '../../entities.ts';
import { haveSucceeded, runSteps, toAbandoned, toTaskResult } from '../../taskSteps.ts';
import { isOf, propertiesIn, targetOf } from '../../taskTarget.ts';
import { type MainDatabase, transact } from '../open.ts';
import { countRows } from '../queries.ts';
import { accounts, apiKeys, organizations, properties, tasks } from '../schema.ts';
import { createAppend } from './audit.ts';
import { createHasAccess, isAccessibleTo } from './membership.ts';
import type { RemainingQuotas } from './plans.ts';
import { createPropertyWriter } from './propertyWriter.ts';

/** The id of no key. */
const UNKNOWN_KEY = 0 as ApiKeyId;
/** Maximum number of tasks that one call deletes. */
const PURGE_SIZE = 100;

const isUnfinished = isNull(tasks.finishedAt);

/** @see TaskStore */
export function createTaskStore(database: MainDatabase, remaining: RemainingQuotas): TaskStore {
  return {
    ...createQueue(database),
    ...createViews(database),
    ...createLeases(database),
    ...createFinish(database, remaining),
  };
}

type Queue = Pick<TaskStore, 'enqueue' | 'resultsOf' | 'backlog' | 'purge'>;

/** Both columns are in the index of unfinished tasks. */
const BACKLOG = 'SELECT count(*) AS unfinished, min(number) AS oldest FROM tasks WHERE finished_at IS NULL';

function createQueue(database: MainDatabase): Queue {
  const { orm, raw } = database;
  const measureBacklog = raw.query<{ unfinished: number; oldest: number | null }, []>(BACKLOG);
  const createdAt = raw.query<{ at: Instant }, [number]>(
    'SELECT created_at AS at FROM tasks WHERE number = ?',
  );

  const findTarget = createFindTarget(database);

  function deleteOldest(accountId: AccountId, surplus: number): void {
    const oldest = orm
      .select({ number: tasks.number })
      .from(tasks)
      .where(and(eq(tasks.accountId, accountId), isNotNull(tasks.finishedAt)))
      .orderBy(asc(tasks.number))
      .limit(surplus);
    orm.delete(tasks).where(inArray(tasks.number, oldest)).run();
  }

  function accountOf(actor: TenantActor): AccountId {
    if (actor.source !== 'organization-key') return actor.user;
    const hasId = eq(organizations.id, actor.limits.organizationId);
    const found = orm.select({ ownerId: organizations.ownerId }).from(organizations).where(hasId).get();
    if (found === undefined) throw new Error('the organization of an API key was purged');
    return found.ownerId;
  }

  return {
    enqueue: ({ id, actor, order }, limits, now) =>
      transact(database, (): Outcome<void, 'task-queue-full'> => {
        const { source, address } = actor;
        const { organizationId, keyId } = actor.limits;
        const accountId = accountOf(actor);
        const isOwned = eq(tasks.accountId, accountId);
        const unfinished = countRows(database, tasks, and(isOwned, isUnfinished));
        if (unfinished >= limits.unfinished) return reject('task-queue-full');
        const surplus = countRows(database, tasks, isOwned) + 1 - limits.total;
        if (surplus > 0) deleteOldest(accountId, surplus);
        const target = findTarget(order, accountId);
        const targetOrganizationId = target !== undefined && isOf(actor, target) ? target : undefined;
        const common = { id, accountId, organizationId, keyId, source, address, order, createdAt: now };
        const values = { ...common, targetOrganizationId };
        orm.insert(tasks).values(values).run();
        return done(undefined);
      }),
    async resultsOf(ids) {
      const isFinished = and(inArray(tasks.id, [...ids]), isNotNull(tasks.finishedAt));
      const rows = orm.select({ id: tasks.id, results: tasks.results }).from(tasks).where(isFinished).all();
      return new Map(rows.map(({ id, results }) => [id, results ?? []]));
    },
    async backlog() {
      const { unfinished = 0, oldest = null } = measureBacklog.get() ?? {};
      return { unfinished, oldestAt: oldest === null ? undefined : createdAt.get(oldest)?.at };
    },
    async purge(before) {
      const isOld = and(isNotNull(tasks.finishedAt), lt(tasks.finishedAt, before));
      const old = orm.delete(tasks).where(isOld).limit(PURGE_SIZE);
      return old.returning({ id: tasks.id }).all().length;
    },
  };
}

type Views = Pick<TaskStore, 'byId' | 'page' | 'byIdIn' | 'pageIn'>;

function createViews({ orm }: MainDatabase): Views {
  return {
    async byId(id, actor) {
      const row = orm
        .select()
        .from(tasks)
        .where(and(eq(tasks.id, id), isVisibleTo(actor)))
        .get();
      return row && toTask(row);
    },
    async page(actor, { offset, limit }) {
      const rows = orm.select().from(tasks).where(isVisibleTo(actor)).orderBy(desc(tasks.number));
      return rows.limit(limit).offset(offset).all().map(toTask);
    },
    async byIdIn(id, organizationId) {
      const isThere = and(eq(tasks.id, id), eq(tasks.targetOrganizationId, organizationId));
      const row = orm.select().from(tasks).where(isThere).get();
      return row && toTask(row);
    },
    async pageIn(organizationId, { offset, limit }) {
      const isThere = eq(tasks.targetOrganizationId, organizationId);
      const rows = orm.select().from(tasks).where(isThere).orderBy(desc(tasks.number));
      return rows.limit(limit).offset(offset).all().map(toTask);
    },
  };
}

/** @returns a function that returns the organization of a task. @see Task */
function createFindTarget(database: MainDatabase) {
  const { orm } = database;
  const hasAccess = createHasAccess(database);
  return (order: TaskOrder, accountId: AccountId): OrganizationId | undefined => {
    const ids = propertiesIn(order);
    const found =
      ids === undefined
        ? []
        : orm
            .select({ id: properties.organizationId, count: count() })
            .from(properties)
            .where(inArray(properties.id, [...ids]))
            .groupBy(properties.organizationId)
            .all();
    const target = targetOf(order, found);
    return target !== undefined && hasAccess(target, accountId) ? target : undefined;
  };
}

type Leases = Pick<TaskStore, 'claim' | 'renew' | 'postpone' | 'releaseAbandoned'>;

function createLeases(database: MainDatabase): Leases {
  const { orm } = database;
  const findNext = createFindNext(database);
  return {
    async claim({ token, until }, now) {
      // Usually, no task is waiting, and no lock is needed.
      if (findNext(now, until) === undefined) return undefined;
      return transact(database, () => {
        const number = findNext(now, until);
        if (number === undefined) return undefined;
        const lease = { lease: token, leasedUntil: until };
        return toTask(orm.update(tasks).set(lease).where(eq(tasks.number, number)).returning().get());
      });
    },
    async renew(id, { token, until }) {
      const renewed = orm.update(tasks).set({ leasedUntil: until }).where(isHeld(id, token)).returning();
      return renewed.get() !== undefined;
    },
    async postpone(id, token, retryAt) {
      const values = { failures: sql`${tasks.failures} + 1`, leasedUntil: retryAt };
      orm.update(tasks).set(values).where(isHeld(id, token)).run();
    },
    async releaseAbandoned() {
      const isLeased = and(isUnfinished, isNotNull(tasks.lease));
      orm.update(tasks).set({ lease: null, leasedUntil: null }).where(isLeased).run();
    },
  };
}

/** If a lease ends this much later than a new one would, the clock was set back, and the lease is treated as expired. */
const LEASE_SLACK = MINUTE;

/**
 * Finds the oldest task without a lease among the first unfinished tasks of all accounts. The query goes from account to account in
 * the index of unfinished tasks, so its cost grows with the number of waiting accounts, not with the number of tasks.
 */
function createFindNext({ raw }: MainDatabase): (now: Instant, until: Instant) => number | undefined {
  const select = raw.query<{ number: number }, [Instant, Instant]>(`
    WITH RECURSIVE waiting (account) AS (
      SELECT min(account_id) FROM tasks WHERE finished_at IS NULL
      UNION ALL
      SELECT (SELECT min(account_id) FROM tasks WHERE finished_at IS NULL AND account_id > account)
      FROM waiting WHERE account IS NOT NULL
    )
    SELECT first.number
    FROM waiting
    JOIN tasks AS first
      ON first.number = (SELECT min(number) FROM tasks WHERE finished_at IS NULL AND account_id = account)
    WHERE first.leased_until IS NULL OR first.leased_until <= ?1 OR first.leased_until > ?2
    ORDER BY first.number
    LIMIT 1`);
  return (now, until) => select.get(now, later(until, LEASE_SLACK))?.number;
}

/** Rolls back the steps that have these results. */
class AbandonedSteps extends Error {
  override readonly name = 'AbandonedSteps';
  readonly results: readonly TaskResult[];
  constructor(results: readonly TaskResult[]) {
    super('the steps are rolled back');
    this.results = results;
  }
}

/** @returns the results of work that abandons its steps */
function resultsOf(error: unknown): readonly TaskResult[] {
  if (error instanceof AbandonedSteps) return error.results;
  throw error;
}

function createFinish(
  database: MainDatabase,
  remaining: RemainingQuotas,
): Pick<TaskStore, 'finish' | 'rehearse'> {
  const { orm, raw } = database;
  const createWriter = createPropertyWriter(database, remaining);
  const append = createAppend(database);

  function keyOf(keyId: ApiKeyId | undefined) {
    const isLive = and(eq(apiKeys.id, keyId ?? UNKNOWN_KEY), isNull(apiKeys.revokedAt));
    return orm.select({ name: apiKeys.name }).from(apiKeys).where(isLive).get();
  }

  function organizationKeyName({ limits }: OrganizationActor): Outcome<string, Problem> {
    const key = keyOf(limits.keyId);
    if (key === undefined) return reject('task-key-revoked');
    const isWanted = and(eq(organizations.id, limits.organizationId), isNull(organizations.deletedAt));
    const found = orm.select({ name: organizations.name }).from(organizations).where(isWanted).get();
    return found === undefined ? reject('organization-unknown') : done(toKeyActorName(key.name, found.name));
  }

  /** Returns the actor's name for the audit log, or the reason why the task must not change anything. */
  function nameOf(actor: TenantActor): Outcome<string, Problem> {
    if (actor.source === 'organization-key') return organizationKeyName(actor);
    const { user, limits } = actor;
    const account = orm.select().from(accounts).where(eq(accounts.id, user)).get();
    if (account === undefined || account.disabledAt !== null) return reject('task-account-disabled');
    const isRevoked = limits.keyId !== undefined && keyOf(limits.keyId) === undefined;
    return isRevoked ? reject('task-key-revoked') : done(account.email);
  }

  /** Runs all steps in a savepoint, which is rolled back if one of them is rejected. */
  function runAll(steps: readonly TaskStep[], run: () => readonly TaskResult[]): readonly TaskResult[] {
    const savepoint = raw.transaction(() => {
      const results = run();
      if (haveSucceeded(results)) return results;
      throw new AbandonedSteps(toAbandoned(results, steps));
    });
    try {
      return savepoint();
    } catch (error) {
      return resultsOf(error);
    }
  }

  return {
    async rehearse(actor, steps, now) {
      const name = '';
      try {
        return await transact(database, () => {
          throw new AbandonedSteps(
            runSteps(steps, createWriter(actor, now), { actor, name }, now, () => undefined),
          );
        });
      } catch (error) {
        return resultsOf(error);
      }
    },
    finish: (id, token, steps, now) =>
      transact(database, () => {
        const row = orm.select().from(tasks).where(isHeld(id, token)).get();
        if (row === undefined) return undefined;
        const { actor, order } = toTask(row);
        const name = nameOf(actor);
        const run = (name: string) => runSteps(steps, createWriter(actor, now), { actor, name }, now, append);
        const results = name.ok
          ? order.kind === 'import-properties'
            ? runAll(steps, () => run(name.value))
            : run(name.value)
          : steps.map((step) => toTaskResult(name, step));
        const values = {
          results,
          // The items are no longer needed.
          order: { ...order, items: [] },
          finishedAt: now,
          lease: null,
          leasedUntil: null,
        };
        orm.update(tasks).set(values).where(eq(tasks.number, row.number)).run();
        return results;
      }),
  };
}

function isHeld(id: TaskId, token: string) {
  return and(eq(tasks.id, id), eq(tasks.lease, token), isUnfinished);
}

// Without parameters, because SQLite uses the partial index only if the statement contains its condition.
const IS_OF_ORGANIZATION = sql`${tasks.source} = 'organization'`;
const IS_OF_USER = sql`${tasks.source} IS NOT 'organization'`;

function isVisibleTo(actor: TenantActor) {
  const { organizationId } = actor.limits;
  const hasLimit = organizationId === undefined ? undefined : eq(tasks.organizationId, organizationId);
  if (actor.source === 'organization-key') return and(hasLimit, IS_OF_ORGANIZATION);
  const isOwn = and(eq(tasks.accountId, actor.user), IS_OF_USER, hasLimit);
  if (actor.source === 'api-key') return isOwn;
  const accessible = sql`(SELECT id FROM organizations WHERE ${isAccessibleTo(actor.user)})`;
  return or(isOwn, and(inArray(tasks.organizationId, accessible), IS_OF_ORGANIZATION));
}
