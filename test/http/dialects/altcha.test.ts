import { describe, expect, test } from 'bun:test';
import {
  solveChallenge as solveWithLibrary,
  verifyServer,
  verifyServerSignature,
  verifySolution as verifyVersion2,
} from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/sha';
import { verifySolution as verifyVersion1 } from 'altcha-lib/v1';
import { altchaMaxNumberOf } from '../../../src/captcha/dialects/altcha.ts';
import { later, SECOND } from '../../../src/lib/time.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import {
  type Altcha1,
  type Altcha2,
  encodeAltcha,
  fetchAltcha,
  postJson,
  solveAltcha1,
  solveAltcha2,
} from '../../support/dialects.ts';
import { addTenant, expectOk } from '../../support/server.ts';
import { useServer, useTenant } from '../../support/useServer.ts';
import { fetchAndSolve } from '../../support/visitor.ts';

/** The paths of ALTCHA. `test/browser/dialects` tests them with the unmodified widget. */

const TEST_SITEKEY = 'aaaaaaaabbbbccccddddeeeeeeeeeeee';
const server = useServer({ settings: { POSTERN_TEST_PROPERTY: 'on' } });
const tenant = useTenant(server, { level: 64 });
const other = useTenant(server, { level: 64 });
const argon2id = useTenant(server, { level: 160, challenge: 'argon2id' });
const limited = useServer({ settings: { POSTERN_PUZZLE_RATE: '0.001', POSTERN_PUZZLE_BURST: '1' } });
const limitedTenant = useTenant(limited, { level: 64 });

const failing = useServer({
  wrapLedger: (ledger) => ({ ...ledger, claim: () => Promise.reject(new Error('disk full')) }),
});
const failingTenant = useTenant(failing, { level: 64 });

const sitekey = () => tenant.property.sitekey as string;
const challenge1 = () => fetchAltcha(server.url, sitekey());
const challenge2 = () => fetchAltcha<Altcha2>(server.url, sitekey(), '&version=2');
const solved1 = async () => solveAltcha1(await challenge1());
const solved2 = async () => solveAltcha2(await challenge2());
const SOLVED = [
  ['version 1', solved1],
  ['version 2', solved2],
] as const;

type Version2 = Omit<Parameters<typeof verifyVersion2>[0], 'deriveKey' | 'hmacSignatureSecret'>;

/** The widget's request. */
const show = (payload: unknown) => postJson(`${server.url}/altcha/v1/verify`, { payload, code: null });

/** The backend's request. */
const verify = (payload: unknown, more: object = {}) =>
  postJson(`${server.url}/v1/verify/signature`, { payload, secret: tenant.verifyKey, ...more });

const accepted = { status: 200, verified: true, hostname: 'example.com', challenge_ts: expect.any(String) };
const rejected = (reason: string) => ({ status: 200, verified: false, reason });
const BAD_FORMAT = rejected('solution-bad-format');
const claims = async () => (await server.written()).claims;

