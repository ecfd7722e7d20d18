import { beforeEach, describe, expect, test } from 'bun:test';
import { toBase64 } from '../../src/lib/bytes.ts';
import type { Instant } from '../../src/lib/time.ts';
import { toPuzzleBytes } from '../../src/puzzle/puzzle.ts';
import {
  createFetchPuzzle,
  type PuzzleVersion,
  type ReadRejection,
  readRejection,
} from '../../src/widget/client.ts';

const NOW = Date.parse('2026-01-31T12:00:00Z') as Instant;
const NOW_SECONDS = NOW / 1000;
const ENDPOINT = 'https://postern.example/puzzle';

function textOf(expiresAtSeconds: number): string {
  const bytes = toPuzzleBytes({
    version: 1,
    challenge: 'blake2b',
    propertyId: new Uint8Array(16),
    puzzleId: new Uint8Array(8).fill(1),
    difficulty: 80,
    solutionCount: 16,
    expiresAtSeconds,
    userData: new Uint8Array(16),
  });
  return `${toBase64(bytes)}.${toBase64(new Uint8Array(40))}`;
}

const errorResponse = (status: number, description: string, headers: Record<string, string> = {}) =>
  Response.json({ meta: { code: 1001, description, request_id: 'r' }, data: null }, { status, headers });

const withResponses = (...responses: (Response | Error)[]) =>
  withClient(responses, async () => readRejection);

let isOffline = false;
beforeEach(() => {
  isOffline = false;
});

/** A client of a server that sends these responses in order. Its pauses take no time. */
function withClient(responses: (Response | Error)[], loadReadRejection: () => Promise<ReadRejection>) {
  const requests: { url: string; init: RequestInit }[] = [];
  const pauses: number[] = [];
  const fetchPuzzle = createFetchPuzzle(
    async (url, init) => {
      requests.push({ url, init });
      const response = responses.shift();
      if (response instanceof Response) return response;
      throw response ?? new Error('too many requests');
    },
    // The request timeout never expires.
    (milliseconds) => {
      if (milliseconds === 10_000) return new Promise(() => undefined);
      // The delay of violation events is not recorded.
      if (milliseconds === 20) return Promise.resolve();
      pauses.push(milliseconds);
      return Promise.resolve();
    },
    () => 0.5,
    () => NOW,
    (url) => (url.includes('blocked') ? 'connect-src' : undefined),
    () => isOffline,
  );
  const fetchOnce = (signal = new AbortController().signal, sitekey = 'a b', version: PuzzleVersion = 1) =>
    fetchPuzzle(ENDPOINT, sitekey, signal, version, loadReadRejection);
  return { fetchPuzzle, fetchOnce, requests, pauses };
}

describe('a request for a puzzle', () => {
  test('that the page’s policy blocks is not repeated, and the reason names the directive', async () => {
    const { fetchOnce, requests } = withResponses(new TypeError('Failed to fetch'));
    expect(await fetchOnce(undefined, 'blocked')).toEqual({
      ok: false,
      problem: 'policy-blocks',
      reason: 'content-security-policy: connect-src https://postern.example',
    });
    expect(requests).toHaveLength(1);
  });

  test('that fails without a network is not repeated', async () => {
    const { fetchOnce, requests, pauses } = withResponses(new TypeError('Failed to fetch'));
    isOffline = true;
    expect(await fetchOnce()).toMatchObject({ ok: false, problem: 'service-unreachable' });
    expect(requests).toHaveLength(1);
    expect(pauses).toEqual([]);
  });

  test('keeps the parameters of the endpoint, such as the path of the page', async () => {
    const { fetchPuzzle, requests } = withResponses(new Response(textOf(NOW_SECONDS + 600)));
    const { signal } = new AbortController();
    expect(
      await fetchPuzzle(`${ENDPOINT}?path=%2Flogin`, 'key', signal, 1, async () => readRejection),
    ).toMatchObject({ ok: true });
    expect(requests[0]?.url).toBe(`${ENDPOINT}?path=%2Flogin&sitekey=key&version=1&random=0.5`);
  });

  test('contains the sitekey, the version, and the origin as referrer, but no cookies', async () => {
    const { fetchOnce, requests } = withResponses(new Response(textOf(NOW_SECONDS + 600)));
    expect(await fetchOnce()).toMatchObject({ ok: true });
    expect(requests[0]?.url).toBe(`${ENDPOINT}?sitekey=a+b&version=1&random=0.5`);
    expect(requests[0]?.init).toMatchObject({
      credentials: 'omit',
      referrerPolicy: 'strict-origin',
    });
  });

  test('announces the newest version that the device can solve', async () => {
    const { fetchOnce, requests } = withResponses(new Response(textOf(NOW_SECONDS + 600)));
    await fetchOnce(undefined, undefined, 2);
    expect(requests[0]?.url).toContain('&version=2&');
    expect(requests[0]?.init.headers).toBeUndefined();
  });

  test('returns the text unchanged', async () => {
    const text = textOf(NOW_SECONDS + 600);
    const outcome = await withResponses(new Response(text)).fetchOnce();
    expect(outcome.ok && outcome.value.text).toBe(text);
    expect(outcome.ok && outcome.value.puzzle.difficulty).toBe(80);
  });
});

