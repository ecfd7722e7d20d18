import { beforeAll, describe, expect, test } from 'bun:test';
import { later, MINUTE, SECOND } from '../../src/lib/time.ts';
import { INSTALLATION } from '../../src/model/actor.ts';
import { toHexForms } from '../../src/model/apiKey.ts';
import { PROBLEMS, type Problem } from '../../src/model/problems.ts';
import { addPageData, type PageData, toUrlSafe } from '../../src/puzzle/solution.ts';
import { addKey, expectOk, startServer } from '../support/server.ts';
import { useServer, useTenant } from '../support/useServer.ts';
import { fetchAndSolve, fetchPuzzle, solve } from '../support/visitor.ts';
import { withDuplicates, withFlippedBit, withWrongNonce } from './payload.ts';

/** The verification paths of other vendors. The tests of `/siteverify` cover the behavior that they share with it. */

const RECAPTCHA = '/recaptcha/api/siteverify';
const HCAPTCHA = '/hcaptcha/siteverify';
const TURNSTILE = '/turnstile/v0/siteverify';
const PATHS = [RECAPTCHA, HCAPTCHA, TURNSTILE] as const;
/** Two of the paths are in folders of scripts, which answer preflights. */
const ALLOWED = {
  [RECAPTCHA]: 'POST, GET, OPTIONS, HEAD',
  [HCAPTCHA]: 'POST',
  [TURNSTILE]: 'POST, OPTIONS',
} as const;
type Path = (typeof PATHS)[number];

const TEST_SITEKEY = 'aaaaaaaabbbbccccddddeeeeeeeeeeee';

const server = useServer({ settings: { POSTERN_TEST_PROPERTY: 'on' } });
const tenant = useTenant(server, { level: 64, allowance: 1 });
const otherTenant = useTenant(server);
const repeatable = useTenant(server, { allowance: 2 });
const strictServer = useServer({ settings: { POSTERN_TEST_PROPERTY: 'off' } });
const strictTenant = useTenant(strictServer);
let otherScopeKey: string;
beforeAll(async () => {
  const { services } = server.app;
  const second = expectOk(
    await services.organizations.create(INSTALLATION, { name: 'Second', ownerId: tenant.account.id }),
  );
  otherScopeKey = await addKey(services, tenant.account, 'verify', { organizationId: second.id });
});

type Fields = Readonly<Record<string, string>>;

const token = async (pageData: PageData = {}) =>
  toUrlSafe(addPageData(await fetchAndSolve(server.url, tenant.property.sitekey), pageData));

async function send(path: string, init: RequestInit, url = server.url) {
  const response = await fetch(`${url}${path}`, { method: 'POST', ...init });
  const body = (await response.json()) as Readonly<Record<string, unknown>>;
  return { status: response.status, ...body } as Readonly<Record<string, unknown>>;
}

const post = (path: Path, fields: Fields, url = server.url) =>
  send(path, { body: new URLSearchParams(fields) }, url);

/** A response, as the vendor writes it. SITEKEY and TIME stand for the property's sitekey and for the time without its fraction. */
type Answer = readonly [path: Path, title: string, pageData: PageData, accepted: string, rejected: string];

const RECAPTCHA_REJECTED = `{
  "success": false,
  "error-codes": [
    "timeout-or-duplicate"
  ]`;

/**
 * The spacing, the order, and the times come from recorded responses: reCAPTCHA indents by two spaces, hCaptcha and Turnstile send one
 * line. Some clients search the text for `"success": true`, and some treat any `error-codes` as a failure.
 */
