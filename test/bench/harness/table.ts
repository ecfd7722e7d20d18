import { outcomeOf, type Row, type Target } from './row.ts';

/** Formats rows as a table for the terminal. */

const OUTCOMES = { goal: 'goal', required: 'required', missed: 'MISSED' } as const;

/** @returns a number with at least three significant digits, and with separators of thousands */
export function formatNumber(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude >= 1000) return Math.round(value).toLocaleString('en-US');
  if (magnitude >= 100) return value.toFixed(0);
  if (magnitude >= 10) return value.toFixed(1);
  return value.toFixed(magnitude >= 0.1 || magnitude === 0 ? 2 : 4);
}

/** @returns what the row should reach: `required ≥ 0.50, goal ≥ 0.60 (ratio)`; empty without a target */
export function formatTarget(target: Target | undefined): string {
  if (target === undefined) return '';
  const sign = target.bound === 'at least' ? '≥' : '≤';
  const limit = (value: number) => `${sign} ${formatLimit(value)}${target.of === 'ratio' ? ' ×' : ''}`;
  return target.goal === undefined
    ? limit(target.required)
    : `${limit(target.required)}, goal ${limit(target.goal)}`;
}

function formatLimit(value: number): string {
  return String(value);
}

/** The cells of a row: name, value, yardstick, ratio, lowest and highest window, target, outcome. */
export function cellsOf(row: Row): readonly string[] {
  const { name, unit, value, yardstick, ratio, spread, windows } = row;
  const range = windows > 1 ? `${formatNumber(spread[0])} to ${formatNumber(spread[1])}` : '';
  const outcome = outcomeOf(row);
  return [
    name,
    `${formatNumber(value)} ${unit}`,
    yardstick ? `${formatNumber(yardstick.value)} (${yardstick.name})` : '',
    ratio === undefined ? '' : formatNumber(ratio),
    range,
    formatTarget(row.target),
    outcome === undefined ? '' : OUTCOMES[outcome],
  ];
}

export const COLUMNS = [
  'measurement',
  'median',
  'baseline',
  'ratio',
  'windows',
  'required',
  'reached',
] as const;

/** @returns lines with aligned columns */
export function formatTable(
  groups: readonly { readonly title: string; readonly rows: readonly Row[] }[],
): string {
  const plain = (cells: readonly string[]) => cells.map((cell) => cell.replaceAll('`', ''));
  const table = groups.map(({ title, rows }) => ({ title, lines: rows.map((row) => plain(cellsOf(row))) }));
  const all = [COLUMNS, ...table.flatMap(({ lines }) => lines)];
  const widths = COLUMNS.map((_, column) => Math.max(...all.map((cells) => cells[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return [line(COLUMNS), ...table.flatMap(({ title, lines }) => ['', title, ...lines.map(line)])].join('\n');
}
