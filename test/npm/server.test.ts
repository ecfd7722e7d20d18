import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { textOf } from '../architecture/tree.ts';
import { useServer, useTenant } from '../support/useServer.ts';
import { fetchAndSolve } from '../support/visitor.ts';
import { usePackages } from './installed.ts';

/** Runs `@postern/server` in Node, with the frameworks. */

setDefaultTimeout(120_000);
const FIELD = 'postern-captcha-solution';
const folder = usePackages();
const server = useServer();
const tenant = useTenant(server);

let urls: Readonly<Record<string, string>>;
let program: Bun.Subprocess<'ignore', 'pipe', 'inherit'>;
beforeAll(async () => {
  const file = join(folder(), 'apps.mjs');
  copyFileSync(join(import.meta.dir, 'apps.mjs'), file);
  const options = { server: server.url, apiKey: tenant.verifyKey, sitekey: tenant.property.sitekey };
  program = Bun.spawn(['node', file, JSON.stringify(options)], { stdout: 'pipe', stderr: 'inherit' });
  const { value } = await program.stdout.getReader().read();
  urls = JSON.parse(new TextDecoder().decode(value));
}, 120_000);
afterAll(() => program.kill());

const solve = () => fetchAndSolve(server.url, tenant.property.sitekey);
const urlOf = (name: string) => urls[name] ?? 'missing';

type Encoding = 'multipart' | 'URL-encoded' | 'JSON';

function bodyOf(fields: Readonly<Record<string, string>>, encoding: Encoding): RequestInit {
  if (encoding === 'JSON') {
    return { body: JSON.stringify(fields), headers: { 'Content-Type': 'application/json' } };
  }
  if (encoding === 'URL-encoded') return { body: new URLSearchParams(fields) };
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  return { body };
}

async function send(name: string, solution: string, encoding: Encoding = 'multipart') {
  const fields = { email: 'ada@example.com', [FIELD]: solution };
  const response = await fetch(urlOf(name), { method: 'POST', ...bodyOf(fields, encoding) });
  return { status: response.status, text: await response.text() };
}

const FRAMEWORKS = [
  ['Express', ['multipart', 'URL-encoded', 'JSON']],
  ['Express with parsers', ['multipart', 'URL-encoded', 'JSON']],
  ['Koa', ['multipart', 'URL-encoded', 'JSON']],
  ['Fastify', ['multipart', 'URL-encoded', 'JSON']],
  ['Hono', ['multipart', 'URL-encoded', 'JSON']],
  ['Elysia', ['multipart', 'URL-encoded', 'JSON']],
  ['Next.js route handler', ['multipart', 'URL-encoded', 'JSON']],
  ['Next.js server action', ['multipart', 'URL-encoded']],
] as const;

const CASES = FRAMEWORKS.flatMap(([name, encodings]) =>
  encodings.map((encoding) => [name, encoding] as const),
);

describe('the middleware', () => {
  test.each(CASES)(
    'of %s accepts a %s form once, and leaves the form to the handler',
    async (name, encoding) => {
      const solution = await solve();
      const { status, text } = await send(name, solution, encoding);
      expect([status, text]).toEqual([200, '{"email":"ada@example.com","outcome":"accepted"}']);
      expect((await send(name, solution, encoding)).status).toBe(403);
      expect((await send(name, '', encoding)).status).toBe(403);
    },
  );

  test.each(FRAMEWORKS)('of %s rejects a repeated field, and a body that is not a form', async (name) => {
    const repeated = new FormData();
    for (let count = 0; count < 2; count++) repeated.append(FIELD, await solve());
    expect((await fetch(urlOf(name), { method: 'POST', body: repeated })).status).toBe(403);
    if (name === 'Next.js server action') return;
    const text = await fetch(urlOf(name), { method: 'POST', body: await solve() });
    expect([403, 415]).toContain(text.status);
  });

  test.each(['Express', 'Koa', 'Fastify', 'Hono', 'Next.js route handler'])(
    'of %s rejects a malformed form, and one that is too large',
    async (name) => {
      const headers = { 'Content-Type': 'multipart/form-data; boundary=x' };
      expect((await fetch(urlOf(name), { method: 'POST', body: 'nonsense', headers })).status).toBe(400);
      const large = new URLSearchParams({ [FIELD]: 'x'.repeat(20_000) });
      expect((await fetch(urlOf(name), { method: 'POST', body: large })).status).toBe(413);
    },
  );

  // Such a form once kept the process busy for minutes.
  test('parses the largest form with as many different fields as it can have', async () => {
    const names = Array.from({ length: 200_000 }, (_, index) => index.toString(36));
    const solution = encodeURIComponent(await solve());
    const body = `${names.join('&')}&email=ada@example.com&${FIELD}=${solution}`;
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const response = await fetch(urlOf('Express with the default limit'), { method: 'POST', body, headers });
    expect(await response.json()).toEqual({ email: 'ada@example.com', outcome: 'accepted' });
  });

  test.each(['Express with onRejected', 'Next.js route handler with onRejected'])(
    'responds as %s',
    async (name) => {
      expect(await send(name, '')).toEqual({ status: 422, text: 'custom 403' });
    },
  );

  test('fails closed if the server does not decide, unless the option says otherwise', async () => {
    const solution = await solve();
    expect((await send('undecided', solution)).status).toBe(503);
    expect((await send('undecided, failing open', solution)).status).toBe(200);
    expect((await send('undecided, failing open', '')).status).toBe(403);
  });
});

