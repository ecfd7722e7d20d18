/** Texts are neutralized and quoted. Numbers and Boolean values are written as they are. */
export type CsvCell = string | number | boolean;

/** @returns a CSV record (RFC 4180) with its line break; spreadsheets evaluate no cell as a formula */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(toCell).join(',')}\r\n`;
}

function toCell(value: CsvCell): string {
  return typeof value === 'string' ? `"${neutralize(value).replaceAll('"', '""')}"` : String(value);
}

/**
 * Positions where a spreadsheet may start a formula: at the beginning of the cell, and after any character that a locale may use
 * as a separator. Full-width signs also count, because some spreadsheets convert them. Source: OWASP, CSV Injection. Quotation marks
 * in between count, because a parser with another separator removes them. Apostrophes in between count as well, so that every
 * apostrophe that is inserted can be found again.
 */
const FORMULA = /(^|[;\t\r\n])(?=[ \u00a0\u3000\ufeff'"]*[=+\-@＝＋－＠])/g;
const NEUTRALIZED_FORMULA = /(^|[;\t\r\n])'(?=[ \u00a0\u3000\ufeff'"]*[=+\-@＝＋－＠])/g;
const CONTROL = /^(?='*[\t\r\n])/;
const NEUTRALIZED_CONTROL = /^'(?='*[\t\r\n])/;

/** Inserts an apostrophe before each formula, so that spreadsheets treat the rest as text. */
function neutralize(text: string): string {
  return text.replace(FORMULA, "$1'").replace(CONTROL, "'");
}

/** Returns the text that `csvLine` wrote into a cell. @param cell without the quotation marks of the file */
export function csvText(cell: string): string {
  return cell.replace(NEUTRALIZED_CONTROL, '').replace(NEUTRALIZED_FORMULA, '$1');
}
