import { beforeEach, describe, expect, test } from 'bun:test';
import { createRateLimit } from '../../src/http/rateLimit.ts';
import type { Instant } from '../../src/lib/time.ts';
import { SECOND } from '../../src/lib/time.ts';
import { addKey } from '../support/server.ts';
import { useServer, useTenant } from '../support/useServer.ts';
import { fetchPuzzle, solve } from '../support/visitor.ts';
import { type Ask, errorEnvelope, runScenarios, send } from './scenario.ts';

const PAGE = 'https://example.com';
const BURST = 3;

const server = useServer({
  settings: {
    POSTERN_PUZZLE_RATE: '0.5',
    POSTERN_PUZZLE_BURST: String(BURST),
    POSTERN_VERIFY_RATE: '0.25',
    POSTERN_VERIFY_BURST: String(BURST),
  },
});
const tenant = useTenant(server, { validitySeconds: 172_800, level: 40 });

/** Long enough for all buckets to be full. */
beforeEach(() => turnClock(100));

function turnClock(seconds: number): void {
  server.clock.now = (server.clock.now + seconds * SECOND) as Instant;
}

function puzzle(sitekey: string = tenant.property.sitekey, origin: string | undefined = PAGE): Ask {
  return {
    path: `/puzzle?sitekey=${sitekey}`,
    headers: { 'X-Request-Id': 'id', ...(origin && { Origin: origin }) },
  };
}

async function exhaust(ask: Ask): Promise<void> {
  for (let i = 0; i < BURST; i++) await send(server.url, ask);
}

function standingOf({ status, headers }: Response) {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    headers.get(`x-ratelimit-${name}`),
  );
  return { status, limit, remaining, reset, wait: headers.get('retry-after') };
}

describe('the puzzles of one address', () => {
  test('are limited, and become available again over time', async () => {
    const standings = [];
    for (let i = 0; i < 5; i++) standings.push(standingOf(await send(server.url, puzzle())));
    const limit = String(BURST);
    expect(standings).toEqual([
      { status: 200, limit, remaining: '2', reset: '2', wait: null },
      { status: 200, limit, remaining: '1', reset: '4', wait: null },
      { status: 200, limit, remaining: '0', reset: '6', wait: null },
      { status: 429, limit, remaining: '0', reset: '6', wait: '2' },
      { status: 429, limit, remaining: '0', reset: '6', wait: '2' },
    ]);
    turnClock(1);
    expect(standingOf(await send(server.url, puzzle()))).toMatchObject({ status: 429, wait: '1' });
    turnClock(1);
    expect(standingOf(await send(server.url, puzzle()))).toMatchObject({ status: 200, remaining: '0' });
    turnClock(100);
    expect(standingOf(await send(server.url, puzzle()))).toMatchObject({ status: 200, remaining: '2' });
  });

  test('are at most the burst at once, and then follow the rate', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 50 }, async () => (await send(server.url, puzzle())).status),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(BURST);
    let given = 0;
    for (let i = 0; i < 20; i++) {
      turnClock(1);
      if ((await send(server.url, puzzle())).status === 200) given++;
    }
    expect(given).toBe(10);
  });

  test('are available again after the time of one burst if the clock is set back', async () => {
    await exhaust(puzzle());
    const before = server.clock.now;
    server.clock.now = (before - 3600 * SECOND) as Instant;
    const { wait } = standingOf(await send(server.url, puzzle()));
    expect(Number(wait)).toBeGreaterThan(0);
    server.clock.now = before;
    turnClock(2);
    expect((await send(server.url, puzzle())).status).toBe(200);
  });
});

