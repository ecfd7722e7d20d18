import { and, asc, count, desc, eq, inArray, isNotNull, isNull, lt, or, sql } from 'drizzle-orm';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { type Instant, later, MINUTE } from '../../lib/time.ts';
import type { AccountId } from '../../model/account.ts';
import type { OrganizationActor, TenantActor } from '../../model/actor.ts';
import type { ApiKeyId } from '../../model/apiKey.ts';
import { type AuditEntry, toKeyActorName } from '../../model/audit.ts';
import type { Lease, NewTask, TaskLimits, TaskStep, TaskStore } from '../../model/ports/task.ts';
import type { Problem } from '../../model/problems.ts';
import type { Task, TaskId, TaskOrder, TaskResult } from '../../model/task.ts';
import { toTask } from '../entities.ts';
import type { Executor, StoreDatabase } from '../executor.ts';
import { selectRows } from '../queries.ts';
import { accounts, apiKeys, organizations, properties, tasks } from '../schema.ts';
import {
  haveSucceeded,
  isOf,
  propertiesIn,
  runSteps,
  targetOf,
  toAbandoned,
  toTaskResult,
} from '../taskSteps.ts';
import { appendAll } from './audit.ts';
import { hasAccess, isAccessibleTo } from './membership.ts';
import type { RemainingQuotas } from './plans.ts';
import { type Batch, beginWriter, type PropertyWriter } from './propertyWriter.ts';

/** Maximum number of tasks that one call deletes. */
const PURGE_SIZE = 100;

const isUnfinished = isNull(tasks.finishedAt);

/** @see TaskStore */
export function createTaskStore(database: StoreDatabase, remaining: RemainingQuotas): TaskStore {
  return {
    ...createQueue(database),
    ...createLeases(database),
    finish: (id, token, steps, now) =>
      database.transact((tx) => finish(tx, remaining, { id, token, steps, now })),
    rehearse: (actor, steps, now) =>
      database.transact((tx) => {
        const run = (writer: PropertyWriter) =>
          runSteps(steps, writer, { actor, name: '' }, now, () => undefined);
        return beginWriter(tx, remaining, actor, now)(toBatch(steps), run, () => false);
      }),
  };
}

type Queue = Pick<
  TaskStore,
  'enqueue' | 'byId' | 'page' | 'byIdIn' | 'pageIn' | 'resultsOf' | 'backlog' | 'purge'
>;

function createQueue(database: StoreDatabase): Queue {
  const { orm } = database;
  return {
    enqueue: (task, limits, now) => database.transact((tx) => enqueue(tx, task, limits, now)),
    async byId(id, actor) {
      const [row] = await orm
        .select()
        .from(tasks)
        .where(and(eq(tasks.id, id), isVisibleTo(actor)));
      return row && toTask(row);
    },
    async page(actor, { offset, limit }) {
      const rows = orm.select().from(tasks).where(isVisibleTo(actor)).orderBy(desc(tasks.number));
      return (await rows.limit(limit).offset(offset)).map(toTask);
    },
    async byIdIn(id, organizationId) {
      const isThere = and(eq(tasks.id, id), eq(tasks.targetOrganizationId, organizationId));
      const [row] = await orm.select().from(tasks).where(isThere);
      return row && toTask(row);
    },
    async pageIn(organizationId, { offset, limit }) {
      const isThere = eq(tasks.targetOrganizationId, organizationId);
      const rows = orm.select().from(tasks).where(isThere).orderBy(desc(tasks.number));
      return (await rows.limit(limit).offset(offset)).map(toTask);
    },
    async resultsOf(ids) {
      const isFinished = and(orm.engine.isAnyOf(tasks.id, ids), isNotNull(tasks.finishedAt));
      const rows = await orm.select({ id: tasks.id, results: tasks.results }).from(tasks).where(isFinished);
      return new Map(rows.map(({ id, results }) => [id, results ?? []]));
    },
    async backlog() {
      const query = sql`
        SELECT count(*) AS unfinished,
          (SELECT created_at FROM tasks WHERE finished_at IS NULL ORDER BY number LIMIT 1) AS oldest
        FROM tasks WHERE finished_at IS NULL`;
      const [row] = await selectRows<{ unfinished: string; oldest: string | null }>(orm, query);
      const { unfinished = 0, oldest = null } = row ?? {};
      return {
        unfinished: Number(unfinished),
        oldestAt: oldest === null ? undefined : (Number(oldest) as Instant),
      };
    },
    async purge(before) {
      const isOld = and(isNotNull(tasks.finishedAt), lt(tasks.finishedAt, before));
      const old = orm.select({ number: tasks.number }).from(tasks).where(isOld).limit(PURGE_SIZE);
      return (await orm.delete(tasks).where(inArray(tasks.number, old)).returning({ id: tasks.id })).length;
    },
  };
}

