import { describe, expect, test } from 'bun:test';
import type { Instant } from '../../src/lib/time.ts';
import { type ApiKeyId, formatApiKey, type Principal, type Scope } from '../../src/model/apiKey.ts';
import type { KeyOutcome } from '../../src/model/statistics.ts';
import type { AppContext } from '../../src/server/context.ts';
import { createOwnKeyGuard, createPortalKeyGuard, createVerifyKeyGuard } from '../../src/server/keyGuards.ts';
import { sha256Hex } from '../../src/sha256.ts';

const KEYS = {
  verify: formatApiKey('verify', new Uint8Array(32).fill(1)),
  portal: formatApiKey('portal', new Uint8Array(32).fill(2)),
};
const REQUEST = new Request('http://localhost/');

/** The guards of a server that allows two verifications and three API requests at once, and what it notes. */
function open() {
  const notes: string[] = [];
  const note = (kind: string) => (name: unknown) => void notes.push(`${kind} ${name}`);
  const known = (['verify', 'portal'] as const).map((scope, at): [string, Principal] => [
    sha256Hex(KEYS[scope]),
    { scope, keyId: at, accountId: 9, expiresAt: undefined } as unknown as Principal,
  ]);
  const principals = new Map(known);
  const context = {
    config: { verifyRate: 1, verifyBurst: 2, portalRate: 1, portalBurst: 3 },
    clock: () => Date.UTC(2026, 0, 31) as Instant,
    memory: {
      allocate(name: string) {
        note('memory')(name);
        return (bytes: number) => new ArrayBuffer(bytes);
      },
    },
    meters: { rateLimits: { add: note('limited') } },
    countSharing: {
      share(name: string) {
        note('shared')(name);
        return undefined;
      },
    },
    caches: { principals: { get: (hash: string) => principals.get(hash) }, reportFailure: note('failed') },
    usageRecording: { countKey: (_: ApiKeyId, outcome: KeyOutcome) => note('counted')(outcome) },
    services: { keyUses: { record: ({ scope }: { scope: Scope }) => note('used')(scope) } },
    securityLog: {
      record: (event: string, _: Request, detail: string) => note('logged')(`${event} ${detail}`),
    },
  } as unknown as AppContext;
  return { context, notes };
}

/** How many of five requests with a key the rate limit allows. */
async function allowedOf(guard: ReturnType<typeof createVerifyKeyGuard>, key: string): Promise<number> {
  let allowed = 0;
  for (let n = 0; n < 5; n++) {
    const admitted = await guard.requireKey(key, REQUEST);
    if (admitted.ok && admitted.value.rateLimit.isAllowed) allowed++;
  }
  return allowed;
}

describe('the guard', () => {
  test('of verifications limits each key, also across nodes and threads', async () => {
    const { context, notes } = open();
    const guard = createVerifyKeyGuard(context);
    expect(notes).toEqual(['shared verifyLimit', 'memory key_rates']);
    expect(await allowedOf(guard, KEYS.verify)).toBe(2);
    expect(notes.filter((one) => one === 'limited verify')).toHaveLength(3);
    // The handler counts the outcome of the other requests.
    expect(notes.filter((one) => one.startsWith('counted'))).toEqual(new Array(3).fill('counted limited'));
    expect(notes).toContain('used verify');
  });

  test('of the API limits each user, also across nodes', async () => {
    const { context, notes } = open();
    const guard = createPortalKeyGuard(context);
    expect(notes).toEqual(['shared userLimit', 'shared portalKeyLimit']);
    expect(await allowedOf(guard, KEYS.portal)).toBe(3);
    expect(notes.filter((one) => one === 'limited portal')).toHaveLength(2);
  });

  test('of changes of the key itself accepts both scopes, and counts rejections as requests to the API', async () => {
    const { context, notes } = open();
    const guard = createOwnKeyGuard(context);
    for (const key of Object.values(KEYS)) expect(await allowedOf(guard, key)).toBe(5);
    expect(await allowedOf(guard, KEYS.verify)).toBe(5);
    expect(await allowedOf(guard, KEYS.verify)).toBe(0);
    expect(notes.filter((one) => one === 'limited portal')).toHaveLength(5);
  });

  test.each([
    ['verify', createVerifyKeyGuard, KEYS.portal, 'verify: wrong-scope'],
    ['portal', createPortalKeyGuard, KEYS.verify, 'portal: wrong-scope'],
    ['none', createOwnKeyGuard, 'x', 'any: not-accepted'],
  ] as const)('of the scope %s logs the keys that it rejects', async (_, create, key, detail) => {
    const { context, notes } = open();
    expect((await create(context).requireKey(key, REQUEST)).ok).toBe(false);
    expect(notes.at(-1)).toBe(`logged api-key-rejected ${detail}`);
  });
});
