import { beforeEach, describe, expect, test } from 'bun:test';
import { type BatchErrors, idsOf, type Named } from '../../support/platform.ts';
import { useClient, useServer, useTenant } from '../../support/useServer.ts';

let org: string;
let property: string;
let list: string;

const server = useServer({ settings: { POSTERN_DNS_CHECK: 'off' } });
const tenant = useTenant(server, {}, { per: 'test' });
const client = useClient(server, tenant, { per: 'test' });
beforeEach(() => {
  ({ org, property } = idsOf(server, tenant));
  list = `/org/${org}/properties`;
});

const named = (name: string, more: object = {}) => ({ name, domain: 'example.com', ...more });
const many = (count: number) => Array.from({ length: count }, (_, i) => named(`Shop ${i}`));

async function all(): Promise<readonly Named[]> {
  return (await client.get<Named[]>(list)).data;
}

type Expected = readonly (readonly [index: number, code: number])[];

/** Asserts that the batch is rejected with the code of its first invalid item, lists all invalid items, and changes nothing. */
async function expectRejected(method: string, body: readonly unknown[], errors: Expected): Promise<void> {
  const before = await server.written();
  const path = method === 'POST' ? list : '/properties';
  const reply = await client.ask<BatchErrors>(method, path, body);
  expect(reply.data.errors.map(({ index, code }) => [index, code])).toEqual(errors.map((one) => [...one]));
  const [first] = reply.data.errors;
  expect(reply).toMatchObject({ code: first?.code, description: first?.description });
  expect(reply.status).toBe(reply.code === 1204 ? 409 : 400);
  for (const error of reply.data.errors) {
    expect(Object.keys(error)).toEqual(['index', 'code', 'description']);
    expect(error.description).toMatch(/^\S.*\.$/);
  }
  expect(await server.written()).toEqual(before);
}

const BATCHES = [
  ['POST', 'properties to be made'],
  ['PUT', 'changes'],
  ['DELETE', 'deletions'],
] as const;

describe.each(BATCHES)('%s, a batch of %s', (method, _what) => {
  const ask = (body: unknown) => client.ask(method, method === 'POST' ? list : '/properties', body);
  const good = () =>
    ({ POST: named('New'), PUT: { id: property, level: 2 }, DELETE: property as unknown })[method];

  test.each(['{}', 'null', '5', '"x"', 'true', '[]', '{"0":{},"length":1}', '{"properties":[]}'])(
    'is rejected if it is not an array with items: %s',
    async (body) => {
      const before = await server.written();
      expect(await ask(body)).toMatchObject({ status: 400, code: 1001, data: null });
      expect(await server.written()).toEqual(before);
    },
  );

  test('can have at most 128 items', async () => {
    for (const count of [129, 1000, 20_000]) {
      expect(await ask(Array(count).fill(good()))).toMatchObject({ status: 400, code: 1200, data: null });
      expect(await ask(Array(count).fill(null))).toMatchObject({ status: 400, code: 1200 });
    }
  });

  test('lists all of 128 invalid items', async () => {
    await expectRejected(
      method,
      Array(128).fill(5),
      Array.from({ length: 128 }, (_, index) => [index, 1001] as const),
    );
  });

  test.each([
    ['null', null],
    ['a number', 5],
    ['true', true],
    ['an array', []],
  ])('rejects an item that is %s', async (_, item) => {
    // In a batch of ids, null is a missing id.
    const code = method === 'DELETE' && item === null ? 1211 : 1001;
    await expectRejected(method, [good(), item], [[1, code]]);
    await expectRejected(method, [item, good()], [[0, code]]);
  });
});

