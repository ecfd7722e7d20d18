import { describe, expect, test } from 'bun:test';
import CapServer from '@cap.js/server';
import { capShapeOf } from '../../../src/captcha/dialects/cap.ts';
import { instantFromSeconds, later, SECOND } from '../../../src/lib/time.ts';
import { parsePuzzle } from '../../../src/puzzle/puzzle.ts';
import { solveCap } from '../../support/capSolver.ts';
import { encodeAltcha, fetchAltcha, fetchCap, postJson, solveAltcha1 } from '../../support/dialects.ts';
import { useServer, useTenant } from '../../support/useServer.ts';
import { fetchAndSolve, fetchPuzzle } from '../../support/visitor.ts';

/** The paths of Cap. `test/browser/dialects` tests them with the unmodified widget. */

const TEST_SITEKEY = 'aaaaaaaabbbbccccddddeeeeeeeeeeee';
const server = useServer({ settings: { POSTERN_TEST_PROPERTY: 'on' } });
const tenant = useTenant(server, { level: 40 });
const other = useTenant(server, { level: 8 });
const repeatable = useTenant(server, { level: 8, allowance: 2 });
const argon2id = useTenant(server, { level: 160, challenge: 'argon2id' });
const limited = useServer({ settings: { POSTERN_PUZZLE_RATE: '0.001', POSTERN_PUZZLE_BURST: '2' } });
const limitedTenant = useTenant(limited, { level: 8 });

const pathOf = (action: string, sitekey = tenant.property.sitekey) =>
  `${server.url}/cap/${sitekey}/${action}`;

async function solved(sitekey = tenant.property.sitekey) {
  const challenge = await fetchCap(server.url, sitekey);
  return { challenge, body: { token: challenge.token, solutions: solveCap(challenge) } };
}

async function redeemed(sitekey = tenant.property.sitekey): Promise<string> {
  const { body } = await solved(sitekey);
  const { token } = await postJson(pathOf('redeem', sitekey), body);
  return token as string;
}

const verify = (response: string, sitekey = tenant.property.sitekey, secret = tenant.verifyKey) =>
  postJson(pathOf('siteverify', sitekey), { secret, response });

const accepted = { status: 200, success: true, hostname: 'example.com' };
const claims = async () => (await server.written()).claims;

