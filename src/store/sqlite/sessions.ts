import { and, desc, eq, inArray, lt, ne, or } from 'drizzle-orm';
import type { SessionStore } from '../../model/session.ts';
import type { MainDatabase } from './open.ts';
import { accountOf, sessionOf } from './rows.ts';
import { accounts, sessions } from './schema.ts';

/** Rows that one purge forgets at most. */
const PORTION = 1000;

/** @see SessionStore */
export function createSessionStore({ orm }: MainDatabase): SessionStore {
  return {
    async create(session, now) {
      const values = { ...session, createdAt: now, seenAt: now, confirmedAt: now };
      return sessionOf(orm.insert(sessions).values(values).returning().get());
    },
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
    async touch(id, address, now) {
      orm.update(sessions).set({ address, seenAt: now }).where(eq(sessions.id, id)).run();
    },
    async confirm(id, now) {
      orm.update(sessions).set({ confirmedAt: now }).where(eq(sessions.id, id)).run();
    },
    async complete(id, secretHash, now) {
      const values = { secretHash, awaitsCode: false, createdAt: now, seenAt: now };
      const isWanted = and(eq(sessions.id, id), eq(sessions.awaitsCode, true));
      const row = orm.update(sessions).set(values).where(isWanted).returning().get();
      return row && sessionOf(row);
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
    async purge(seenBefore, createdBefore) {
      const isOld = or(lt(sessions.seenAt, seenBefore), lt(sessions.createdAt, createdBefore));
      const portion = orm.select({ id: sessions.id }).from(sessions).where(isOld).limit(PORTION);
      return orm.delete(sessions).where(inArray(sessions.id, portion)).returning({ id: sessions.id }).all()
        .length;
    },
  };
}