describe('an address that exceeded its rate limit', () => {
  const late = (ask: () => Ask) => async () => {
    await exhaust(puzzle());
    return ask();
  };
  const limited = (title: string, ask: () => Ask, origin: string | undefined) => ({
    title,
    ask: late(ask),
    status: 429,
    json: errorEnvelope(1001),
    headers: {
      'Retry-After': '2',
      'X-RateLimit-Limit': String(BURST),
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': '6',
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers': /Retry-After/,
      'Cache-Control': 'no-store',
      Vary: 'Origin',
    },
  });
  runScenarios(server, [
    {
      title: 'still gets the error about an invalid sitekey',
      ask: late(() => puzzle('nonsense')),
      status: 400,
      json: errorEnvelope(1001),
      headers: { 'X-RateLimit-Limit': undefined, 'Retry-After': undefined },
    },
    limited('the rate comes before a missing origin', () => ({ path: puzzle().path }), undefined),
    limited('before an unknown property', () => puzzle('0'.repeat(32)), PAGE),
    limited(
      'before a foreign page',
      () => puzzle(tenant.property.sitekey, 'https://evil.com'),
      'https://evil.com',
    ),
    limited('before the test property', () => puzzle('aaaaaaaabbbbccccddddeeeeeeeeeeee'), PAGE),
    {
      title: 'gets responses to preflights',
      ask: late(() => ({ ...puzzle(), method: 'OPTIONS' })),
      status: 204,
    },
  ]);

  test('invalid sitekeys do not count against the limit, but rejected origins do', async () => {
    for (let i = 0; i < 10; i++) await send(server.url, puzzle('nonsense'));
    expect(standingOf(await send(server.url, puzzle()))).toMatchObject({ remaining: '2' });
    await send(server.url, puzzle(tenant.property.sitekey, 'https://evil.com'));
    expect(standingOf(await send(server.url, puzzle()))).toMatchObject({ remaining: '0' });
  });
});

describe('the verifications of one key', () => {
  const verify = (key: string, body = 'nonsense'): Ask => ({
    path: '/verify',
    method: 'POST',
    headers: { 'X-API-Key': key },
    body,
  });

  runScenarios(server, [
    {
      title: 'are rejected with a verdict of /verify, and the solution is not counted',
      ask: async () => {
        const payload = solve(await fetchPuzzle(server.url, tenant.property.sitekey));
        await exhaust(verify(tenant.verifyKey));
        return verify(tenant.verifyKey, payload);
      },
      status: 429,
      json: { success: false, code: 1, origin: '', timestamp: expect.stringMatching(/Z$/) },
      headers: { 'Retry-After': '4', 'Content-Type': /^Content-Type: application\/json/ },
      hasNot: ['meta'],
    },
    {
      title: 'share the limit with /siteverify',
      ask: async () => {
        await exhaust(verify(tenant.verifyKey));
        const body = new URLSearchParams({ secret: tenant.verifyKey, response: 'x' });
        return { path: '/siteverify', method: 'POST', body };
      },
      status: 429,
      json: { success: false, 'error-codes': ['error-other'] },
      headers: { 'Retry-After': '4' },
    },
  ]);

  test('become available again over time, and do not affect other keys', async () => {
    const other = await addKey(server.app.services, tenant.account, 'verify');
    await exhaust(verify(tenant.verifyKey));
    const statusOf = async (key: string) => (await send(server.url, verify(key))).status;
    expect(await statusOf(tenant.verifyKey)).toBe(429);
    expect(await statusOf(other)).toBe(400);
    turnClock(4);
    expect(await statusOf(tenant.verifyKey)).toBe(400);
    expect(await statusOf(tenant.verifyKey)).toBe(429);
  });

  test('do not include requests with unknown keys and keys of another scope', async () => {
    for (let i = 0; i < 3 * BURST; i++) {
      expect((await send(server.url, verify(tenant.portalKey))).status).toBe(403);
      expect((await send(server.url, verify('x'.repeat(40)))).status).toBe(401);
    }
  });
});

test('a very low rate is a limit too', () => {
  const clock = () => 0 as Instant;
  const limit = createRateLimit({ rate: 1e-306, burst: 2, capacity: 10, clock });
  for (const own of [undefined, { rate: 5e-324, burst: undefined }]) {
    const key = own === undefined ? 1 : 2;
    const standings = [1, 2, 3].map(() => limit.take(key, own));
    expect(standings.map(({ isAllowed }) => isAllowed)).toEqual([true, true, false]);
    expect(standings[2]?.retryAfterSeconds).toBe(1000);
  }
});
