import { and, type SQL, sql } from 'drizzle-orm';
import { pacer } from '../../lib/pacer.ts';
import type { PropertyId } from '../../model/property.ts';
import type { Dialect } from '../dialect.ts';
import { selectRows, toJsonValue } from '../queries.ts';
import { statisticsDaily } from '../schema.ts';
import type { SqliteQuery } from './query.ts';

/** Number of rows that one query searches: about 2 ms (Bun 1.4.5). */
const SEARCH_SIZE = 10_000;

/** Passes values as one parameter, a JSON array. */
const each = (values: readonly unknown[]): SQL => sql`json_each(${JSON.stringify(values)})`;

const hasFlag = (column: string, value: boolean): SQL => sql.raw(`${column} = ${Number(value)}`);

/** What differs in SQLite. */
export const sqliteDialect: Dialect = {
  isClustered: false,
  largestSearch: SEARCH_SIZE,
  isAnyOf: (column, values) => sql`${column} IN (SELECT value FROM ${each(values)})`,
  isInRange: (column, from, until) => sql`${column} IN (
    WITH RECURSIVE wanted (at) AS (
      SELECT ${from} WHERE ${from} < ${until} UNION ALL SELECT at + 1 FROM wanted WHERE at + 1 < ${until}
    ) SELECT at FROM wanted)`,
  toRecords(columns, rows) {
    const values = rows.map((row) =>
      columns.map(([key, column]) => {
        const given = toJsonValue(column, row[key]);
        return given instanceof Uint8Array ? given.toHex() : given;
      }),
    );
    // As few parts as possible, because drizzle takes about a microsecond for each.
    const selected = columns.map(([, column], index) => {
      const value = column.getSQLType() === 'bytea' ? `unhex(value ->> ${index})` : `value ->> ${index}`;
      return `${value} AS ${column.name}`;
    });
    return sql`(SELECT ${sql.raw(selected.join(', '))} FROM ${each(values)}) AS records`;
  },
  rowNumber: sql.raw('rowid'),
  contains: (text, part) => sql`instr(${text}, ${part}) > 0`,
  lineBreakIn: (text) => sql`instr(${text}, char(10))`,
  lockRows: () => sql``,
  lockFreeRows: () => sql``,
  isFirstUnfinished: sql.raw(`t.number IN (
    SELECT min(number) FROM tasks INDEXED BY tasks_unfinished WHERE finished_at IS NULL GROUP BY account_id)`),
  greatest: (first, second) => sql`max(${first}, ${second})`,
  jsonList: (value) => sql<string>`json_group_array(${value} ORDER BY ${value})`,
  unindexed: (column) => sql`+${column}`,
  hasFlag,
  isAfter: (organizationId, after) => sql`organization_id = ${organizationId} AND id > ${after}`,
  hasDaysOf: (ids, from, until) =>
    // The primary key starts with the day.
    and(
      sqliteDialect.isInRange(
        statisticsDaily.day,
        sql`max(${from}, (SELECT coalesce(min(day), ${until}) FROM statistics_daily))`,
        until,
      ),
      sqliteDialect.isAnyOf(statisticsDaily.propertyId, ids),
    ),
  selectFirst: ({ table, index, id, condition, flag, order }, scope, { offset, limit }) => sql`
    SELECT ${sql.raw(id)} AS id FROM ${sql.raw(`${table} INDEXED BY ${index}`)}
    WHERE organization_id IN (SELECT value FROM ${each(scope)}) AND ${sql.raw(condition)}
      ${flag === undefined ? sql`` : sql`AND ${hasFlag(...flag)}`}
    ORDER BY ${sql.raw(order)} LIMIT ${limit} OFFSET ${offset}`,
  searchProperties,
  async reserveIds(tx, table, count) {
    // SQLite's table for AUTOINCREMENT has no entry for a table that never had a row (https://sqlite.org/autoinc.html).
    const [row] = await selectRows<{ seq: number }>(
      tx,
      sql`SELECT seq FROM sqlite_sequence WHERE name = ${table}`,
    );
    return Array.from({ length: count }, (_, index) => (row?.seq ?? 0) + 1 + index);
  },
  async skipIds(tx, table, count) {
    const raised = await tx.execute(
      sql`UPDATE sqlite_sequence SET seq = seq + ${count} WHERE name = ${table} RETURNING 1`,
    );
    if (raised.length === 0)
      await tx.execute(sql`INSERT INTO sqlite_sequence (name, seq) VALUES (${table}, ${count})`);
  },
  // There is only one writer.
  async lock() {},
  // The only process knows whether it has added a batch.
  isFirst: async () => true,
  async purgeBatches() {},
  lookUp: (query, values) => (query as unknown as SqliteQuery).first(values) as never,
  async requireCommits() {},
  // No other server uses the data folder.
  acceptLoss: async () => true,
  async changeVersion(orm) {
    // Changes with the commits of other connections (https://sqlite.org/pragma.html#pragma_data_version).
    const [row] = await selectRows<{ data_version: number }>(orm, sql`PRAGMA data_version`);
    return row?.data_version ?? 0;
  },
  async announceChange() {},
  async analyze() {},
};

/** Searches in several queries, because each blocks the thread. */
async function searchProperties(...[orm, scope, condition, limit]: Parameters<Dialect['searchProperties']>) {
  const isIn = sql`organization_id IN (SELECT value FROM ${each(scope)}) AND deleted_at IS NULL`;
  const indexed = sql`FROM properties INDEXED BY properties_by_organization WHERE ${isIn}`;
  const matches = condition ?? sql`true`;
  const [size] = await selectRows<{ size: number }>(
    orm,
    sql`SELECT count(*) AS size FROM (SELECT 1 ${indexed} LIMIT ${SEARCH_SIZE})`,
  );
  // A few properties are read through the index, and many in the order of the table.
  if (size === undefined || size.size < SEARCH_SIZE)
    return toIds(
      await orm.execute(sql`SELECT id ${indexed} AND (${matches}) ORDER BY id DESC LIMIT ${limit}`),
    );
  const [newest] = await selectRows<{ id: number | null }>(orm, sql`SELECT max(id) AS id FROM properties`);
  const found: PropertyId[] = [];
  for (let last = newest?.id ?? 0; last > 0 && found.length < limit; last -= SEARCH_SIZE) {
    const rows = await orm.execute(sql`
      SELECT id FROM properties WHERE id <= ${last} AND id > ${last - SEARCH_SIZE} AND (${matches}) AND +${isIn}
      ORDER BY id DESC LIMIT ${limit - found.length}`);
    found.push(...toIds(rows));
    // Other requests continue between two queries.
    await pacer.turn();
  }
  return found;
}

const toIds = (rows: readonly unknown[]) => (rows as readonly { id: PropertyId }[]).map(({ id }) => id);
