import { describe, expect, test } from 'bun:test';
import { createKeyGuard, type KeyGuardDeps } from '../../src/http/apiKeyGuard.ts';
import type { Instant } from '../../src/lib/time.ts';
import { formatApiKey, type Principal } from '../../src/model/apiKey.ts';
import { sha256Hex } from '../../src/sha256.ts';

const NOW = Date.UTC(2026, 0, 31) as Instant;
const KEY = formatApiKey('verify', new Uint8Array(32).fill(1));
const UNKNOWN = formatApiKey('verify', new Uint8Array(32).fill(2));
const REQUEST = new Request('http://localhost/verify');
const LIMIT = { burst: 10, isAllowed: true, remaining: 9, resetSeconds: 1, retryAfterSeconds: 0 };
const PRINCIPAL = { scope: 'verify', expiresAt: undefined } as Principal;

/** A guard for the scope `verify`, and what it has done. The only known key is KEY. */
function open(principal: Partial<Principal> = {}, deps: Partial<KeyGuardDeps> = {}) {
  const found: Principal = { ...PRINCIPAL, ...principal };
  const events: string[] = [];
  const guard = createKeyGuard({
    scope: 'verify',
    principals: { byKeyHash: (hash) => (hash === sha256Hex(KEY) ? found : undefined) },
    clock: () => NOW,
    take(one) {
      events.push(one === found ? 'taken' : 'taken by another');
      return LIMIT;
    },
    count: (_, outcome) => events.push(outcome),
    onUse: (one) => events.push(one === found ? 'used' : 'used by another'),
    onRejected: (reason, request) => events.push(request === REQUEST ? reason : 'another request'),
    onFailure: (error) => events.push(String(error)),
    ...deps,
  });
  return { guard, events, found };
}

describe('an accepted key', () => {
  test.each<[string, Partial<Principal>]>([
    ['without an expiry', {}],
    ['before its expiry', { expiresAt: (NOW + 1) as Instant }],
  ])('%s counts as used, and against its rate limit', async (_, principal) => {
    const { guard, events, found } = open(principal);
    expect(await guard.requireKey(KEY, REQUEST)).toEqual({
      ok: true,
      value: { principal: found, rateLimit: LIMIT },
    });
    expect(events).toEqual(['used', 'taken']);
  });

  test('can have any scope if the guard requires none', async () => {
    for (const scope of ['verify', 'portal'] as const) {
      const { guard, found } = open({ scope }, { scope: undefined });
      expect(await guard.readKey(KEY)).toEqual({ ok: true, value: found });
    }
  });

  test('that is only read counts nowhere', async () => {
    const { guard, events, found } = open();
    expect(await guard.readKey(KEY)).toEqual({ ok: true, value: found });
    expect(events).toEqual([]);
  });
});

describe('a key is rejected and reported', () => {
  test.each<[string, string | null, Partial<Principal>, string, string]>([
    ['if it is missing', null, {}, 'key-not-accepted', 'missing'],
    ['if it is empty', '', {}, 'key-not-accepted', 'missing'],
    ['if it is malformed', `${KEY}x`, {}, 'key-not-accepted', 'not-accepted'],
    ['if it is unknown', UNKNOWN, {}, 'key-not-accepted', 'not-accepted'],
    ['at its expiry', KEY, { expiresAt: NOW }, 'key-not-accepted', 'not-accepted'],
    ['after its expiry', KEY, { expiresAt: (NOW - 1) as Instant }, 'key-not-accepted', 'not-accepted'],
    ['if it has another scope', KEY, { scope: 'portal' }, 'scope-not-enough', 'wrong-scope'],
  ])('%s', async (_, key, principal, problem, reason) => {
    const { guard, events } = open(principal);
    const rejected = { ok: false, problem } as unknown;
    expect(await guard.requireKey(key, REQUEST)).toEqual(rejected as never);
    expect(events).toEqual([reason]);
    expect(await guard.readKey(key)).toEqual(rejected as never);
    expect(events).toEqual([reason]);
  });
});

test('a key that cannot be read is a failure of the server, and not of the client', async () => {
  const byKeyHash = () => Promise.reject(new Error('the disk is gone'));
  const { guard, events } = open({}, { principals: { byKeyHash } });
  expect(await guard.requireKey(KEY, REQUEST)).toEqual({ ok: false, problem: 'key-unreadable' });
  expect(events).toEqual(['Error: the disk is gone']);
});
