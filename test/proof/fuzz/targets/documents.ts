import { csvLine, csvText } from '../../../../src/lib/csv.ts';
import { splitItems } from '../../../../src/lib/json.ts';
import type { ExportDocument } from '../../../../src/model/exportDocument.ts';
import type { Property } from '../../../../src/model/property.ts';
import { DEFAULT_SETTINGS } from '../../../../src/model/propertyFields.ts';
import { createDocumentWriter } from '../../../../src/platform/exports/documentText.ts';
import { parseDocument } from '../../../../src/platform/exports/parseDocument.ts';
import type { FileFormat } from '../../../../src/portal/kit/download.ts';
import { createFileWriter } from '../../../../src/portal/properties/propertyExport.ts';
import { readPropertyFile } from '../../../../src/portal/properties/propertyFile.ts';
import { fromBytes, JSON_PUNCTUATION, must, mustEqual, type Target, toBytes } from '../engine/target.ts';

/** Imports and exports. */

const PROPERTIES = ['Shop', '=1+1', 'B\u00fc"cher, 2'].map(
  (name, index) =>
    ({
      ...DEFAULT_SETTINGS,
      name,
      domain: `p${index}.example.com`,
      sitekey: index.toString(16).padStart(32, 'a'),
    }) as unknown as Property,
);

function fileOf(format: FileFormat, properties: readonly Property[]): string {
  const writer = createFileWriter(format);
  return writer.start + writer.batch(properties) + writer.end;
}

const inUtf8 = (text: string) => fromBytes(Buffer.from(text));
const noPause = { isDue: () => false, turn: async () => {} };

const importedFile: Target = {
  name: 'property-file',
  kind: 'bytes',
  seeds: [
    fileOf('csv', PROPERTIES),
    fileOf('json', PROPERTIES),
    'name;domain\r\nA;a.example.com\r\n;\r\n"B;""";b.example.com',
    'name\tlevel\tenabled\nx\t12\tTRUE',
    '[{"name":"x","level":1},{},null]',
  ].map(inUtf8),
  tokens: [
    '"',
    '""',
    ',',
    ';',
    '\t',
    '\r\n',
    '\n',
    '\r',
    "'",
    '=',
    'name',
    'domain',
    'level',
    'TRUE',
    '[{',
    '}]',
    '":',
    inUtf8('\ufeff'),
    inUtf8('\uff1d'),
  ],
  share: 0.05,
  cost: { fixed: 200_000, perCharacter: 300 },
  async check(input) {
    const read = await readPropertyFile(toBytes(input), noPause);
    if (!read.ok) return read;
    must(read.rows.length >= 1 && read.rows.length <= 1000, 'the number of rows');
    const valid = read.rows.flatMap(({ parsed }) => (parsed.ok ? [parsed.value] : []));
    if (valid.length === 0) return read;
    // A written row is much longer than the shortest row that is accepted.
    const properties = valid.slice(0, 3).map(({ sitekey, change }) => ({
      ...(PROPERTIES[0] as Property),
      ...change,
      ...(sitekey === undefined ? {} : { sitekey }),
    }));
    for (const format of ['csv', 'json'] as const) {
      const again = await readPropertyFile(Buffer.from(fileOf(format, properties)), noPause);
      must(again.ok, `a file that was written in the format ${format} is rejected`);
      const expected = properties.map(({ name, domain, level }) => [name, domain, level]);
      const found = again.rows.map(({ parsed }) => {
        const { name, domain, level } = parsed.ok ? parsed.value.change : {};
        return [name, domain, level];
      });
      mustEqual(found, expected, `the file that was written in the format ${format}`);
    }
    return read;
  },
};

/** Removes the quotation marks of a line with one cell. */
const cellOf = (line: string) => line.slice(1, -3).replaceAll('""', '"');

