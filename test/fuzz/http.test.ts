import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  asyncProperty,
  base64String,
  constantFrom,
  dictionary,
  json,
  oneof,
  option,
  record,
  string,
  stringMatching,
  uint8Array,
  webUrl,
} from 'fast-check';
import { addTenant, startServer, type Tenant, type TestServer } from '../support/server.ts';
import { fetchAndSolve } from '../support/visitor.ts';
import { FUZZ_TIMEOUT_MS, holdsLater } from './runs.ts';

let server: TestServer;
let tenant: Tenant;
let payload: string;

beforeAll(async () => {
  server = await startServer({ settings: { POSTERN_DEMO: 'on' } });
  tenant = await addTenant(server);
  payload = await fetchAndSolve(server.url, tenant.property.sitekey);
});

afterAll(() => server.stop());

// Header values contain visible ASCII, spaces, and Latin-1 characters.
const headerTexts = stringMatching(/^[\x21-\x7e\xa1-\xff]([\x20-\x7e\xa1-\xff]{0,80}[\x21-\x7e\xa1-\xff])?$/);
const origins = oneof(
  constantFrom('null', 'https://example.com', 'https://', '://', 'https://[', 'https://xn--a', 'http://%zz'),
  webUrl(),
  headerTexts,
);
const contentTypes = oneof(
  constantFrom(
    'text/plain',
    'application/json',
    'application/json; charset=utf-16',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'multipart/form-data; boundary=x',
    'multipart/form-data; boundary="',
    'application/octet-stream',
  ),
  headerTexts,
);
const headers = record({
  origin: option(origins),
  referer: option(origins),
  'sec-fetch-site': option(constantFrom('same-origin', 'cross-site', 'none', '?')),
  'content-type': option(contentTypes),
  'x-request-id': option(headerTexts),
  'x-forwarded-for': option(headerTexts),
  'x-pc-captcha-version': option(constantFrom('1', '2', '3', '-1', 'x')),
  'x-pc-sitekey': option(headerTexts),
  'x-captcha-compat-version': option(constantFrom('rcV3', 'rcV2')),
  'access-control-request-method': option(constantFrom('GET', 'PATCH', '?')),
  // Half of the requests have a valid API key.
  'x-api-key': option(constantFrom('verify', 'portal', 'nonsense', `postern_verify_${'0'.repeat(49)}`)),
});

// $KEY, $PAYLOAD, and $SITE are replaced after the server starts.
const fields = constantFrom(
  'secret',
  'response',
  'sitekey',
  'remoteip',
  'payload',
  'token',
  'solutions',
  'postern-captcha-solution',
  '__proto__',
);
const bodies = oneof(
  string({ unit: 'binary', maxLength: 300 }),
  uint8Array({ maxLength: 300 }),
  json(),
  dictionary(fields, oneof(string(), constantFrom('$KEY', '$PAYLOAD'))).map((form) => JSON.stringify(form)),
  dictionary(fields, oneof(string(), constantFrom('$KEY', '$PAYLOAD'))).map((form) =>
    String(new URLSearchParams(form)),
  ),
  stringMatching(
    /^--x\r\nContent-Disposition: form-data; name="(secret|response|)"(\r\n){0,3}.{0,20}(\r\n--x--)?$/,
  ),
  stringMatching(/^[A-Za-z0-9+/=.]{0,200}$/),
  record({ a: base64String(), b: base64String(), c: base64String() }).map(({ a, b, c }) => `${a}.${b}.${c}`),
  constantFrom('$PAYLOAD', '$PAYLOAD\r\n', ' $PAYLOAD', '\ufeff$PAYLOAD', '$KEY', '', 'x'.repeat(70_000)),
);