const ANSWERS: readonly Answer[] = [
  [
    RECAPTCHA,
    'v2',
    {},
    '{\n  "success": true,\n  "challenge_ts": "TIMEZ",\n  "hostname": "example.com"\n}',
    `${RECAPTCHA_REJECTED}\n}`,
  ],
  [
    RECAPTCHA,
    'v3',
    { action: 'login' },
    '{\n  "success": true,\n  "challenge_ts": "TIMEZ",\n  "hostname": "example.com",\n  "score": 0.9,\n  "action": "login"\n}',
    `${RECAPTCHA_REJECTED},\n  "score": 0,\n  "action": "login"\n}`,
  ],
  [
    HCAPTCHA,
    '',
    {},
    '{"success":true,"challenge_ts":"TIME.000000Z","hostname":"example.com","credit":false,"sitekey":"SITEKEY"}',
    '{"success":false,"error-codes":["already-seen-response"]}',
  ],
  [
    TURNSTILE,
    '',
    { action: 'login', cData: 'session-7' },
    '{"success":true,"error-codes":[],"challenge_ts":"TIME.000Z","hostname":"example.com","action":"login","cdata":"session-7","metadata":{"interactive":false}}',
    '{"success":false,"error-codes":["timeout-or-duplicate"]}',
  ],
];

test.each(ANSWERS)(
  '%s %s responds as the vendor does',
  async (path, _title, pageData, accepted, rejected) => {
    const body = new URLSearchParams({ secret: tenant.verifyKey, response: await token(pageData) });
    const answers = [];
    for (let i = 0; i < 2; i++) {
      const response = await fetch(`${server.url}${path}`, { method: 'POST', body });
      expect(response.headers.get('content-type')).toBe('application/json;charset=utf-8');
      answers.push(await response.text());
    }
    const isTime = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?=\.|Z)/;
    const shown = answers.map((text) =>
      text.replace(isTime, 'TIME').replace(tenant.property.sitekey, 'SITEKEY'),
    );
    expect(shown).toEqual([accepted, rejected]);
  },
);

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(?:\d{3}|0{6}))?Z$/;
const accepted: Readonly<Record<string, unknown>> = {
  status: 200,
  success: true,
  challenge_ts: expect.stringMatching(ISO),
  hostname: 'example.com',
};
const withScore = (action?: string): Readonly<Record<string, unknown>> => ({
  ...accepted,
  score: 0.9,
  ...(action === undefined ? {} : { action }),
});
const rejected = (code: string) => ({ status: 200, success: false, 'error-codes': [code] });

describe.each(PATHS)('%s', (path) => {
  test('accepts a solution once, as a form', async () => {
    const fields = { secret: tenant.verifyKey, response: await token(), remoteip: 'None' };
    expect(await post(path, fields)).toMatchObject(accepted);
    expect(await post(path, fields)).toMatchObject({ success: false });
  });

  test('accepts multipart, JSON, a form that is plain text or has no content type, and values that are not encoded', async () => {
    const secret = tenant.verifyKey;
    const multipart = new FormData();
    multipart.set('secret', secret);
    multipart.set('response', await token());
    const json = JSON.stringify({ secret, response: await token(), remoteip: null });
    const standard = await fetchAndSolve(server.url, tenant.property.sitekey);
    const requests: readonly RequestInit[] = [
      { body: multipart },
      { body: json, headers: { 'Content-Type': 'application/json; charset=utf-8' } },
      { body: new TextEncoder().encode(`secret=${secret}&response=${await token()}`) },
      // Without a header, `fetch` sends a text as text/plain;charset=UTF-8.
      { body: `secret=${secret}&response=${await token()}` },
      {
        body: `secret=${secret}&response=${standard}`,
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      },
    ];
    for (const init of requests) expect(await send(path, init)).toMatchObject(accepted);
  });

  test('rejects invalid requests with status 200', async () => {
    const { verifyKey: secret } = tenant;
    const json = (body: string) => ({ body, headers: { 'Content-Type': 'application/json' } });
    expect(await post(path, { response: 'x' })).toEqual(rejected('missing-input-secret'));
    expect(await post(path, {})).toEqual(rejected('missing-input-secret'));
    expect(await post(path, { secret: 'x', response: 'x' })).toEqual(rejected('invalid-input-secret'));
    expect(await post(path, { secret: tenant.portalKey, response: 'x' })).toEqual(
      rejected('invalid-input-secret'),
    );
    expect(await post(path, { secret })).toEqual(rejected('missing-input-response'));
    expect(await send(path, json('{'))).toEqual(rejected('bad-request'));
    expect(await send(path, json('[]'))).toEqual(rejected('bad-request'));
    expect(await send(path, { body: 'x', headers: { 'Content-Type': 'text/html' } })).toEqual(
      rejected('bad-request'),
    );
    const large = { secret, response: 'x'.repeat(65_536) };
    expect(await post(path, large)).toMatchObject({ status: 413, success: false });
  });

  test('ignores keys in headers', async () => {
    const headers = { 'X-API-Key': tenant.verifyKey };
    const body = new URLSearchParams({ response: await token() });
    expect(await send(path, { body, headers })).toEqual(rejected('missing-input-secret'));
  });

  test('rejects other methods', async () => {
    const response = await fetch(`${server.url}${path}`, { method: 'PUT' });
    expect(response.status).toBe(405);
    expect(response.headers.get('Allow')).toBe(ALLOWED[path]);
  });

  test('accepts the key in the formats of other vendors', async () => {
    const forms = Object.values(toHexForms(tenant.verifyKey) ?? {});
    for (const secret of [
      ...forms,
      ...forms.map((form) => form.replace(/.{32}$/, (hex) => hex.toUpperCase())),
    ])
      expect(await post(path, { secret, response: await token() })).toMatchObject(accepted);
    expect(forms).toHaveLength(2);
    const other = forms[0]?.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')) ?? '';
    expect(await post(path, { secret: other, response: await token() })).toEqual(
      rejected('invalid-input-secret'),
    );
  });

  test('accepts permitted repeats without error codes', async () => {
    const response = await fetchAndSolve(server.url, repeatable.property.sitekey);
    const fields = { secret: repeatable.verifyKey, response };
    for (let i = 0; i < 2; i++) expect(await post(path, fields)).toMatchObject(accepted);
    expect(await post(path, fields)).toMatchObject({ success: false });
  });

  test('limits the rate of a key', async () => {
    const key = await addKey(server.app.services, tenant.account, 'verify', { rate: 1, burst: 1 });
    await post(path, { secret: key, response: 'x' });
    const body = new URLSearchParams({ secret: key, response: 'x' });
    const response = await fetch(`${server.url}${path}`, { method: 'POST', body });
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(await response.json()).toMatchObject({ success: false, 'error-codes': ['internal-error'] });
  });
});

