import { beforeAll, describe, expect, test } from 'bun:test';
import { later, SECOND, toIso } from '../../src/lib/time.ts';
import { INSTALLATION } from '../../src/model/actor.ts';
import { toUrlSafe } from '../../src/puzzle/solution.ts';
import { addKey, expectOk } from '../support/server.ts';
import { useServer, useTenant } from '../support/useServer.ts';
import { fetchAndSolve, fetchPuzzle, solve } from '../support/visitor.ts';
import { withDuplicates, withFlippedBit, withoutMetadata, withWrongNonce } from './payload.ts';
import { type Ask, runScenarios, type Scenario } from './scenario.ts';

let otherScopeKey: string;

const TEST_SITEKEY = 'aaaaaaaabbbbccccddddeeeeeeeeeeee';

const server = useServer();
const tenant = useTenant(server, { level: 64, allowance: 2 });
const otherTenant = useTenant(server);
/** Allows subdomains, so tests can choose the length of the signature. */
const wide = useTenant(server, { allowsSubdomains: true });
beforeAll(async () => {
  const { services } = server.app;
  const other = expectOk(
    await services.organizations.create(INSTALLATION, { name: 'Second', ownerId: tenant.account.id }),
  );
  otherScopeKey = await addKey(services, tenant.account, 'verify', { organizationId: other.id });
});

const payload = () => fetchAndSolve(server.url, tenant.property.sitekey);
const testPayload = async () => solve(await fetchPuzzle(server.url, TEST_SITEKEY));

type Fields = Readonly<Record<string, string>>;

function form(fields: Fields, headers: Fields = {}): Ask {
  return { path: '/siteverify', method: 'POST', headers, body: new URLSearchParams(fields) };
}

function json(value: unknown, headers: Fields = {}): Ask {
  const body = typeof value === 'string' ? value : JSON.stringify(value);
  return {
    path: '/siteverify',
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
  };
}

function raw(body: string, headers: Fields): Ask {
  return { path: '/siteverify', method: 'POST', headers, body };
}

function multipart(fields: Fields): Ask {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  return { path: '/siteverify', method: 'POST', body };
}

const secret = () => tenant.verifyKey;

type Row = Pick<Scenario, 'title' | 'ask' | 'headers' | 'has' | 'errors'> & {
  readonly success?: boolean;
  readonly errors?: readonly string[];
  readonly codes?: readonly string[];
  readonly hostname?: string;
  readonly status?: number;
  readonly claims?: number;
};

/** By default, success is code 0 and the status is 200. */
function rows(table: readonly Row[]): void {
  runScenarios(
    server,
    table.map(
      ({ codes = [], success = codes.length === 0, hostname = '', status = 200, claims, ...row }) => ({
        ...row,
        status,
        claims: claims ?? (success ? 1 : 0),
        json: { success, hostname, 'error-codes': codes },
        hasNot: ['meta', 'timestamp'],
        headers: { 'Content-Type': /application\/json/, 'Cache-Control': 'no-store', ...row.headers },
      }),
    ),
  );
}

const HOST = { hostname: 'example.com' };

