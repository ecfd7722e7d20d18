import { pipeline } from 'node:stream/promises';
import { CsvError, parse as createParser, type Info } from 'csv-parse';
import { type CsvCell, csvText } from '../../lib/csv.ts';
import { exceededLimit } from '../../lib/json.ts';
import { quoted, unknownMembers } from '../../lib/memberNames.ts';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { type Pacer, pacer } from '../../lib/pacer.ts';
import { parseSitekey, type Sitekey } from '../../model/property.ts';
import { PROPERTY_FIELDS } from '../../model/propertyFields.ts';
import { IMPORT_MAX_ITEMS, type PropertyChange } from '../../model/task.ts';
import type { ImportedProperty } from '../../platform/properties/propertyTransfer.ts';
import type { FileFormat } from '../kit/download.ts';
import type { PageProblem } from '../kit/forms.ts';
import { COLUMNS } from './propertyExport.ts';

/** Maximum size of an imported file, in bytes: 1,000 properties with names of 128 letters and domains of 253. */
export const FILE_MAX_BYTES = 768 * 1024;

/** A problem of a file that prevents the reading of its rows. */
type FileProblem =
  | 'import-empty'
  | 'import-too-large'
  | 'import-too-many'
  | 'import-not-utf8'
  | 'import-csv-malformed'
  | 'import-json-malformed'
  | 'import-column-unknown'
  | 'import-column-repeated';

export type RowProblem = PageProblem | 'import-value-malformed' | 'import-member-unknown';

/** A row of a file. */
type FileRow = {
  /** The line in a CSV file, or the position in the array of a JSON file; from 1. */
  readonly number: number;
  /** As in the file; empty if it is missing. */
  readonly name: string;
  /** The property, or the problem of its first invalid field. */
  readonly parsed: Outcome<ImportedProperty, RowProblem> & { readonly column?: string };
};

type ReadFile =
  | { readonly ok: true; readonly format: FileFormat; readonly rows: readonly FileRow[] }
  | {
      readonly ok: false;
      readonly problem: FileProblem;
      /** The line, the column, or the error of the parser. */
      readonly detail: string;
    };

/** Called before each step. */
type Pace = Pick<Pacer, 'isDue' | 'turn'>;

/** Reads an exported file, or one with only some of its columns. The contents determine the format: a JSON file starts with `[`. */
export async function readPropertyFile(bytes: Uint8Array, pace: Pace = pacer): Promise<ReadFile> {
  if (bytes.length > FILE_MAX_BYTES) return failed('import-too-large');
  const text = decoded(bytes);
  if (text === undefined) return failed('import-not-utf8');
  if (text.trim() === '') return failed('import-empty');
  const isJson = /^\s*[[{]/.test(text);
  const read = await (isJson ? readJson(bytes, text, pace) : readCsv(text, pace));
  if (!read.ok) return read;
  if (read.rows.length === 0) return failed('import-empty');
  if (read.rows.length > IMPORT_MAX_ITEMS) return TOO_MANY;
  return read;
}

function failed(problem: FileProblem, detail = '') {
  return { ok: false, problem, detail } as const;
}

/** @returns undefined if the bytes are not UTF-8. Removes a byte order mark. */
function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** A property has 11 members, with a comma and a colon each. */
const JSON_LIMITS = { tokens: 40 * IMPORT_MAX_ITEMS, depth: 3 };

async function readJson(bytes: Uint8Array, text: string, pace: Pace): Promise<ReadFile> {
  if (pace.isDue()) await pace.turn();
  const exceeded = exceededLimit(bytes, JSON_LIMITS);
  if (exceeded === 'tokens') return TOO_MANY;
  if (exceeded === 'depth') return failed('import-json-malformed');
  if (pace.isDue()) await pace.turn();
  let items: unknown;
  try {
    items = JSON.parse(text);
  } catch (error) {
    return failed('import-json-malformed', error instanceof Error ? error.message : '');
  }
  if (!Array.isArray(items)) return failed('import-json-malformed');
  if (items.length > IMPORT_MAX_ITEMS) return TOO_MANY;
  return { ok: true, format: 'json', rows: await toRows(items, toJsonRow, pace) };
}

const TOO_MANY = failed('import-too-many');

async function toRows<Item>(
  items: readonly Item[],
  toRow: (item: Item, index: number) => FileRow,
  pace: Pace,
): Promise<readonly FileRow[]> {
  const rows: FileRow[] = [];
  for (const [index, item] of items.entries()) {
    if (pace.isDue()) await pace.turn();
    rows.push(toRow(item, index));
  }
  return rows;
}

function toJsonRow(item: unknown, index: number): FileRow {
  const number = index + 1;
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    return { number, name: '', parsed: reject('import-value-malformed') };
  }
  const given = item as Readonly<Record<string, unknown>>;
  const name = nameIn(given);
  const [unknown] = unknownMembers(given, COLUMNS);
  if (unknown !== undefined)
    return { number, name, parsed: { ...reject('import-member-unknown'), column: unknown } };
  return { number, name, parsed: parseRow(given) };
}

/** Maximum length of a record, in characters; an unclosed quotation mark would otherwise turn the rest of the file into one record. */
const RECORD_MAX_LENGTH = 4096;

type CsvRecord = { readonly record: readonly string[]; readonly info: Info };

/** A file with more cells has too many rows, or rows that are too long. */
const CELLS_MAX = (IMPORT_MAX_ITEMS + 2) * COLUMNS.length;

/** Bytes that are read in one step: 0.2 ms for commas, and 0.7 ms for rows of one letter (Bun 1.4.5). */
const CHUNK_BYTES = 4 * 1024;

async function* chunksOf(bytes: Uint8Array, pace: Pace): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    if (pace.isDue()) await pace.turn();
    yield bytes.subarray(at, at + CHUNK_BYTES);
  }
}