describe('error names', () => {
  const solved = () => fetchAndSolve(server.url, tenant.property.sitekey);
  type Row = readonly [
    name: string,
    fields: () => Promise<Fields>,
    recaptcha: string,
    hcaptcha: string,
    turnstile: string,
  ];
  const sent = async (response: string, more: Fields = {}) => ({
    secret: tenant.verifyKey,
    response,
    ...more,
  });
  const INVALID = ['invalid-input-response', 'invalid-input-response', 'invalid-input-response'] as const;
  const FOREIGN = ['invalid-input-secret', 'sitekey-secret-mismatch', 'invalid-input-response'] as const;
  const rows: readonly Row[] = [
    ['solution-bad-format', () => sent('nonsense'), ...INVALID],
    ['integrity-error', async () => sent(withFlippedBit(await solved(), 'puzzle', 20)), ...INVALID],
    ['solution-duplicates', async () => sent(withDuplicates(await solved())), ...INVALID],
    ['solution-invalid', async () => sent(withWrongNonce(await solved(), 4)), ...INVALID],
    [
      'solution-verified-before',
      async () => {
        const fields = await sent(await solved());
        await post(TURNSTILE, fields);
        return fields;
      },
      'timeout-or-duplicate',
      'already-seen-response',
      'timeout-or-duplicate',
    ],
    [
      'puzzle-expired',
      async () => {
        const fields = await sent(await solved());
        server.clock.now = later(server.clock.now, 1800 * SECOND);
        return fields;
      },
      'timeout-or-duplicate',
      'expired-input-response',
      'timeout-or-duplicate',
    ],
    [
      'property-invalid',
      async () => sent(await solved(), { sitekey: otherTenant.property.sitekey }),
      ...FOREIGN,
    ],
    [
      'property-owner-mismatch',
      async () => ({ ...(await sent(await solved())), secret: otherTenant.verifyKey }),
      ...FOREIGN,
    ],
    ['org-scope-error', async () => ({ ...(await sent(await solved())), secret: otherScopeKey }), ...FOREIGN],
    [
      'property-test',
      async () => sent(solve(await fetchPuzzle(server.url, TEST_SITEKEY)), { sitekey: TEST_SITEKEY }),
      'invalid-input-response',
      'not-using-dummy-passcode',
      'invalid-input-response',
    ],
  ];

  test.each(rows)('of %s', async (_, fields, recaptcha, hcaptcha, turnstile) => {
    for (const [path, code] of [
      [RECAPTCHA, recaptcha],
      [HCAPTCHA, hcaptcha],
      [TURNSTILE, turnstile],
    ] as const) {
      expect(await post(path, await fields())).toMatchObject({
        status: 200,
        success: false,
        'error-codes': [code],
      });
    }
  });
});

