import { replaceInvisible } from '../lib/invisibleCharacters.ts';
import type { Context } from './command.ts';

/** What a command tells of one thing: the members of its JSON object, in their order. */
export type Row = Readonly<Record<string, string | number | boolean | null>>;

/** One thing: a JSON object, or a line for each member that has a value. */
export function showRow({ isJson, out }: Context, row: Row): void {
  if (isJson) {
    out(JSON.stringify(row));
    return;
  }
  const shown = Object.entries(row).filter(([, value]) => value !== null);
  const width = Math.max(...shown.map(([name]) => name.length));
  for (const [name, value] of shown) out(`${name.padEnd(width)}  ${textOf(value)}`);
}

/**
 * Many things: a JSON array, or a table.
 *
 * @param columns the members that the table has; the JSON has them all
 */
export function showRows({ isJson, out }: Context, rows: readonly Row[], columns: readonly string[]): void {
  if (isJson) {
    out(JSON.stringify(rows));
    return;
  }
  const cells = rows.map((row) => columns.map((column) => textOf(row[column] ?? null)));
  const lines = [columns.map((column) => column.toUpperCase()), ...cells];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => (line[at] ?? '').length)));
  for (const line of lines) {
    out(
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}

function textOf(value: Row[string]): string {
  if (value === null) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return replaceInvisible(String(value));
}