describe('a challenge', () => {
  test('contains the signed puzzle, and work that follows from the difficulty', async () => {
    const before = await claims();
    const challenge = await fetchCap(server.url, tenant.property.sitekey);
    expect(challenge.challenge).toEqual({ c: 32, s: 32, d: 1 });
    expect(challenge.challenge).toEqual(capShapeOf(40));
    const puzzle = parsePuzzle(Buffer.from(challenge.token.split('.')[0] ?? '', 'base64url'));
    expect(puzzle).toMatchObject({ version: 1, difficulty: 40 });
    expect(challenge.expires).toBe(instantFromSeconds(puzzle?.expiresAtSeconds ?? 0));
    expect(await claims()).toBe(before);
  });

  test('is BLAKE2b work with the full difficulty, even if the property uses argon2id', async () => {
    const { token, challenge } = await fetchCap(server.url, argon2id.property.sitekey);
    expect(parsePuzzle(Buffer.from(token.split('.')[0] ?? '', 'base64url'))).toMatchObject({
      version: 1,
      difficulty: 160,
    });
    expect(challenge).toEqual({ c: 16, s: 32, d: 5 });
  });

  test('is allowed for pages of all origins, and without a preflight', async () => {
    const init = { method: 'POST', headers: { Origin: 'https://example.com' } };
    const { status, headers } = await fetch(pathOf('challenge'), init);
    expect(status).toBe(200);
    expect(headers.get('access-control-allow-origin')).toBe('https://example.com');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test.each([
    ['another domain', 403, () => tenant.property.sitekey, 'https://example.net'],
    ['an unknown property', 403, () => '0'.repeat(32), 'https://example.com'],
    ['an invalid sitekey', 400, () => 'shop', 'https://example.com'],
  ])('is rejected for %s with an error that the widget shows', async (_, status, sitekey, origin) => {
    const response = await fetch(pathOf('challenge', sitekey() as typeof tenant.property.sitekey), {
      method: 'POST',
      headers: { Origin: origin },
    });
    expect(response.status).toBe(status);
    expect(response.headers.get('access-control-allow-origin')).toBe(origin);
    expect(await response.json()).toMatchObject({
      error: expect.any(String),
      meta: { code: expect.any(Number) },
    });
  });

  test('shares the rate limit of /puzzle with puzzles and solutions', async () => {
    const { sitekey } = limitedTenant.property;
    await fetchPuzzle(limited.url, sitekey);
    const { token } = await fetchCap(limited.url, sitekey);
    const init = { method: 'POST', headers: { Origin: 'https://example.com' } };
    const response = await fetch(`${limited.url}/cap/${sitekey}/challenge`, init);
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    const redeemed = await postJson(`${limited.url}/cap/${sitekey}/redeem`, { token, solutions: [] });
    expect(redeemed).toEqual({ status: 429, success: false, error: 'rate-limited' });
  });
});

test("the library of Cap accepts the solutions of this server's challenges", async () => {
  const { challenge, body } = await solved();
  const library = new CapServer({ noFSState: true });
  library.config.state.challengesList[challenge.token] = {
    challenge: challenge.challenge,
    expires: Date.now() + 60_000,
  };
  expect(await library.redeemChallenge(body)).toMatchObject({ success: true });
});

describe('a solution', () => {
  test('is exchanged for a token, always the same one, without a claim', async () => {
    const before = await claims();
    const { challenge, body } = await solved();
    const first = await postJson(pathOf('redeem'), body);
    expect(first).toEqual({
      status: 200,
      success: true,
      token: expect.any(String),
      expires: challenge.expires,
    });
    expect(await postJson(pathOf('redeem'), { ...body, took: 1 })).toEqual(first);
    expect(await claims()).toBe(before);
  });

  test('is rejected if it is wrong, expired, changed, or for another property', async () => {
    const { body } = await solved();
    const wrong = { ...body, solutions: body.solutions.map((number) => number + 1) };
    const failed = (error: string) => ({ status: 200, success: false, error });
    expect(await postJson(pathOf('redeem'), wrong)).toEqual(failed('solution-invalid'));
    expect(await postJson(pathOf('redeem', other.property.sitekey), body)).toEqual(
      failed('property-invalid'),
    );
    const [puzzle, signature = ''] = body.token.split('.');
    const bytes = Buffer.from(signature, 'base64url');
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    const changed = { ...body, token: `${puzzle}.${bytes.toString('base64url')}` };
    expect(await postJson(pathOf('redeem'), changed)).toEqual(failed('integrity-error'));
    const now = server.clock.now;
    server.clock.now = later(now, tenant.property.validitySeconds * SECOND);
    expect(await postJson(pathOf('redeem'), body)).toEqual(failed('puzzle-expired'));
    server.clock.now = now;
  });

  const withNumber = (number: unknown) => (body: { token: string; solutions: number[] }) =>
    JSON.stringify(body).replace(/\[\d+/, `[${number}`);
  test.each([
    ['a fraction', withNumber('1.5')],
    ['a number above 2^53', withNumber('9007199254740993')],
    ['a negative number', withNumber('-1')],
    ['a text', withNumber('"1"')],
    ['a number that overflows', withNumber('1e999')],
    ['too few numbers', ({ token, solutions }) => ({ token, solutions: solutions.slice(1) })],
    ['too many numbers', ({ token, solutions }) => ({ token, solutions: [...solutions, 0] })],
    [
      'no numbers and a challenge of its own',
      ({ token }) => ({ token, solutions: [], challenge: { c: 0, s: 32, d: 0 } }),
    ],
    ['the padded alphabet', ({ token, solutions }) => ({ token: `${token}=`, solutions })],
    ['no token', ({ solutions }) => ({ solutions })],
    ['an array', () => []],
  ] as readonly [string, (body: { token: string; solutions: number[] }) => unknown][])(
    'is invalid with %s',
    async (_, change) => {
      const { body } = await solved();
      const response = await postJson(pathOf('redeem'), change(body));
      expect(response).toEqual({ status: 400, success: false, error: 'solution-bad-format' });
    },
  );

  test('is invalid with the puzzle of an argon2id challenge, whose difficulty stands for other work', async () => {
    const { sitekey } = argon2id.property;
    const response = await fetch(`${server.url}/puzzle?sitekey=${sitekey}&version=2`, {
      headers: { Origin: 'https://example.com' },
    });
    const token = (await response.text()).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    const challenge = { challenge: capShapeOf(32), token, expires: 0 };
    const body = { token, solutions: solveCap(challenge) };
    expect(await postJson(pathOf('redeem', sitekey), body)).toMatchObject({ error: 'solution-bad-format' });
  });

  test('is rejected if the body is too large, too deep, or not JSON', async () => {
    const large = JSON.stringify({ token: 'x'.repeat(17_000) });
    expect(await postJson(pathOf('redeem'), large)).toMatchObject({ status: 413, success: false });
    for (const body of ['', '{', '['.repeat(9), `[${'1,'.repeat(3000)}1]`])
      expect(await postJson(pathOf('redeem'), body)).toEqual({
        status: 400,
        success: false,
        error: 'bad-request',
      });
  });

  test('may be sent after a preflight', async () => {
    const response = await fetch(pathOf('redeem'), {
      method: 'OPTIONS',
      headers: { Origin: 'https://example.com', 'Access-Control-Request-Headers': 'content-type' },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-methods')).toBe('POST, OPTIONS');
    expect(response.headers.get('access-control-allow-headers')).toBe('content-type');
  });
});

// The files of /cap/widget.js have a preflight for the whole folder.
test('a method that a path does not have gets status 405, and each method of the path once', async () => {
  const { status, headers } = await fetch(pathOf('redeem'), { method: 'PUT' });
  expect([status, headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
});

describe('siteverify', () => {
  test('accepts a token once, as JSON or as a form', async () => {
    const before = await claims();
    const [first, second] = [await redeemed(), await redeemed()];
    const response = await verify(first);
    expect(response).toEqual({ ...accepted, challenge_ts: expect.any(String) });
    const form = new URLSearchParams({ secret: tenant.verifyKey, response: second });
    const answer = await fetch(pathOf('siteverify'), { method: 'POST', body: form });
    expect(await answer.json()).toMatchObject({ success: true });
    expect(await claims()).toBe(before + 2);
    const replayed = {
      success: false,
      error: 'solution-verified-before',
      'error-codes': ['solution-verified-before'],
    };
    expect(await verify(first)).toMatchObject(replayed);
  });

  test('rejects the second token of a puzzle that was redeemed twice', async () => {
    const { body } = await solved();
    const tokens = [await postJson(pathOf('redeem'), body), await postJson(pathOf('redeem'), body)];
    const results = [];
    for (const { token } of tokens) results.push(await verify(token as string));
    expect(results.map(({ success }) => success)).toEqual([true, false]);
  });

  test('accepts only one of many simultaneous verifications', async () => {
    const token = await redeemed();
    const results = await Promise.all(Array.from({ length: 20 }, () => verify(token)));
    expect(results.filter(({ success }) => success)).toHaveLength(1);
  });

  test('accepts a token as often as the property allows', async () => {
    const { sitekey } = repeatable.property;
    const token = await redeemed(sitekey);
    const results = [];
    for (let i = 0; i < 3; i++) results.push(await verify(token, sitekey, repeatable.verifyKey));
    expect(results.map(({ success }) => success)).toEqual([true, true, false]);
  });

  test("rejects an expired token, another property's token, another tenant's secret, and a changed token", async () => {
    const before = await claims();
    const token = await redeemed();
    const error = async (response: ReturnType<typeof verify>) => (await response).error;
    expect(await error(verify(token, other.property.sitekey))).toBe('property-invalid');
    expect(await error(verify(token, tenant.property.sitekey, other.verifyKey))).toBe(
      'property-owner-mismatch',
    );
    expect(await error(verify(token, tenant.property.sitekey, 'postern_verify_x'))).toBe(
      'invalid-input-secret',
    );
    expect(await error(verify(`${token.slice(0, -2)}AA`))).toBe('solution-invalid');
    const unsolved = (await fetchCap(server.url, tenant.property.sitekey)).token;
    expect(await error(verify(unsolved))).toBe('solution-bad-format');
    expect(await error(verify(`${unsolved}.${'A'.repeat(43)}`))).toBe('solution-invalid');
    expect(await error(verify(''))).toBe('missing-input-response');
    const now = server.clock.now;
    server.clock.now = later(now, tenant.property.validitySeconds * SECOND);
    expect(await error(verify(token))).toBe('puzzle-expired');
    server.clock.now = now;
    expect(await claims()).toBe(before);
    expect(await verify(token)).toMatchObject(accepted);
  });

  test("also accepts a solution of Postern's widget, for pages that load /cap/widget.js", async () => {
    expect(await verify(await fetchAndSolve(server.url, tenant.property.sitekey))).toMatchObject(accepted);
  });

  test('accepts the test property', async () => {
    const token = await redeemed(TEST_SITEKEY as typeof tenant.property.sitekey);
    expect(await verify(token, TEST_SITEKEY as typeof tenant.property.sitekey)).toMatchObject({
      success: true,
    });
    expect(await verify(token)).toMatchObject({ success: false, error: 'property-invalid' });
  });
});

// A payload of ALTCHA once contained a token that was also valid here.
test('siteverify rejects everything in a payload of ALTCHA, which takes a 32nd of the work', async () => {
  const before = await claims();
  const payload = encodeAltcha(solveAltcha1(await fetchAltcha(server.url, tenant.property.sitekey)));
  const shown = await postJson(`${server.url}/altcha/v1/verify`, { payload });
  const token = new URLSearchParams(shown.verificationData as string).get('token') ?? '';
  expect(await verify(token)).toMatchObject({ success: false, error: 'solution-invalid' });
  for (const text of [payload, shown.payload as string])
    expect(await verify(text)).toMatchObject({ success: false, error: 'solution-bad-format' });
  expect(await claims()).toBe(before);
});

test('/verify and /siteverify reject the tokens of Cap, which take less work', async () => {
  const before = await claims();
  const token = await redeemed();
  const verified = await fetch(`${server.url}/verify`, {
    method: 'POST',
    headers: { 'X-API-Key': tenant.verifyKey },
    body: token,
  });
  expect(await verified.json()).toMatchObject({ success: false, code: 4 });
  const response = await postJson(`${server.url}/siteverify`, { secret: tenant.verifyKey, response: token });
  expect(response).toMatchObject({ success: false, 'error-codes': ['solution-bad-format'] });
  expect(await claims()).toBe(before);
});