describe('a request is accepted', () => {
  rows([
    { title: 'as a form', ask: async () => form({ secret: secret(), response: await payload() }), ...HOST },
    {
      title: 'as a form with remoteip and the sitekey',
      ask: async () =>
        form({
          secret: secret(),
          response: await payload(),
          remoteip: '203.0.113.1',
          sitekey: tenant.property.sitekey,
        }),
      ...HOST,
    },
    {
      title: 'as multipart',
      ask: async () => multipart({ secret: secret(), response: await payload() }),
      ...HOST,
    },
    { title: 'as JSON', ask: async () => json({ secret: secret(), response: await payload() }), ...HOST },
    {
      title: 'as JSON with a charset and unknown members of other types',
      ask: async () =>
        json(
          { secret: secret(), response: await payload(), remoteip: 7, x: [] },
          { 'Content-Type': 'application/json; charset=utf-8' },
        ),
      ...HOST,
    },
    {
      title: 'as JSON with null for missing members',
      ask: async () => json({ secret: secret(), response: await payload(), sitekey: null }),
      ...HOST,
    },
    {
      title: 'with an empty sitekey, which counts as missing',
      ask: async () => form({ secret: secret(), response: await payload(), sitekey: '' }),
      ...HOST,
    },
    {
      title: 'as a form with the key in X-API-Key',
      ask: async () => form({ response: await payload() }, { 'X-API-Key': secret() }),
      ...HOST,
    },
    {
      title: 'as JSON with the key in X-API-Key',
      ask: async () => json({ response: await payload() }, { 'X-API-Key': secret() }),
      ...HOST,
    },
    {
      title: 'raw with the key in X-API-Key',
      ask: async () => raw(await payload(), { 'X-API-Key': secret(), 'Content-Type': 'text/plain' }),
      ...HOST,
    },
    {
      title: 'raw with the content type of curl',
      ask: async () =>
        raw(await payload(), { 'X-API-Key': secret(), 'Content-Type': 'application/x-www-form-urlencoded' }),
      ...HOST,
    },
    {
      title: 'raw with a trailing line break',
      ask: async () => raw(`${await payload()}\r\n`, { 'X-API-Key': secret(), 'Content-Type': 'text/plain' }),
      ...HOST,
    },
    {
      title: 'as a form that is plain text',
      ask: async () =>
        raw(`secret=${secret()}&response=${toUrlSafe(await payload())}`, { 'Content-Type': 'text/plain' }),
      ...HOST,
    },
    {
      title: 'with the secret of the body, which has precedence',
      ask: async () =>
        form({ secret: secret(), response: await payload() }, { 'X-API-Key': otherTenant.verifyKey }),
      ...HOST,
    },
    {
      title: 'with line breaks around the response',
      ask: async () => form({ secret: secret(), response: `\r\n${await payload()}\r\n` }),
      ...HOST,
    },
    {
      // The tokens of reCAPTCHA need no encoding, so old code often does not encode form bodies. A plus sign of a solution then became
      // a space, and most solutions were rejected.
      title: 'as a form with plus signs that are not encoded',
      ask: async () => {
        for (;;) {
          const solved = await payload();
          // A signature whose length is a multiple of three can end with a plus sign, which must not be trimmed.
          if (!/\+[^.]*$/.test(solved)) continue;
          const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
          return raw(`secret=${secret()}&response=${solved}`, type);
        }
      },
      ...HOST,
    },
    {
      title: 'as a form with a plus sign at the end that is not encoded',
      ask: async () => {
        for (;;) {
          const solved = await fetchAndSolve(server.url, wide.property.sitekey, 'https://ab.example.com');
          if (!solved.endsWith('+')) continue;
          const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
          return raw(`secret=${wide.verifyKey}&response=${solved}`, type);
        }
      },
      hostname: 'ab.example.com',
    },
    {
      title: 'without metadata',
      ask: async () => form({ secret: secret(), response: withoutMetadata(await payload()) }),
      ...HOST,
    },
  ]);
});

