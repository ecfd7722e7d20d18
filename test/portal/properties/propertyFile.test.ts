import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Instant } from '../../../src/lib/time.ts';
import { parseName } from '../../../src/model/name.ts';
import type { OrganizationId } from '../../../src/model/organization.ts';
import type { Property, PropertyId, Sitekey } from '../../../src/model/property.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/propertyFields.ts';
import { FILE_FORMATS, type FileFormat } from '../../../src/portal/kit/download.ts';
import { createFileWriter } from '../../../src/portal/properties/propertyExport.ts';
import { FILE_MAX_BYTES, readPropertyFile } from '../../../src/portal/properties/propertyFile.ts';
import { createImpatientPacer, iterationsDuring } from '../../support/eventLoop.ts';

const PROPERTY: Property = {
  ...DEFAULT_SETTINGS,
  id: 1 as PropertyId,
  organizationId: 1 as OrganizationId,
  name: 'Shop',
  domain: 'example.com',
  sitekey: '0123456789abcdef0123456789abcdef' as Sitekey,
  createdAt: 0 as Instant,
  attackUntil: 0 as Instant,
  offlineRotations: 0,
};

function write(format: FileFormat, ...batches: readonly (readonly Property[])[]): string {
  const writer = createFileWriter(format);
  return writer.start + batches.map(writer.batch).join('') + writer.end;
}

const read = (text: string) => readPropertyFile(new TextEncoder().encode(text));

/** The rows of a valid file, as `[number, value or problem, column of the problem]`. */
async function rowsOf(text: string) {
  const file = await read(text);
  if (!file.ok) throw new Error(`${file.problem} ${file.detail}`);
  return file.rows.map(({ number, parsed }) => [
    number,
    parsed.ok ? parsed.value : parsed.problem,
    ...(parsed.column === undefined ? [] : [parsed.column]),
  ]);
}

const HEAD =
  'name,domain,sitekey,level,growth,challenge,validity_seconds,allow_subdomains,allow_localhost,max_replay_count,enabled';
const QUOTED_HEAD = `"${HEAD.replaceAll(',', '","')}"`;

test('a CSV file has a byte order mark, CRLF, and the names and values of the Platform API', () => {
  expect(write('csv', [{ ...PROPERTY, name: 'A, "B"', isEnabled: false }])).toBe(
    `\uFEFF${QUOTED_HEAD}\r\n"A, ""B""","example.com","${PROPERTY.sitekey}",128,"medium","blake2b",1800,false,false,1,false\r\n`,
  );
  expect(write('csv')).toBe(`\uFEFF${QUOTED_HEAD}\r\n`);
});

test('a JSON file is an array of objects with the names and values of the Platform API', () => {
  expect(JSON.parse(write('json', [PROPERTY], [PROPERTY]))).toEqual([TO_API, TO_API]);
  expect(JSON.parse(write('json'))).toEqual([]);
});

const TO_API = {
  name: 'Shop',
  domain: 'example.com',
  sitekey: PROPERTY.sitekey,
  level: 128,
  growth: 'medium',
  challenge: 'blake2b',
  validity_seconds: 1800,
  allow_subdomains: false,
  allow_localhost: false,
  max_replay_count: 1,
  enabled: true,
};

const names = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 });
const tricky = fc
  .tuple(
    fc.constantFrom("'", "''", '', '"', ';', ',', 'x;', "x;'", "x; '"),
    fc.constantFrom('=', '+', '-', '@', '＝', '＋', '－', '＠', 'x', '1'),
    names,
  )
  .map((parts) => parts.join(''));
const properties = fc.array(
  fc.record({
    name: fc
      .oneof(names, tricky)
      .map((text) => parseName('property', text))
      .filter((parsed) => parsed.ok)
      .map((parsed) => (parsed.ok ? parsed.value : '')),
    level: fc.integer({ min: 1, max: 255 }),
    growth: fc.constantFrom('constant', 'slow', 'medium', 'fast'),
    challenge: fc.constantFrom('blake2b', 'argon2id', 'hashwx'),
    validitySeconds: fc.integer({ min: 60, max: 172_800 }),
    allowance: fc.integer({ min: 1, max: 1_000_000 }),
    allowsSubdomains: fc.boolean(),
    allowsLocalhost: fc.boolean(),
    isEnabled: fc.boolean(),
  }),
  { minLength: 1, maxLength: 5 },
);