/** Verifies with the package in Node. */
async function verify(solution: string, options: object = {}): Promise<Record<string, unknown>> {
  const headers = { 'X-Options': JSON.stringify(options) };
  const response = await fetch(urlOf('verify'), { method: 'POST', body: solution, headers });
  return (await response.json()) as Record<string, unknown>;
}

/** A server that gives these responses in turn, and then the last one. */
async function withResponses(
  responses: readonly (() => Response)[],
  run: (url: string, requests: readonly string[]) => Promise<void>,
): Promise<void> {
  const requests: string[] = [];
  const stub = Bun.serve({
    port: 0,
    async fetch(request) {
      requests.push(await request.text());
      return (responses[requests.length - 1] ?? responses.at(-1))?.() ?? Response.error();
    },
  });
  try {
    await run(`http://127.0.0.1:${stub.port}`, requests);
  } finally {
    await stub.stop(true);
  }
}

const ACCEPTED = () => Response.json({ success: true, code: 0, origin: 'example.com', timestamp: 'now' });
const failed = (status: number, seconds: string) => () =>
  Response.json({ success: false, code: 1 }, { status, headers: { 'Retry-After': seconds } });

test('the program of docs/how-to/npm-packages.md accepts what postForm sends', async () => {
  const page = await textOf('docs/how-to/npm-packages.md');
  const [, code = ''] = /^```js title="server\.mjs"\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const filled = code
    .replace('https://captcha.example.com', server.url)
    .replace('YOUR_VERIFY_KEY', tenant.verifyKey)
    .replace('0123456789abcdef0123456789abcdef', tenant.property.sitekey);
  const file = join(folder(), 'server.mjs');
  await Bun.write(file, filled);
  const started = Bun.spawn(['node', file], { env: { ...process.env, PORT: '0' }, stdout: 'pipe' });
  try {
    const { value } = await started.stdout.getReader().read();
    const url = `http://127.0.0.1:${new TextDecoder().decode(value).trim()}/signup`;
    const body = new FormData();
    body.set('email', 'ada@example.com');
    body.set(FIELD, await solve());
    const send = async () => (await fetch(url, { method: 'POST', body })).text();
    expect(await send()).toBe('Welcome, ada@example.com');
    expect(await send()).toBe('Please repeat the check and send the form again.');
  } finally {
    started.kill();
  }
});

describe('verify', () => {
  test('returns the verdict of the server', async () => {
    const solution = await solve();
    const { timestamp, ...accepted } = await verify(solution);
    expect(accepted).toEqual({ outcome: 'accepted', code: 0, origin: 'example.com' });
    expect(Number.isNaN(Date.parse(String(timestamp)))).toBe(false);
    expect(await verify(solution)).toEqual({ outcome: 'rejected', code: 8, status: 200 });
    expect(await verify('nonsense')).toEqual({ outcome: 'rejected', code: 4, status: 400 });
    expect(await verify(await solve(), { sitekey: '0'.repeat(32) })).toMatchObject({ code: 6 });
    const wrongKey = await verify(solution, { apiKey: 'nonsense' });
    expect(wrongKey).toEqual({ outcome: 'rejected', code: 1, status: 401 });
  });

  test('does not send an empty or very long solution', async () => {
    await withResponses([ACCEPTED], async (url, requests) => {
      for (const solution of ['', 'x'.repeat(10_001)]) {
        expect(await verify(solution, { server: url })).toEqual({ outcome: 'rejected', code: 4, status: 0 });
      }
      expect(requests).toEqual([]);
    });
  });

  test.each([
    ['status 429', failed(429, '0')],
    ['status 503', failed(503, '0')],
    ['a page of a proxy', () => new Response('<html>')],
  ])('repeats the request after %s', async (_, first) => {
    await withResponses([first, ACCEPTED], async (url, requests) => {
      expect(await verify('solution', { server: url })).toMatchObject({ outcome: 'accepted' });
      expect(requests).toEqual(['solution', 'solution']);
    });
  });

  test.each([400, 401, 403, 408, 413])('does not repeat the request after status %d', async (status) => {
    await withResponses([failed(status, '0')], async (url, requests) => {
      expect(await verify('solution', { server: url })).toEqual({ outcome: 'rejected', code: 1, status });
      expect(requests).toEqual(['solution']);
    });
  });

  test.each([
    ['as often as retries allows', '0', { retries: 3 }, 4],
    ['not at all if retries is 0', '0', { retries: 0 }, 1],
    ['not at all if the server asks for a long pause', '60', { retries: 5 }, 1],
  ])('repeats the request %s', async (_, seconds, options, expected) => {
    await withResponses([failed(503, seconds)], async (url, requests) => {
      expect(await verify('solution', { server: url, ...options })).toMatchObject({ outcome: 'undecided' });
      expect(requests).toHaveLength(expected);
    });
  });

  test('is undecided if the server cannot be reached, or does not respond in time', async () => {
    const options = { retries: 0, timeoutMs: 50 };
    expect(await verify('x', { ...options, server: 'http://127.0.0.1:9' })).toMatchObject({
      outcome: 'undecided',
    });
    const silent = Bun.serve({ port: 0, fetch: () => new Promise<Response>(() => {}) });
    const url = `http://127.0.0.1:${silent.port}`;
    expect(await verify('x', { ...options, server: url })).toMatchObject({ outcome: 'undecided' });
    await silent.stop(true);
  });

  test.each([
    ['apiKey', { apiKey: '' }],
    ['sitekey', { sitekey: '' }],
    ['server', { server: 'nonsense' }],
    ['timeoutMs', { timeoutMs: 0 }],
    ['retries', { retries: 6 }],
  ])('names an invalid %s', async (name, options) => {
    expect((await verify('x', options)).error).toStartWith(`RangeError: ${name} `);
  });
});
