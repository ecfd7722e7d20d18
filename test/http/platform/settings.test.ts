import { beforeEach, describe, expect, test } from 'bun:test';
import { type BatchErrors, idsOf } from '../../support/platform.ts';
import { useClient, useServer, useTenant } from '../../support/useServer.ts';

let org: string;
let list: string;

const server = useServer({ settings: { POSTERN_DNS_CHECK: 'off' } });
const tenant = useTenant(server, {}, { per: 'test' });
const client = useClient(server, tenant, { per: 'test' });
beforeEach(() => {
  ({ org } = idsOf(server, tenant));
  list = `/org/${org}/properties`;
});

const item = { name: 'Shop', domain: 'example.com' };

async function detailOf(id: string | undefined): Promise<Record<string, unknown>> {
  return (await client.get<Record<string, unknown>>(`/org/${org}/property/${id}`)).data;
}

const DEFAULTS = {
  level: 128,
  growth: 'medium',
  challenge: 'blake2b',
  validity_seconds: 1800,
  allow_subdomains: false,
  allow_localhost: false,
  max_replay_count: 1,
  enabled: true,
};

// biome-ignore format: a table reads best with a row on a line
const GOOD: readonly (readonly [member: string, values: readonly unknown[]])[] = [
  ['level', [1, 2, 128, 254, 255]],
  ['growth', ['constant', 'slow', 'medium', 'fast']],
  ['challenge', ['blake2b', 'argon2id', 'hashwx']],
  ['validity_seconds', [60, 61, 1800, 172_799, 172_800]],
  ['allow_subdomains', [true, false]],
  ['allow_localhost', [true, false]],
  ['max_replay_count', [1, 2, 999_999, 1_000_000]],
  ['enabled', [true, false]],
];

/** Values in JSON. */
const NO_INTEGERS = [
  'null',
  '"5"',
  '""',
  'true',
  'false',
  '[]',
  '[5]',
  '{}',
  '-1',
  '0',
  '1.5',
  '1e400',
  '-1e400',
  '5e-324',
  '1e100',
  '9007199254740993',
];
const NO_FLAGS = ['null', '0', '1', '"true"', '"false"', '""', '[]', '[true]', '{}', '"on"'];
const BAD: readonly (readonly [member: string, values: readonly string[]])[] = [
  ['level', [...NO_INTEGERS, '256', '1000']],
  [
    'growth',
    [
      'null',
      '""',
      '0',
      '1',
      'true',
      '[]',
      '["slow"]',
      '{}',
      '"Slow"',
      '"SLOW"',
      '" slow"',
      '"none"',
      '"constant,slow"',
      '"toString"',
    ],
  ],
  [
    'challenge',
    ['null', '""', '0', 'true', '[]', '["argon2id"]', '"Argon2id"', '"argon2"', '"HashWX"', '"toString"'],
  ],
  ['validity_seconds', [...NO_INTEGERS, '1', '59', '59.9', '172801']],
  ['allow_subdomains', NO_FLAGS],
  ['allow_localhost', NO_FLAGS],
  ['max_replay_count', [...NO_INTEGERS, '1000001']],
  ['enabled', NO_FLAGS],
];

describe('a new property', () => {
  test('has the documented defaults, its own sitekey, and all members in order', async () => {
    const [created] = await client.run('POST', list, [item]);
    const detail = await detailOf(created?.id);
    expect(detail).toEqual({
      id: created?.id,
      ...item,
      sitekey: expect.stringMatching(/^[0-9a-f]{32}$/),
      ...DEFAULTS,
    });
    expect(Object.keys(detail)).toEqual(['id', 'name', 'domain', 'sitekey', ...Object.keys(DEFAULTS)]);
    expect(created).toEqual({
      code: 1000,
      description: 'The operation succeeded.',
      id: detail.id as string,
      name: 'Shop',
      sitekey: detail.sitekey as string,
    });
  });

  test('has every setting of the request', async () => {
    const wanted = {
      level: 255,
      growth: 'fast',
      challenge: 'argon2id',
      validity_seconds: 60,
      allow_subdomains: true,
      allow_localhost: true,
      max_replay_count: 1_000_000,
      enabled: false,
    };
    const [created] = await client.run('POST', list, [{ ...item, ...wanted }]);
    expect(await detailOf(created?.id)).toMatchObject(wanted);
  });

  test('accepts whole numbers in any JSON notation', async () => {
    const text =
      '[{"name":"a","domain":"example.com","level":1e2,"validity_seconds":1e3,"max_replay_count":5.0}]';
    const { data } = await client.post<{ id: string }>(list, text);
    const [created] = await client.finished(data.id);
    expect(await detailOf(created?.id)).toMatchObject({
      level: 100,
      validity_seconds: 1000,
      max_replay_count: 5,
    });
  });
});

