import { and, desc, eq, gt, inArray, isNull, lt, ne, or, type SQL, sql } from 'drizzle-orm';
import { done, reject } from '../../lib/outcome.ts';
import type { AccountId } from '../../model/account.ts';
import type { AuditEntry } from '../../model/audit.ts';
import type { SessionStore } from '../../model/ports/session.ts';
import { SESSIONS_MAX, type Session, type SessionId } from '../../model/session.ts';
import { sessionColumns, toAccount } from '../entities.ts';
import type { Executor, StoreDatabase } from '../executor.ts';
import { countRows, hasRow, prepared } from '../queries.ts';
import type { Changes } from '../recordedChange.ts';
import { accounts, sessions } from '../schema.ts';
import { isEmailTaken, replaceEmail, replacePassword } from './accounts.ts';

/** Maximum number of sessions that one call deletes. */
const PURGE_SIZE = 1000;

const selectBySecret = prepared((orm) =>
  orm
    .select({ account: accounts, session: sessionColumns })
    .from(sessions)
    .innerJoin(accounts, eq(accounts.id, sessions.accountId))
    .where(eq(sessions.secretHash, sql.placeholder('secretHash'))),
);

/** @see SessionStore */
export function createSessionStore(database: StoreDatabase, changes: Changes): SessionStore {
  const { orm } = database;
  const { change } = changes;

  /** Appends the entry even if no session was deleted. */
  async function endAll(condition: SQL | undefined, entry: AuditEntry | undefined): Promise<number> {
    const { ended } = await change(entry, async (tx) => ({ ended: await remove(tx, condition) }));
    return ended;
  }

  return {
    ...createQueries(database),
    ...createRenewals(database, changes),
    create: ({ passwordHash, ...session }, now, entry) =>
      change(entry, async (tx) => {
        if (!(await mayHaveSession(tx, session.accountId, passwordHash))) return undefined;
        const values = { ...session, createdAt: now, seenAt: now, confirmedAt: now };
        const [created] = await tx.insert(sessions).values(values).returning(sessionColumns);
        if (created !== undefined) await trim(tx, created);
        return created;
      }),
    async touch(id, address, now) {
      await orm.update(sessions).set({ address, seenAt: now }).where(eq(sessions.id, id));
    },
    end: (id, accountId, entry) =>
      change(
        entry,
        async (tx) => (await remove(tx, and(eq(sessions.id, id), eq(sessions.accountId, accountId)))) > 0,
      ),
    endOthers: (session, entry) => change(entry, (tx) => endOthers(tx, session)),
    endAll: (accountId, entry) => endAll(eq(sessions.accountId, accountId), entry),
    endEvery: (except, entry) => endAll(except === undefined ? undefined : ne(sessions.id, except), entry),
    purge(seenBefore, createdBefore) {
      const isOld = or(lt(sessions.seenAt, seenBefore), lt(sessions.createdAt, createdBefore));
      const old = orm.select({ id: sessions.id }).from(sessions).where(isOld).limit(PURGE_SIZE);
      // Skips rows that another transaction is deleting: waiting for them could cause a deadlock.
      return remove(orm, inArray(sessions.id, old.for('update', { skipLocked: true })));
    },
  };
}

/** @returns the number of sessions that were deleted */
async function remove(orm: Executor, condition: SQL | undefined): Promise<number> {
  return (await orm.delete(sessions).where(condition).returning({ id: sessions.id })).length;
}

function endOthers(tx: Executor, { id, accountId }: Pick<Session, 'id' | 'accountId'>): Promise<number> {
  return remove(tx, and(eq(sessions.accountId, accountId), ne(sessions.id, id)));
}

/** The methods that only read. */
function createQueries({
  orm,
}: StoreDatabase): Pick<SessionStore, 'bySecretHash' | 'list' | 'isAt' | 'countLive'> {
  return {
    async bySecretHash(secretHash) {
      const [row] = await selectBySecret(orm, { secretHash });
      return row && { account: toAccount(row.account), session: row.session };
    },
    async list(accountId) {
      return orm
        .select(sessionColumns)
        .from(sessions)
        .where(eq(sessions.accountId, accountId))
        .orderBy(desc(sessions.seenAt), desc(sessions.id));
    },
    isAt(accountId, address, seenSince, createdSince) {
      const isThere = and(
        eq(sessions.accountId, accountId),
        eq(sessions.address, address),
        eq(sessions.awaitsCode, false),
        gt(sessions.seenAt, seenSince),
        gt(sessions.createdAt, createdSince),
      );
      return hasRow(orm, sessions, isThere);
    },
    countLive(seenSince, createdSince) {
      const isLive = and(
        eq(sessions.awaitsCode, false),
        gt(sessions.seenAt, seenSince),
        gt(sessions.createdAt, createdSince),
      );
      return countRows(orm, sessions, isLive);
    },
  };
}