async function accountOf(tx: Executor, actor: TenantActor): Promise<AccountId> {
  if (actor.source !== 'organization-key') return actor.user;
  const hasId = eq(organizations.id, actor.limits.organizationId);
  const [found] = await tx.select({ ownerId: organizations.ownerId }).from(organizations).where(hasId);
  if (found === undefined) throw new Error('the organization of an API key was purged');
  return found.ownerId;
}

async function enqueue(tx: Executor, { id, actor, order }: NewTask, limits: TaskLimits, now: Instant) {
  const { source, address } = actor;
  const { organizationId, keyId } = actor.limits;
  const accountId = await accountOf(tx, actor);
  const isOwned = eq(tasks.accountId, accountId);
  const [counts] = await tx
    .select({
      unfinished: sql`count(*) FILTER (WHERE ${isUnfinished})`.mapWith(Number),
      total: sql`count(*)`.mapWith(Number),
    })
    .from(tasks)
    .where(isOwned);
  const { unfinished = 0, total = 0 } = counts ?? {};
  if (unfinished >= limits.unfinished) return reject('task-queue-full');
  const surplus = total + 1 - limits.total;
  if (surplus > 0) {
    const oldest = tx
      .select({ number: tasks.number })
      .from(tasks)
      .where(and(isOwned, isNotNull(tasks.finishedAt)))
      .orderBy(asc(tasks.number))
      .limit(surplus);
    await tx.delete(tasks).where(inArray(tasks.number, oldest));
  }
  const target = await findTarget(tx, order, accountId);
  const targetOrganizationId = target !== undefined && isOf(actor, target) ? target : undefined;
  const values = { id, accountId, organizationId, keyId, source, address, order, createdAt: now };
  await tx.insert(tasks).values({ ...values, targetOrganizationId });
  return done(undefined);
}

/** Returns the organization of a task. @see Task */
async function findTarget(tx: Executor, order: TaskOrder, accountId: AccountId) {
  const ids = propertiesIn(order);
  const found =
    ids === undefined
      ? []
      : await tx
          .select({ id: properties.organizationId, count: count() })
          .from(properties)
          .where(tx.engine.isAnyOf(properties.id, ids))
          .groupBy(properties.organizationId);
  const target = targetOf(order, found);
  return target !== undefined && (await hasAccess(tx, target, accountId)) ? target : undefined;
}

type Leases = Pick<TaskStore, 'claim' | 'renew' | 'postpone' | 'releaseAbandoned'>;

function createLeases({ orm }: StoreDatabase): Leases {
  return {
    claim: (lease, now) => claim(orm, lease, now),
    async renew(id, { token, until }) {
      const renewed = orm.update(tasks).set({ leasedUntil: until }).where(isHeld(id, token));
      return (await renewed.returning({ id: tasks.id })).length > 0;
    },
    async postpone(id, token, retryAt) {
      const values = { failures: sql`${tasks.failures} + 1`, leasedUntil: retryAt };
      await orm.update(tasks).set(values).where(isHeld(id, token));
    },
    /** Other nodes may hold leases. The leases of a node that was killed expire. */
    async releaseAbandoned() {
      if (orm.engine.isClustered) return;
      const isLeased = and(isUnfinished, isNotNull(tasks.lease));
      await orm.update(tasks).set({ lease: null, leasedUntil: null }).where(isLeased);
    },
  };
}

/** If a lease ends this much later than a new one would, the clock was set back, and the lease is treated as expired. */
const LEASE_SLACK = MINUTE;

/**
 * Leases the oldest task of the accounts that have no leased task. The query goes through unfinished tasks in their order, and skips
 * those of accounts with a leased task, so it usually reads only a few rows. PostgreSQL checks the conditions on `t` itself again after it
 * locks the row.
 */
async function claim(orm: Executor, { token, until }: Lease, now: Instant): Promise<Task | undefined> {
  const latest = later(until, LEASE_SLACK);
  const next = sql`
    SELECT t.number FROM tasks t
    WHERE t.finished_at IS NULL
      AND (t.leased_until IS NULL OR t.leased_until <= ${now} OR t.leased_until > ${latest})
      AND t.account_id NOT IN (
        SELECT account_id FROM tasks
        WHERE finished_at IS NULL AND lease IS NOT NULL AND leased_until > ${now} AND leased_until <= ${latest})
      AND ${orm.engine.isFirstUnfinished}
    ORDER BY t.number LIMIT 1 ${orm.engine.lockFreeRows('t')}`;
  // Usually, no task is waiting. With SQLite, the update would wait for other processes even if it changes no row.
  if (!orm.engine.isClustered && (await orm.execute(next)).length === 0) return undefined;
  const lease = { lease: token, leasedUntil: until };
  const [row] = await orm
    .update(tasks)
    .set(lease)
    .where(eq(tasks.number, sql`(${next})`))
    .returning();
  return row && toTask(row);
}