const queries = oneof(
  constantFrom(
    '',
    '?',
    '?sitekey',
    '?sitekey=',
    '?sitekey=$SITE',
    '?sitekey=$SITE&sitekey=',
    '?sitekey=%',
    '?sitekey=%ff%fe',
    '?x=1&sitekey=aaaaaaaabbbbccccddddeeeeeeeeeeee',
  ),
  stringMatching(/^\?[a-zA-Z0-9=&%+.-]{0,60}$/),
);
const paths = oneof(
  constantFrom('/puzzle', '/verify', '/siteverify', '/demo', '/livez', '/readyz', '/widget/postern.js'),
  constantFrom(
    ...['challenge', 'redeem', 'siteverify'].map((action) => `/cap/$SITE/${action}`),
    ...['challenge', 'verify', 'verify/signature'].map((action) => `/altcha/v1/${action}`),
  ),
  stringMatching(/^\/(puzzle|verify|siteverify|demo|cap|altcha)[/%.a-z0-9-]{1,8}$/),
  stringMatching(/^\/[a-zA-Z0-9/%._~!$&'()*+,;=:@-]{0,40}$/),
);
const methods = constantFrom('GET', 'POST', 'OPTIONS', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'PROPFIND');

type Call = {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string | null>>;
  readonly body: string | Uint8Array;
};

const KEYS = (): Record<string, string> => ({ verify: tenant.verifyKey, portal: tenant.portalKey });

function fill(text: string): string {
  return text
    .replaceAll('$KEY', tenant.verifyKey)
    .replaceAll('$PAYLOAD', payload)
    .replaceAll('$SITE', tenant.property.sitekey);
}

async function send(call: Call): Promise<Response> {
  const given = Object.entries(call.headers).filter((entry): entry is [string, string] => entry[1] !== null);
  const sent = new Headers(given);
  const key = sent.get('x-api-key');
  if (key !== null) sent.set('x-api-key', KEYS()[key] ?? key);
  const hasBody = call.method !== 'GET' && call.method !== 'HEAD';
  const body = typeof call.body === 'string' ? fill(call.body) : (call.body as Uint8Array<ArrayBuffer>);
  return fetch(server.url + fill(call.path) + fill(call.query), {
    method: call.method,
    headers: sent,
    redirect: 'manual',
    ...(hasBody ? { body } : {}),
  });
}

const calls = record({ method: methods, path: paths, query: queries, headers, body: bodies });

test(
  'any request has a response without a server error and, except for puzzles, with an id, and no error is logged',
  async () => {
    const before = server.logged.length;
    await holdsLater(
      asyncProperty(calls, async (call) => {
        const response = await send(call);
        const text = await response.text();
        expect(response.status).toBeLessThan(500);
        const id = response.headers.get('x-request-id');
        // The response with a puzzle has an id only if the request has one. Random requests get at most the test puzzle.
        if (call.path !== '/puzzle' || response.status !== 200) expect(id).toMatch(/^[\w.:-]{1,128}$/);
        expect(response.headers.get('x-trace-id')).toBe(id);
        expect(response.headers.get('x-content-type-options')).toBe('nosniff');
        expect(response.headers.get('x-powered-by')).toBeNull();
        expect(text).not.toMatch(/\bat .*\.ts:\d+/);
      }),
    );
    const failures = server.logged.slice(before).filter(({ level }) => level === 'error');
    expect(failures).toEqual([]);
  },
  FUZZ_TIMEOUT_MS,
);

test(
  '/verify responds in its own format, and accepts only the valid payload',
  async () => {
    await holdsLater(
      asyncProperty(headers, bodies, async (given, body) => {
        const call = { method: 'POST', path: '/verify', query: '', headers: given, body };
        const response = (await (await send(call)).json()) as Record<string, unknown>;
        expect(Object.keys(response).sort()).toEqual(['code', 'origin', 'success', 'timestamp']);
        const isGenuine = typeof body === 'string' && fill(body).trim().replace('\ufeff', '') === payload;
        if (!isGenuine) expect(response.success).toBe(false);
      }),
    );
  },
  FUZZ_TIMEOUT_MS,
);

test(
  '/siteverify responds in its own format with status 200, except for bodies that are too large',
  async () => {
    await holdsLater(
      asyncProperty(headers, bodies, async (given, body) => {
        const response = await send({ method: 'POST', path: '/siteverify', query: '', headers: given, body });
        expect([200, 413]).toContain(response.status);
        const result = (await response.json()) as Record<string, unknown>;
        expect(typeof result.success).toBe('boolean');
        expect(['undefined', 'string']).toContain(typeof result.challenge_ts);
        expect(typeof result.hostname).toBe('string');
        expect(Array.isArray(result['error-codes'])).toBe(true);
      }),
    );
  },
  FUZZ_TIMEOUT_MS,
);

test(
  '/puzzle issues puzzles only to pages of the property',
  async () => {
    await holdsLater(
      asyncProperty(headers, async (given) => {
        const call = { method: 'GET', path: '/puzzle', query: '?sitekey=$SITE', headers: given, body: '' };
        const response = await send(call);
        if (response.status !== 200) {
          expect([400, 403]).toContain(response.status);
          return;
        }
        const page = given.origin ?? given.referer ?? '';
        expect(URL.parse(page)?.hostname).toBe('example.com');
        expect(response.headers.get('access-control-allow-origin')).not.toBe('*');
      }),
    );
  },
  FUZZ_TIMEOUT_MS,
);
