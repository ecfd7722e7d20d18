import { beforeEach, describe, expect, test } from 'bun:test';
import { INSTALLATION } from '../../src/model/actor.ts';
import type { Property } from '../../src/model/property.ts';
import { toPayload } from '../../src/puzzle/solution.ts';
import { addTenant, expectOk, type Tenant } from '../support/server.ts';
import { useServer } from '../support/useServer.ts';
import { waitUntil } from '../support/waitUntil.ts';

const ARGON2ID = { level: 152, challenge: 'argon2id' } as const;

/** The hashes that were requested. Each is held until the test ends it. */
const hashes: ((isValid: boolean) => void)[] = [];

/** One verification at a time, and four more can wait. */
const server = useServer({
  settings: { POSTERN_ARGON2_PARALLELISM: '1', POSTERN_ARGON2_QUEUE: '4' },
  verifyArgon2id() {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    hashes.push(resolve);
    return promise;
  },
});

let first: Tenant;
let second: Tenant;

beforeEach(async () => {
  hashes.length = 0;
  [first, second] = [await addTenant(server, ARGON2ID), await addTenant(server, ARGON2ID)];
});

/** @returns a payload that passes all checks before the hashes */
async function payloadFor({ sitekey }: Property): Promise<string> {
  const headers = { Origin: 'https://example.com', 'X-PC-Captcha-Version': '2' };
  const response = await fetch(`${server.url}/puzzle?sitekey=${sitekey}`, { headers });
  const solutions = Uint8Array.from({ length: 64 }, (_, i) => (i % 8 === 0 ? i / 8 : 0xff));
  return toPayload({ errorCode: 0, usedWasm: true, elapsedMs: 1 }, solutions, await response.text());
}

async function siteverify(key: string, payload: string, idempotencyKey?: string) {
  const body = new URLSearchParams({ secret: key, response: payload });
  if (idempotencyKey !== undefined) body.set('idempotency_key', idempotencyKey);
  const response = await fetch(`${server.url}/turnstile/v0/siteverify`, { method: 'POST', body });
  const { success } = (await response.json()) as { readonly success: boolean };
  return { status: response.status, success };
}

/** Ends hashes as valid until all requests have their results. */
async function finish<T>(requests: readonly Promise<T>[]): Promise<T[]> {
  let isDone = false;
  const results = Promise.all(requests).finally(() => {
    isDone = true;
  });
  await waitUntil('the responses', () => {
    for (const end of hashes) end(true);
    return isDone;
  });
  return results;
}

describe('argon2id verifications', () => {
  test('of one tenant with several properties do not cause 429 for another tenant', async () => {
    // Two properties filled the queue: 12 of 12 requests of every other tenant got 429.
    const draft = { organizationId: first.organization.id, name: 'Shop', domain: 'example.com', ...ARGON2ID };
    const property = expectOk(
      await server.app.services.properties.create(INSTALLATION, { ...draft, growth: 'constant' }),
    );
    const own = [first.property, property];
    const payloads = await Promise.all(
      Array.from({ length: 12 }, (_, i) => payloadFor(own[i % 2] as Property)),
    );
    let rejected = 0;
    const flood = payloads.map(async (payload) => {
      const result = await siteverify(first.verifyKey, payload);
      if (result.status === 429) rejected++;
      return result;
    });
    await waitUntil('a full queue', () => rejected === 7);
    const others = await Promise.all([payloadFor(second.property), payloadFor(second.property)]);
    const wanted = others.map((payload) => siteverify(second.verifyKey, payload));
    await waitUntil('two more rejections', () => rejected === 9);
    expect(await finish(wanted)).toEqual(Array(2).fill({ status: 200, success: true }));
    const accepted = (await finish(flood)).filter(({ success }) => success);
    expect(accepted).toHaveLength(3);
  });

  test('of a spent solution compute no hash, whatever the idempotency key', async () => {
    // Each new key caused a verification: 751 ms instead of 9 ms.
    const payload = await payloadFor(first.property);
    const [accepted] = await finish([siteverify(first.verifyKey, payload, 'first')]);
    expect([accepted?.success, hashes.length]).toEqual([true, 1]);
    for (const key of ['second', 'third', undefined]) {
      expect(await siteverify(first.verifyKey, payload, key)).toEqual({ status: 200, success: false });
    }
    expect(await siteverify(first.verifyKey, payload, 'first')).toEqual({ status: 200, success: true });
    expect(await siteverify(first.verifyKey, payload, 'second')).toEqual({ status: 200, success: false });
    expect(hashes).toHaveLength(1);
  });
});