describe('several invalid items', () => {
  test('return the code of the first one, in creations', async () => {
    const items = [
      named('Good'),
      named('', { domain: '' }),
      named('x'.repeat(129)),
      named('<b>'),
      named('a', { domain: '127.0.0.1' }),
      named('b', { domain: 'localhost', level: 0 }),
      named('c', { level: 0, growth: 'x' }),
      named('d', { size: 5 }),
      named('Good 2'),
      named('GOOD'),
      'text',
    ];
    const errors: Expected = [
      [1, 1201],
      [2, 1202],
      [3, 1203],
      [4, 1207],
      [5, 1206],
      [6, 1001],
      [7, 1001],
      [9, 1204],
      [10, 1001],
    ];
    await expectRejected('POST', items, errors);
    await expectRejected(
      'POST',
      items.toReversed(),
      // Of two items with the same name, the later one is invalid.
      errors
        .map(([index, code]) => [index === 9 ? 10 : 10 - index, code] as const)
        .toSorted(([a], [b]) => a - b),
    );
    expect(await all()).toHaveLength(1);
  });

  test('return the code of the first one, in updates', async () => {
    const level = { level: 9 };
    await expectRejected(
      'PUT',
      [
        { id: property, ...level },
        level,
        { id: '', ...level },
        { id: org },
        { id: property },
        { id: 5 },
        { id: property, domain: '' },
      ],
      [
        [1, 1211],
        [2, 1211],
        [3, 1212],
        [4, 1213],
        [5, 1001],
        [6, 1205],
      ],
    );
    expect(await client.get(`/org/${org}/property/${property}`)).toMatchObject({ data: { level: 1 } });
  });

  test('return the code of the first one, in deletions', async () => {
    await expectRejected(
      'DELETE',
      [property, '', org, property, null, 5],
      [
        [1, 1211],
        [2, 1212],
        [3, 1213],
        [4, 1211],
        [5, 1001],
      ],
    );
    expect(await all()).toHaveLength(1);
  });

  test('return 409 if the first one is a conflict', async () => {
    await expectRejected(
      'POST',
      [named('a'), named('A'), named('')],
      [
        [1, 1204],
        [2, 1201],
      ],
    );
  });
});

describe('names in one batch', () => {
  // biome-ignore format: a table reads best with a row on a line
  test.each([
    [['a', 'a'], [1]], [['a', 'A'], [1]], [['a', ' a '], [1]], [['é', 'E\u0301'], [1]], [['a', 'b', 'a', 'b', 'a'], [2, 3, 4]],
    [['ДОМ', 'дом'], [1]], [['__proto__', '__PROTO__'], [1]],
  ] as const)('%j: the later ones are rejected', async (names, wrong) => {
    await expectRejected('POST', names.map((name) => named(name)), wrong.map((index) => [index, 1204] as const));
  });

  test('can be names of properties that were deleted', async () => {
    expect(await client.run('DELETE', '/properties', [property])).toMatchObject([{ code: 1000 }]);
    const created = await client.run('POST', list, [named('Blog'), named('level'), named('constructor')]);
    expect(created.map(({ code }) => code)).toEqual([1000, 1000, 1000]);
  });
});

describe('an accepted batch', () => {
  test.each([1, 2, 127, 128])('of %d properties creates them in the order of the request', async (count) => {
    const entries = await client.run('POST', list, many(count));
    expect(entries.map(({ code, name }) => [code, name])).toEqual(
      many(count).map(({ name }) => [1000, name]),
    );
    expect(new Set(entries.map(({ id }) => id)).size).toBe(count);
    expect(new Set(entries.map(({ sitekey }) => sitekey)).size).toBe(count);
    const ids = entries.map(({ id }) => id ?? '');
    const changed = await client.run(
      'PUT',
      '/properties',
      ids.map((id) => ({ id, level: 7 })),
    );
    expect(changed.map(({ code, id }) => [code, id])).toEqual(ids.map((id) => [1000, id]));
    const deleted = await client.run('DELETE', '/properties', ids.toReversed());
    expect(deleted.map(({ code, id }) => [code, id])).toEqual(ids.toReversed().map((id) => [1000, id]));
    expect(await all()).toMatchObject([{ id: property }]);
  });

  test('returns only the id of the task', async () => {
    const reply = await client.post(list, [named('New')]);
    expect(reply).toMatchObject({
      status: 200,
      code: 1000,
      data: { id: expect.stringMatching(/^[0-9a-f]{32}$/) },
    });
    expect(Object.keys(reply.data as object)).toEqual(['id']);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(reply.headers.has('etag')).toBe(false);
  });

  test('applies its valid items if others fail in the task', async () => {
    const entries = await client.run('POST', list, [named('a'), named('BLOG'), named('b')]);
    expect(entries.map(({ code, name }) => [code, name])).toEqual([
      [1000, 'a'],
      [1204, 'BLOG'],
      [1000, 'b'],
    ]);
    expect(entries[1]?.id).toBeUndefined();
    expect((await all()).map(({ name }) => name)).toEqual(['Blog', 'a', 'b']);
  });

  test('can reuse a name that an earlier item changed', async () => {
    const [created] = await client.run('POST', list, [named('Other')]);
    const swap = [
      { id: property, name: 'Third' },
      { id: created?.id, name: 'Blog' },
    ];
    expect((await client.run('PUT', '/properties', swap)).map(({ code }) => code)).toEqual([1000, 1000]);
    const taken = [
      { id: property, name: 'Same' },
      { id: created?.id, name: 'SAME' },
    ];
    expect((await client.run('PUT', '/properties', taken)).map(({ code }) => code)).toEqual([1000, 1204]);
  });
});