describe('reCAPTCHA', () => {
  test('accepts the fields in the query of GET and POST', async () => {
    const query = async () =>
      `?${new URLSearchParams({ secret: tenant.verifyKey, response: await token(), remoteip: '::1' })}`;
    expect(await send(`${RECAPTCHA}${await query()}`, { method: 'GET' })).toMatchObject(accepted);
    expect(await send(`${RECAPTCHA}${await query()}`, {})).toMatchObject(accepted);
    expect(await send(`${HCAPTCHA}${await query()}`, {})).toMatchObject({
      'error-codes': ['missing-input-secret'],
    });
  });

  test('returns no score and no action for a solution without an action', async () => {
    const result = await post(RECAPTCHA, { secret: tenant.verifyKey, response: await token() });
    expect(result).toEqual({ ...accepted });
  });

  test('returns the score and the action of reCAPTCHA v3', async () => {
    const response = await token({ action: 'checkout/pay' });
    const fields = { secret: tenant.verifyKey, response };
    expect(await post(RECAPTCHA, fields)).toEqual(withScore('checkout/pay'));
    expect(await post(RECAPTCHA, fields)).toMatchObject({ success: false, score: 0, action: 'checkout/pay' });
  });

  test('returns a score without an action if v3 was called without one', async () => {
    const response = await token({ action: '' });
    expect(await post(RECAPTCHA, { secret: tenant.verifyKey, response })).toEqual({
      ...accepted,
      score: 0.9,
    });
  });

  test('accepts every response with the test secret', async () => {
    const secret = '6LeIxAcTAAAAAGG-vFI1TnRWxMZNFuojJ4WifJWe';
    const hostname = 'testkey.google.com';
    expect(await post(RECAPTCHA, { secret, response: 'x' })).toEqual({ ...accepted, hostname });
    const solution = addPageData(solve(await fetchPuzzle(server.url, TEST_SITEKEY)), { action: 'login' });
    expect(await post(RECAPTCHA, { secret, response: toUrlSafe(solution) })).toEqual({
      ...accepted,
      hostname,
      score: 0.9,
      action: 'login',
    });
    expect(await post(RECAPTCHA, { secret })).toEqual(rejected('missing-input-response'));
    expect(await post(HCAPTCHA, { secret, response: 'x' })).toMatchObject({ success: false });
  });
});

describe('hCaptcha', () => {
  const secret = '0x0000000000000000000000000000000000000000';
  const response = '10000000-aaaa-bbbb-cccc-000000000001';

  test('returns credit and the sitekey, and accepts the expected sitekey as a UUID', async () => {
    const { sitekey } = tenant.property;
    const uuid = sitekey.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    const result = await post(HCAPTCHA, {
      secret: tenant.verifyKey,
      response: await token(),
      sitekey: uuid,
    });
    expect(result).toEqual({ ...accepted, credit: false, sitekey });
  });

  test('accepts only the test token with the test secret', async () => {
    expect(await post(HCAPTCHA, { secret, response })).toEqual({
      ...accepted,
      hostname: 'dummy-key-pass',
      credit: false,
      sitekey: '10000000-ffff-ffff-ffff-000000000001',
    });
    expect(await post(HCAPTCHA, { secret, response: await token() })).toEqual(
      rejected('invalid-input-response'),
    );
    expect(await post(HCAPTCHA, { secret: tenant.verifyKey, response })).toMatchObject({ success: false });
  });
});

