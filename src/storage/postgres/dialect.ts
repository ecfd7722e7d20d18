import { and, desc, is, isNull, type SQL, sql } from 'drizzle-orm';
import { PgColumn } from 'drizzle-orm/pg-core';
import type { Dialect, RecordColumns } from '../dialect.ts';
import { selectRows, toJsonValue } from '../queries.ts';
import { properties, statisticsDaily } from '../schema.ts';
import { announceChange } from './announcements.ts';
import { ACCEPT_ORIGIN } from './ledger/claims.ts';
import { lock, sharedLock } from './locks.ts';
import { requireCommits } from './standbys.ts';

/** Retention of the last batch of a process, in days. A process repeats a batch until the database accepts it. */
const WRITERS_RETAINED_DAYS = 30;

/** What differs in PostgreSQL. */
export const postgresDialect: Dialect = {
  isClustered: true,
  largestSearch: 1_000_000,
  isAnyOf(column, values) {
    const list = sql`SELECT json_array_elements_text(${toJson(values)})::${sql.raw(is(column, PgColumn) ? column.getSQLType() : 'bigint')}`;
    return sql`${column} = ANY (ARRAY(${list}))`;
  },
  isInRange: (column, from, until) =>
    sql`${column} = ANY (ARRAY(SELECT generate_series((${from})::bigint, ${until}::bigint - 1)))`,
  toRecords(columns, rows) {
    const types = columns.map(([, column]) => `${column.name} ${column.getSQLType()}`);
    return sql`json_to_recordset(${toJson(toValues(columns, rows))}) AS records (${sql.raw(types.join(', '))})`;
  },
  // PostgreSQL rejects parameters with the character U+0000 (error 22021), which no stored text contains.
  contains: (text, part) => (part.includes('\0') ? sql`false` : sql`strpos(${text}, ${part}) > 0`),
  rowNumber: sql.raw('number'),
  lineBreakIn: (text) => sql`strpos(${text}, chr(10))`,
  lockRows: (table) => sql.raw(`FOR NO KEY UPDATE OF ${table}`),
  lockFreeRows: (table) => sql.raw(`FOR UPDATE OF ${table} SKIP LOCKED`),
  isFirstUnfinished: sql.raw(
    't.number = (SELECT min(number) FROM tasks WHERE finished_at IS NULL AND account_id = t.account_id)',
  ),
  greatest: (first, second) => sql`greatest(${first}, ${second})`,
  jsonList: (value) => sql<string>`coalesce(json_agg(${value} ORDER BY ${value}), '[]')::text`,
  unindexed: (column) => column,
  hasFlag: (column, value) => sql.raw(value ? column : `NOT ${column}`),
  // The row comparison prevents a scan of the primary key. PostgreSQL expects that scan to be as fast as the index of the organization, but
  // it would read the properties of other organizations.
  isAfter: (organizationId, after) =>
    sql`organization_id = ${organizationId} AND (organization_id, id) > (${organizationId}, ${after})`,
  hasDaysOf: (ids) => postgresDialect.isAnyOf(statisticsDaily.propertyId, ids),
  selectFirst({ table, id, columns, condition, flag, order }, scope, { offset, limit }) {
    const rows = sql.raw(`SELECT ${[`${id} AS id`, ...columns].join(', ')} FROM ${table}`);
    const hasFlag = flag === undefined ? sql`` : sql`AND ${postgresDialect.hasFlag(...flag)}`;
    const [isWanted, by] = [sql`${sql.raw(condition)} ${hasFlag}`, sql.raw(`ORDER BY ${order}`)];
    return sql`
      SELECT id FROM unnest(${sql.param([...scope])}::bigint[]) AS scope (one)
      CROSS JOIN LATERAL (
        ${rows} WHERE organization_id = scope.one AND ${isWanted} ${by} LIMIT ${offset + limit}::bigint
      ) AS found
      ${by} LIMIT ${limit}::bigint OFFSET ${offset}::bigint`;
  },
  async searchProperties(orm, scope, condition, limit) {
    const { id, organizationId, deletedAt } = properties;
    const isIn = and(isNull(deletedAt), sql`${organizationId} = ANY(${sql.param([...scope])}::bigint[])`);
    const found = orm.select({ id }).from(properties).where(and(isIn, condition));
    return (await found.orderBy(desc(id)).limit(limit)).map((row) => row.id);
  },
  async reserveIds(tx, table, count) {
    if (count === 0) return [];
    const rows = await selectRows<{ id: string }>(
      tx,
      sql`SELECT nextval(pg_get_serial_sequence(${table}, 'id')) AS id FROM generate_series(1, ${count}::integer)`,
    );
    return rows.map(({ id }) => Number(id));
  },
  async skipIds(tx, table, count) {
    const sequence = sql`pg_get_serial_sequence(${table}, 'id')`;
    await tx.execute(sql`SELECT setval(${sequence}, nextval(${sequence}) + ${count})`);
  },
  async lock(tx, name, mode) {
    await tx.execute(mode === 'shared' ? sharedLock(name) : lock(name));
  },
  // If another transaction is adding the same batch, for example one whose connection was lost, waits until that transaction ends.
  async isFirst(tx, { writer, number }) {
    const rows = await tx.execute(sql`
      INSERT INTO statistics_writers AS known (writer, last_batch, at)
      VALUES (${writer}, ${number}::bigint, floor(extract(epoch FROM now()) * 1000)::bigint)
      ON CONFLICT (writer) DO UPDATE SET last_batch = EXCLUDED.last_batch, at = EXCLUDED.at
      WHERE known.last_batch < EXCLUDED.last_batch
      RETURNING 1`);
    return rows.length === 1;
  },
  async purgeBatches(orm) {
    await orm.execute(sql`
      DELETE FROM statistics_writers
      WHERE at < floor(extract(epoch FROM now() - make_interval(days => ${WRITERS_RETAINED_DAYS})) * 1000)::bigint`);
  },
  lookUp: async (query, values) => (await query.execute(values))[0],
  requireCommits: (orm) => requireCommits({ unsafe: (query: string) => orm.execute(sql.raw(query)) }),
  async acceptLoss(tx) {
    await tx.execute(lock('claims-purge'));
    return (await tx.execute(sql.raw(ACCEPT_ORIGIN))).length > 0;
  },
  async changeVersion(orm) {
    const [row] = await selectRows<{ version: string }>(orm, sql`SELECT version FROM change_version`);
    return Number(row?.version ?? 0);
  },
  announceChange,
  // PostgreSQL plans queries again after an update of the statistics. Plans for smaller tables can scan a whole table for each chunk, so the
  // duration of an import would grow with the square of its size.
  async analyze(tx) {
    await tx.execute(sql`ANALYZE accounts, organizations, members, properties`);
  },
};

function toValues(columns: RecordColumns, rows: readonly Readonly<Record<string, unknown>>[]) {
  return rows.map((row) =>
    Object.fromEntries(
      columns.map(([key, column]) => {
        const given = toJsonValue(column, row[key]);
        return [column.name, given instanceof Uint8Array ? `\\x${given.toHex()}` : given];
      }),
    ),
  );
}

/** Passes JSON as text, because the client would encode a parameter of the type `json` a second time. */
function toJson(value: unknown): SQL {
  return sql`${JSON.stringify(value)}::text::json`;
}
