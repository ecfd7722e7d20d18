import { describe, expect, test } from 'bun:test';
import { costRatio } from '../support/growth.ts';
import { beginSlowRequest, type SlowRequest, until } from '../support/slowRequest.ts';
import { useServer, useTenant } from '../support/useServer.ts';
import { fetchAndSolve } from '../support/visitor.ts';
import { send, sendRaw } from './scenario.ts';

/** 64 KiB, so one body uses all of the memory for bodies of requests without credentials. */
const CAPACITY = 64 * 1024;

const server = useServer({
  bodies: { anonymous: { capacity: CAPACITY, share: CAPACITY }, discardMs: 50 },
  settings: { POSTERN_DEMO: 'on' },
});
const tenant = useTenant(server);

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const payload = () => fetchAndSolve(server.url, tenant.property.sitekey);

/** A request with `Connection: close` and these headers of the body. */
function request(line: string, headers: Record<string, string>, body: string): string {
  const all = { Host: new URL(server.url).host, Connection: 'close', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

function inChunks(body: string, size: number): string {
  const chunks: string[] = [];
  for (let at = 0; at < body.length; at += size) {
    const chunk = body.slice(at, at + size);
    chunks.push(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  }
  return `${chunks.join('')}0\r\n\r\n`;
}

const CHUNKED = { 'Transfer-Encoding': 'chunked' };

describe('a body in chunks of one byte', () => {
  test('is read by /verify', async () => {
    const headers = { ...CHUNKED, 'X-API-Key': tenant.verifyKey };
    const answer = await sendRaw(server, request('POST /verify', headers, inChunks(await payload(), 1)));
    expect(answer).toContain('"success":true,"code":0,');
  });

  test('is read by /siteverify', async () => {
    const body = String(new URLSearchParams({ secret: tenant.verifyKey, response: await payload() }));
    const answer = await sendRaw(
      server,
      request('POST /siteverify', { ...CHUNKED, ...FORM }, inChunks(body, 1)),
    );
    expect(answer).toContain('"success":true');
  });

  test('is rejected above the limit', async () => {
    const answer = await sendRaw(
      server,
      request('POST /siteverify', { ...CHUNKED, ...FORM }, inChunks('a'.repeat(65_537), 1)),
    );
    expect(answer).toStartWith('HTTP/1.1 413 ');
  });

  test('costs little more than a body in large chunks', async () => {
    // 200 connections with 60,000 chunks each took 1.3 GB and 15 s, because each chunk was an array and a turn of the event loop.
    const ask = (size: number) => {
      const whole = request('POST /siteverify', { ...CHUNKED, ...FORM }, inChunks('a'.repeat(60_000), size));
      return () => sendRaw(server, whole);
    };
    expect(await ask(1)()).toContain('missing-input-secret');
    expect(await costRatio(ask(1), ask(1000))).toBeLessThan(25);
  });
});

describe('an invalid key in a header is rejected before the body arrives', () => {
  const rows: readonly (readonly [line: string, expected: string])[] = [
    ['POST /siteverify', 'invalid-input-secret'],
    ['POST /verify', 'HTTP/1.1 401 '],
    ['POST /org', 'HTTP/1.1 401 '],
    ['PUT /properties', 'HTTP/1.1 401 '],
  ];
  const keys = [
    ['unknown', () => 'x'.repeat(40)],
    ['malformed', () => 'x'],
  ] as const;
  const cases = rows.flatMap(([line, expected]) =>
    keys.map(([what, key]) => [what, line, expected, key] as const),
  );
  test.each(cases)('an %s key for %s', async (_, line, expected, key) => {
    const headers = { ...FORM, 'X-API-Key': key(), 'Content-Length': '1000' };
    expect(await sendRaw(server, request(line, headers, 'a'))).toContain(expected);
  });
});

describe('the bodies of requests without credentials', () => {
  const full = 'a'.repeat(CAPACITY);
  const rows: readonly (readonly [path: string, status: number, headers: () => Record<string, string>])[] = [
    ['/siteverify', 429, () => FORM],
    ['/turnstile/v0/siteverify', 429, () => FORM],
    ['/demo', 503, () => FORM],
    ['/portal/login', 503, () => ({ ...FORM, Origin: server.url })],
  ];

  const ask = (path: string, headers: Record<string, string>) =>
    send(server.url, { path, method: 'POST', headers, body: full });

  /** Sends all but the last byte of a body, which then uses all of the memory, unless the body of `ask` came first. */
  async function takeAll(): Promise<SlowRequest> {
    for (;;) {
      const slow = beginSlowRequest(server.url, 'POST /siteverify', FORM, full, CAPACITY - 1);
      for (let turn = 0; turn < 20; turn++) await send(server.url, { path: '/livez' });
      if ((await ask('/siteverify', FORM)).status === 429) return slow;
      await slow.finish();
    }
  }

  test('are rejected while other bodies use all of the shared memory', async () => {
    const slow = await takeAll();
    for (const [path, status, headers] of rows) {
      const answer = await ask(path, headers());
      expect([path, answer.status]).toEqual([path, status]);
    }
    const known = { 'X-API-Key': tenant.verifyKey, 'Content-Type': 'text/plain' };
    for (const path of ['/verify', '/siteverify']) {
      const answer = await send(server.url, { path, method: 'POST', headers: known, body: await payload() });
      expect(await answer.json()).toMatchObject({ success: true });
    }
    expect(await slow.finish()).toStartWith('HTTP/1.1 200 ');
    for (const [path, status, headers] of rows) {
      const answer = await ask(path, headers());
      expect([path, answer.status]).not.toEqual([path, status]);
    }
  });

  test('release their memory when the client disconnects', async () => {
    const slow = await takeAll();
    slow.giveUp();
    await until(async () => (await ask('/siteverify', FORM)).status === 200);
  });
});

describe('a body that no route reads, without memory for it,', () => {
  const narrow = useServer({ bodies: { unread: { capacity: CAPACITY, share: CAPACITY } } });
  const body = 'a'.repeat(CAPACITY + 1);

  // The status of these routes is known before, or only after, the route has waited.
  test.each([
    ['/verify', 401],
    ['/livez', 405],
    ['/nowhere', 404],
    ['/portal/login', 403],
  ])('is dropped: %s responds with status %d, and closes the connection', async (path, status) => {
    const headers = { Origin: 'https://other.example' };
    const answer = await send(narrow.url, { path, method: 'POST', headers, body });
    expect([answer.status, answer.headers.get('connection')]).toEqual([status, 'close']);
    const small = await send(narrow.url, { path, method: 'POST', headers, body: 'a' });
    expect([small.status, small.headers.get('connection')]).toEqual([status, null]);
  });
});

describe('a payload after a byte order mark is rejected', () => {
  const expected = { success: false, 'error-codes': ['solution-bad-format'] };
  const ask = async (headers: Record<string, string>, body: string) =>
    (await send(server.url, { path: '/siteverify', method: 'POST', headers, body })).json();
  const marked = async () => `\ufeff${await payload()}`;

  test('by /verify, in chunks', async () => {
    const bytes = Buffer.from(await marked()).toString('latin1');
    const headers = { ...CHUNKED, 'X-API-Key': tenant.verifyKey };
    // Sockets write text as UTF-8, where the mark has three bytes.
    const whole = Buffer.from(request('POST /verify', headers, inChunks(bytes, 5)), 'latin1');
    expect(await sendRaw(server, whole)).toContain('"code":4,');
  });

  test('by /siteverify, as a raw body', async () => {
    const headers = { 'X-API-Key': tenant.verifyKey, 'Content-Type': 'text/plain' };
    expect(await ask(headers, await marked())).toMatchObject(expected);
  });

  test('by /siteverify, in a form', async () => {
    const fields = { secret: tenant.verifyKey, response: await marked() };
    expect(await ask(FORM, String(new URLSearchParams(fields)))).toMatchObject(expected);
  });

  test('by /siteverify, in JSON', async () => {
    const fields = { secret: tenant.verifyKey, response: await marked() };
    expect(await ask({ 'Content-Type': 'application/json' }, JSON.stringify(fields))).toMatchObject(expected);
  });
});