describe('a challenge', () => {
  test('is of version 1, whose work follows from the difficulty', async () => {
    const before = await claims();
    const challenge = await challenge1();
    expect(Object.keys(challenge).sort()).toEqual([
      'algorithm',
      'challenge',
      'maxnumber',
      'salt',
      'signature',
    ]);
    expect(challenge).toMatchObject({ algorithm: 'SHA-256', maxnumber: 256 });
    expect(challenge.salt).toMatch(/^[0-9a-f]{24}\?expires=\d+&puzzle=[\w.-]+&$/);
    expect(challenge.challenge).toMatch(/^[0-9a-f]{64}$/);
    expect(await claims()).toBe(before);
  });

  test('is of version 2 on request', async () => {
    const { parameters, signature } = await challenge2();
    expect(parameters).toEqual({
      algorithm: 'SHA-256',
      cost: 1,
      data: { puzzle: expect.any(String) },
      expiresAt: expect.any(Number),
      keyLength: 32,
      keyPrefix: expect.stringMatching(/^[0-9a-f]{32}$/),
      nonce: expect.stringMatching(/^[0-9a-f]{32}$/),
      salt: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(signature).toMatch(/^[0-9a-f]{64}$/);
  });

  test('never asks for a code or for pointer data, and is SHA-256 even if the property uses argon2id', async () => {
    for (const query of ['', '&version=2']) {
      const text = JSON.stringify(await fetchAltcha<object>(server.url, argon2id.property.sitekey, query));
      expect(text).not.toMatch(/"his"|codeChallenge/);
      expect(text).toMatch('"algorithm":"SHA-256"');
    }
  });

  test('makes the widget verify its solution with the server, except for backends that verify offline', async () => {
    const get = (path: string) =>
      fetch(`${server.url}${path}?apiKey=${sitekey()}`, { headers: { Origin: 'https://example.com' } });
    for (const path of ['/altcha/v1/challenge', '/v1/challenge']) {
      const { headers, status } = await get(path);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toMatch('application/json');
      expect(headers.get('access-control-allow-origin')).toBe('https://example.com');
      expect(headers.get('access-control-expose-headers')).toMatch('x-altcha-config');
      expect(JSON.parse(headers.get('x-altcha-config') ?? '')).toEqual({ verifyurl: '/altcha/v1/verify' });
    }
    const offline = await fetch(`${server.url}/v1/challenge?apiKey=${sitekey()}&verify=offline`, {
      headers: { Origin: 'https://example.com' },
    });
    expect(offline.headers.has('x-altcha-config')).toBe(false);
  });

  test.each([
    ['another domain', 403, sitekey, 'https://example.net'],
    ['an unknown property', 403, () => '0'.repeat(32), 'https://example.com'],
    ['an invalid sitekey', 400, () => 'shop', 'https://example.com'],
    ['a missing sitekey', 400, () => '', 'https://example.com'],
  ])('is rejected for %s with an error that the widget logs', async (_, status, key, origin) => {
    const url = `${server.url}/altcha/v1/challenge?apiKey=${key()}`;
    const response = await fetch(url, { headers: { Origin: origin } });
    expect(response.status).toBe(status);
    expect(response.headers.get('access-control-allow-origin')).toBe(origin);
    expect(await response.json()).toMatchObject({ error: expect.any(String) });
  });

  test('shares the rate limit of /puzzle with solutions', async () => {
    const payload = encodeAltcha(
      solveAltcha1(await fetchAltcha(limited.url, limitedTenant.property.sitekey)),
    );
    const shown = await postJson(`${limited.url}/altcha/v1/verify`, { payload });
    expect(shown).toEqual({ status: 429, verified: false, reason: 'rate-limited' });
  });
});

test('the work is a 32nd of that of BLAKE2b on average, and fits in a counter of 32 bits', () => {
  for (let difficulty = 32; difficulty <= 255; difficulty++) {
    const ratio = altchaMaxNumberOf(difficulty) / 2 / ((16 * 2 ** (difficulty / 8)) / 32);
    expect(ratio).toBeWithin(0.93, 1.0000001);
  }
  expect(altchaMaxNumberOf(255)).toBeLessThan(2 ** 32);
});

test('secret numbers are spread over the whole range', async () => {
  const numbers = await Promise.all(Array.from({ length: 64 }, async () => (await solved1()).number));
  // Each half is missed with a probability of 2^-64.
  expect(Math.min(...numbers)).toBeLessThanOrEqual(128);
  expect(Math.max(...numbers)).toBeGreaterThan(128);
});

describe.each(SOLVED)('a solution of %s', (_, solved) => {
  test('is exchanged for a payload, always the same one, without a claim', async () => {
    const before = await claims();
    const payload = encodeAltcha(await solved());
    const first = await show(payload);
    expect(first).toMatchObject({ status: 200, verified: true, payload: expect.any(String) });
    expect(await show(payload)).toEqual(first);
    expect(await claims()).toBe(before);
  });

  test('is accepted once by the backend, together with the payload that it was exchanged for', async () => {
    const before = await claims();
    const payload = encodeAltcha(await solved());
    const { payload: exchanged } = await show(payload);
    expect(await verify(exchanged)).toEqual(accepted);
    expect(await verify(exchanged)).toMatchObject(rejected('solution-verified-before'));
    expect(await verify(payload)).toMatchObject(rejected('solution-verified-before'));
    // The second claim is rejected by the cache of claims.
    expect(await claims()).toBe(before + 1);
  });

  test('is accepted directly, as text or as an object', async () => {
    expect(await verify(encodeAltcha(await solved()))).toEqual(accepted);
    expect(await verify(await solved())).toEqual(accepted);
  });

  test('is accepted only once by many simultaneous verifications', async () => {
    const payload = encodeAltcha(await solved());
    const results = await Promise.all(Array.from({ length: 20 }, () => verify(payload)));
    expect(results.filter(({ verified }) => verified)).toHaveLength(1);
  });

  test('is rejected if it expired, or for another tenant or another property', async () => {
    const before = await claims();
    const payload = encodeAltcha(await solved());
    const { payload: exchanged } = await show(payload);
    for (const one of [payload, exchanged]) {
      expect(await verify(one, { secret: other.verifyKey })).toMatchObject(
        rejected('property-owner-mismatch'),
      );
      expect(await verify(one, { apiKey: other.property.sitekey })).toMatchObject(
        rejected('property-invalid'),
      );
    }
    const now = server.clock.now;
    server.clock.now = later(now, tenant.property.validitySeconds * SECOND);
    expect(await show(payload)).toMatchObject(rejected('puzzle-expired'));
    expect(await verify(payload)).toMatchObject(rejected('puzzle-expired'));
    expect(await verify(exchanged)).toMatchObject(rejected('puzzle-expired'));
    server.clock.now = now;
    expect(await claims()).toBe(before);
    expect(await verify(exchanged, { apiKey: sitekey() })).toEqual(accepted);
  });
});

/** Every trap of the formats: a payload, and why it is not accepted. */
type Trap = readonly [title: string, reason: string, () => Promise<string | object>];

const replaced = async (from: RegExp | string, to: string) =>
  JSON.stringify(await solved1()).replace(from, to);
type Solved<Version extends typeof solved1 | typeof solved2> = Awaited<ReturnType<Version>>;

async function changed(change: (payload: Solved<typeof solved1>) => object): Promise<object> {
  const payload = await solved1();
  return { ...payload, ...change(payload) };
}

async function changedSolution(
  change: (solution: Solved<typeof solved2>['solution']) => object,
): Promise<object> {
  const { challenge, solution } = await solved2();
  return { challenge, solution: { ...solution, ...change(solution) } };
}

async function changedParameters(change: object): Promise<object> {
  const { challenge, solution } = await solved2();
  return { challenge: { ...challenge, parameters: { ...challenge.parameters, ...change } }, solution };
}

async function movedDigits(): Promise<object> {
  const payload = await solved1();
  const [first, rest] = [`${payload.number}`.slice(0, 1), `${payload.number}`.slice(1)];
  return rest ? { ...payload, salt: `${payload.salt}${first}`, number: Number(rest) } : movedDigits();
}

const zeroHash = (salt: string) => new Bun.CryptoHasher('sha256').update(`${salt}0`).digest('hex');

// biome-ignore format: a table
const TRAPS: readonly Trap[] = [
  ['a number in exponential notation', 'bad-format', () => replaced(/"number":(\d+)/, '"number":$1e0')],
  ['a number with a leading zero', 'bad-format', () => replaced(/"number":/, '"number":0')],
  ['a number with a decimal point', 'bad-format', () => replaced(/"number":(\d+)/, '"number":$1.0')],
  ['a number above 2^53', 'bad-format', () => changed(() => ({ number: 2 ** 53 }))],
  ['a fraction', 'bad-format', () => changed(() => ({ number: 1.5 }))],
  ['a negative number', 'bad-format', () => changed(() => ({ number: -1 }))],
  ['a number as text', 'bad-format', () => replaced(/"number":(\d+)/, '"number":"$1"')],
  ['a member that occurs twice', 'bad-format', () => replaced(/}$/, ',"number":1}')],
  ['spaces', 'bad-format', async () => JSON.stringify(await solved1(), undefined, 1)],
  ['another number', 'invalid', () => changed(({ number }) => ({ number: number + 1 }))],
  ['a salt without its last character', 'bad-format', () => changed(({ salt }) => ({ salt: salt.slice(0, -1) }))],
  ['digits that were moved from the number to the salt', 'bad-format', movedDigits],
  ['another parameter in the salt', 'bad-format', () => replaced('&puzzle', '&x=1&puzzle')],
  ['a later expiration', 'invalid', () => replaced(/expires=\d/, 'expires=9')],
  ['another salt', 'invalid', () => replaced(/"salt":"[0-9a-f]{2}/, '"salt":"00')],
  ['SHA-1', 'bad-format', () => replaced('SHA-256', 'SHA-1')],
  ['SHA-512', 'bad-format', () => replaced('SHA-256', 'SHA-512')],
  ['another signature', 'invalid', () => replaced(/"signature":"[0-9a-f]{4}/, '"signature":"0000')],
  ['no signature', 'bad-format', () => replaced(/"signature":"[0-9a-f]+"/, '"signature":null')],
  ['an easier challenge', 'invalid', () => changed(({ salt }) => ({ challenge: zeroHash(salt), number: 0 }))],
  ['an empty key prefix', 'invalid', () => changedParameters({ keyPrefix: '' })],
  ['a short key prefix', 'invalid', () => changedParameters({ keyPrefix: '0' })],
  ['a higher cost', 'invalid', () => changedParameters({ cost: 2 })],
  ['PBKDF2', 'invalid', () => changedParameters({ algorithm: 'PBKDF2/SHA-256' })],
  ['a shorter key', 'invalid', () => changedParameters({ keyLength: 1 })],
  ['a later expiration of version 2', 'invalid', () => changedParameters({ expiresAt: 9_999_999_999 })],
  ['another parameter', 'invalid', () => changedParameters({ memoryCost: 1 })],
  ['other data', 'bad-format', () => changedParameters({ data: { challengeId: 'x' } })],
  ['another derived key', 'invalid', () => changedSolution(() => ({ derivedKey: '0'.repeat(64) }))],
  ['a derived key with capital letters', 'invalid', () => changedSolution(({ derivedKey }) => ({ derivedKey: derivedKey.toUpperCase() }))],
  ['another counter', 'invalid', () => changedSolution(({ counter }) => ({ counter: counter + 1 }))],
  ['a fractional counter', 'bad-format', () => changedSolution(() => ({ counter: 0.5 }))],
  ['no solution', 'bad-format', async () => ({ challenge: await challenge2() })],
  ['text', 'bad-format', async () => '"solved"'],
  ['null', 'bad-format', async () => 'null'],
  ['an array', 'bad-format', async () => '[]'],
];

test.each(TRAPS)('a payload with %s is not accepted (%s)', async (_, reason, payloadOf) => {
  const before = await claims();
  const payload = encodeAltcha(await payloadOf());
  const expected = `solution-${reason}`;
  expect(await show(payload)).toMatchObject({ verified: false, reason: expected });
  expect(await verify(payload)).toMatchObject(rejected(expected));
  expect(await claims()).toBe(before);
});

test('the order of members does not matter', async () => {
  const { challenge, solution } = await solved2();
  const parameters = Object.fromEntries(Object.entries(challenge.parameters).reverse());
  expect(
    await verify(encodeAltcha({ solution, challenge: { signature: challenge.signature, parameters } })),
  ).toEqual(accepted);
  const reversed = Object.fromEntries(Object.entries(await solved1()).reverse());
  expect(await verify(encodeAltcha(reversed))).toEqual(accepted);
});

test('base64 has one spelling', async () => {
  const before = await claims();
  const text = encodeAltcha({ ...(await solved1()), took: 1 });
  const padded = text.endsWith('=') ? text.replaceAll('=', '') : `${text}=`;
  for (const changed of [
    padded,
    `${text}A`,
    text.replace(/^./, '*'),
    `${text.slice(0, 8)}\n${text.slice(8)}`,
  ])
    expect(await verify(changed)).toMatchObject(BAD_FORMAT);
  expect(await claims()).toBe(before);
});

describe('a payload that the server has signed', () => {
  const exchanged = async () => {
    const { payload } = await show(encodeAltcha(await solved1()));
    return JSON.parse(atob(payload as string)) as Readonly<Record<string, string>>;
  };

  test('names the property and the page', async () => {
    const payload = await exchanged();
    expect(payload).toMatchObject({ algorithm: 'SHA-256', verified: true, apiKey: sitekey() });
    const data = Object.fromEntries(new URLSearchParams(payload.verificationData));
    expect(data).toMatchObject({ verified: 'true', hostname: 'example.com', id: payload.id });
  });

  test.each([
    ['another signature', 'invalid', (payload: object) => ({ ...payload, signature: '0'.repeat(64) })],
    ['SHA-1', 'bad-format', (payload: object) => ({ ...payload, algorithm: 'SHA-1' })],
    ['verified false', 'bad-format', (payload: object) => ({ ...payload, verified: false })],
    ['no token', 'bad-format', (payload: object) => ({ ...payload, verificationData: 'verified=true' })],
  ])('is not accepted with %s (%s)', async (_, reason, change) => {
    expect(await verify(encodeAltcha(change(await exchanged())))).toMatchObject(
      rejected(`solution-${reason}`),
    );
  });

  test('cannot be forged with the secret of the property', async () => {
    const { salt } = await challenge1();
    const puzzle = new URLSearchParams(salt.split('?')[1]).get('puzzle');
    const verificationData = `verified=true&expire=9999999999&token=${puzzle}.${'A'.repeat(43)}`;
    const digest = new Bun.CryptoHasher('sha256').update(verificationData).digest();
    const secret = server.app.services.offlineSecretOf(sitekey(), 0);
    const signature = new Bun.CryptoHasher('sha256', secret).update(digest).digest('hex');
    const forged = { algorithm: 'SHA-256', verificationData, signature, verified: true };
    expect(await verify(encodeAltcha(forged))).toMatchObject(rejected('solution-invalid'));
  });
});

describe('the library of ALTCHA', () => {
  const secretOf = (key: string, rotations = 0) => server.app.services.offlineSecretOf(key, rotations);

  test('verifies both versions offline with the secret of the property, and with no other', async () => {
    const first = await solved1();
    expect(await verifyVersion1(encodeAltcha(first), secretOf(sitekey()))).toBe(true);
    expect(await verifyVersion1(encodeAltcha(first), secretOf(other.property.sitekey))).toBe(false);
    const { challenge, solution } = (await solved2()) as never;
    const options = { challenge, solution, deriveKey };
    const result = await verifyVersion2({ ...options, hmacSignatureSecret: secretOf(sitekey()) });
    expect(result).toMatchObject({ verified: true, expired: false });
    const foreign = await verifyVersion2({
      ...options,
      hmacSignatureSecret: secretOf(other.property.sitekey),
    });
    expect(foreign).toMatchObject({ verified: false, invalidSignature: true });
  });

  // Previously, a leaked secret could be replaced only by replacing the property.
  test('verifies new challenges with the current secret, and earlier challenges with the secret that signed them', async () => {
    const { property, verifyKey: secret } = await addTenant(server, { level: 64 });
    const { id, sitekey: key } = property;
    const first = async () => solveAltcha1(await fetchAltcha(server.url, key));
    const second = async () => solveAltcha2(await fetchAltcha<Altcha2>(server.url, key, '&version=2'));
    const offline = async (solution: object) => {
      const results = [];
      for (const rotations of [0, 1, 2]) {
        const hmacSignatureSecret = secretOf(key, rotations);
        const result =
          'salt' in solution
            ? await verifyVersion1(encodeAltcha(solution), hmacSignatureSecret)
            : (await verifyVersion2({ ...(solution as Version2), deriveKey, hmacSignatureSecret })).verified;
        results.push(result);
      }
      return results;
    };
    const early = [await first(), await second()];
    for (let rotations = 0; rotations < 2; rotations++) {
      const before = [await first(), await second()];
      const { properties } = server.app.services;
      expectOk(await properties.rotateOffline(INSTALLATION, id, rotations));
      expect(expectOk(await properties.rotateOffline(INSTALLATION, id, rotations)).offlineRotations).toBe(
        rotations + 1,
      );
      for (const one of before) expect((await offline(one)).indexOf(true)).toBe(rotations);
      for (const one of [await first(), await second()]) {
        expect(await offline(one)).toEqual([0, 1, 2].map((each) => each === rotations + 1));
        const { payload } = await show(encodeAltcha(one));
        const signed = JSON.parse(atob(payload as string));
        for (const each of [0, 1, 2]) {
          const result = await verifyServerSignature({ payload: signed, hmacSecret: secretOf(key, each) });
          expect(result.verified).toBe(each === rotations + 1);
        }
        expect(await verify(payload, { secret })).toEqual(accepted);
      }
    }
    for (const one of early) expect(await verify(encodeAltcha(one), { secret })).toEqual(accepted);
  });

  test('rejects a challenge whose rotation was changed, and so does the server', async () => {
    const { property, verifyKey: secret } = await addTenant(server, { level: 64 });
    const { id, sitekey: key } = property;
    expectOk(await server.app.services.properties.rotateOffline(INSTALLATION, id, 0));
    const first = solveAltcha1(await fetchAltcha(server.url, key));
    expect(first.salt).toContain('&rotation=1&puzzle=');
    for (const rotation of ['', '&rotation=0', '&rotation=01', '&rotation=2', '&rotation=']) {
      const salt = first.salt.replace('&rotation=1', rotation);
      expect(await verify(encodeAltcha({ ...first, salt }), { secret })).toMatchObject({ verified: false });
    }
    const { challenge, solution } = solveAltcha2(await fetchAltcha<Altcha2>(server.url, key, '&version=2'));
    const { parameters } = challenge;
    for (const rotation of [undefined, 0, 2, '1', 1.5, -1, null]) {
      const data = { ...(parameters as { data: object }).data, rotation };
      const changed = { ...challenge, parameters: { ...parameters, data } };
      expect(await verify(encodeAltcha({ challenge: changed, solution }), { secret })).toMatchObject({
        verified: false,
      });
    }
    expect(await verify(encodeAltcha({ challenge, solution }), { secret })).toEqual(accepted);
  });

  test('solves version 2', async () => {
    const challenge = (await challenge2()) as never;
    const solution = await solveWithLibrary({ challenge, deriveKey });
    expect(await verify(encodeAltcha({ challenge, solution }))).toEqual(accepted);
  });

  test('verifies the payload that the server signed, offline and with the server', async () => {
    const { payload } = await show(encodeAltcha(await solved1()));
    const decoded = JSON.parse(atob(payload as string));
    const offline = await verifyServerSignature({ payload: decoded, hmacSecret: secretOf(sitekey()) });
    expect(offline).toMatchObject({
      verified: true,
      verificationData: { hostname: 'example.com', id: decoded.id },
    });
    const url = `${server.url}/v1/verify/signature`;
    const options = { payload: payload as string, url, secret: tenant.verifyKey, retries: 2 };
    expect(await verifyServer(options)).toMatchObject({ verified: true });
    expect(await verifyServer(options)).toMatchObject({
      verified: false,
      reason: 'solution-verified-before',
    });
  });
});

describe('/v1/verify/signature', () => {
  test.each([
    ['no secret', () => ({ secret: undefined }), 'missing-input-secret'],
    ['an unknown secret', () => ({ secret: 'x' }), 'invalid-input-secret'],
    ['a key of another scope', () => ({ secret: tenant.portalKey }), 'invalid-input-secret'],
    ['a secret of another type', () => ({ secret: 1 }), 'bad-request'],
    ['no payload', () => ({ payload: undefined }), 'bad-request'],
  ] as const)(
    'responds to %s with status 400, so that clients do not repeat the request',
    async (_, change, error) => {
      const payload = encodeAltcha(await solved1());
      expect(await verify(payload, change())).toMatchObject({ status: 400, verified: false, error });
    },
  );

  test('accepts the key in the header, and the paths of both prefixes', async () => {
    for (const path of ['/v1/verify/signature', '/altcha/v1/verify/signature']) {
      const body = { payload: encodeAltcha(await solved1()) };
      const headers = { 'X-API-Key': tenant.verifyKey, 'X-PC-Sitekey': sitekey() };
      expect(await postJson(`${server.url}${path}`, body, headers)).toEqual(accepted);
    }
  });

  test("also accepts a solution of Postern's widget, for pages that load /altcha/altcha.js", async () => {
    expect(await verify(await fetchAndSolve(server.url, sitekey()))).toEqual(accepted);
  });

  test('accepts the test property only if the request names its sitekey', async () => {
    const payload = encodeAltcha(solveAltcha1(await fetchAltcha<Altcha1>(server.url, TEST_SITEKEY)));
    const { payload: exchanged } = await show(payload);
    expect(await verify(exchanged)).toMatchObject(rejected('property-test'));
    expect(await verify(exchanged, { apiKey: TEST_SITEKEY })).toMatchObject({ verified: true });
  });

  test('responds with status 503 if the claim cannot be stored, so that clients repeat the request', async () => {
    const payload = encodeAltcha(
      solveAltcha1(await fetchAltcha(failing.url, failingTenant.property.sitekey)),
    );
    const body = { payload, secret: failingTenant.verifyKey };
    const response = await postJson(`${failing.url}/v1/verify/signature`, body);
    expect(response).toMatchObject({ status: 503, verified: false, error: 'error-other' });
  });

  test('rejects bodies that are too large, too deep, or not JSON', async () => {
    const send = (body: string) => postJson(`${server.url}/v1/verify/signature`, body);
    expect(await send(JSON.stringify({ payload: 'x'.repeat(17_000) }))).toMatchObject({ status: 413 });
    for (const body of ['', '{', '['.repeat(9), '[]', '1'])
      expect(await send(body)).toMatchObject({ status: 400, verified: false, error: 'bad-request' });
  });
});

test('/verify and /siteverify reject the payloads of ALTCHA, which take less work', async () => {
  const before = await claims();
  const solution = encodeAltcha(await solved1());
  const { payload: exchanged } = await show(solution);
  for (const response of [solution, exchanged as string]) {
    const init = { method: 'POST', headers: { 'X-API-Key': tenant.verifyKey }, body: response };
    const verified = await fetch(`${server.url}/verify`, init);
    expect(await verified.json()).toMatchObject({ success: false, code: 4 });
    const answer = await postJson(`${server.url}/siteverify`, { secret: tenant.verifyKey, response });
    expect(answer).toMatchObject({ success: false, 'error-codes': ['solution-bad-format'] });
  }
  expect(await claims()).toBe(before);
});
