import { and, desc, eq, gt, inArray, isNull, lt, ne, or } from 'drizzle-orm';
import type { AccountId } from '../../../model/account.ts';
import type { SessionStore } from '../../../model/ports/session.ts';
import { SESSIONS_MAX, type Session, type SessionId } from '../../../model/session.ts';
import { type MainDatabase, transact } from '../open.ts';
import { accountOf, sessionOf } from '../rows.ts';
import { accounts, sessions } from '../schema.ts';
import { updatePassword } from './accounts.ts';

/** Rows that one purge forgets at most. */
const PORTION = 1000;

/** @see SessionStore */
export function createSessionStore(database: MainDatabase): SessionStore {
  const { orm } = database;
  const isWell = createIsWell(database);

  return {
    ...createRenewals(database),
    create: ({ passwordHash, ...session }, now) =>
      transact(database, () => {
        if (!isWell(session.accountId, passwordHash)) return undefined;
        const values = { ...session, createdAt: now, seenAt: now, confirmedAt: now };
        const begun = sessionOf(orm.insert(sessions).values(values).returning().get());
        trim(database, begun);
        return begun;
      }),
    async bySecretHash(secretHash) {
      const row = orm
        .select()
        .from(sessions)
        .innerJoin(accounts, eq(accounts.id, sessions.accountId))
        .where(eq(sessions.secretHash, secretHash))
        .get();
      return row && { account: accountOf(row.accounts), session: sessionOf(row.sessions) };
    },
    async list(accountId) {
      const lastSeenFirst = [desc(sessions.seenAt), desc(sessions.id)];
      const isWanted = eq(sessions.accountId, accountId);
      const rows = orm
        .select()
        .from(sessions)
        .where(isWanted)
        .orderBy(...lastSeenFirst)
        .all();
      return rows.map(sessionOf);
    },
    async isAt(accountId, address, seenSince, createdSince) {
      const isThere = and(
        eq(sessions.accountId, accountId),
        eq(sessions.address, address),
        eq(sessions.awaitsCode, false),
        gt(sessions.seenAt, seenSince),
        gt(sessions.createdAt, createdSince),
      );
      return orm.select({ id: sessions.id }).from(sessions).where(isThere).limit(1).get() !== undefined;
    },
    async touch(id, address, now) {
      orm.update(sessions).set({ address, seenAt: now }).where(eq(sessions.id, id)).run();
    },
    async end(id, accountId) {
      const isWanted = and(eq(sessions.id, id), eq(sessions.accountId, accountId));
      return orm.delete(sessions).where(isWanted).returning().get() !== undefined;
    },
    async endAll(accountId, kept) {
      const isTheirs = eq(sessions.accountId, accountId);
      const isWanted = kept === undefined ? isTheirs : and(isTheirs, ne(sessions.id, kept));
      return orm.delete(sessions).where(isWanted).returning({ id: sessions.id }).all().length;
    },
    async endEvery(kept) {
      const isWanted = kept === undefined ? undefined : ne(sessions.id, kept);
      return orm.delete(sessions).where(isWanted).returning({ id: sessions.id }).all().length;
    },
    async purge(seenBefore, createdBefore) {
      const isOld = or(lt(sessions.seenAt, seenBefore), lt(sessions.createdAt, createdBefore));
      const portion = orm.select({ id: sessions.id }).from(sessions).where(isOld).limit(PORTION);
      return orm.delete(sessions).where(inArray(sessions.id, portion)).returning({ id: sessions.id }).all()
        .length;
    },
  };
}

/** Ends what is too much of one kind. Those that await a code push out none that opens doors. */
function trim({ orm }: MainDatabase, { id, accountId, awaitsCode }: Session): void {
  const isSame = and(
    eq(sessions.accountId, accountId),
    eq(sessions.awaitsCode, awaitsCode),
    // Also where the clock was set back.
    ne(sessions.id, id),
  );
  const tooMany = orm
    .select({ id: sessions.id })
    .from(sessions)
    .where(isSame)
    .orderBy(desc(sessions.seenAt), desc(sessions.id))
    .limit(PORTION)
    .offset(SESSIONS_MAX - 1);
  orm.delete(sessions).where(inArray(sessions.id, tooMany)).run();
}

/** Whether an account may begin a session, or go on with one: not disabled, and with this password where one is given. */
function createIsWell({ orm }: MainDatabase) {
  return (id: AccountId, passwordHash?: string): boolean => {
    const hasIt = passwordHash === undefined ? undefined : eq(accounts.passwordHash, passwordHash);
    const isIt = and(eq(accounts.id, id), isNull(accounts.disabledAt), hasIt);
    return orm.select({ id: accounts.id }).from(accounts).where(isIt).get() !== undefined;
  };
}

/** What a session gets another secret for. */
function createRenewals(
  database: MainDatabase,
): Pick<SessionStore, 'complete' | 'confirm' | 'changePassword'> {
  const { orm } = database;
  const isWell = createIsWell(database);

  /** A session that opens doors, of an account that is well. */
  function find(id: SessionId, passwordHash: string) {
    const row = orm.select().from(sessions).where(eq(sessions.id, id)).get();
    if (row === undefined || row.awaitsCode) return undefined;
    const session = sessionOf(row);
    return isWell(session.accountId, passwordHash) ? session : undefined;
  }

  return {
    complete: (id, secretHash, now) =>
      transact(database, () => {
        const values = { secretHash, awaitsCode: false, createdAt: now, seenAt: now };
        const isWanted = and(eq(sessions.id, id), eq(sessions.awaitsCode, true));
        const row = orm.update(sessions).set(values).where(isWanted).returning().get();
        if (row === undefined) return undefined;
        const completed = sessionOf(row);
        trim(database, completed);
        return completed;
      }),
    confirm: (id, { secretHash, passwordHash }, now) =>
      transact(database, () => {
        if (find(id, passwordHash) === undefined) return undefined;
        const values = { secretHash, confirmedAt: now };
        const row = orm.update(sessions).set(values).where(eq(sessions.id, id)).returning().get();
        return row && sessionOf(row);
      }),
    changePassword: (id, { secretHash, passwordHash }, currentHash) =>
      transact(database, () => {
        const session = find(id, currentHash);
        if (session === undefined) return undefined;
        updatePassword(database, session.accountId, passwordHash);
        const isOther = and(eq(sessions.accountId, session.accountId), ne(sessions.id, id));
        orm.delete(sessions).where(isOther).run();
        orm.update(sessions).set({ secretHash }).where(eq(sessions.id, id)).run();
        return session;
      }),
  };
}
