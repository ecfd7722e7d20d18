/** A line of a table as RFC 4180 has it, with its line break. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

/** What a spreadsheet takes for a formula (OWASP, CSV Injection). */
const FORMULA = /^[=+\-@\t\r]/;
const SPECIAL = /[",\r\n]/;

/** A cell that a spreadsheet would compute gets an apostrophe in front, which it does not show. */
function cellOf(text: string): string {
  const plain = FORMULA.test(text) ? `'${text}` : text;
  return SPECIAL.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