describe('the validity of a puzzle', () => {
  const table: [string, number, Record<string, string>, number | undefined][] = [
    ['uses the local clock', NOW_SECONDS + 600, {}, 600_000],
    ['is at least 30 s with the local clock, which may be wrong', NOW_SECONDS - 86_400, {}, 30_000],
    ['uses the date of the server', NOW_SECONDS + 600, { Date: 'Sat, 31 Jan 2026 12:05:00 GMT' }, 300_000],
    [
      'may be short with the date of the server',
      NOW_SECONDS,
      { Date: 'Sat, 31 Jan 2026 11:59:55 GMT' },
      5_000,
    ],
    ['is never negative', NOW_SECONDS, { Date: 'Sat, 31 Jan 2026 13:00:00 GMT' }, 0],
    ['is unlimited for the test puzzle', 0, {}, undefined],
  ];
  test.each(table)('%s', async (_, expiresAtSeconds, headers, validForMs) => {
    const outcome = await withResponses(new Response(textOf(expiresAtSeconds), { headers })).fetchOnce();
    expect(outcome.ok && outcome.value.validForMs).toBe(validForMs as number);
  });
});

describe('an error response', () => {
  test.each([408, 409, 429, 500, 503])(
    'with status %d is retried three times with increasing delays',
    async (status) => {
      const { fetchOnce, pauses } = withResponses(
        ...Array.from({ length: 4 }, () => errorResponse(status, 'Try again later.')),
      );
      expect(await fetchOnce()).toEqual({
        ok: false,
        problem: 'service-busy',
        reason: 'Try again later.',
        status,
      });
      expect(pauses).toEqual([375, 750, 1500]);
    },
  );

  test.each([400, 401, 403, 404, 410])('with status %d is final and returns the reason', async (status) => {
    const { fetchOnce, requests } = withResponses(errorResponse(status, 'This origin is not allowed.'));
    expect(await fetchOnce()).toEqual({
      ok: false,
      problem: 'puzzle-denied',
      reason: 'This origin is not allowed.',
      status,
    });
    expect(requests).toHaveLength(1);
  });

  test('is retried after the delay in Retry-After', async () => {
    const { fetchOnce, pauses } = withResponses(
      errorResponse(429, 'Slow down.', { 'Retry-After': '2' }),
      errorResponse(429, 'Slow down.', { 'Retry-After': '15' }),
      errorResponse(429, 'Slow down.', { 'Retry-After': 'tomorrow' }),
      new Response(textOf(NOW_SECONDS + 600)),
    );
    expect(await fetchOnce()).toMatchObject({ ok: true });
    expect(pauses).toEqual([2000, 15_000, 1500]);
  });

  test('is final if Retry-After is longer than 15 seconds', async () => {
    const { fetchOnce, requests } = withResponses(errorResponse(429, 'Slow down.', { 'Retry-After': '60' }));
    expect(await fetchOnce()).toMatchObject({ ok: false, problem: 'service-busy' });
    expect(requests).toHaveLength(1);
  });

  test('without an envelope has its status as the reason', async () => {
    expect(await withResponses(new Response('<h1>', { status: 404 })).fetchOnce()).toMatchObject({
      reason: 'HTTP 404',
    });
    expect(await withResponses(new Response('null', { status: 404 })).fetchOnce()).toMatchObject({
      reason: 'HTTP 404',
    });
    expect(
      await withResponses(new Response('{"meta":{"description":1}}', { status: 404 })).fetchOnce(),
    ).toMatchObject({
      reason: 'HTTP 404',
    });
  });
});

test('an error response whose reader cannot be loaded is like a network failure', async () => {
  const responses = Array.from({ length: 4 }, () => errorResponse(403, 'This origin is not allowed.'));
  const { fetchOnce, pauses } = withClient(responses, () => Promise.reject(new Error('did not load')));
  expect(await fetchOnce()).toEqual({
    ok: false,
    problem: 'service-unreachable',
    reason: 'Error: did not load',
  });
  expect(pauses).toEqual([375, 750, 1500]);
});

test('a network failure is retried', async () => {
  const { fetchOnce, requests } = withResponses(
    new TypeError('Failed to fetch'),
    new Response(textOf(NOW_SECONDS + 600)),
  );
  expect(await fetchOnce()).toMatchObject({ ok: true });
  expect(requests).toHaveLength(2);
});

test('a persistent network failure is reported', async () => {
  const { fetchOnce } = withResponses(...Array.from({ length: 4 }, () => new TypeError('Failed to fetch')));
  expect(await fetchOnce()).toMatchObject({ ok: false, problem: 'service-unreachable' });
});

test('an aborted request is not repeated', async () => {
  const run = new AbortController();
  const { fetchOnce, requests } = withResponses(new TypeError('Failed to fetch'));
  run.abort();
  expect(await fetchOnce(run.signal)).toMatchObject({ ok: false });
  expect(requests).toHaveLength(1);
});

test.each([
  '',
  '.',
  'AAAA.AAAA',
  'not base64!.AAAA',
  `${textOf(1)}.AAAA`,
  textOf(1).replace('.', ''),
  '<h1>Hello</h1>',
])('an invalid response (%p) is reported', async (text) => {
  expect(await withResponses(new Response(text)).fetchOnce()).toMatchObject({
    ok: false,
    problem: 'puzzle-malformed',
  });
});
