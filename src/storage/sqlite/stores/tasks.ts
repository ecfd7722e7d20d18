import { isDeepStrictEqual } from 'node:util';
import { and, asc, count, desc, eq, inArray, isNotNull, isNull, lt, type SQL, sql } from 'drizzle-orm';
import { done, type Outcome, refuse } from '../../../lib/outcome.ts';
import type { Instant } from '../../../lib/time.ts';
import type { AccountId } from '../../../model/account.ts';
import type { UserActor } from '../../../model/actor.ts';
import type { ApiKeyId } from '../../../model/apiKey.ts';
import type { AuditAction } from '../../../model/audit.ts';
import type { TaskStep, TaskStore } from '../../../model/ports/task.ts';
import type { Problem } from '../../../model/problems.ts';
import type { Property } from '../../../model/property.ts';
import type { TaskId, TaskResult } from '../../../model/task.ts';
import { type MainDatabase, transact } from '../open.ts';
import { DOORS, taskOf } from '../rows.ts';
import { accounts, apiKeys, tasks } from '../schema.ts';
import { createAppend } from './audit.ts';
import type { Room } from './plans.ts';
import { createPropertyWriter, type PropertyWriter, type Updated } from './propertyWriter.ts';

/** Tasks forgotten in one go. */
const PURGE_SIZE = 100;

const isUnfinished = isNull(tasks.finishedAt);

/** @see TaskStore */
export function createTaskStore(database: MainDatabase, room: Room): TaskStore {
  return { ...createQueue(database), ...createLeases(database), ...createEndings(database, room) };
}

type Queue = Pick<TaskStore, 'enqueue' | 'byId' | 'page'>;

function createQueue(database: MainDatabase): Queue {
  const { orm } = database;

  function countOf(isWanted: SQL | undefined): number {
    return orm.select({ n: count() }).from(tasks).where(isWanted).get()?.n ?? 0;
  }

  function forgetOldest(accountId: AccountId, surplus: number): void {
    const oldest = orm
      .select({ number: tasks.number })
      .from(tasks)
      .where(and(eq(tasks.accountId, accountId), isNotNull(tasks.finishedAt)))
      .orderBy(asc(tasks.number))
      .limit(surplus);
    orm.delete(tasks).where(inArray(tasks.number, oldest)).run();
  }

  return {
    enqueue({ id, actor, order }, limits, now) {
      return transact(database, (): Outcome<void, 'task-queue-full'> => {
        const { user: accountId, source, address = null, limits: own } = actor;
        const { organizationId = null, keyId = null } = own;
        const isTheirs = eq(tasks.accountId, accountId);
        if (countOf(and(isTheirs, isUnfinished)) >= limits.unfinished) return refuse('task-queue-full');
        const surplus = countOf(isTheirs) + 1 - limits.kept;
        if (surplus > 0) forgetOldest(accountId, surplus);
        const values = { id, accountId, organizationId, keyId, door: DOORS[source], address, createdAt: now };
        orm
          .insert(tasks)
          .values({ ...values, order: JSON.stringify(order) })
          .run();
        return done(undefined);
      });
    },
    async byId(id, actor) {
      const row = orm
        .select()
        .from(tasks)
        .where(and(eq(tasks.id, id), isOf(actor)))
        .get();
      return row && taskOf(row);
    },
    async page(actor, { offset, limit }) {
      const rows = orm.select().from(tasks).where(isOf(actor)).orderBy(desc(tasks.number));
      return rows.limit(limit).offset(offset).all().map(taskOf);
    },
  };
}

type Leases = Pick<TaskStore, 'claim' | 'renew' | 'postpone' | 'releaseAll'>;

