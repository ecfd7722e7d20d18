import { beforeAll, describe, expect, test } from 'bun:test';
import { type Api, api, idsOf, type Named } from '../../support/platform.ts';
import { addTenant } from '../../support/server.ts';
import { useServer } from '../../support/useServer.ts';

const server = useServer({
  settings: { POSTERN_DNS_CHECK: 'off', POSTERN_PLAN_ORGS: '1000', POSTERN_PLAN_PROPERTIES: '1000' },
});

/** Creates and renames objects of a kind. */
type Namer = {
  readonly create: (
    name: unknown,
  ) => Promise<{ readonly code: number; readonly name?: string; readonly id?: string }>;
  readonly rename: (id: string, name: unknown) => Promise<{ readonly code: number; readonly name?: string }>;
  readonly remove: (id: string) => Promise<void>;
};

async function organizations(): Promise<Namer> {
  const client = api(server, (await addTenant(server)).portalKey);
  return {
    async create(name) {
      const { code, data } = await client.post<Named | null>('/org', { name });
      return { code, ...data };
    },
    async rename(id, name) {
      const { code, data } = await client.put<Named | null>('/org', { id, name });
      return { code, ...data };
    },
    async remove(id) {
      expect(await client.delete('/org', { id })).toMatchObject({ code: 1000 });
    },
  };
}

async function properties(): Promise<Namer> {
  const tenant = await addTenant(server);
  const client = api(server, tenant.portalKey);
  const list = `/org/${idsOf(server, tenant).org}/properties`;
  async function run(client: Api, method: string, path: string, item: object) {
    const { code, data } = await client.ask<{ id?: string }>(method, path, [item]);
    if (code !== 1000) return { code };
    const [entry] = await client.finished(data.id ?? '');
    return entry ?? { code: 0 };
  }
  return {
    create: (name) => run(client, 'POST', list, { name, domain: 'example.com' }),
    rename: (id, name) => run(client, 'PUT', '/properties', { id, name }),
    async remove(id) {
      expect(await client.run('DELETE', '/properties', [id])).toMatchObject([{ code: 1000 }]);
    },
  };
}

const FAMILY = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}';
const rose = '\u{1f339}';
// biome-ignore format: a table reads best with a row on a line
const GOOD: readonly (readonly [what: string, given: string, kept?: string])[] = [
  ['letters', 'Shop'], ['one character', 'x'], ['a digit', '0'], ['blanks around it', '  Shop of Ann \t', 'Shop of Ann'],
  ['line breaks around it', '\r\nShop of Ben\n', 'Shop of Ben'], ['other whitespace around it', '\u00a0\u3000Shop of Cid\u2003', 'Shop of Cid'],
  ['spaces within', 'a  b'], ['a no-break space within', 'a\u00a0b'], ['quotes', `"'\`´„“`], ['SQL', "'; DROP TABLE organizations; --"],
  ['a backslash', '\\u0000'], ['braces', `{{name}} \${name} %s`], ['an ampersand', 'Ann & Ben &lt;b&gt;'],
  ['Greek', 'Ελλάδα'], ['Arabic', 'متجر'], ['Hebrew', 'חנות'], ['Chinese', '店铺'], ['Thai', 'ร้านค้า'], ['Devanagari', 'दुकान'],
  ['an emoji', rose], ['a flag', '\u{1f1e9}\u{1f1ea}'], ['a skin tone', '\u{1f44d}\u{1f3fd}'], ['a keycap', '1\ufe0f\u20e3'],
  ['a character outside the Basic Multilingual Plane', '\u{20000}'], ['128 letters', 'x'.repeat(128)], ['128 rose emoji', rose.repeat(128)],
  ['128 letters with blanks around', ` ${'y'.repeat(128)} `, 'y'.repeat(128)],
  ['128 that were 256 before NFC', 'e\u0301'.repeat(128), 'é'.repeat(128)],
  ['decomposed letters', 'Cafe\u0301 Zu\u0308rich', 'Café Zürich'], ['a character that NFC replaces', '\u212bngstr\u00f6m', 'Ångström'],
  ['null, as a word', 'null'], ['a number, as a word', '5e3'], ['__proto__', '__proto__'], ['constructor', 'constructor'],
];