describe('an invalid request is rejected', () => {
  const headers = () => ({ 'X-API-Key': secret() });
  const bad = (title: string, ask: Scenario['ask']): Row => ({ title, ask, codes: ['bad-request'] });
  rows([
    bad('broken JSON', () => json('{"secret":')),
    bad('an empty body with a JSON type', () => json('')),
    bad('a JSON array', () => json([{ secret: secret(), response: 'x' }])),
    bad('a JSON number', () => json('42')),
    bad('a JSON string', () => json('"x"')),
    bad('JSON null', () => json('null')),
    bad('a secret that is a number', () => json({ secret: 42, response: 'x' })),
    bad('a response that is an array', () => json({ secret: secret(), response: ['x'] })),
    bad('a response that is an object', () => json({ secret: secret(), response: {} })),
    bad('a sitekey that is a boolean', () => json({ secret: secret(), response: 'x', sitekey: true })),
    bad('broken JSON with the key in X-API-Key', () => json('x', headers())),
    bad('deeply nested JSON', () => json(`${'['.repeat(30_000)}${']'.repeat(30_000)}`)),
    bad('multipart without a boundary', () => raw('x', { 'Content-Type': 'multipart/form-data' })),
    bad('invalid multipart', () => raw('x', { 'Content-Type': 'multipart/form-data; boundary=y' })),
    bad('an unknown content type', () => raw('secret=a&response=b', { 'Content-Type': 'text/html' })),
    { title: 'no secret', ask: () => form({ response: 'x' }), codes: ['missing-input-secret'] },
    {
      title: 'an empty secret',
      ask: () => form({ secret: '', response: 'x' }),
      codes: ['missing-input-secret'],
    },
    { title: 'an empty form', ask: () => form({}), codes: ['missing-input-secret'] },
    { title: 'an empty JSON object', ask: () => json({}), codes: ['missing-input-secret'] },
    {
      title: 'JSON with inherited names',
      ask: () => json('{"__proto__":{"secret":"x"}}'),
      codes: ['missing-input-secret'],
    },
    {
      title: 'an unknown secret',
      ask: () => form({ secret: 'x'.repeat(40), response: 'x' }),
      codes: ['invalid-input-secret'],
    },
    {
      title: 'a malformed secret',
      ask: () => form({ secret: 'x', response: 'x' }),
      codes: ['invalid-input-secret'],
    },
    {
      title: 'a secret of scope portal',
      ask: () => form({ secret: tenant.portalKey, response: 'x' }),
      codes: ['invalid-input-secret'],
    },
    {
      title: 'a secret uploaded as a file',
      ask: () => {
        const body = new FormData();
        body.set('secret', new Blob([secret()]), 'secret.txt');
        return { path: '/siteverify', method: 'POST', body };
      },
      codes: ['missing-input-secret'],
    },
    { title: 'no response', ask: () => form({ secret: secret() }), codes: ['missing-input-response'] },
    {
      title: 'an empty response',
      ask: () => form({ secret: secret(), response: '' }),
      codes: ['missing-input-response'],
    },
    {
      title: 'an empty body with the key in X-API-Key',
      ask: () => raw('', { ...headers(), 'Content-Type': 'text/plain' }),
      codes: ['missing-input-response'],
    },
    {
      title: 'too large',
      ask: () => form({ secret: secret(), response: 'x'.repeat(65_536) }),
      codes: ['bad-request'],
      status: 413,
    },
    {
      title: 'too large, before its secret',
      ask: () => raw('x'.repeat(65_537), {}),
      codes: ['bad-request'],
      status: 413,
    },
  ]);
});