const csvCell: Target = {
  name: 'csv-cell',
  kind: 'text',
  seeds: ['Shop', '=1+1', "'=1", '\t=x', 'a;=b', '"\u3000-x', '\r\n@y', "''=\uff1d"],
  tokens: ["'", '"', '=', '+', '-', '@', ';', '\t', '\r', '\n', ' ', '\u3000', '\ufeff', '\uff0b'],
  maxLength: 120,
  check(input) {
    const line = csvLine([input]);
    mustEqual(csvText(cellOf(line)), input, 'the text of the written cell');
    must(!/^"(?:[ \u00a0\u3000\ufeff"]*)[=+\-@]/.test(line), 'a cell that starts a formula');
    return [line, csvText(input)];
  },
};

const PROPERTY = {
  name: 'Shop',
  domain: 'example.com',
  sitekey: '0123456789abcdef0123456789abcdef',
  level: 128,
  rules: [{ name: 'x', enabled: true, dry_run: false, action: 'block', conditions: { user_agents: ['*'] } }],
};
const DOCUMENT = {
  format: 'postern-export',
  version: 2,
  rules: [],
  plans: [{ name: 'large', organizations: 5, properties: 10 }],
  users: [
    { email: 'ann@example.com', name: 'Ann', plan: 'large', disabled: false },
    { email: 'bob@example.com', name: 'Bob', plan: 'default', disabled: true },
  ],
  organizations: [
    {
      name: 'Acme',
      owner: 'ann@example.com',
      members: ['bob@example.com'],
      properties: [PROPERTY, { ...PROPERTY, name: 'Blog', sitekey: '1'.repeat(32) }],
    },
    { name: 'Empty', owner: 'bob@example.com', members: [], properties: [] },
  ],
};

function textOf({ rules, plans, users, organizations }: ExportDocument): string {
  const parts: string[] = [];
  const writer = createDocumentWriter((text) => parts.push(text));
  if (rules.length > 0) writer.rules(rules);
  for (const plan of plans) writer.plan(plan);
  for (const user of users) writer.user(user);
  for (const { properties, ...head } of organizations) {
    writer.organization(head);
    for (const property of properties) writer.property(property);
  }
  writer.end();
  return parts.join('');
}

function chunksOf(bytes: Uint8Array, size: number) {
  return function* () {
    for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
  };
}

/** The kinds and texts of all pieces; consecutive pieces between items are joined. */
function piecesOf(bytes: Uint8Array, size: number): unknown {
  const pieces: { readonly isItem: boolean; text: string }[] = [];
  const split = splitItems(chunksOf(bytes, size)(), { tokens: 400, depth: 10 });
  let next = split.next();
  for (; next.done !== true; next = split.next()) {
    const { isItem, bytes: piece } = next.value;
    const last = pieces.at(-1);
    if (last !== undefined && !isItem && !last.isItem) last.text += fromBytes(piece);
    else pieces.push({ isItem, text: fromBytes(piece) });
  }
  return next.value === undefined ? pieces : next.value;
}

const exported: Target = {
  name: 'export-document',
  kind: 'bytes',
  seeds: [DOCUMENT, { ...DOCUMENT, version: 1, organizations: [] }].flatMap((value) => [
    JSON.stringify(value),
    JSON.stringify(value, null, 1),
  ]),
  tokens: [
    ...JSON_PUNCTUATION,
    '\\"',
    '\\',
    'null',
    '"organizations":[',
    '"properties":[',
    '"members":[',
    '"first":0,"count":1',
    '"rules":[',
    '\xc3',
    ' ',
  ],
  maxLength: 4000,
  share: 0.2,
  cost: { fixed: 100_000, perCharacter: 300 },
  check(input) {
    const bytes = toBytes(input);
    mustEqual(piecesOf(bytes, 7), piecesOf(bytes, 4096), 'the pieces of smaller chunks');
    const parsed = parseDocument(chunksOf(bytes, 64));
    if (!parsed.ok) {
      must(parsed.errors.length > 0 && parsed.total >= parsed.errors.length, 'the number of errors');
      return parsed;
    }
    const text = textOf(parsed.value.document);
    const again = parseDocument(chunksOf(Buffer.from(text), 1000));
    must(again.ok, 'the written document is rejected');
    mustEqual(textOf(again.value.document), text, 'the document that was written again');
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return text;
  },
};

export const DOCUMENT_TARGETS: readonly Target[] = [importedFile, csvCell, exported];
