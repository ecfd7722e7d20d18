import { and, desc, eq, gte, inArray, lt, or, type SQL, sql } from 'drizzle-orm';
import { pacer } from '../../../lib/pacer.ts';
import type { AuditEntry, AuditFilter, StoredAuditEntry } from '../../../model/audit.ts';
import { toSearchTexts } from '../../../model/email.ts';
import { foldName } from '../../../model/name.ts';
import type { AuditStore } from '../../../model/ports/audit.ts';
import { toAuditEntry } from '../../entities.ts';
import type { MainDatabase } from '../open.ts';
import { audit, organizations } from '../schema.ts';
import { isAccessibleTo } from './membership.ts';

/** Number of entries that one query searches: 2 ms if none of them match (Bun 1.4.5, one million entries). */
const SEARCH_SIZE = 10_000;
/** Maximum number of entries that one call deletes. */
const PURGE_SIZE = 1000;

/** @see AuditStore */
export function createAuditStore(database: MainDatabase): AuditStore {
  const { orm } = database;
  const append = createAppend(database);
  // With both aggregates in one query, SQLite reads the whole table: 50 ms for a million entries instead of 0.01 ms.
  const findEnds = database.raw.query<{ oldest: number | null; newest: number | null }, []>(
    'SELECT (SELECT min(id) FROM audit) AS oldest, (SELECT max(id) FROM audit) AS newest',
  );

  function search(condition: SQL | undefined, below: number, limit: number): readonly StoredAuditEntry[] {
    const isInRange = sql`${audit.id} < ${below} AND ${audit.id} >= ${below - SEARCH_SIZE}`;
    const rows = orm.select().from(audit).where(and(isInRange, condition));
    return rows.orderBy(desc(audit.id)).limit(limit).all().map(toAuditEntry);
  }

  return {
    async append(entry) {
      append(entry);
    },
    async page(filter, before, limit) {
      const ends = findEnds.get();
      const oldest = ends?.oldest ?? 0;
      const condition = toCondition(database, filter);
      const found: StoredAuditEntry[] = [];
      let below: number = Math.min(before ?? Number.MAX_SAFE_INTEGER, (ends?.newest ?? 0) + 1);
      while (below > oldest) {
        found.push(...search(condition, below, limit - found.length));
        if (found.length === limit) break;
        below -= SEARCH_SIZE;
        if (pacer.isDue()) await pacer.turn();
      }
      return found;
    },
    async purge(before) {
      const old = orm.delete(audit).where(lt(audit.at, before)).limit(PURGE_SIZE);
      return old.returning({ id: audit.id }).all().length;
    },
  };
}

/** @returns a function that writes an entry, inside or outside a transaction */
export function createAppend({ orm }: MainDatabase): (entry: AuditEntry) => void {
  const insert = orm
    .insert(audit)
    .values({
      at: sql.placeholder('at'),
      accountId: sql.placeholder('accountId'),
      actor: sql.placeholder('actor'),
      source: sql.placeholder('source'),
      address: sql.placeholder('address'),
      action: sql.placeholder('action'),
      organizationId: sql.placeholder('organizationId'),
      subject: sql.placeholder('subject'),
      words: sql.placeholder('words'),
    })
    .prepare();
  return (entry) => {
    insert.run({
      ...entry,
      accountId: entry.accountId ?? null,
      address: entry.address ?? null,
      organizationId: entry.organizationId ?? null,
      words: foldName(`${entry.actor}\n${entry.subject}`),
    });
  };
}

/** The parts of `words`: the actor, which has no line break, and the subject. */
const ACTOR = sql`substr(${audit.words}, 1, instr(${audit.words}, char(10)) - 1)`;
const SUBJECT = sql`substr(${audit.words}, instr(${audit.words}, char(10)) + 1)`;

function contains(text: SQL, part: string): SQL | undefined {
  return or(...toSearchTexts(part).map((one) => sql`instr(${text}, ${foldName(one)}) > 0`));
}

function toCondition({ orm }: MainDatabase, filter: AuditFilter): SQL | undefined {
  const { reader, organizationId, accountId, actions, actor, subject, from, to } = filter;
  const when = <T>(value: T | undefined, condition: (value: T) => SQL | undefined) =>
    value === undefined ? undefined : condition(value);
  return and(
    when(reader, (id) => {
      const accessible = orm.select({ id: organizations.id }).from(organizations).where(isAccessibleTo(id));
      return or(eq(audit.accountId, id), inArray(audit.organizationId, accessible));
    }),
    when(organizationId, (id) => eq(audit.organizationId, id)),
    when(accountId, (id) => eq(audit.accountId, id)),
    when(actions, (names) => inArray(audit.action, [...names])),
    when(actor, (part) => contains(ACTOR, part)),
    when(subject, (part) => contains(SUBJECT, part)),
    when(from, (moment) => gte(audit.at, moment)),
    when(to, (moment) => lt(audit.at, moment)),
  );
}
