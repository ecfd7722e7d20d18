import { type SQL, sql } from 'drizzle-orm';
import { pacer } from '../../lib/pacer.ts';
import type { PropertyId } from '../../model/property.ts';
import type { Dialect } from '../dialect.ts';
import { selectRows } from '../queries.ts';
import type { SqliteQuery } from './query.ts';

/** Number of rows that one query searches: about 2 ms (Bun 1.4.5). */
const SEARCH_SIZE = 10_000;

/** Passes values as one parameter, a JSON array. */
const each = (values: readonly unknown[]): SQL => sql`json_each(${JSON.stringify(values)})`;

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
        const value = row[key] ?? null;
        const given = value === null ? null : column.mapToDriverValue(value);
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
  greatest: (first, second) => sql`max(${first}, ${second})`,
  jsonList: (value) => sql<string>`json_group_array(${value} ORDER BY ${value})`,
  unindexed: (value) => sql`+${value}`,
  selectFirst: ({ table, index, id, condition, flag, order }, scope, { offset, limit }) => sql`
    SELECT ${sql.raw(id)} AS id FROM ${sql.raw(`${table} INDEXED BY ${index}`)}
    WHERE organization_id IN (SELECT value FROM ${each(scope)}) AND ${sql.raw(condition)}
      ${flag === undefined ? sql`` : sql.raw(`AND ${flag[0]} = ${Number(flag[1])}`)}
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
async function searchProperties(
  ...[orm, scope, condition, limit]: Parameters<Dialect['searchProperties']>
): Promise<readonly PropertyId[]> {
  const select = (from: string, range: SQL, rows: number) => sql`
    SELECT id FROM properties ${sql.raw(from)} (SELECT value FROM ${each(scope)}) AND deleted_at IS NULL AND ${range}
    ORDER BY id DESC LIMIT ${rows}`;
  const indexed = 'INDEXED BY properties_by_organization WHERE organization_id IN';
  const some = await orm.execute(select(indexed, sql`true`, SEARCH_SIZE));
  // A few properties are read through the index, and many in the order of the table.
  if (some.length < SEARCH_SIZE)
    return toIds(await orm.execute(select(indexed, condition ?? sql`true`, limit)));
  const [newest] = await selectRows<{ id: number | null }>(orm, sql`SELECT max(id) AS id FROM properties`);
  const found: PropertyId[] = [];
  for (let last = newest?.id ?? 0; last > 0 && found.length < limit; last -= SEARCH_SIZE) {
    const range = sql`id <= ${last} AND id > ${last - SEARCH_SIZE} AND (${condition ?? sql`true`})`;
    const query = select('WHERE +organization_id IN', range, limit - found.length);
    found.push(...toIds(await orm.execute(query)));
    // Other requests continue between two queries.
    await pacer.turn();
  }
  return found;
}

const toIds = (rows: readonly unknown[]) => (rows as readonly { id: PropertyId }[]).map(({ id }) => id);
