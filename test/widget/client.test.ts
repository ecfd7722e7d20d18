import { describe, expect, test } from 'bun:test';
import { base64Of } from '../../src/lib/bytes.ts';
import type { Instant } from '../../src/lib/time.ts';
import { toPuzzleBytes } from '../../src/puzzle/puzzle.ts';
import { createFetchPuzzle } from '../../src/widget/client.ts';

const NOW = Date.parse('2026-01-31T12:00:00Z') as Instant;
const NOW_SECONDS = NOW / 1000;
const ENDPOINT = 'https://postern.example/puzzle';

function textOf(expiresAtSeconds: number): string {
  const bytes = toPuzzleBytes({
    propertyId: new Uint8Array(16),
    puzzleId: new Uint8Array(8).fill(1),
    difficulty: 80,
    solutionCount: 16,
    expiresAtSeconds,
    userData: new Uint8Array(16),
  });
  return `${base64Of(bytes)}.${base64Of(new Uint8Array(40))}`;
}

const refusal = (status: number, description: string, headers: Record<string, string> = {}) =>
  Response.json({ meta: { code: 1001, description, request_id: 'r' }, data: null }, { status, headers });

/** A server that gives one answer after the other, and a clock that nobody waits for. */
function script(...answers: (Response | Error)[]) {
  const asked: { url: string; init: RequestInit }[] = [];
  const pauses: number[] = [];
  const fetchPuzzle = createFetchPuzzle({
    fetch: async (url, init) => {
      asked.push({ url, init });
      const answer = answers.shift();
      if (answer instanceof Response) return answer;
      throw answer ?? new Error('asked too often');
    },
    // The ten seconds of patience for an answer never pass here.
    pause: (milliseconds) => {
      if (milliseconds === 10_000) return new Promise(() => undefined);
      // Nor does it take time to learn that a policy forbade it.
      if (milliseconds === 20) return Promise.resolve();
      pauses.push(milliseconds);
      return Promise.resolve();
    },
    random: () => 0.5,
    now: () => NOW,
    forbiddenBy: (url) => (url.includes('forbidden') ? 'connect-src' : undefined),
  });
  const ask = (signal = new AbortController().signal, sitekey = 'a b') =>
    fetchPuzzle(ENDPOINT, sitekey, signal);
  return { ask, asked, pauses };
}

describe('a request for a puzzle', () => {
  test('that the page’s policy forbids is not repeated, and the directive is named', async () => {
    const { ask, asked } = script(new TypeError('Failed to fetch'));
    expect(await ask(undefined, 'forbidden')).toEqual({
      ok: false,
      problem: 'policy-blocks',
      reason: 'content-security-policy: connect-src https://postern.example',
    });
    expect(asked).toHaveLength(1);
  });

  test('names the sitekey and the version, sends no cookie, and gives the origin as referrer', async () => {
    const { ask, asked } = script(new Response(textOf(NOW_SECONDS + 600)));
    expect(await ask()).toMatchObject({ ok: true });
    expect(asked[0]?.url).toBe(`${ENDPOINT}?sitekey=a+b`);
    expect(asked[0]?.init).toMatchObject({
      mode: 'cors',
      credentials: 'omit',
      referrerPolicy: 'strict-origin',
      headers: { 'X-PC-Captcha-Version': '1' },
    });
  });

  test('passes the text back unchanged', async () => {
    const text = textOf(NOW_SECONDS + 600);
    const ending = await script(new Response(text)).ask();
    expect(ending.ok && ending.value.text).toBe(text);
    expect(ending.ok && ending.value.puzzle.difficulty).toBe(80);
  });
});