test.each(FILE_FORMATS)('a %s file is read as it was written', async (format) => {
  await fc.assert(
    fc.asyncProperty(properties, async (drafts) => {
      const all = drafts.map((draft) => ({ ...PROPERTY, ...draft }));
      const found = (await rowsOf(write(format, all))).map(([, value]) => value);
      const wanted = drafts.map((draft) => ({
        sitekey: PROPERTY.sitekey,
        change: { ...draft, domain: 'example.com' },
      }));
      expect(found as unknown).toEqual(wanted);
    }),
  );
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', "'=1", "''-x"])(
  'the name %j is not a formula in a spreadsheet program',
  (name) => {
    const text = write('csv', [{ ...PROPERTY, name }]);
    expect(text.split('\r\n')[1]).toStartWith(`"'${name}"`);
  },
);

describe('a CSV file', () => {
  test('can have a part of the columns, in any order, with empty cells', async () => {
    expect(await rowsOf('domain,name,level\nexample.com,A,\nexample.org,B, 90 \n')).toEqual([
      [2, { sitekey: undefined, change: { name: 'A', domain: 'example.com' } }],
      [3, { sitekey: undefined, change: { name: 'B', domain: 'example.org', level: 90 } }],
    ]);
  });

  test('can come from a spreadsheet program', async () => {
    const text = '\uFEFFname;domain;enabled\r\n"A;B";Example.COM;FALSE\r\n\r\n';
    expect(await rowsOf(text)).toEqual([
      [2, { sitekey: undefined, change: { name: 'A;B', domain: 'example.com', isEnabled: false } }],
    ]);
  });

  test.each([
    ['level,name\n0,A', 'level-malformed', 'level'],
    ['level,name\n1e2,A', 'level-malformed', 'level'],
    ['level,name\n1.5,A', 'level-malformed', 'level'],
    ['growth,name\nwild,A', 'growth-unknown', 'growth'],
    ['challenge,name\nscrypt,A', 'challenge-unknown', 'challenge'],
    ['enabled,name\nyes,A', 'enabled-malformed', 'enabled'],
    ['domain,name\nhttps://example.com,A', 'domain-malformed', 'domain'],
    ['sitekey,name\nxyz,A', 'sitekey-malformed', 'sitekey'],
    ['name,level\n<b>,5', 'property-name-malformed', 'name'],
  ])('%j has a row with the problem %s', async (text, problem, column) => {
    expect(await rowsOf(text)).toEqual([[2, problem, column]]);
  });
});

test('a JSON file has rows with problems', async () => {
  const items = [{ level: '5' }, { name: 5 }, 7, null, [], { extra: 1 }, { name: 'A', level: null }];
  expect(await rowsOf(JSON.stringify(items))).toEqual([
    [1, 'level-malformed', 'level'],
    [2, 'field-mistyped', 'name'],
    [3, 'import-value-malformed'],
    [4, 'import-value-malformed'],
    [5, 'import-value-malformed'],
    [6, 'import-member-unknown', '"extra"'],
    [7, { sitekey: undefined, change: { name: 'A' } }],
  ]);
});

const UNREADABLE = [
  ['', 'import-empty'],
  [' \n', 'import-empty'],
  ['name,domain\n', 'import-empty'],
  ['[]', 'import-empty'],
  ['{"name":"A"}', 'import-json-malformed'],
  ['[{"name":"A"}', 'import-json-malformed'],
  ['[[[[[]]]]]', 'import-json-malformed'],
  ['name,color\nA,red', 'import-column-unknown'],
  ['name,name\nA,A', 'import-column-repeated'],
  ['name,domain\nA', 'import-csv-malformed'],
  ['name,domain\nA,"b', 'import-csv-malformed'],
  [`name\n"${'a'.repeat(9000)}"`, 'import-csv-malformed'],
  [`name\n${'A\n'.repeat(1001)}`, 'import-too-many'],
  [JSON.stringify(Array.from({ length: 1001 }, () => ({}))), 'import-too-many'],
  [`[${','.repeat(100_000)}]`, 'import-too-many'],
  ['a'.repeat(FILE_MAX_BYTES + 1), 'import-too-large'],
] as const;

test('a file that cannot be read is rejected with its problem', async () => {
  for (const [text, problem] of UNREADABLE) {
    const file = await read(text);
    expect([text.slice(0, 40), file.ok ? 'accepted' : file.problem]).toEqual([text.slice(0, 40), problem]);
  }
});

test('a file that is not UTF-8 is rejected', async () => {
  expect(await readPropertyFile(Uint8Array.of(0x6e, 0xff, 0xfe))).toMatchObject({
    problem: 'import-not-utf8',
  });
});

test.each([
  ['x;=cmd', `"x;'=cmd"`],
  ['＝1+1', `"'＝1+1"`],
  ["x;'=1", `"x;''=1"`],
])('the name %j is neutralized like in other files, and an import reads it unchanged', async (name, cell) => {
  const text = write('csv', [{ ...PROPERTY, name }]);
  expect(text.split('\r\n')[1]).toStartWith(`${cell},`);
  expect((await rowsOf(text))[0]?.[1]).toMatchObject({ change: { name } });
});

// 768 KiB of commas used to occupy the event loop for 85 ms.
test('a file with more cells than 1,000 properties have is rejected before it is parsed', async () => {
  const line = `${','.repeat(4000)}\n`;
  expect(await read(`name,domain\n${line.repeat(190)}`)).toMatchObject({
    ok: false,
    problem: 'import-too-many',
  });
  expect(await read(','.repeat(FILE_MAX_BYTES))).toMatchObject({ ok: false, problem: 'import-too-many' });
  // Commas in quotation marks are not separators.
  const names = Array.from({ length: 1000 }, (_, n) => `"${','.repeat(100)}${n}",example.com`);
  expect(await read(`name,domain\n${names.join('\n')}`)).toMatchObject({ ok: true });
});

/** A file of the maximum size that repeats a text. */
const filledWith = (head: string, text: string) =>
  head + text.repeat(Math.floor((FILE_MAX_BYTES - head.length) / text.length));

// 768 KiB of empty lines used to occupy the event loop for 34 to 120 ms.
test.each([
  ['empty lines', filledWith('name\n', '\n')],
  ['empty lines of Windows', filledWith('name\r\n', '\r\n')],
  ['long rows', filledWith('name\n', `${'x'.repeat(4000)}\n`)],
  ['quotation marks', filledWith('name\n', `"${'""'.repeat(2000)}"\n`)],
])('a file of %s is read in steps of 4 KiB', async (_, text) => {
  const bytes = new TextEncoder().encode(text);
  const iterations = await iterationsDuring(() => readPropertyFile(bytes, createImpatientPacer()));
  expect(iterations).toBeGreaterThan(FILE_MAX_BYTES / 4096 - 2);
});

test.each(FILE_FORMATS)('the rows of a %s file are read in steps', async (format) => {
  const bytes = new TextEncoder().encode(write(format, Array(1000).fill(PROPERTY)));
  const iterations = await iterationsDuring(() => readPropertyFile(bytes, createImpatientPacer()));
  expect(iterations).toBeGreaterThan(1000);
});

test('a file with too many rows or cells is rejected at the step that has them', async () => {
  for (const text of [filledWith('name\n', 'a\n'), filledWith('name\n', '""\n'), filledWith('name,', ',')]) {
    const bytes = new TextEncoder().encode(text);
    const iterations = await iterationsDuring(async () => {
      const file = await readPropertyFile(bytes, createImpatientPacer());
      expect(file).toMatchObject({ ok: false, problem: 'import-too-many' });
    });
    expect(iterations).toBeLessThan(20);
  }
});

test('empty lines and line breaks in quotation marks do not count as rows', async () => {
  const rows = Array.from({ length: 1000 }, (_, n) => `"a\n${n}\n\n"\n\n\n`);
  expect(await read(`\n\nname\n${rows.join('')}`)).toMatchObject({ ok: true });
  for (const end of ['\n', '\r\n', '\r']) {
    const lines = (count: number) => `name${end}${`a${end}${end}`.repeat(count)}`;
    expect(await read(lines(1000))).toMatchObject({ ok: true });
    expect(await read(lines(1001))).toMatchObject({ ok: false, problem: 'import-too-many' });
  }
});

test('records that begin in one step and end in another are read like all others', async () => {
  const row = '"ü, ""b"" 😀","example.com",7\r\n';
  for (let shift = 0; shift < Buffer.byteLength(row); shift++) {
    const text = `name,domain,level\r\n${'x'.repeat(shift + 1)},example.org,1\r\n${row.repeat(300)}`;
    const [first, ...rest] = await rowsOf(text);
    expect(first).toMatchObject([2, { change: { name: 'x'.repeat(shift + 1), level: 1 } }]);
    const change = { name: 'ü, "b" 😀', domain: 'example.com', level: 7 };
    expect(rest).toEqual(Array.from({ length: 300 }, (_, n) => [n + 3, { sitekey: undefined, change }]));
  }
});
