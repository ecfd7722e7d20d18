import { and, desc, eq, gte, inArray, lt, max, min, or, type SQL, sql } from 'drizzle-orm';
import type { AuditEntry, AuditFilter, KeptAuditEntry } from '../../../model/audit.ts';
import { foldName } from '../../../model/name.ts';
import type { AuditStore } from '../../../model/ports/audit.ts';
import type { MainDatabase } from '../open.ts';
import { auditEntryOf, DOORS } from '../rows.ts';
import { audit, organizations } from '../schema.ts';
import { reachedBy } from './organizations.ts';

/** Entries looked through in one go: 2 ms where none of them has the text (Bun 1.4.5, a million entries). */
const LOOK_SIZE = 10_000;
/** Entries forgotten in one go. */
const PURGE_SIZE = 1000;

/** @see AuditStore */
export function createAuditStore(database: MainDatabase): AuditStore {
  const { orm } = database;
  const append = createAppend(database);

  function look(isWanted: SQL | undefined, below: number, limit: number): readonly KeptAuditEntry[] {
    const isInReach = and(lt(audit.id, below), gte(audit.id, below - LOOK_SIZE));
    const rows = orm.select().from(audit).where(and(isInReach, isWanted));
    return rows.orderBy(desc(audit.id)).limit(limit).all().map(auditEntryOf);
  }

  return {
    async append(entry) {
      append(entry);
    },
    async page(filter, before, limit) {
      const ends = orm
        .select({ oldest: min(audit.id), newest: max(audit.id) })
        .from(audit)
        .get();
      const oldest = ends?.oldest ?? 0;
      const isWanted = wantedBy(database, filter);
      const found: KeptAuditEntry[] = [];
      let below: number = Math.min(before ?? Number.MAX_SAFE_INTEGER, (ends?.newest ?? 0) + 1);
      while (below > oldest) {
        found.push(...look(isWanted, below, limit - found.length));
        if (found.length === limit) break;
        below -= LOOK_SIZE;
        // Requests get their turn.
        await new Promise(setImmediate);
      }
      return found;
    },
    async purge(before) {
      const old = orm.select({ id: audit.id }).from(audit).where(lt(audit.at, before)).limit(PURGE_SIZE);
      return orm.delete(audit).where(inArray(audit.id, old)).returning({ id: audit.id }).all().length;
    },
  };
}

/** Writes an entry, within a transaction or without. */
export function createAppend({ orm }: MainDatabase): (entry: AuditEntry) => void {
  const insert = orm
    .insert(audit)
    .values({
      at: sql.placeholder('at'),
      accountId: sql.placeholder('accountId'),
      actor: sql.placeholder('actor'),
      door: sql.placeholder('door'),
      address: sql.placeholder('address'),
      action: sql.placeholder('action'),
      organizationId: sql.placeholder('organizationId'),
      subject: sql.placeholder('subject'),
      words: sql.placeholder('words'),
    })
    .prepare();
  return ({ source, ...entry }) => {
    insert.run({
      ...entry,
      door: DOORS[source],
      accountId: entry.accountId ?? null,
      address: entry.address ?? null,
      organizationId: entry.organizationId ?? null,
      words: foldName(`${entry.actor}\n${entry.subject}`),
    });
  };
}

function wantedBy(database: MainDatabase, filter: AuditFilter): SQL | undefined {
  const { reader, organizationId, accountId, action, text, from, to } = filter;
  const when = <T>(value: T | undefined, condition: (value: T) => SQL | undefined) =>
    value === undefined ? undefined : condition(value);
  return and(
    when(reader, (id) => {
      const reached = database.orm
        .select({ id: organizations.id })
        .from(organizations)
        .where(reachedBy(database, id));
      return or(eq(audit.accountId, id), inArray(audit.organizationId, reached));
    }),
    when(organizationId, (id) => eq(audit.organizationId, id)),
    when(accountId, (id) => eq(audit.accountId, id)),
    when(action, (name) => eq(audit.action, name)),
    when(text, (part) => sql`instr(${audit.words}, ${foldName(part)}) > 0`),
    when(from, (moment) => gte(audit.at, moment)),
    when(to, (moment) => lt(audit.at, moment)),
  );
}
