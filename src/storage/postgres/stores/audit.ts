import { and, desc, eq, gte, inArray, lt, max, min, or, type SQL, sql } from 'drizzle-orm';
import type { AuditEntry, AuditFilter, StoredAuditEntry } from '../../../model/audit.ts';
import { foldName } from '../../../model/name.ts';
import type { AuditStore } from '../../../model/ports/audit.ts';
import { toAuditEntry } from '../../entities.ts';
import type { Database } from '../connect.ts';
import { insertRows } from '../manyRows.ts';
import { contains } from '../queries.ts';
import { audit, organizations } from '../schema.ts';
import type { Executor } from '../transact.ts';
import { isAccessibleTo } from './membership.ts';

/** Number of entries that one query searches. */
const SEARCH_SIZE = 10_000;
/** Maximum number of entries that one call deletes. */
const PURGE_SIZE = 1000;

/** @see AuditStore */
export function createAuditStore({ orm }: Database): AuditStore {
  async function search(
    condition: SQL | undefined,
    below: number,
    limit: number,
  ): Promise<readonly StoredAuditEntry[]> {
    const isInRange = sql`${audit.id} < ${below} AND ${audit.id} >= ${below - SEARCH_SIZE}`;
    const rows = orm.select().from(audit).where(and(isInRange, condition));
    return (await rows.orderBy(desc(audit.id)).limit(limit)).map(toAuditEntry);
  }

  return {
    append: (entry) => append(orm, entry),
    async page(filter, before, limit) {
      const [ends] = await orm.select({ oldest: min(audit.id), newest: max(audit.id) }).from(audit);
      const oldest = ends?.oldest ?? 0;
      const condition = toCondition(orm, filter);
      const found: StoredAuditEntry[] = [];
      let below: number = Math.min(before ?? Number.MAX_SAFE_INTEGER, (ends?.newest ?? 0) + 1);
      while (below > oldest) {
        found.push(...(await search(condition, below, limit - found.length)));
        if (found.length === limit) break;
        below -= SEARCH_SIZE;
      }
      return found;
    },
    async purge(before) {
      const old = orm.select({ id: audit.id }).from(audit).where(lt(audit.at, before)).limit(PURGE_SIZE);
      return (await orm.delete(audit).where(inArray(audit.id, old)).returning({ id: audit.id })).length;
    },
  };
}

/** Appends an entry to the audit log. */
export async function append(orm: Executor, entry: AuditEntry): Promise<void> {
  await orm.insert(audit).values(toRow(entry));
}

/** Appends entries in their order. */
export async function appendAll(orm: Executor, entries: readonly AuditEntry[]): Promise<void> {
  await insertRows(orm, audit, entries.map(toRow));
}

function toRow(entry: AuditEntry) {
  return { ...entry, words: foldName(`${entry.actor}\n${entry.subject}`) };
}

function toCondition(orm: Executor, filter: AuditFilter): SQL | undefined {
  const { reader, organizationId, accountId, action, text, from, to } = filter;
  const when = <T>(value: T | undefined, condition: (value: T) => SQL | undefined) =>
    value === undefined ? undefined : condition(value);
  return and(
    when(reader, (id) => {
      const accessible = orm.select({ id: organizations.id }).from(organizations).where(isAccessibleTo(id));
      return or(eq(audit.accountId, id), inArray(audit.organizationId, accessible));
    }),
    when(organizationId, (id) => eq(audit.organizationId, id)),
    when(accountId, (id) => eq(audit.accountId, id)),
    when(action, (name) => eq(audit.action, name)),
    when(text, (part) => contains(audit.words, foldName(part))),
    when(from, (moment) => gte(audit.at, moment)),
    when(to, (moment) => lt(audit.at, moment)),
  );
}
