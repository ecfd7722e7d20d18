import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createOperations, type Deprecation, type OperationChecks } from '../../../src/http/api/operation.ts';
import type { KeyGuard } from '../../../src/http/apiKeyGuard.ts';
import { createBodies } from '../../../src/http/body.ts';
import { createRequestContext } from '../../../src/http/requestContext.ts';
import { DAY, type Instant, later } from '../../../src/lib/time.ts';
import type { AccountId } from '../../../src/model/account.ts';
import type { ApiKeyId, Principal } from '../../../src/model/apiKey.ts';
import { idsOf, routesFor } from '../../support/platform.ts';
import { addTenant, startServer, type Tenant, type TestServer } from '../../support/server.ts';
import { send } from '../scenario.ts';

const SINCE = Date.UTC(2026, 2, 1) as Instant;
const SUNSET = Date.UTC(2026, 8, 1) as Instant;
const PAGE = 'https://postern.example/docs/changes';

function principalOf(key: string): Principal {
  const [keyId, accountId] = [1 as ApiKeyId, 1 as AccountId];
  const isReadOnly = key === 'reader';
  const ends = { expiresAt: undefined, replacedAt: undefined };
  const rest = { organizationId: undefined, ...ends, rate: undefined, burst: undefined };
  const ids = { keyId, accountId, creatorId: accountId };
  return { ...ids, scope: 'portal', isReadOnly, ...rest, memberOf: new Set<never>() };
}

/** A test operation with the usual checks and a fake clock. */
function openOperation(deprecation: Deprecation | undefined, kind: Partial<OperationChecks> = {}) {
  const time = { now: later(SINCE, DAY) };
  let keysAskedFor = 0;
  const requireKey: KeyGuard['requireKey'] = (key) => {
    keysAskedFor++;
    if (key === null) return { ok: false, problem: 'key-not-accepted' };
    const principal = principalOf(key);
    const rateLimit = {
      burst: 2,
      isAllowed: key !== 'tired',
      remaining: 1,
      resetSeconds: 1,
      retryAfterSeconds: 1,
    };
    return { ok: true, value: { principal, rateLimit } };
  };
  const requestContext = createRequestContext({
    newId: () => 'id-1',
    peerOf: () => undefined,
    trustedProxies: [],
    clientIpHeader: 'X-Forwarded-For',
  });
  const operation = createOperations({
    waitForTick: () => undefined,
    requireKey,
    readKey: (key) => ({ ok: true, value: principalOf(key ?? '') }),
    countOutcome: () => {},
    requestContext,
    bodies: createBodies({ clientOf: () => undefined }),
    isInMaintenance: () => false,
    clock: () => time.now,
  });
  const handle = operation(
    { access: 'write', bodyLimit: 10, ...kind, ...(deprecation && { deprecation }) },
    async ({ body }) =>
      body === 0 ? { ok: false, problem: 'organization-unknown' } : { ok: true, data: body },
  );
  const ask = (key: string | undefined, body = '1', type = 'application/json') => {
    const headers = { ...(key === undefined ? {} : { 'X-API-Key': key }), 'Content-Type': type };
    return handle(new Request('http://localhost/old', { method: 'POST', headers, body }));
  };
  return { ask, time, keysAskedFor: () => keysAskedFor };
}

async function codeOf(response: Response): Promise<number> {
  return ((await response.json()) as { meta: { code: number } }).meta.code;
}

const ANNOUNCED: Deprecation = { since: SINCE, sunset: SUNSET, documentation: PAGE };

