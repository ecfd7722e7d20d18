import { beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { DAY, later } from '../../../src/lib/time.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { idsOf, type Route, routesFor } from '../../support/platform.ts';
import { addKey } from '../../support/server.ts';
import { useServer, useTenant } from '../../support/useServer.ts';
import { type Ask, runScenarios, send } from '../scenario.ts';

let readOnlyKey: string;
let routes: readonly Route[];

const server = useServer({
  settings: { POSTERN_DNS_CHECK: 'off', POSTERN_PORTAL_RATE: '1', POSTERN_PORTAL_BURST: '1000' },
});
const tenant = useTenant(server);
beforeAll(async () => {
  readOnlyKey = await addKey(server.app.services, tenant.account, 'portal', { isReadOnly: true });
  routes = routesFor(idsOf(server, tenant));
});
/** Fills all buckets. */
beforeEach(async () => {
  server.clock.now = later(server.clock.now, DAY);
  await server.app.services.maintenance.set(INSTALLATION, false);
});

const SMALL = 128 * 1024;
const LARGE = 1024 * 1024;

/** Possible failures of a request in the order of the checks. */
const FAILURES = [
  'path',
  'method',
  'key',
  'scope',
  'rate',
  'read-only',
  'maintenance',
  'type',
  'size',
  'json',
] as const;
type Failure = (typeof FAILURES)[number];

const STATUS: Record<Failure, number> = {
  path: 404,
  method: 405,
  key: 401,
  scope: 403,
  rate: 429,
  'read-only': 403,
  maintenance: 503,
  type: 415,
  size: 413,
  json: 400,
};

const SENTENCES: Partial<Record<Failure, RegExp>> = {
  scope: /wrong scope/,
  'read-only': /is read-only/,
  json: /must be UTF-8 JSON/,
};

const WAITS: Partial<Record<Failure, string>> = { rate: '1', maintenance: '60' };

/** A request to `POST /org` with these failures. */
async function failing(failures: readonly Failure[]): Promise<Ask> {
  const has = (failure: Failure) => failures.includes(failure);
  const { services } = server.app;
  const draft = { isReadOnly: has('read-only') };
  const key = await addKey(services, tenant.account, has('scope') ? 'verify' : 'portal', draft);
  if (has('rate')) {
    const ask = { path: '/orgs', headers: { 'X-API-Key': key } };
    await Promise.all(Array.from({ length: 1000 }, () => send(server.url, ask).then((one) => one.text())));
  }
  if (has('maintenance')) await services.maintenance.set(INSTALLATION, true);
  const text = has('json') ? '{' : '"';
  return {
    path: has('path') ? '/organization' : '/org',
    method: has('method') ? 'PATCH' : 'POST',
    headers: {
      ...(has('key') ? {} : { 'X-API-Key': key }),
      'Content-Type': has('type') ? 'text/plain' : 'application/json',
    },
    body: has('size') ? text.padEnd(SMALL + 1, 'x') : `${text}{}`,
  };
}

describe('the first of two failures is reported:', () => {
  // A missing key has no scope and no rate; a key of another scope has another rate limit.
  const impossible = ['key+scope', 'key+rate', 'key+read-only', 'scope+rate'];
  const pairs = FAILURES.flatMap((first, i) =>
    FAILURES.slice(i + 1).map((second) => [first, second] as const),
  ).filter(([first, second]) => !impossible.includes(`${first}+${second}`));
  runScenarios(
    server,
    pairs.map(([first, second]) => ({
      title: `${first}, then ${second}`,
      ask: () => failing([first, second]),
      status: STATUS[first],
      has: SENTENCES[first] === undefined ? [] : [SENTENCES[first]],
      headers: {
        Allow: first === 'method' ? 'POST, PUT, DELETE' : undefined,
        'Retry-After': WAITS[first],
      },
    })),
  );
  runScenarios(server, [
    { title: 'key, then all others', ask: () => failing(FAILURES.slice(2)), status: 401 },
    { title: 'path, then all others', ask: () => failing(FAILURES), status: 404 },
    {
      title: 'the body, then access to the organization',
      ask: () => ({
        path: '/org',
        method: 'DELETE',
        headers: { 'X-API-Key': tenant.portalKey, 'Content-Type': 'application/json' },
        body: '{"id":',
      }),
      status: 400,
    },
    {
      title: 'the id of the organization, then the items',
      ask: () => ({
        path: '/org/nonsense/properties',
        method: 'POST',
        headers: { 'X-API-Key': tenant.portalKey, 'Content-Type': 'application/json' },
        body: '[]',
      }),
      status: 400,
      json: { meta: { code: 1109 } },
    },
  ]);
});

describe('a method that a path does not accept', () => {
  const allow: Readonly<Record<string, readonly string[]>> = {
    '/orgs': ['GET', 'HEAD'],
    '/org': ['POST', 'PUT', 'DELETE'],
    '/org/x/properties': ['GET', 'POST', 'HEAD'],
    '/org/x/property/y': ['GET', 'HEAD'],
    '/properties': ['PUT', 'DELETE'],
    '/asynctask/x': ['GET', 'HEAD'],
  };
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND'];
  const wrong = Object.entries(allow).flatMap(([path, right]) =>
    methods.filter((method) => !right.includes(method)).map((method) => ({ method, path, right })),
  );
  test.each(wrong)(
    '$method $path returns 405 without a key, and Allow lists the accepted methods',
    async ({ right, ...ask }) => {
      const response = await send(server.url, ask);
      expect([response.status, response.headers.get('allow')]).toEqual([405, right.join(', ')]);
      const text = await response.text();
      if (ask.method !== 'HEAD') expect(JSON.parse(text)).toMatchObject({ meta: { code: 1003 }, data: null });
    },
  );
});

describe('during maintenance', () => {
  test('reads work, writes are rejected, and a read-only key is reported first', async () => {
    await server.app.services.maintenance.set(INSTALLATION, true);
    for (const { method, path, access, body } of routes) {
      const ask = (key: string) =>
        send(server.url, {
          method,
          path,
          headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
      const response = await ask(tenant.portalKey);
      const wanted = path.startsWith('/asynctask') ? 404 : 200;
      expect([method, path, response.status]).toEqual([method, path, access === 'read' ? wanted : 503]);
      expect(response.headers.get('retry-after')).toBe(access === 'read' ? null : '60');
      expect((await ask(readOnlyKey)).status).toBe(access === 'read' ? wanted : 403);
    }
  });
});

describe('a body', () => {
  const post = (
    body: Exclude<Ask['body'], undefined>,
    more: Record<string, string> = {},
    path = '/org',
  ): Ask => ({
    path,
    method: 'POST',
    headers: { 'X-API-Key': tenant.portalKey, 'Content-Type': 'application/json', ...more },
    body,
  });
  const batch = (body: Exclude<Ask['body'], undefined>) =>
    post(body, {}, `/org/${idsOf(server, tenant).org}/properties`);
  const chunked = (text: string) => new Blob([text]).stream() as ReadableStream<Uint8Array>;
  /** JSON of exactly this size, which causes a specific error. */
  const nameless = (bytes: number) => `{"name":""${' '.repeat(bytes - 11)}}`;
  const empty = (bytes: number) => `[${' '.repeat(bytes - 2)}]`;

  runScenarios(
    server,
    [
      { title: 'of 128 KiB is accepted', ask: () => post(nameless(SMALL)), code: 1100, status: 400 },
      {
        title: 'that is one byte larger is rejected',
        ask: () => post(nameless(SMALL + 1)),
        code: 1001,
        status: 413,
      },
      {
        title: 'of 128 KiB in chunks is accepted',
        ask: () => post(chunked(nameless(SMALL))),
        code: 1100,
        status: 400,
      },
      {
        title: 'that is one byte larger, in chunks, is rejected',
        ask: () => post(chunked(nameless(SMALL + 1))),
        code: 1001,
        status: 413,
      },
      { title: 'of 1 MiB is accepted as a batch', ask: () => batch(empty(LARGE)), code: 1001, status: 400 },
      {
        title: 'that is one byte larger is rejected',
        ask: () => batch(empty(LARGE + 1)),
        code: 1001,
        status: 413,
      },
      {
        title: 'of 1 MiB in chunks is accepted as a batch',
        ask: () => batch(chunked(empty(LARGE))),
        code: 1001,
        status: 400,
      },
      {
        title: 'that is one byte larger, in chunks, is rejected',
        ask: () => batch(chunked(empty(LARGE + 1))),
        code: 1001,
        status: 413,
      },
      {
        title: 'of 40 MiB is rejected before it arrives',
        ask: () => post('x'.repeat(40 * LARGE)),
        code: 1001,
        status: 413,
      },
    ].map(({ code, ...row }) => ({ ...row, json: { meta: { code } } })),
  );

  // biome-ignore format: a table reads best with a row on a line
  test.each([
    ['application/json', 1100], ['Application/JSON', 1100], ['application/json;charset=utf-8', 1100],
    ['application/json ; charset="UTF-8"', 1100],
    ['', 415], ['text/plain', 415], ['text/json', 415], ['application/jsonp', 415], ['application/json-patch+json', 415],
    ['application/vnd.api+json', 415], ['application/x-www-form-urlencoded', 415], ['multipart/form-data; boundary=x', 415],
    ['text/plain; application/json', 415], ['application/json, text/plain', 415],
  ])('with Content-Type "%s" returns %d', async (type, wanted) => {
    for (const body of ['{"name":""}', chunked('{"name":""}')]) {
      const response = await send(server.url, post(body, { 'Content-Type': type }));
      const { meta } = (await response.json()) as { meta: { code: number } };
      expect(response.status === 415 ? 415 : meta.code).toBe(wanted);
    }
  });

  const bytes = (...values: readonly number[]) => Uint8Array.from(values);
  const around = (name: readonly number[]) =>
    bytes(...Buffer.from('{"name":"'), ...name, ...Buffer.from('"}'));
  // biome-ignore format: a table reads best with a row on a line
  const unreadable: readonly (readonly [string, Exclude<Ask['body'], undefined>])[] = [
    ['nothing', ''], ['a blank', ' '], ['no bytes in chunks', chunked('')],
    ['invalid UTF-8', around([0xff, 0xfe])], ['an overlong slash', around([0xc0, 0xaf])],
    ['a surrogate in UTF-8', around([0xed, 0xa0, 0x80])], ['an incomplete character', around([0xe2, 0x82])],
    ['UTF-16', Uint8Array.from(Buffer.from('{"name":"x"}', 'utf16le'))],
    ['NaN', '{"name":NaN}'], ['Infinity', '{"name":-Infinity}'], ['undefined', 'undefined'],
    ['single quotes', "{'name':'x'}"], ['a trailing comma', '{"name":"x",}'], ['a comment', '/**/{"name":"x"}'],
    ['text after the end', '{"name":"x"}{}'], ['NUL after the end', '{"name":"x"}\0'], ['a line break in a string', '{"name":"a\nb"}'],
    ['a name without quotes', '{name:"x"}'], ['half an object', '{"name":"x"'], ['an octal number', '{"name":010}'],
    ['60,000 opening brackets', '['.repeat(60_000)],
  ];
  runScenarios(
    server,
    unreadable.map(([title, body]) => ({
      title: `that is ${title} returns 400 and 1001`,
      ask: () => post(body),
      status: 400,
      json: { meta: { code: 1001 }, data: null },
      has: [/must be UTF-8 JSON/],
    })),
  );

  // biome-ignore format: a table reads best with a row on a line
  const misshapen: readonly (readonly [string, string, RegExp])[] = [
    ['an array', '[]', /object is expected/], ['an array of one', '[{"name":"x"}]', /object is expected/],
    ['null', 'null', /object is expected/], ['a string', '"name"', /object is expected/], ['a number', '1', /object is expected/],
    ['32 levels of brackets', '['.repeat(32) + ']'.repeat(32), /object is expected/],
    ['60,000 brackets', '['.repeat(60_000) + ']'.repeat(60_000), /nested deeper than 32 levels/],
    ['a prototype', '{"__proto__":{"name":"x"}}', /__proto__/], ['a constructor', '{"name":"x","constructor":{}}', /constructor/],
    ['toString', '{"name":"x","toString":"x"}', /toString/], ['another case', '{"Name":"x"}', /Name/],
    ['the second of two names', '{"name":"x","name":5}', /name must be a string/],
    ['a very long member', `{"${'m'.repeat(100_000)}":1}`, /m{40}\.\.\./], ['a lone surrogate', '{"\\ud83d":1}', /\ufffd/],
    ['an empty member', '{"name":"x","":1}', /\(\\"\\"\)/],
  ];
  runScenarios(
    server,
    misshapen.map(([title, body, sentence]) => ({
      title: `with ${title} returns 400 and 1001 with the reason`,
      ask: () => post(body),
      status: 400,
      json: { meta: { code: 1001 }, data: null },
      has: [sentence],
      hasNot: [/m{41}/],
    })),
  );

  test('of 500,000 nested brackets is rejected, and the next request succeeds', async () => {
    for (const text of [
      '['.repeat(500_000) + ']'.repeat(500_000),
      '['.repeat(1_000_000),
      '[{"a":'.repeat(170_000),
    ]) {
      const response = await send(server.url, batch(text));
      expect([response.status, await response.json()]).toMatchObject([400, { meta: { code: 1001 } }]);
    }
    expect((await send(server.url, { path: '/livez' })).status).toBe(200);
  });

  test('with a byte order mark is accepted, and the last of two members with the same name counts', async () => {
    const created = [];
    for (const text of ['\ufeff{"name":"Marked"}', '{"name":"First","name":"Last"}']) {
      const response = await send(server.url, post(text));
      created.push(((await response.json()) as { data: { name: string } }).data.name);
    }
    expect(created).toEqual(['Marked', 'Last']);
  });

  test('of a GET request is ignored', async () => {
    const headers = { 'X-API-Key': tenant.portalKey, 'Content-Type': 'text/plain', 'Content-Length': '0' };
    expect((await send(server.url, { path: '/orgs', headers })).status).toBe(200);
  });
});