type Finishing = {
  readonly id: TaskId;
  readonly token: string;
  readonly steps: readonly TaskStep[];
  readonly now: Instant;
};

/** @see TaskStore */
async function finish(tx: Executor, remaining: RemainingQuotas, { id, token, steps, now }: Finishing) {
  // The lock prevents another node from leasing the task if the lease expires in the meantime.
  const [row] = await tx.select().from(tasks).where(isHeld(id, token)).for('update');
  if (row === undefined) return undefined;
  const { actor, order } = toTask(row);
  const name = await findName(tx, actor);
  const recorded: AuditEntry[] = [];
  const record = (entry: AuditEntry) => void recorded.push(entry);
  const mustSucceed = order.kind === 'import-properties';
  const isKept = (results: readonly TaskResult[]) => !mustSucceed || haveSucceeded(results);
  const found = name.ok
    ? await beginWriter(
        tx,
        remaining,
        actor,
        now,
      )(toBatch(steps), (writer) => runSteps(steps, writer, { actor, name: name.value }, now, record), isKept)
    : steps.map((step) => toTaskResult(name, step));
  const results = isKept(found) ? found : toAbandoned(found, steps);
  const entries = isKept(found) ? recorded : [];
  await appendAll(tx, entries);
  const values = {
    results,
    // The items are no longer needed.
    order: { ...order, items: [] },
    finishedAt: now,
    lease: null,
    leasedUntil: null,
  };
  await tx.update(tasks).set(values).where(eq(tasks.number, row.number));
  if (entries.length > 0) await tx.engine.announceChange(tx);
  return results;
}

function toBatch(steps: readonly TaskStep[]): Batch {
  return {
    creations: steps.flatMap((step) => (step.do === 'create' ? [step.property] : [])),
    updates: steps.flatMap((step) => (step.do === 'update' ? [step] : [])),
    removals: steps.flatMap((step) => (step.do === 'delete' ? [step.id] : [])),
  };
}

async function findKey(tx: Executor, id: ApiKeyId) {
  const isLive = and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt));
  const [key] = await tx.select({ name: apiKeys.name }).from(apiKeys).where(isLive);
  return key;
}

async function findOrganizationKeyName(
  tx: Executor,
  { limits: { keyId, organizationId } }: OrganizationActor,
): Promise<Outcome<string, Problem>> {
  const key = keyId && (await findKey(tx, keyId));
  if (key === undefined) return reject('task-key-revoked');
  const isWanted = and(eq(organizations.id, organizationId), isNull(organizations.deletedAt));
  const [found] = await tx.select({ name: organizations.name }).from(organizations).where(isWanted);
  return found === undefined ? reject('organization-unknown') : done(toKeyActorName(key.name, found.name));
}

/** Returns the actor's name for the audit log, or the reason why the task must not change anything. */
async function findName(tx: Executor, actor: TenantActor): Promise<Outcome<string, Problem>> {
  if (actor.source === 'organization-key') return findOrganizationKeyName(tx, actor);
  const {
    user,
    limits: { keyId },
  } = actor;
  const [account] = await tx.select().from(accounts).where(eq(accounts.id, user));
  if (account === undefined || account.disabledAt !== null) return reject('task-account-disabled');
  const isRevoked = keyId !== undefined && (await findKey(tx, keyId)) === undefined;
  return isRevoked ? reject('task-key-revoked') : done(account.email);
}

function isHeld(id: TaskId, token: string) {
  return and(eq(tasks.id, id), eq(tasks.lease, token), isUnfinished);
}

// Without parameters, because PostgreSQL uses the partial index only if the statement contains its condition.
const IS_OF_ORGANIZATION = sql`${tasks.source} = 'organization'`;
const IS_OF_USER = sql`${tasks.source} IS DISTINCT FROM 'organization'`;

function isVisibleTo(actor: TenantActor) {
  const { organizationId } = actor.limits;
  const hasLimit = organizationId === undefined ? undefined : eq(tasks.organizationId, organizationId);
  if (actor.source === 'organization-key') return and(hasLimit, IS_OF_ORGANIZATION);
  const isOwn = and(eq(tasks.accountId, actor.user), IS_OF_USER, hasLimit);
  if (actor.source === 'api-key') return isOwn;
  const accessible = sql`(SELECT organizations.id FROM organizations WHERE ${isAccessibleTo(actor.user)})`;
  return or(isOwn, and(inArray(tasks.organizationId, accessible), IS_OF_ORGANIZATION));
}