describe('POST /checksiteconfig', () => {
  const check = async (query: Fields, url = server.url) => {
    const { status, ...body } = await send(`/checksiteconfig?${new URLSearchParams(query)}`, {}, url);
    expect(status).toBe(200);
    return body;
  };
  const failed = (problem: Problem) => ({ pass: false, error: PROBLEMS[problem].sentence });
  const passed = { pass: true, features: {} };

  test('passes a sitekey for a host of its property', async () => {
    const { sitekey } = tenant.property;
    // The query of hCaptcha's plugin for WordPress.
    expect(await check({ host: 'example.com', sitekey, sc: '1', swa: '1', spst: '0' })).toEqual(passed);
    expect(await check({ host: 'evil.example', sitekey })).toEqual(failed('origin-not-allowed'));
    expect(await check({ sitekey })).toEqual(failed('origin-not-allowed'));
    expect(await check({ host: `${'a'.repeat(5000)}.com`, sitekey })).toEqual(failed('origin-not-allowed'));
  });

  test('does not pass other sitekeys', async () => {
    expect(await check({ host: 'example.com', sitekey: '0'.repeat(32) })).toEqual(failed('property-unknown'));
    expect(await check({ host: 'example.com', sitekey: 'x' })).toEqual(failed('sitekey-malformed'));
    expect(await check({ host: 'example.com' })).toEqual(failed('sitekey-malformed'));
  });

  test('passes the test sitekeys while the test property is on', async () => {
    for (const sitekey of ['10000000-ffff-ffff-ffff-000000000001', TEST_SITEKEY]) {
      expect(await check({ host: 'example.com', sitekey })).toEqual(passed);
      expect(await check({ host: 'example.com', sitekey }, strictServer.url)).toEqual(
        failed('property-unknown'),
      );
    }
  });

  test('counts against the rate limit of puzzles', async () => {
    const limited = await startServer({ settings: { POSTERN_PUZZLE_RATE: '1', POSTERN_PUZZLE_BURST: '1' } });
    try {
      const ask = () => fetch(`${limited.url}/checksiteconfig?sitekey=x`, { method: 'POST' });
      expect((await ask()).status).toBe(200);
      const response = await ask();
      expect([response.status, Number(response.headers.get('Retry-After')) > 0]).toEqual([429, true]);
      expect(await response.json()).toEqual(failed('rate-limited'));
    } finally {
      await limited.stop();
    }
  });
});

