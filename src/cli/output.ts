import { replaceInvisible } from '../model/name.ts';
import type { Context } from './command.ts';

/** The fields that a command prints for one object, in the order of its JSON document. */
export type Row = Readonly<Record<string, string | number | boolean | null>>;

/** Prints one object as JSON, or each field that is not null on its own line. */
export function printRow({ isJson, out }: Context, row: Row): void {
  if (isJson) {
    out(JSON.stringify(row));
    return;
  }
  const fields = Object.entries(row).filter(([, value]) => value !== null);
  const width = Math.max(...fields.map(([name]) => name.length));
  for (const [name, value] of fields) out(`${name.padEnd(width)}  ${toText(value)}`);
}

/** Prints objects as a JSON array or as a table. @param columns the fields in the table; the JSON contains all fields */
export function printRows({ isJson, out }: Context, rows: readonly Row[], columns: readonly string[]): void {
  if (isJson) {
    out(JSON.stringify(rows));
    return;
  }
  const cells = rows.map((row) => columns.map((column) => toText(row[column] ?? null)));
  const lines = [columns.map((column) => column.toUpperCase()), ...cells];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => (line[index] ?? '').length)));
  for (const line of lines) {
    const padded = line.map((cell, index) => cell.padEnd(widths[index] ?? 0));
    out(padded.join('  ').trimEnd());
  }
}

function toText(value: Row[string]): string {
  if (value === null) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return replaceInvisible(String(value));
}