function createLeases(database: MainDatabase): Leases {
  const { orm } = database;
  const nextOf = createNext(database);
  return {
    async claim({ token, until }, now) {
      // Most looks find nothing: those take no lock.
      if (nextOf(now) === undefined) return undefined;
      return transact(database, () => {
        const number = nextOf(now);
        if (number === undefined) return undefined;
        const lease = { lease: token, leasedUntil: until };
        return taskOf(orm.update(tasks).set(lease).where(eq(tasks.number, number)).returning().get());
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
    async releaseAll() {
      const isLeased = and(isUnfinished, isNotNull(tasks.lease));
      orm.update(tasks).set({ lease: null, leasedUntil: null }).where(isLeased).run();
    },
  };
}

/**
 * The number of the oldest of the accounts' first unfinished tasks that nobody holds. Goes from account to account by
 * the index of unfinished tasks: its cost grows with the accounts that wait, not with the tasks.
 */
function createNext({ raw }: MainDatabase): (now: Instant) => number | undefined {
  const select = raw.query<{ number: number }, [number]>(`
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
    WHERE first.leased_until IS NULL OR first.leased_until <= ?
    ORDER BY first.number
    LIMIT 1`);
  return (now) => select.get(now)?.number;
}

type Endings = Pick<TaskStore, 'finish' | 'purge'>;

function createEndings(database: MainDatabase, room: Room): Endings {
  const { orm } = database;
  const begin = createPropertyWriter(database, room);
  const append = createAppend(database);

  function isLive(keyId: ApiKeyId | undefined): boolean {
    if (keyId === undefined) return true;
    const isIt = and(eq(apiKeys.id, keyId), isNull(apiKeys.revokedAt));
    return orm.select({ id: apiKeys.id }).from(apiKeys).where(isIt).get() !== undefined;
  }

  /** The e-mail address of the actor, or the reason why the actor may not act any more. */
  function emailOf({ user, limits }: UserActor): Outcome<string, Problem> {
    const account = orm.select().from(accounts).where(eq(accounts.id, user)).get();
    if (account === undefined || account.disabledAt !== null) return refuse('task-account-disabled');
    return isLive(limits.keyId) ? done(account.email) : refuse('task-key-revoked');
  }

  /** In the same transaction: what the log says was done, and what was done is in the log. */
  function createNote({ user: accountId, source, address }: UserActor, actor: string, at: Instant) {
    return (step: TaskStep, { property, actions }: Taken): void => {
      if (step.do === 'refuse') return;
      const { organizationId, name, sitekey, domain } = property;
      const common = { at, accountId, actor, source, address, organizationId };
      const subject = `${name} (${sitekey})`;
      for (const action of actions) append({ ...common, action, subject });
      if (step.do === 'delete' || step.skipsDnsCheck !== true) return;
      append({ ...common, action: 'dns-check-skipped', subject: `${domain} of ${subject}` });
    };
  }

  return {
    finish(id, token, steps, now) {
      return transact(database, () => {
        const row = orm.select().from(tasks).where(isHeld(id, token)).get();
        if (row === undefined) return undefined;
        const { actor, order } = taskOf(row);
        const email = emailOf(actor);
        const results = email.ok
          ? doAll(steps, begin(actor, now), createNote(actor, email.value, now))
          : steps.map((step) => resultOf(email, step));
        const ending = {
          results: JSON.stringify(results),
          // Nobody reads again what was asked for.
          order: JSON.stringify({ ...order, items: [] }),
          finishedAt: now,
          lease: null,
          leasedUntil: null,
        };
        orm.update(tasks).set(ending).where(eq(tasks.number, row.number)).run();
        return results;
      });
    },
    async purge(before) {
      const old = orm
        .select({ number: tasks.number })
        .from(tasks)
        .where(and(isNotNull(tasks.finishedAt), lt(tasks.finishedAt, before)))
        .limit(PURGE_SIZE);
      return orm.delete(tasks).where(inArray(tasks.number, old)).returning({ id: tasks.id }).all().length;
    },
  };
}

function isHeld(id: TaskId, token: string) {
  return and(eq(tasks.id, id), eq(tasks.lease, token), isUnfinished);
}

function isOf({ user: accountId, limits: { organizationId } }: UserActor) {
  const isSameLimit = organizationId === undefined ? sql`true` : eq(tasks.organizationId, organizationId);
  return and(eq(tasks.accountId, accountId), isSameLimit);
}

/** A property after a step, and how the audit log names what the step did. */
type Taken = { readonly property: Property; readonly actions: readonly AuditAction[] };

type Note = (step: TaskStep, taken: Taken) => void;

function doAll(steps: readonly TaskStep[], writer: PropertyWriter, note: Note): readonly TaskResult[] {
  return steps.map((step) => {
    if (step.do === 'refuse') return step.result;
    const outcome = take(step, writer);
    if (!outcome.ok) return resultOf(outcome, step);
    note(step, outcome.value);
    return resultOf(done(outcome.value.property), step);
  });
}

type Action = Exclude<TaskStep, { readonly do: 'refuse' }>;

function take(step: Action, writer: PropertyWriter): Outcome<Taken, Problem> {
  if (step.do === 'update') {
    const updated = writer.update(step);
    if (!updated.ok) return updated;
    const { after: property } = updated.value;
    return done({ property, actions: actionsOf(updated.value) });
  }
  const [outcome, action] =
    step.do === 'create'
      ? ([writer.create(step.property), 'property-created'] as const)
      : ([writer.remove(step.id), 'property-deleted'] as const);
  return outcome.ok ? done({ property: outcome.value, actions: [action] }) : outcome;
}

/** Enabling and disabling have entries of their own; all other settings share one. */
function actionsOf({ before, after }: Updated): readonly AuditAction[] {
  if (before.isEnabled === after.isEnabled) return ['property-updated'];
  const isAll = isDeepStrictEqual({ ...before, isEnabled: after.isEnabled }, after);
  const switched = after.isEnabled ? 'property-enabled' : 'property-disabled';
  return isAll ? [switched] : ['property-updated', switched];
}

/** An item that was refused is named by what was given. */
function resultOf(outcome: Outcome<Property, Problem>, step: TaskStep): TaskResult {
  if (outcome.ok) {
    const { id, name, sitekey } = outcome.value;
    return { propertyId: id, name, sitekey };
  }
  if (step.do === 'refuse') return step.result;
  const given = step.do === 'create' ? { name: step.property.name } : { propertyId: step.id };
  return { ...given, problem: outcome.problem };
}