const [LINE_FEED, CARRIAGE_RETURN, QUOTE] = [0x0a, 0x0d, 0x22];

/** Creates a counter of separators, and of the ends of lines that are not empty, outside quotation marks. */
function createCounter(delimiter: string) {
  const separator = delimiter.charCodeAt(0);
  const isBreak = (byte: number) => byte === LINE_FEED || byte === CARRIAGE_RETURN;
  let [cells, lines, isQuoted, isEmpty] = [0, 0, false, true];
  return {
    add(chunk: Uint8Array): void {
      for (const byte of chunk) {
        const isEnd = !isQuoted && isBreak(byte);
        if (byte === QUOTE) isQuoted = !isQuoted;
        if (byte === separator && !isQuoted) cells++;
        if (isEnd && !isEmpty) lines++;
        isEmpty = isEnd;
      }
    },
    isAboveLimit: () => cells > CELLS_MAX || lines > IMPORT_MAX_ITEMS + 1,
  };
}

/** Checked before a file is parsed, because parsing 768 KiB of short rows takes 120 ms. */
async function hasTooMany(bytes: Uint8Array, delimiter: string, pace: Pace): Promise<boolean> {
  const counter = createCounter(delimiter);
  for await (const chunk of chunksOf(bytes, pace)) {
    counter.add(chunk);
    if (counter.isAboveLimit()) return true;
  }
  return false;
}

/** @throws CsvError */
async function parseCsv(bytes: Uint8Array, delimiter: string, pace: Pace): Promise<readonly CsvRecord[]> {
  const options = {
    info: true,
    skip_empty_lines: true,
    max_record_size: RECORD_MAX_LENGTH,
    delimiter,
    // The parser asks for the next chunk only when it has parsed this one.
    writableHighWaterMark: 1,
  };
  const records: CsvRecord[] = [];
  await pipeline(chunksOf(bytes, pace), createParser(options), async (parsed: AsyncIterable<CsvRecord>) => {
    for await (const record of parsed) records.push(record);
  });
  return records;
}

async function readCsv(text: string, pace: Pace): Promise<ReadFile> {
  const [bytes, delimiter] = [new TextEncoder().encode(text), delimiterOf(text)];
  if (await hasTooMany(bytes, delimiter, pace)) return TOO_MANY;
  let records: readonly CsvRecord[];
  try {
    records = await parseCsv(bytes, delimiter, pace);
  } catch (error) {
    if (error instanceof CsvError) return failed('import-csv-malformed', error.message);
    throw error;
  }
  const [head, ...rest] = records;
  const columns = (head?.record ?? []).map((name) => name.trim());
  const unknown = columns.find((name) => !COLUMNS.includes(name));
  if (unknown !== undefined) return failed('import-column-unknown', quoted(unknown));
  const repeated = columns.find((name, index) => columns.indexOf(name) !== index);
  if (repeated !== undefined) return failed('import-column-repeated', repeated);
  return { ok: true, format: 'csv', rows: await toRows(rest, (one) => toCsvRow(columns, one), pace) };
}

/** The separator in the first line: spreadsheet programs use a semicolon where the comma is the decimal separator. */
function delimiterOf(text: string): ',' | ';' | '\t' {
  const [head = ''] = text.split(/[\r\n]/, 1);
  if (head.includes(',')) return ',';
  if (head.includes(';')) return ';';
  return head.includes('\t') ? '\t' : ',';
}

function toCsvRow(columns: readonly string[], { record, info }: CsvRecord): FileRow {
  const given: Record<string, unknown> = {};
  for (const [index, column] of columns.entries()) {
    const cell = record[index] ?? '';
    const text = csvText(cell);
    if (text.trim() !== '') given[column] = typedCell(column, text);
  }
  return { number: info.lines, name: nameIn(given), parsed: parseRow(given) };
}

function nameIn({ name }: Readonly<Record<string, unknown>>): string {
  return typeof name === 'string' ? name : '';
}

const KINDS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(PROPERTY_FIELDS).map(({ name, kind }) => [name, kind]),
);

/** The value of a cell. A text that is not a value of the column's type stays a text, which the field rejects. */
function typedCell(column: string, text: string): CsvCell {
  const trimmed = text.trim();
  if (KINDS[column] === 'number') return /^\d{1,15}$/.test(trimmed) ? Number(trimmed) : trimmed;
  // Spreadsheet programs write Boolean values in capital letters.
  if (KINDS[column] === 'boolean') {
    const lower = trimmed.toLowerCase();
    return lower === 'true' || lower === 'false' ? lower === 'true' : trimmed;
  }
  return KINDS[column] === 'choice' ? trimmed : text;
}

/** Parses the fields that are present. Null counts as missing. */
function parseRow(given: Readonly<Record<string, unknown>>): FileRow['parsed'] {
  const sitekey = parseSitekeyField(given.sitekey ?? '');
  if (!sitekey.ok) return { ...sitekey, column: 'sitekey' };
  const change: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(PROPERTY_FIELDS)) {
    const value = given[field.name] ?? undefined;
    if (value === undefined) continue;
    const parsed = field.parse(value as never) as Outcome<unknown, RowProblem>;
    if (!parsed.ok) return { ...parsed, column: field.name };
    change[key] = parsed.value;
  }
  return done({ sitekey: sitekey.value, change: change as PropertyChange });
}

function parseSitekeyField(given: unknown): Outcome<Sitekey | undefined, 'sitekey-malformed'> {
  if (given === '') return done(undefined);
  return typeof given === 'string' ? parseSitekey(given.trim()) : reject('sitekey-malformed');
}