describe('Turnstile', () => {
  test('returns the action, the customer data, and metadata', async () => {
    const response = await token({ action: 'login', cData: 'session-7' });
    expect(await post(TURNSTILE, { secret: tenant.verifyKey, response })).toEqual({
      ...accepted,
      'error-codes': [],
      action: 'login',
      cdata: 'session-7',
      metadata: { interactive: false },
    });
  });

  test('accepts the test token, rejects it, or reports it as already used, depending on the test secret', async () => {
    const dummy = 'XXXX.DUMMY.TOKEN.XXXX';
    const secretOf = (digit: number) => `${digit}x0000000000000000000000000000000AA`;
    expect(await post(TURNSTILE, { secret: secretOf(1), response: dummy })).toEqual({
      ...accepted,
      'error-codes': [],
      action: '',
      cdata: '',
      metadata: { interactive: false },
    });
    const codes = [];
    for (const [secret, response] of [
      [secretOf(2), dummy],
      [secretOf(3), dummy],
      [secretOf(1), await token()],
      [tenant.verifyKey, dummy],
    ] as const) {
      codes.push((await post(TURNSTILE, { secret, response }))['error-codes']);
    }
    expect(codes).toEqual([
      ['invalid-input-response'],
      ['timeout-or-duplicate'],
      ['invalid-input-secret'],
      ['invalid-input-response'],
    ]);
  });

  describe('with an idempotency key', () => {
    const fields = async (idempotency_key = crypto.randomUUID() as string) => ({
      secret: tenant.verifyKey,
      response: await token({ action: 'pay' }),
      idempotency_key,
    });

    test('gives only a repeated request the same response, for five minutes', async () => {
      const first = await fields();
      const result = await post(TURNSTILE, first);
      expect(result).toMatchObject(accepted);
      expect(await post(TURNSTILE, first)).toEqual(result);
      expect(await post(TURNSTILE, { ...first, idempotency_key: crypto.randomUUID() })).toMatchObject({
        'error-codes': ['timeout-or-duplicate'],
      });
      const { idempotency_key: _, ...without } = first;
      expect(await post(TURNSTILE, without)).toMatchObject({ 'error-codes': ['timeout-or-duplicate'] });
      server.clock.now = later(server.clock.now, 5 * MINUTE - SECOND);
      expect(await post(TURNSTILE, first)).toEqual(result);
      server.clock.now = later(server.clock.now, SECOND);
      expect(await post(TURNSTILE, first)).toMatchObject({ 'error-codes': ['timeout-or-duplicate'] });
    });

    test('repeats a rejection, too', async () => {
      const first = await fields();
      await post(TURNSTILE, { ...first, idempotency_key: '' });
      const result = await post(TURNSTILE, first);
      expect(result).toMatchObject({ 'error-codes': ['timeout-or-duplicate'] });
      expect(await post(TURNSTILE, first)).toEqual(result);
    });

    test('gives concurrent requests the same response, and counts them once', async () => {
      const first = await fields();
      const results = await Promise.all(Array.from({ length: 20 }, () => post(TURNSTILE, first)));
      expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
      expect(results[0]).toMatchObject(accepted);
    });

    test('does not share responses between API keys', async () => {
      const first = await fields();
      await post(TURNSTILE, first);
      const secret = await addKey(server.app.services, tenant.account, 'verify');
      expect(await post(TURNSTILE, { ...first, secret })).toMatchObject({
        'error-codes': ['timeout-or-duplicate'],
      });
    });

    test('does not share responses between expected sitekeys', async () => {
      const first = await fields();
      expect(await post(TURNSTILE, first)).toMatchObject(accepted);
      const other = await post(TURNSTILE, { ...first, sitekey: '0'.repeat(32) });
      expect(other).toMatchObject({ success: false, 'error-codes': ['invalid-input-response'] });
    });

    test('repeats the response after the puzzle has expired', async () => {
      const first = await fields();
      server.clock.now = later(server.clock.now, 1797 * SECOND);
      const result = await post(TURNSTILE, first);
      expect(result).toMatchObject(accepted);
      server.clock.now = later(server.clock.now, MINUTE);
      expect(await post(TURNSTILE, first)).toEqual(result);
    });

    test('rejects a key of more than 128 characters', async () => {
      expect(await post(TURNSTILE, await fields('x'.repeat(129)))).toEqual(rejected('bad-request'));
      expect(await post(TURNSTILE, await fields('x'.repeat(128)))).toMatchObject(accepted);
    });
  });
});

test('test keys are rejected while the test property is off', async () => {
  for (const [path, secret, response] of [
    [RECAPTCHA, '6LeIxAcTAAAAAGG-vFI1TnRWxMZNFuojJ4WifJWe', 'x'],
    [HCAPTCHA, '0x0000000000000000000000000000000000000000', '10000000-aaaa-bbbb-cccc-000000000001'],
    [TURNSTILE, '1x0000000000000000000000000000000AA', 'XXXX.DUMMY.TOKEN.XXXX'],
  ] as const) {
    expect(await post(path, { secret, response }, strictServer.url)).toMatchObject({
      success: false,
      'error-codes': ['invalid-input-secret'],
    });
    expect(await post(path, { secret: strictTenant.verifyKey, response }, strictServer.url)).toMatchObject({
      success: false,
      'error-codes': ['invalid-input-response'],
    });
  }
});

test('/verify and /siteverify accept the URL-safe alphabet', async () => {
  const headers = { 'X-API-Key': tenant.verifyKey };
  expect(await send('/verify', { body: await token(), headers })).toMatchObject({ success: true, code: 0 });
  const body = new URLSearchParams({ secret: tenant.verifyKey, response: await token({ action: 'a' }) });
  expect(await send('/siteverify', { body })).toEqual({ ...withScore('a'), 'error-codes': [] });
});