describe('error-codes', () => {
  const sent = (
    title: string,
    response: () => Promise<string>,
    codes: readonly string[],
    more: Partial<Row> = {},
  ): Row => ({
    title,
    ask: async () => form({ secret: secret(), response: await response() }),
    codes,
    ...more,
  });
  const withKey = (key: () => string) => async () => form({ secret: key(), response: await payload() });
  rows([
    sent('solution-bad-format', async () => 'nonsense', ['solution-bad-format']),
    sent('integrity-error', async () => withFlippedBit(await payload(), 'puzzle', 20), ['integrity-error']),
    sent('solution-duplicates', async () => withDuplicates(await payload()), ['solution-duplicates'], HOST),
    sent('solution-invalid', async () => withWrongNonce(await payload(), 4), ['solution-invalid'], HOST),
    sent(
      'puzzle-expired',
      async () => {
        const solved = await payload();
        server.clock.now = later(server.clock.now, 1800 * SECOND);
        return solved;
      },
      ['puzzle-expired'],
      HOST,
    ),
    {
      title: 'contain property-owner-mismatch',
      ask: withKey(() => otherTenant.verifyKey),
      codes: ['property-owner-mismatch'],
      ...HOST,
    },
    {
      title: 'contain org-scope-error',
      ask: withKey(() => otherScopeKey),
      codes: ['org-scope-error'],
      ...HOST,
    },
    {
      title: 'contain property-invalid',
      ask: async () =>
        form({ secret: secret(), response: await payload(), sitekey: otherTenant.property.sitekey }),
      codes: ['property-invalid'],
      ...HOST,
    },
    {
      title: 'contain the name of a permitted repeat, which succeeds',
      ask: async () => {
        const ask = form({ secret: secret(), response: await payload() });
        await fetch(`${server.url}/siteverify`, {
          method: 'POST',
          body: String(ask.body),
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        });
        return ask;
      },
      success: true,
      codes: ['solution-verified-before'],
      ...HOST,
    },
    {
      title: 'contain the name of a repeat that is not permitted',
      ask: async () => {
        const fields = { secret: secret(), response: await payload() };
        for (let i = 0; i < 2; i++) {
          await fetch(`${server.url}/siteverify`, { method: 'POST', body: new URLSearchParams(fields) });
        }
        return form(fields);
      },
      codes: ['solution-verified-before'],
      ...HOST,
    },
    {
      title: 'contain property-test, without success',
      ask: async () => form({ secret: secret(), response: await testPayload() }),
      codes: ['property-test'],
      claims: 0,
    },
    {
      title: 'contain property-test, with success if the request names its sitekey',
      ask: async () => form({ secret: secret(), response: await testPayload(), sitekey: TEST_SITEKEY }),
      success: true,
      codes: ['property-test'],
      claims: 0,
    },
    {
      title: 'contain property-invalid if the request names a sitekey other than the test sitekey',
      ask: async () =>
        form({ secret: secret(), response: await testPayload(), sitekey: tenant.property.sitekey }),
      codes: ['property-invalid'],
      claims: 0,
    },
    {
      title: 'contain property-test, without success if the sitekey is empty',
      ask: async () => form({ secret: secret(), response: await testPayload(), sitekey: '' }),
      codes: ['property-test'],
      claims: 0,
    },
  ]);
});

describe('the response', () => {
  const members = async (ask: Ask) => {
    const { path, ...init } = ask;
    return (await (await fetch(`${server.url}${path}`, init)).json()) as Record<string, unknown>;
  };

  test('for reCAPTCHA v2 has four members, and challenge_ts is the time when the puzzle was issued', async () => {
    const issuedAt = Math.floor(server.clock.now / SECOND) * SECOND;
    const response = await payload();
    server.clock.now = later(server.clock.now, 90 * SECOND);
    expect(await members(form({ secret: secret(), response }))).toEqual({
      success: true,
      challenge_ts: toIso(issuedAt as typeof server.clock.now),
      hostname: 'example.com',
      'error-codes': [],
    });
  });

  test('for v3 also has a score and an action', async () => {
    for (const header of ['rcV3', 'RCV3', 'rcv3']) {
      const headers = { 'X-Captcha-Compat-Version': header };
      const passed = await members(form({ secret: secret(), response: await payload() }, headers));
      expect(passed).toMatchObject({ success: true, action: expect.any(String) });
      expect(passed.score).toBeGreaterThan(0.5);
      const failed = await members(form({ secret: secret(), response: 'x' }, headers));
      expect(failed).toMatchObject({ success: false, score: 0, action: expect.any(String) });
    }
  });

  test('for any other version is that of v2', async () => {
    for (const header of ['rcV2', 'v3', '']) {
      const headers = { 'X-Captcha-Compat-Version': header };
      expect(await members(form({ secret: secret(), response: 'x' }, headers))).not.toContainKeys([
        'score',
        'action',
      ]);
    }
  });
});
