/** @returns a line of a table (RFC 4180) with its line break; every cell is quoted, and no spreadsheet evaluates one as a formula */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

/**
 * Where a spreadsheet would start to read a formula: at the beginning of the cell, and after any character that the user's locale
 * may use as a separator. Full-width signs count, because some spreadsheets convert them. Source: OWASP, CSV Injection.
 */
const FORMULA = /(^|[;\t\r\n])([ \u00a0]*[=+\-@＝＋－＠])/g;
const LEADING_CONTROL = /^[\t\r\n]/;

/** Puts an apostrophe, which spreadsheets read as "text", before each formula. */
function cellOf(text: string): string {
  const plain = text.replace(FORMULA, "$1'$2").replace(LEADING_CONTROL, "'$&");
  return `"${plain.replaceAll('"', '""')}"`;
}