describe('how long a puzzle is good for', () => {
  const table: [string, number, Record<string, string>, number | undefined][] = [
    ['by the local clock', NOW_SECONDS + 600, {}, 600_000],
    ['by the local clock, at least 30 s: it may be wrong', NOW_SECONDS - 86_400, {}, 30_000],
    ['by the date of the server', NOW_SECONDS + 600, { Date: 'Sat, 31 Jan 2026 12:05:00 GMT' }, 300_000],
    [
      'by the date of the server, also where it is short',
      NOW_SECONDS,
      { Date: 'Sat, 31 Jan 2026 11:59:55 GMT' },
      5_000,
    ],
    ['by the date of the server, never negative', NOW_SECONDS, { Date: 'Sat, 31 Jan 2026 13:00:00 GMT' }, 0],
    ['for ever, the test puzzle', 0, {}, undefined],
  ];
  test.each(table)('%s', async (_, expiresAtSeconds, headers, validForMs) => {
    const ending = await script(new Response(textOf(expiresAtSeconds), { headers })).ask();
    expect(ending.ok && ending.value.validForMs).toBe(validForMs as number);
  });
});

describe('a refusal', () => {
  test.each([408, 409, 429, 500, 503])(
    'with status %d is tried four times, with growing delays',
    async (status) => {
      const { ask, pauses } = script(...Array.from({ length: 4 }, () => refusal(status, 'Not now.')));
      expect(await ask()).toEqual({ ok: false, problem: 'service-busy', reason: 'Not now.' });
      expect(pauses).toEqual([375, 750, 1500]);
    },
  );

  test.each([400, 401, 403, 404, 410])('with status %d is final and tells the reason', async (status) => {
    const { ask, asked } = script(refusal(status, 'This origin is not allowed.'));
    expect(await ask()).toEqual({
      ok: false,
      problem: 'puzzle-refused',
      reason: 'This origin is not allowed.',
    });
    expect(asked).toHaveLength(1);
  });

  test('waits as long as Retry-After says', async () => {
    const { ask, pauses } = script(
      refusal(429, 'Slow down.', { 'Retry-After': '2' }),
      refusal(429, 'Slow down.', { 'Retry-After': '15' }),
      refusal(429, 'Slow down.', { 'Retry-After': 'tomorrow' }),
      new Response(textOf(NOW_SECONDS + 600)),
    );
    expect(await ask()).toMatchObject({ ok: true });
    expect(pauses).toEqual([2000, 15_000, 1500]);
  });

  test('is final where Retry-After says more than a visitor would wait', async () => {
    const { ask, asked } = script(refusal(429, 'Slow down.', { 'Retry-After': '60' }));
    expect(await ask()).toMatchObject({ ok: false, problem: 'service-busy' });
    expect(asked).toHaveLength(1);
  });

  test('that is no envelope is told by its status', async () => {
    expect(await script(new Response('<h1>', { status: 404 })).ask()).toMatchObject({ reason: 'HTTP 404' });
    expect(await script(new Response('null', { status: 404 })).ask()).toMatchObject({ reason: 'HTTP 404' });
    expect(await script(new Response('{"meta":{"description":1}}', { status: 404 })).ask()).toMatchObject({
      reason: 'HTTP 404',
    });
  });
});

test('a network failure is tried again', async () => {
  const { ask, asked } = script(new TypeError('Failed to fetch'), new Response(textOf(NOW_SECONDS + 600)));
  expect(await ask()).toMatchObject({ ok: true });
  expect(asked).toHaveLength(2);
});

test('a network that stays away is told', async () => {
  const { ask } = script(...Array.from({ length: 4 }, () => new TypeError('Failed to fetch')));
  expect(await ask()).toMatchObject({ ok: false, problem: 'service-unreachable' });
});

test('an aborted request is not repeated', async () => {
  const run = new AbortController();
  const { ask, asked } = script(new TypeError('Failed to fetch'));
  run.abort();
  expect(await ask(run.signal)).toMatchObject({ ok: false });
  expect(asked).toHaveLength(1);
});

test.each([
  '',
  '.',
  'AAAA.AAAA',
  'no base64!.AAAA',
  `${textOf(1)}.AAAA`,
  textOf(1).replace('.', ''),
  '<h1>Hello</h1>',
])('an answer that is no puzzle (%p) is told', async (text) => {
  expect(await script(new Response(text)).ask()).toMatchObject({ ok: false, problem: 'puzzle-malformed' });
});
