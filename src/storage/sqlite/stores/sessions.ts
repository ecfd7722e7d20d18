import { and, desc, eq, gt, inArray, isNull, lt, ne, or, type SQL } from 'drizzle-orm';
import type { AccountId } from '../../../model/account.ts';
import type { AuditEntry } from '../../../model/audit.ts';
import type { SessionStore } from '../../../model/ports/session.ts';
import { SESSIONS_MAX, type Session, type SessionId } from '../../../model/session.ts';
import { toAccount } from '../../entities.ts';
import { type MainDatabase, transact } from '../open.ts';
import { countRows, hasRow } from '../queries.ts';
import type { Change } from '../recordedChange.ts';
import { sessionColumns } from '../rows.ts';
import { accounts, sessions } from '../schema.ts';
import { replacePassword } from './accounts.ts';

/** Maximum number of sessions that one call deletes. */
const PURGE_SIZE = 1000;

/** @see SessionStore */
export function createSessionStore(database: MainDatabase, change: Change): SessionStore {
  const { orm } = database;

  /** @returns the number of sessions that were deleted */
  function remove(condition: SQL | undefined): number {
    return orm.delete(sessions).where(condition).returning({ id: sessions.id }).all().length;
  }
  /** Appends the entry even if no session was deleted. */
  async function endAll(condition: SQL | undefined, entry: AuditEntry | undefined): Promise<number> {
    const { ended } = await change(entry, () => ({ ended: remove(condition) }));
    return ended;
  }

  return {
    ...createRenewals(database, change),
    create: ({ passwordHash, ...session }, now, entry) =>
      change(entry, () => {
        if (!mayHaveSession(database, session.accountId, passwordHash)) return undefined;
        const values = { ...session, createdAt: now, seenAt: now, confirmedAt: now };
        const created = orm.insert(sessions).values(values).returning(sessionColumns).get();
        trim(database, created);
        return created;
      }),
    async bySecretHash(secretHash) {
      const row = orm
        .select({ account: accounts, session: sessionColumns })
        .from(sessions)
        .innerJoin(accounts, eq(accounts.id, sessions.accountId))
        .where(eq(sessions.secretHash, secretHash))
        .get();
      return row && { account: toAccount(row.account), session: row.session };
    },
    async list(accountId) {
      return orm
        .select(sessionColumns)
        .from(sessions)
        .where(eq(sessions.accountId, accountId))
        .orderBy(desc(sessions.seenAt), desc(sessions.id))
        .all();
    },
    async isAt(accountId, address, seenSince, createdSince) {
      const isThere = and(
        eq(sessions.accountId, accountId),
        eq(sessions.address, address),
        eq(sessions.awaitsCode, false),
        gt(sessions.seenAt, seenSince),
        gt(sessions.createdAt, createdSince),
      );
      return hasRow(database, sessions, isThere);
    },
    async countLive(seenSince, createdSince) {
      const isLive = and(
        eq(sessions.awaitsCode, false),
        gt(sessions.seenAt, seenSince),
        gt(sessions.createdAt, createdSince),
      );
      return countRows(database, sessions, isLive);
    },
    async touch(id, address, now) {
      orm.update(sessions).set({ address, seenAt: now }).where(eq(sessions.id, id)).run();
    },
    end: (id, accountId, entry) =>
      change(entry, () => remove(and(eq(sessions.id, id), eq(sessions.accountId, accountId))) > 0),
    endOthers: ({ id, accountId }, entry) =>
      change(entry, () => remove(and(eq(sessions.accountId, accountId), ne(sessions.id, id)))),
    endAll: (accountId, entry) => endAll(eq(sessions.accountId, accountId), entry),
    endEvery: (except, entry) => endAll(except === undefined ? undefined : ne(sessions.id, except), entry),
    async purge(seenBefore, createdBefore) {
      const isOld = or(lt(sessions.seenAt, seenBefore), lt(sessions.createdAt, createdBefore));
      const old = orm.delete(sessions).where(isOld).limit(PURGE_SIZE);
      return old.returning({ id: sessions.id }).all().length;
    },
  };
}

/** Ends the sessions above the limit. Sessions that await a code and complete sessions have separate limits. */
function trim({ orm }: MainDatabase, { id, accountId, awaitsCode }: Session): void {
  const isSameKind = and(
    eq(sessions.accountId, accountId),
    eq(sessions.awaitsCode, awaitsCode),
    // The new session stays even if the clock was set back.
    ne(sessions.id, id),
  );
  const surplus = orm
    .select({ id: sessions.id })
    .from(sessions)
    .where(isSameKind)
    .orderBy(desc(sessions.seenAt), desc(sessions.id))
    .limit(PURGE_SIZE)
    .offset(SESSIONS_MAX - 1);
  orm.delete(sessions).where(inArray(sessions.id, surplus)).run();
}

/** Whether an account may create or keep a session: it is enabled and, if a hash is given, still has this password. */
function mayHaveSession(database: MainDatabase, id: AccountId, passwordHash?: string): boolean {
  const hasPassword = passwordHash === undefined ? undefined : eq(accounts.passwordHash, passwordHash);
  return hasRow(database, accounts, and(eq(accounts.id, id), isNull(accounts.disabledAt), hasPassword));
}

/** The methods that replace the secret of a session. */
function createRenewals(
  database: MainDatabase,
  change: Change,
): Pick<SessionStore, 'complete' | 'confirm' | 'changePassword'> {
  const { orm } = database;

  /** Finds a complete session of an account that may keep it. */
  function find(id: SessionId, passwordHash: string): Session | undefined {
    const isComplete = and(eq(sessions.id, id), eq(sessions.awaitsCode, false));
    const session = orm.select(sessionColumns).from(sessions).where(isComplete).get();
    return session && mayHaveSession(database, session.accountId, passwordHash) ? session : undefined;
  }

  function update(condition: SQL | undefined, values: Partial<typeof sessions.$inferInsert>) {
    return orm.update(sessions).set(values).where(condition).returning(sessionColumns).get();
  }

  return {
    complete: (id, secretHash, now, entry) =>
      change(entry, () => {
        const isWaiting = and(eq(sessions.id, id), eq(sessions.awaitsCode, true));
        const values = { secretHash, awaitsCode: false, createdAt: now, seenAt: now };
        const completed = update(isWaiting, values);
        if (completed !== undefined) trim(database, completed);
        return completed;
      }),
    confirm: (id, { secretHash, passwordHash }, now) =>
      transact(database, () => {
        if (find(id, passwordHash) === undefined) return undefined;
        return update(eq(sessions.id, id), { secretHash, confirmedAt: now });
      }),
    changePassword: (id, { secretHash, passwordHash }, currentHash, entry) =>
      change(entry, () => {
        const session = find(id, currentHash);
        if (session === undefined) return undefined;
        replacePassword(database, session.accountId, passwordHash, id);
        return update(eq(sessions.id, id), { secretHash });
      }),
  };
}