describe.each(GOOD)('%s', (member, values) => {
  test('accepts its bounds and values between, in creations and updates', async () => {
    const items = values.map((value, i) => ({ ...item, name: `Shop ${i}`, [member]: value }));
    const created = await client.run('POST', list, items);
    expect(await Promise.all(created.map(async ({ id }) => (await detailOf(id))[member]))).toEqual([
      ...values,
    ]);
    const reversed = created.map(({ id }, i) => ({ id, [member]: values.at(-1 - i) }));
    expect((await client.run('PUT', '/properties', reversed)).map(({ code }) => code)).toEqual(
      values.map(() => 1000),
    );
    expect(await Promise.all(created.map(async ({ id }) => (await detailOf(id))[member]))).toEqual(
      values.toReversed(),
    );
  });

  const bad = BAD.find(([name]) => name === member)?.[1] ?? [];
  test.each(bad.map((value) => [value]))(
    'is rejected as %s, by its name, and nothing is clamped',
    async (value) => {
      const { property } = idsOf(server, tenant);
      const before = await server.written();
      const rows = [
        ['POST', list, `[{"name":"Shop","domain":"example.com","${member}":${value}}]`],
        ['PUT', '/properties', `[{"id":"${property}","${member}":${value}}]`],
      ] as const;
      for (const [method, path, body] of rows) {
        const reply = await client.ask<BatchErrors>(method, path, body);
        const sentence = expect.stringContaining(member);
        expect(reply).toMatchObject({ status: 400, code: 1001, description: sentence });
        expect(reply.data).toEqual({ errors: [{ index: 0, code: 1001, description: reply.description }] });
      }
      expect(await server.written()).toEqual(before);
    },
  );
});

describe('an update', () => {
  test('does not change missing settings', async () => {
    const wanted = {
      level: 3,
      growth: 'slow',
      challenge: 'argon2id',
      validity_seconds: 99,
      allow_subdomains: true,
      max_replay_count: 7,
    };
    const [created] = await client.run('POST', list, [{ ...item, ...wanted }]);
    const { id = '' } = created ?? {};
    const changes = [
      { level: 4 },
      { name: 'Store' },
      { domain: 'EXAMPLE.org.' },
      { allow_localhost: true },
      {},
    ];
    for (const change of changes) {
      expect(await client.run('PUT', '/properties', [{ id, ...change }])).toMatchObject([{ code: 1000, id }]);
    }
    expect(await detailOf(id)).toEqual({
      ...DEFAULTS,
      ...wanted,
      id,
      sitekey: created?.sitekey,
      level: 4,
      name: 'Store',
      domain: 'example.org',
      allow_localhost: true,
    });
  });

  // biome-ignore format: a table reads best with a row on a line
  test.each([
    ['org_id', '"x"'], ['organization_id', '1'], ['kind', '"blake2b"'], ['levle', '5'], ['Level', '5'],
    ['maxReplayCount', '5'], ['allowance', '5'], ['is_enabled', 'false'], ['deleted_at', '1'], ['__proto__', '{}'], ['constructor', '{}'], ['', '1'],
  ])('with the unknown setting %p is rejected with that name', async (member, value) => {
    const { property } = idsOf(server, tenant);
    const rows = [
      ['POST', list, `[{"name":"Shop","domain":"example.com","${member}":${value}}]`],
      ['PUT', '/properties', `[{"id":"${property}","${member}":${value}}]`],
    ] as const;
    for (const [method, path, body] of rows) {
      const reply = await client.ask(method, path, body);
      expect(reply).toMatchObject({ status: 400, code: 1001 });
      expect(reply.description).toContain(`("${member}")`);
    }
  });

  test('cannot set the id in a creation', async () => {
    const { property: id } = idsOf(server, tenant);
    expect(await client.post(list, [{ ...item, id }])).toMatchObject({ status: 400, code: 1001 });
  });
});

