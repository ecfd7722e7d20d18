import { and, desc, eq, gte, inArray, lt, max, min, or, type SQL, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import type { AccountId } from '../../../model/account.ts';
import type { AuditEntry, AuditFilter, StoredAuditEntry } from '../../../model/audit.ts';
import { toSearchTexts } from '../../../model/email.ts';
import { foldName } from '../../../model/name.ts';
import type { AuditStore } from '../../../model/ports/audit.ts';
import { toAuditEntry } from '../../entities.ts';
import type { Database } from '../connect.ts';
import { insertRows } from '../manyRows.ts';
import { contains } from '../queries.ts';
import { audit, organizations } from '../schema.ts';
import type { Executor } from '../transact.ts';
import { isAccessibleTo } from './membership.ts';

/**
 * Number of entries that the queries of a page search. Each query searches four times as many as the one before it, up to a million. A
 * query reads about 2,000 entries per millisecond if it searches for text, and only the matching entries if an index finds them.
 */
const SEARCH_SIZE = { first: 10_000, growth: 4, max: 1_000_000 } as const;
/** Maximum number of entries that one call deletes. */
const PURGE_SIZE = 1000;

/** @see AuditStore */
export function createAuditStore({ orm }: Database): AuditStore {
  return {
    append: (entry) => appendAll(orm, [entry]),
    async page(filter, before, limit) {
      const [ends] = await orm.select({ oldest: min(audit.id), newest: max(audit.id) }).from(audit);
      const oldest = ends?.oldest ?? 0;
      const found: StoredAuditEntry[] = [];
      let below: number = Math.min(before ?? Number.MAX_SAFE_INTEGER, (ends?.newest ?? 0) + 1);
      let size: number = SEARCH_SIZE.first;
      while (below > oldest && found.length < limit) {
        const condition = toCondition(orm, filter, { below, from: below - size });
        const rows = orm.select().from(audit).where(condition).orderBy(desc(audit.id));
        found.push(...(await rows.limit(limit - found.length)).map(toAuditEntry));
        below -= size;
        size = Math.min(size * SEARCH_SIZE.growth, SEARCH_SIZE.max);
      }
      return found;
    },
    async purge(before) {
      const old = orm.select({ id: audit.id }).from(audit).where(lt(audit.at, before)).limit(PURGE_SIZE);
      return (await orm.delete(audit).where(inArray(audit.id, old)).returning({ id: audit.id })).length;
    },
  };
}

/** Appends entries in their order. */
export async function appendAll(orm: Executor, entries: readonly AuditEntry[]): Promise<void> {
  await insertRows(orm, audit, entries.map(toRow));
}

function toRow(entry: AuditEntry) {
  return { ...entry, words: foldName(`${entry.actor}\n${entry.subject}`) };
}

/** The parts of `words`: the actor, which has no line break, and the subject. */
const ACTOR = sql`split_part(${audit.words}, chr(10), 1)`;
const SUBJECT = sql`substr(${audit.words}, strpos(${audit.words}, chr(10)) + 1)`;

function containsAny(text: SQL, part: string): SQL | undefined {
  return or(...toSearchTexts(part).map((one) => contains(text, foldName(one))));
}

/** A range of ids, which excludes `below`. */
type Range = { readonly from: number; readonly below: number };

function toCondition(orm: Executor, filter: AuditFilter, range: Range): SQL | undefined {
  const { reader, organizationId, accountId, actions, actor, subject, from, to } = filter;
  const when = <T>(value: T | undefined, condition: (value: T) => SQL | undefined) =>
    value === undefined ? undefined : condition(value);
  return and(
    isIn(range),
    when(reader, (id) => isVisibleTo(orm, id, range)),
    when(organizationId, (id) => eq(audit.organizationId, id)),
    when(accountId, (id) => eq(audit.accountId, id)),
    when(actions, (names) => inArray(audit.action, [...names])),
    when(actor, (part) => containsAny(ACTOR, part)),
    when(subject, (part) => containsAny(SUBJECT, part)),
    when(from, (moment) => gte(audit.at, moment)),
    when(to, (moment) => lt(audit.at, moment)),
  );
}

function isIn({ from, below }: Range): SQL {
  return sql`${audit.id} < ${below} AND ${audit.id} >= ${from}`;
}

/**
 * Two queries, each of which uses an index. With an OR of both conditions, finding a reader's 30 entries among a million takes 671 ms
 * instead of 17 ms.
 */
function isVisibleTo(orm: Executor, reader: AccountId, range: Range): SQL {
  const own = orm
    .select({ id: audit.id })
    .from(audit)
    .where(and(eq(audit.accountId, reader), isIn(range)));
  const shared = orm
    .select({ id: audit.id })
    .from(audit)
    .innerJoin(organizations, eq(organizations.id, audit.organizationId))
    .where(and(isAccessibleTo(reader), isIn(range)));
  return inArray(audit.id, unionAll(own, shared));
}