/** Ends the account's sessions above the limit. Sessions that await a code and complete sessions have separate limits. */
async function trim(tx: Executor, { id, accountId, awaitsCode }: Session): Promise<void> {
  const isSameKind = and(
    eq(sessions.accountId, accountId),
    eq(sessions.awaitsCode, awaitsCode),
    // The new session stays even if the clock was set back.
    ne(sessions.id, id),
  );
  const surplus = tx
    .select({ id: sessions.id })
    .from(sessions)
    .where(isSameKind)
    .orderBy(desc(sessions.seenAt), desc(sessions.id))
    .limit(PURGE_SIZE)
    .offset(SESSIONS_MAX - 1);
  await remove(tx, inArray(sessions.id, surplus));
}

/** Whether an account may create or keep a session: it is enabled and, if a hash is given, still has this password. */
function mayHaveSession(tx: Executor, id: AccountId, passwordHash?: string): Promise<boolean> {
  const hasPassword = passwordHash === undefined ? undefined : eq(accounts.passwordHash, passwordHash);
  return hasRow(tx, accounts, and(eq(accounts.id, id), isNull(accounts.disabledAt), hasPassword));
}

/** Finds a complete session of an account that may keep it. */
async function find(tx: Executor, id: SessionId, passwordHash: string): Promise<Session | undefined> {
  const isComplete = and(eq(sessions.id, id), eq(sessions.awaitsCode, false));
  const [session] = await tx.select(sessionColumns).from(sessions).where(isComplete);
  return session && (await mayHaveSession(tx, session.accountId, passwordHash)) ? session : undefined;
}

async function update(
  tx: Executor,
  condition: SQL | undefined,
  values: Partial<typeof sessions.$inferInsert>,
): Promise<Session | undefined> {
  const [session] = await tx.update(sessions).set(values).where(condition).returning(sessionColumns);
  return session;
}

/** The methods that replace the secret of a session. */
function createRenewals(
  database: StoreDatabase,
  { change }: Changes,
): Pick<SessionStore, 'complete' | 'confirm' | 'changePassword' | 'changeEmail'> {
  return {
    complete: (id, secretHash, now, entry) =>
      change(entry, async (tx) => {
        const isWaiting = and(eq(sessions.id, id), eq(sessions.awaitsCode, true));
        const values = { secretHash, awaitsCode: false, createdAt: now, seenAt: now };
        const completed = await update(tx, isWaiting, values);
        if (completed !== undefined) await trim(tx, completed);
        return completed;
      }),
    confirm: (id, { secretHash, passwordHash }, now) =>
      database.transact(async (tx) => {
        if ((await find(tx, id, passwordHash)) === undefined) return undefined;
        return update(tx, eq(sessions.id, id), { secretHash, confirmedAt: now });
      }),
    changePassword: (id, { secretHash, passwordHash }, currentHash, entry) =>
      change(entry, async (tx) => {
        const session = await find(tx, id, currentHash);
        if (session === undefined) return undefined;
        await replacePassword(tx, session.accountId, passwordHash, id);
        return update(tx, eq(sessions.id, id), { secretHash });
      }),
    changeEmail: (id, { secretHash, passwordHash }, email, now, entry) =>
      change(entry, async (tx) => {
        const found = await find(tx, id, passwordHash);
        if (found === undefined) return reject('session-over');
        if (await isEmailTaken(tx, found.accountId, email)) return reject('email-taken');
        const session = await update(tx, eq(sessions.id, id), { secretHash, confirmedAt: now });
        if (session === undefined) return reject('session-over');
        await endOthers(tx, session);
        const account = await replaceEmail(tx, session.accountId, email);
        return account.ok ? done({ account: account.value, session }) : reject('session-over');
      }),
  };
}