describe('a domain', () => {
  // biome-ignore format: a table reads best with a row on a line
  test.each([
    ['example.com', 'example.com'], ['EXAMPLE.Com', 'example.com'], ['example.com.', 'example.com'], ['  example.com\n', 'example.com'],
    ['shop.example.co.uk', 'shop.example.co.uk'], ['münchen.de', 'xn--mnchen-3ya.de'], ['MÜNCHEN.DE', 'xn--mnchen-3ya.de'],
    ['mu\u0308nchen.de', 'xn--mnchen-3ya.de'], ['xn--mnchen-3ya.de', 'xn--mnchen-3ya.de'], ['例え.jp', 'xn--r8jz45g.jp'],
    ['例え。jp', 'xn--r8jz45g.jp'], ['ｅｘａｍｐｌｅ.com', 'example.com'], ['a-b.example.com', 'a-b.example.com'], ['1.example.com', '1.example.com'],
    ['intranet.corp', 'intranet.corp'], [`${'a'.repeat(63)}.com`, `${'a'.repeat(63)}.com`],
  ])('%p is stored as %s, in creations and updates', async (given, kept) => {
    const [created] = await client.run('POST', list, [{ name: 'Shop', domain: given }]);
    expect(await detailOf(created?.id)).toMatchObject({ domain: kept });
    const { property: id } = idsOf(server, tenant);
    expect(await client.run('PUT', '/properties', [{ id, domain: given }])).toMatchObject([{ code: 1000 }]);
    expect(await detailOf(id)).toMatchObject({ domain: kept });
  });

  // biome-ignore format: a table reads best with a row on a line
  test.each([
    ['', 1205], [' ', 1205], ['\t\n', 1205],
    ['localhost', 1206], ['LOCALHOST', 1206], ['localhost.', 1206], ['shop.localhost', 1206],
    ['127.0.0.1', 1207], ['2130706433', 1207], ['0x7f.1', 1207], ['0177.0.0.1', 1207], ['127.1', 1207], ['10.0.0.1.', 1207], ['[::1]', 1207], ['::1', 1207], ['2001:db8::1', 1207],
    ['::ffff:127.0.0.1', 1207], ['１２７.0.0.1', 1207],
    ['example', 1208], ['-a.example.com', 1208], ['a-.example.com', 1208], ['a..example.com', 1208], ['.example.com', 1208], ['a_b.example.com', 1208], [`${'a'.repeat(64)}.com`, 1208],
    [`${'a.'.repeat(130)}com`, 1208], ['example.123', 1208], ['xn--a.com', 1208], ['co.uk', 1208], ['com', 1208], ['github.io', 1208], ['.', 1208], ['x'.repeat(5000), 1208],
    ['https://example.com', 1210], ['//example.com', 1210], ['example.com:443', 1210], ['example.com/shop', 1210], ['example.com?x', 1210], ['example.com#x', 1210], ['ann@example.com', 1210],
    ['exa mple.com', 1210], ['*.example.com', 1210], ['example.com,example.org', 1210], ['<b>.example.com', 1210], ["' OR 1=1 --", 1210], ['example.com\\', 1210], ['exam%70le.com', 1210],
  ])('%p is rejected with %d, in creations and updates', async (domain, code) => {
    const { property: id } = idsOf(server, tenant);
    expect(await client.post(list, [{ name: 'Shop', domain }])).toMatchObject({ status: 400, code });
    expect(await client.put('/properties', [{ id, domain }])).toMatchObject({ status: 400, code });
  });

  test.each([[null], [5], [true], [[]], [{}], [['example.com']]])(
    'is text: %p is rejected by its name',
    async (domain) => {
      const reply = await client.post(list, [{ name: 'Shop', domain }]);
      expect(reply).toMatchObject({
        status: 400,
        code: 1001,
        description: expect.stringContaining('domain must be'),
      });
    },
  );

  test('is required, like a name', async () => {
    expect(await client.post(list, [{ name: 'Shop' }])).toMatchObject({ status: 400, code: 1205 });
    expect(await client.post(list, [{ domain: 'example.com' }])).toMatchObject({ status: 400, code: 1201 });
    expect(await client.post(list, [{}])).toMatchObject({ status: 400, code: 1201 });
  });
});
