import { describe, expect, test } from 'bun:test';
import { existsSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IMPORT_MAX_ERRORS } from '../../../src/model/exportDocument.ts';
import {
  ANN,
  BEN,
  DOCUMENT,
  FRIENDS,
  matchesSchema,
  OTHER_SITEKEY,
  type Report,
  RULE,
  SHOP,
  SMALL,
  useTarget,
  withProperties,
  withProperty,
} from './documents.ts';

/** The text of a document with a list of properties, and an error that is found earlier than those in the list. */
const textWith = (properties: string) =>
  JSON.stringify({ ...withProperties(), plans: [{}] }).replace(
    '"properties":[]',
    `"properties":[${properties}]`,
  );

const target = useTarget();

describe('a document that is not valid', () => {
  const property = '$.organizations[0].properties[0]';
  const members = (emails: readonly unknown[]) => ({
    ...DOCUMENT,
    organizations: [{ ...FRIENDS, members: emails }],
  });
  const { name: _, ...nameless } = SHOP;

  /** Errors that the JSON Schema finds too. */
  const STRUCTURE: readonly [string, unknown, RegExp][] = [
    ['another format', { ...DOCUMENT, format: 'backup' }, /^\$\.format: This is not an export document/],
    ['no object', [DOCUMENT], /^\$\.format: This is not an export document/],
    ['null', null, /^\$\.format: /],
    ['a newer version', { ...DOCUMENT, version: 3 }, /^\$\.version: .*use a newer version of Postern/],
    ['an unknown member', { ...DOCUMENT, extra: 1 }, /^\$: .*not part of the format\. \("extra"\)$/],
    ['a missing list', { ...DOCUMENT, users: undefined }, /^\$: A member is missing\. \(users\)$/],
    ['a list that is an object', { ...DOCUMENT, plans: {} }, /^\$\.plans: The value must be an array\.$/],
    [
      'a plan that is null',
      { ...DOCUMENT, plans: [null] },
      /^\$\.plans\[0\]: The value must be an object\.$/,
    ],
    [
      'a plan name',
      { ...DOCUMENT, plans: [{ ...SMALL, name: 'Small' }] },
      /^\$\.plans\[0\]\.name: The name of/,
    ],
    [
      'a quota',
      { ...DOCUMENT, plans: [{ ...SMALL, properties: 1.5 }] },
      /^\$\.plans\[0\]\.properties: A quota/,
    ],
    [
      'a user state',
      { ...DOCUMENT, users: [ANN, { ...BEN, disabled: 'no' }] },
      /^\$\.users\[1\]\.disabled: disabled must be true or false\.$/,
    ],
    [
      'rules that are an object',
      { ...DOCUMENT, rules: {} },
      /^\$\.rules: A rule has an error\. \(The rules must be an array\.\)$/,
    ],
    [
      'a rule with an id',
      withProperty({ rules: [{ ...RULE, id: '0123456789abcdef' }] }),
      /properties\[0\]\.rules\[0\]: .*not part of the format\. \("id"\)$/,
    ],
    [
      'an unknown member of a rule',
      withProperty({ rules: [{ ...RULE, colour: 'red' }] }),
      /properties\[0\]\.rules\[0\]: .*The member "colour" is unknown/,
    ],
    [
      'a level of a rule',
      withProperty({ rules: [RULE, { ...RULE, levels: 300 }] }),
      /properties\[0\]\.rules\[1\]\.levels: .*levels must be a whole number/,
    ],
    ['a member that is a number', members([7]), /\.members\[0\]: The value must be a string\.$/],
    [
      'a property without a name',
      withProperties(nameless),
      /properties\[0\]: A member is missing\. \(name\)$/,
    ],
    [
      'a property with an id',
      withProperty({ id: 'x' }),
      /properties\[0\]: .*not part of the format\. \("id"\)$/,
    ],
    ['a prototype', JSON.parse('{"__proto__":{}}'), /^\$\.format/],
    ['a level', withProperty({ level: 0 }), /\.level: The level must be a whole number from 1 to 255\.$/],
    ['a growth', withProperty({ growth: 'huge' }), /\.growth: The growth must be/],
    [
      'a kind of work',
      withProperty({ challenge: 'scrypt' }),
      /\.challenge: The kind of work \(challenge\) must be/,
    ],
    ['a validity', withProperty({ validity_seconds: '60' }), /\.validity_seconds: The validity/],
    ['a replay count', withProperty({ max_replay_count: 1e7 }), /\.max_replay_count: The number of/],
    ['a switch', withProperty({ allow_localhost: 1 }), /\.allow_localhost: allow_localhost must be/],
    ['a sitekey', withProperty({ sitekey: 'abc' }), /\.sitekey: The sitekey must be 32 hexadecimal/],
  ];

  /** Errors that only Postern finds. */
  const RULES: readonly [string, unknown, RegExp][] = [
    ['a name', withProperty({ name: '<b>' }), /\.name: The name of the property contains/],
    ['an address as domain', withProperty({ domain: '192.0.2.1' }), /\.domain: The domain cannot be an IP/],
    [
      'a public suffix as domain',
      withProperty({ domain: 'co.uk' }),
      /\.domain: The domain is a public suffix/,
    ],
    [
      'the test sitekey',
      withProperty({ sitekey: 'aaaaaaaabbbbccccddddeeeeeeeeeeee' }),
      /\.sitekey: This sitekey is reserved/,
    ],
    [
      'a repeated sitekey',
      withProperties(SHOP, { ...SHOP, name: 'B' }),
      /\[1\]\.sitekey: .*more than once\. \(first/,
    ],
    [
      'a repeated property name',
      withProperties(SHOP, { ...SHOP, name: 'shop', sitekey: OTHER_SITEKEY }),
      /\[1\]\.name: .*more than once\. \(first at \$\.organizations\[0\]\.properties\[0\]\.name\)$/,
    ],
    ['a repeated plan', { ...DOCUMENT, plans: [SMALL, SMALL] }, /^\$\.plans\[1\]\.name: .*more than once/],
    [
      'a repeated user',
      { ...DOCUMENT, users: [ANN, BEN, { ...ANN, email: 'ANN@example.com' }] },
      /^\$\.users\[2\]\.email: .*more than once/,
    ],
    [
      'a repeated organization',
      { ...DOCUMENT, organizations: [FRIENDS, { ...FRIENDS, properties: [] }] },
      /^\$\.organizations\[1\]\.name: .*more than once/,
    ],
    ['a repeated member', members([BEN.email, BEN.email]), /\.members\[1\]: .*more than once/],
    ['the owner as member', members([ANN.email]), /\.members\[0\]: .*more than once/],
    [
      'a member who is not a user',
      members(['x@example.com']),
      /\.members\[0\]: The list of users .*\("x@example\.com"\)$/,
    ],
    [
      'an email address',
      { ...DOCUMENT, users: [ANN, BEN, { ...BEN, email: 'x' }] },
      /email: This is not a valid/,
    ],
  ];

  test.each([...STRUCTURE, ...RULES])(
    'is rejected with the path of the error: %s',
    async (_name, document, error) => {
      const errors = await target.fail(document);
      expect(errors).toHaveLength(1);
      expect(errors[0]).toMatch(error);
      expect(await target.cli().json('users list')).toEqual([]);
    },
  );

  test.each(STRUCTURE)('does not match the JSON Schema: %s', (_name, document) => {
    expect(matchesSchema(JSON.parse(JSON.stringify(document)))).toBe(false);
  });

  test('is reported with all errors at once', async () => {
    const document = {
      ...withProperties({ ...SHOP, level: 0, growth: 'huge', extra: 1 }, { ...SHOP, domain: '' }),
      plans: [{}],
    };
    expect((await target.fail(document)).map((error) => error.slice(0, error.indexOf(': ')))).toEqual([
      '$.plans[0]',
      '$.plans[0]',
      '$.plans[0]',
      property,
      `${property}.level`,
      `${property}.growth`,
      '$.organizations[0].properties[1].domain',
    ]);
  });

  test('with more than 1000 errors lists the first 1000, and counts all of them', async () => {
    const document = { ...DOCUMENT, plans: Array.from({ length: 1500 }, () => null) };
    const { code, out } = await target
      .cli()
      .run('import - --json --create-users', { stdin: JSON.stringify(document) });
    const report = JSON.parse(out) as Report;
    expect({ code, total: report.total, listed: report.errors.length }).toEqual({
      code: 1,
      total: 1500,
      listed: IMPORT_MAX_ERRORS,
    });
    const { err } = await target.cli().run('import -', { stdin: JSON.stringify(document) });
    expect(err).toContain('$.plans[0]: The value must be an object.\n');
    expect(err).toContain(
      'and 500 more errors\npostern: nothing was imported, because the document has 1500',
    );
  });

  test.each([
    ['{"format":', /^\$: The document is not valid JSON/],
    ['', /^\$: The document is not valid JSON/],
    ['"\ud800"', /^\$\.format/],
    // Properties are parsed one by one, and the rest of the document without them.
    [textWith('{"name":}'), /^\$: The document is not valid JSON/],
    [textWith('{"name":1},'), /^\$: The document is not valid JSON/],
    [textWith('{"name":1} {"name":2}'), /^\$: The document is not valid JSON/],
    [textWith('{"name":1}').slice(0, -1), /^\$: The document is not valid JSON/],
    ['['.repeat(1000), /^\$: Arrays and objects are nested too deeply/],
  ])('is rejected if its text is %s', async (text, error) => {
    const { code, out } = await target.cli().run('import - --json', { stdin: text });
    expect(code).toBe(1);
    const [first] = (JSON.parse(out) as Report).errors;
    expect(`${first?.path}: ${first?.message}`).toMatch(error);
  });

  test('is rejected if it is not UTF-8', async () => {
    const file = join(target.cli().folder, 'latin1.json');
    writeFileSync(file, Buffer.from(JSON.stringify(withProperty({ name: 'Caf\u00e9' })), 'latin1'));
    const { code, err } = await target.cli().run(`import ${file}`);
    expect(code).toBe(1);
    expect(err).toContain('not valid JSON in UTF-8');
  });

  test('is rejected before it is parsed if it is too large, and no data folder is created', async () => {
    const file = join(target.cli().folder, 'large.json');
    writeFileSync(file, '');
    truncateSync(file, 256 * 1024 ** 2 + 1);
    const { code, err } = await target.cli().run(`import ${file}`);
    expect(code).toBe(1);
    expect(err).toContain('larger than 256 MiB');
    expect(existsSync(target.cli().dataDir)).toBe(false);
    expect((await target.cli().run(`import ${join(target.cli().folder, 'missing.json')}`)).code).toBe(1);
    expect((await target.cli().run('import')).code).toBe(2);
  });
});