// biome-ignore format: a table reads best with a row on a line
const BAD: readonly (readonly [what: string, given: string, problem: 'empty' | 'long' | 'malformed'])[] = [
  ['nothing', '', 'empty'], ['a blank', ' ', 'empty'], ['all sorts of blanks', ' \t\r\n\u00a0\u2003\u3000\u2028\ufeff', 'empty'],
  ['129 letters', 'x'.repeat(129), 'long'], ['129 roses', rose.repeat(129), 'long'], ['100,000 letters', 'x'.repeat(100_000), 'long'],
  ['NUL', 'a\0b', 'malformed'], ['a tab', 'a\tb', 'malformed'], ['a line break', 'a\nb', 'malformed'], ['CR', 'a\rb', 'malformed'],
  ['escape', '\u001b[31mred', 'malformed'], ['delete', 'a\u007fb', 'malformed'], ['a C1 control', 'a\u0085b', 'malformed'],
  ['a line separator', 'a\u2028b', 'malformed'], ['a paragraph separator', 'a\u2029b', 'malformed'],
  ['a tag', '<b>', 'malformed'], ['less than', 'a < b', 'malformed'], ['greater than', 'a > b', 'malformed'], ['a script', '<script>alert(1)</script>', 'malformed'],
  ['a zero-width space', 'a\u200bb', 'malformed'], ['a zero-width joiner', 'a\u200db', 'malformed'], ['a family emoji', FAMILY, 'malformed'],
  ['a word joiner', 'a\u2060b', 'malformed'], ['a soft hyphen', 'a\u00adb', 'malformed'], ['a byte order mark within', 'a\ufeffb', 'malformed'],
  ['a right-to-left override', 'a\u202egnp.exe', 'malformed'], ['an isolate', 'a\u2066b\u2069', 'malformed'], ['a direction mark', '\u200fa', 'malformed'],
  ['a lone high surrogate', 'a\ud83d', 'malformed'], ['a lone low surrogate', '\udf39a', 'malformed'], ['surrogates in the wrong order', '\udf39\ud83d', 'malformed'],
  ['private use', '\ue000', 'malformed'], ['an unassigned code point', '\u0378', 'malformed'], ['a noncharacter', '\uffff', 'malformed'],
  ['a tag character', '\u{e0041}', 'malformed'],
];

const CODES = {
  organizations: { empty: 1100, long: 1101, malformed: 1102, taken: 1103 },
  properties: { empty: 1201, long: 1202, malformed: 1203, taken: 1204 },
} as const;

describe.each([
  ['organizations', organizations],
  ['properties', properties],
] as const)('names of %s', (kind, open) => {
  const codes = CODES[kind];
  let namer: Namer;
  beforeAll(async () => {
    namer = await open();
  });

  test.each(GOOD)('can contain %s, and are returned trimmed and in NFC', async (_, given, kept = given) => {
    const created = await namer.create(given);
    expect(created).toMatchObject({ code: 1000, name: kept });
    expect(await namer.rename(created.id ?? '', `${given} `)).toMatchObject({ code: 1000, name: kept });
    await namer.remove(created.id ?? '');
  });

  test.each(BAD)('are rejected with %s', async (_, given, problem) => {
    expect(await namer.create(given)).toEqual({ code: codes[problem] });
    const { id = '' } = await namer.create('Renamed');
    expect(await namer.rename(id, given)).toEqual({ code: codes[problem] });
    await namer.remove(id);
  });

  test.each([[null], [5], [true], [{}], [['Shop']]])('must be text, not %p', async (given) => {
    expect(await namer.create(given)).toEqual({ code: 1001 });
  });

  test.each([
    ['Shop', 'Shop'],
    ['Shop', ' sHOP '],
    ['Café Zürich', 'CAFE\u0301 ZU\u0308RICH'],
    ['ÅNGSTRÖM', '\u212bngstr\u00f6m'],
    ['ДОМ', 'дом'],
    ['Ελλάδα', 'ΕΛΛΆΔΑ'],
    ['\u{10400}', '\u{10428}'],
    // These used to be two names, because J with caron has no uppercase letter in one code point.
    ['\u01f0 Street', 'J\u030c STREET'],
  ])('%s conflicts with %s', async (first, second) => {
    const created = await namer.create(first);
    expect(created.code).toBe(1000);
    expect(await namer.create(second)).toMatchObject({ code: codes.taken });
    const other = await namer.create('Other');
    expect(await namer.rename(other.id ?? '', second)).toMatchObject({ code: codes.taken });
    // The own name does not conflict.
    expect(await namer.rename(created.id ?? '', second)).toMatchObject({ code: 1000 });
    expect(await namer.rename(created.id ?? '', first)).toMatchObject({ code: 1000, name: first });
    await namer.remove(other.id ?? '');
    await namer.remove(created.id ?? '');
  });

  test.each([
    ['Shop', 'Shop 2'],
    ['resume', 'résumé'],
    ['a b', 'a  b'],
    ['1', '\u00b9'],
    ['А', 'A'],
  ])('%s and %s differ', async (first, second) => {
    const created = [await namer.create(first), await namer.create(second)];
    expect(created.map(({ code }) => code)).toEqual([1000, 1000]);
    for (const { id } of created) await namer.remove(id ?? '');
  });

  test('are available again after deletion and after renaming', async () => {
    const first = await namer.create('Phoenix');
    await namer.remove(first.id ?? '');
    const second = await namer.create('PHOENIX');
    expect(second).toMatchObject({ code: 1000, name: 'PHOENIX' });
    expect(second.id).not.toBe(first.id);
    expect(await namer.rename(second.id ?? '', 'Ash')).toMatchObject({ code: 1000 });
    expect(await namer.create('phoenix')).toMatchObject({ code: 1000 });
  });

  test('are unique for each owner and each organization only', async () => {
    const other = await open();
    expect(await namer.create('Shared')).toMatchObject({ code: 1000 });
    expect(await other.create('Shared')).toMatchObject({ code: 1000 });
  });
});
