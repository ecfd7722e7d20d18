import type { Row, Table } from './tables.ts';

/** Groups of rows, in the order of the primary key. */
export type RowGroups = AsyncIterable<readonly Row[]>;

/** The database from which rows are read. It must not change while it is being read. */
export type Source = {
  readonly read: (table: Table) => RowGroups;
  readonly lastNumber: (table: Table) => Promise<number>;
};

/** The database to which rows are written. */
export type Target = Source & {
  readonly write: (table: Table, rows: readonly Row[]) => Promise<void>;
  /** Ensures that new rows get numbers greater than `last`. */
  readonly setLastNumber: (table: Table, last: number) => Promise<void>;
};

/** The reason why the data cannot be moved. */
export class MoveError extends Error {
  override readonly name = 'MoveError';
}

/** Number of rows that are read, written, and compared at a time. */
export const GROUP_SIZE = 2000;

/** The number of copied rows of a table. */
export type MovedTable = { readonly name: string; readonly rows: number };

/**
 * Copies tables, and compares all rows of each table afterward.
 *
 * @param onTable called after each table was copied and compared
 * @throws MoveError if the rows of the target differ from those of the source
 */
export async function copyTables(
  tables: readonly Table[],
  source: Source,
  target: Target,
  onTable: (moved: MovedTable) => void,
): Promise<readonly MovedTable[]> {
  const moved: MovedTable[] = [];
  for (const table of tables) {
    let rows = 0;
    for await (const group of source.read(table)) {
      await target.write(table, group);
      rows += group.length;
    }
    if (table.numbered !== undefined) await target.setLastNumber(table, await source.lastNumber(table));
    await compare(table, source, target);
    moved.push({ name: table.name, rows });
    onTable({ name: table.name, rows });
  }
  return moved;
}

async function compare(table: Table, source: Source, target: Target): Promise<void> {
  const copies = flatten(target.read(table));
  let number = 0;
  for await (const row of flatten(source.read(table))) {
    number++;
    const copy = await copies.next();
    if (copy.done === true || !isEqual(row, copy.value))
      throw new MoveError(`row ${number} of the table ${table.name} was not copied correctly`);
  }
  if ((await copies.next()).done !== true)
    throw new MoveError(`the table ${table.name} has rows that were not copied`);
  if (table.numbered === undefined) return;
  const [expected, actual] = [await source.lastNumber(table), await target.lastNumber(table)];
  if (expected !== actual)
    throw new MoveError(`the last number of the table ${table.name} is ${actual} instead of ${expected}`);
}

async function* flatten(groups: RowGroups): AsyncGenerator<Row> {
  for await (const group of groups) yield* group;
}

function isEqual(a: Row, b: Row): boolean {
  return (
    a.length === b.length &&
    a.every((value, i) => {
      const other = b[i];
      return value instanceof Uint8Array && other instanceof Uint8Array
        ? Buffer.compare(value, other) === 0
        : value === other;
    })
  );
}
