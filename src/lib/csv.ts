/** @returns a CSV record (RFC 4180) with its line break; every cell is quoted, and spreadsheets evaluate no cell as a formula */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(toCell).join(',')}\r\n`;
}

/**
 * Positions where a spreadsheet may start a formula: at the beginning of the cell, and after any character that a locale may use
 * as a separator. Full-width signs count, because some spreadsheets convert them. Source: OWASP, CSV Injection.
 */
const FORMULA = /(^|[;\t\r\n])([ \u00a0]*[=+\-@＝＋－＠])/g;
const LEADING_CONTROL = /^[\t\r\n]/;

/** Inserts an apostrophe before each formula, so that spreadsheets treat the rest as text. */
function toCell(text: string): string {
  const plain = text.replace(FORMULA, "$1'$2").replace(LEADING_CONTROL, "'$&");
  return `"${plain.replaceAll('"', '""')}"`;
}