describe('a deprecated operation', () => {
  // biome-ignore format: a table reads best with a row on a line
  test.each([
    ['a good ending', 'key', '1', 'application/json', 200, 1000],
    ['no key', undefined, '1', 'application/json', 401, 1001],
    ['a key that may only read', 'reader', '1', 'application/json', 403, 1001],
    ['too many requests', 'tired', '1', 'application/json', 429, 1001],
    ['another content type', 'key', '1', 'text/plain', 415, 1001],
    ['a large body', 'key', '"1234567890"', 'application/json', 413, 1001],
    ['no JSON', 'key', '{', 'application/json', 400, 1001],
    ['a rejection of its own', 'key', '0', 'application/json', 404, 1105],
  ] as const)('says so with %s', async (_, key, body, type, status, code) => {
    const response = await openOperation(ANNOUNCED).ask(key, body, type);
    expect(response.status).toBe(status);
    // RFC 9745: a structured date; RFC 8594: an HTTP date.
    expect(response.headers.get('deprecation')).toBe('@1772323200');
    expect(response.headers.get('sunset')).toBe('Tue, 01 Sep 2026 00:00:00 GMT');
    expect(response.headers.get('link')).toBe(`<${PAGE}>; rel="deprecation"`);
    expect(await codeOf(response)).toBe(code);
  });

  test('has no Link without a page', async () => {
    const response = await openOperation({ since: SINCE, sunset: SUNSET }).ask('key');
    expect(response.headers.get('link')).toBeNull();
    expect(response.headers.get('deprecation')).toBe('@1772323200');
  });

  test('works until its sunset, and then returns 410 with 1004', async () => {
    const { ask, time } = openOperation(ANNOUNCED);
    time.now = later(SUNSET, -1);
    expect(await codeOf(await ask('key'))).toBe(1000);
    for (const late of [0, 1, 1000 * DAY]) {
      time.now = later(SUNSET, late);
      const response = await ask('key');
      expect(response.status).toBe(410);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('deprecation')).toBe('@1772323200');
      expect(response.headers.get('sunset')).toBe('Tue, 01 Sep 2026 00:00:00 GMT');
      expect(await response.json()).toEqual({
        meta: { code: 1004, description: expect.stringMatching(/^[A-Z].*\.$/), request_id: 'id-1' },
        data: null,
      });
    }
  });

  test('checks no key and reads no body after its sunset', async () => {
    const { ask, time, keysAskedFor } = openOperation(ANNOUNCED);
    time.now = SUNSET;
    for (const [key, body, type] of [
      [undefined, '1', 'application/json'],
      ['reader', '1', 'application/json'],
      ['tired', '1', 'application/json'],
      ['key', '{', 'text/plain'],
    ] as const) {
      const response = await ask(key, body, type);
      expect([response.status, await codeOf(response)]).toEqual([410, 1004]);
      expect(response.headers.has('x-ratelimit-limit')).toBe(false);
    }
    expect(keysAskedFor()).toBe(0);
  });

  test('returns 410 even for a current If-None-Match', async () => {
    const { ask, time } = openOperation(ANNOUNCED, { access: 'read' });
    expect((await ask('key')).headers.get('etag')).toMatch(/^W\//);
    time.now = SUNSET;
    expect((await ask('key')).status).toBe(410);
  });
});

describe('all operations', () => {
  let server: TestServer;
  let tenant: Tenant;
  beforeAll(async () => {
    server = await startServer({ settings: { POSTERN_DNS_CHECK: 'off' } });
    tenant = await addTenant(server);
  });
  afterAll(() => server.stop());

  test('have no deprecation headers, in success and error responses', async () => {
    // The organization is deleted last, because the other operations need it.
    const routes = routesFor(idsOf(server, tenant)).toSorted((a, b) => rankOf(a) - rankOf(b));
    for (const { method, path, body } of routes) {
      for (const key of [tenant.verifyKey, tenant.portalKey]) {
        const response = await send(server.url, {
          method,
          path,
          headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const wanted = path.startsWith('/asynctask') ? 404 : 200;
        expect([method, path, response.status]).toEqual([
          method,
          path,
          key === tenant.verifyKey ? 403 : wanted,
        ]);
        for (const name of ['deprecation', 'sunset', 'link']) expect(response.headers.has(name)).toBe(false);
      }
    }
  });
});

function rankOf({ method, path }: { readonly method: string; readonly path: string }): number {
  return method === 'DELETE' ? (path === '/org' ? 2 : 1) : 0;
}
