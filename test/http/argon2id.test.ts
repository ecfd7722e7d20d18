import { describe, expect, test } from 'bun:test';
import { parsePuzzle } from '../../src/puzzle/puzzle.ts';
import { METADATA_SIZE, toPayload } from '../../src/puzzle/solution.ts';
import { solveNatively } from '../../src/server/nativeSolver.ts';
import { addTenant } from '../support/server.ts';
import { useServer, useTenant } from '../support/useServer.ts';
import { verify } from '../support/visitor.ts';
import { withDuplicates, withPart } from './payload.ts';

/** The least level that is issued as argon2id, so that solving takes about 64 hashes. */
const LEVEL = 152;
const ARGON2ID = { level: LEVEL, challenge: 'argon2id' } as const;

const server = useServer();
const tenant = useTenant(server, ARGON2ID);
/** Verifies one solution at a time, and one more can wait. */
const narrow = useServer({
  settings: {
    POSTERN_ARGON2_PARALLELISM: '1',
    POSTERN_ARGON2_QUEUE: '1',
    POSTERN_METRICS_TOKEN: 'm'.repeat(16),
  },
});

async function puzzleFor(
  version: string | undefined,
  { url } = server,
  { property } = tenant,
): Promise<string> {
  const headers: Record<string, string> = { Origin: 'https://example.com' };
  if (version !== undefined) headers['X-PC-Captcha-Version'] = version;
  const response = await fetch(`${url}/puzzle?sitekey=${property.sitekey}`, { headers });
  if (!response.ok) throw new Error(`no puzzle: ${response.status}`);
  return response.text();
}

function bytesOf(puzzleText: string): Uint8Array {
  return Uint8Array.fromBase64(puzzleText.split('.')[0] ?? '');
}

async function solved(puzzleText: string): Promise<string> {
  return (await solveNatively(puzzleText))?.payload ?? '';
}

/** Solutions that nobody searched. */
function guessed(puzzleText: string): string {
  const metadata = { errorCode: 0, usedWasm: true, elapsedMs: 1 };
  const solutions = Uint8Array.from({ length: 64 }, (_, i) => (i % 8 === 0 ? i / 8 : 0xff));
  return toPayload(metadata, solutions, puzzleText);
}

describe('a property with argon2id', () => {
  test.each([
    ['2', 48, { version: 2, challenge: 'argon2id', difficulty: LEVEL - 128, solutionCount: 8 }],
    ['1', 47, { version: 1, challenge: 'blake2b', difficulty: LEVEL, solutionCount: 16 }],
    [undefined, 47, { version: 1, challenge: 'blake2b' }],
    ['3', 48, { version: 2, challenge: 'argon2id', difficulty: LEVEL - 128, solutionCount: 8 }],
    ['4', 47, { version: 1, challenge: 'blake2b' }],
    ['2, 2', 47, { version: 1, challenge: 'blake2b' }],
  ])('issues for the announced version %p a puzzle of %i bytes', async (version, size, expected) => {
    const bytes = bytesOf(await puzzleFor(version));
    expect(bytes).toHaveLength(size);
    expect(parsePuzzle(bytes)).toMatchObject(expected);
  });

  test('issues puzzles that no cache stores, so that a client of version 1 never gets one of version 2', async () => {
    const headers = { Origin: 'https://example.com', 'X-PC-Captcha-Version': '2' };
    const response = await fetch(`${server.url}/puzzle?sitekey=${tenant.property.sitekey}`, { headers });
    expect(response.headers.get('cache-control')).toBe('no-store');
    const preflight = await fetch(`${server.url}/puzzle`, { method: 'OPTIONS', headers });
    expect(preflight.headers.get('access-control-allow-headers')).toContain('x-pc-captcha-version');
  });

  test('accepts a solution once, even if a hundred requests send it at the same time', async () => {
    const payload = await solved(await puzzleFor('2'));
    const verdicts = await Promise.all(
      Array.from({ length: 100 }, () => verify(server.url, tenant.verifyKey, payload)),
    );
    expect(verdicts.filter(({ success }) => success)).toHaveLength(1);
    expect(new Set(verdicts.map(({ code }) => code))).toEqual(new Set([0, 8]));
  });

  test('rejects a solution with a wrong hash, then accepts the right one', async () => {
    const payload = await solved(await puzzleFor('2'));
    // One of eight nonces meets the threshold by chance, so all eight are replaced.
    const wrong = withPart(payload, 'solutions', (bytes) => {
      for (let at = METADATA_SIZE + 4; at < bytes.length; at += 8) bytes.fill(0xee, at, at + 4);
      return bytes;
    });
    expect(await verify(server.url, tenant.verifyKey, wrong)).toMatchObject({ success: false, code: 3 });
    expect(await verify(server.url, tenant.verifyKey, withDuplicates(payload))).toMatchObject({ code: 2 });
    expect(await verify(server.url, tenant.verifyKey, payload)).toMatchObject({ success: true, code: 0 });
  });

  test.each([0, 1, 26, 32, 47])('rejects a puzzle whose byte %i was changed', async (at) => {
    const payload = guessed(await puzzleFor('2'));
    const changed = withPart(payload, 'puzzle', (bytes) => bytes.with(at, (bytes[at] ?? 0) ^ 1));
    const { code } = await verify(server.url, tenant.verifyKey, changed);
    // The version determines the length.
    expect(code).toBe(at === 0 ? 4 : 11);
  });

  test.each([0, 7, 9])('rejects a payload with %i solutions', async (count) => {
    const text = guessed(await puzzleFor('2'));
    const payload = withPart(text, 'solutions', () => new Uint8Array(METADATA_SIZE + 8 * count).fill(1));
    expect(await verify(server.url, tenant.verifyKey, payload)).toMatchObject({ status: 400, code: 4 });
  });
});

describe('while too many argon2id solutions are waiting', () => {
  /** The requests to each verification route, with the member that says whether the solution was accepted. */
  const form = (key: string, payload: string) => ({
    method: 'POST',
    body: new URLSearchParams({ secret: key, response: payload }),
  });
  const ROUTES = [
    [
      '/verify',
      (key: string, payload: string) => ({ method: 'POST', headers: { 'X-API-Key': key }, body: payload }),
    ],
    ['/siteverify', form],
    ['/recaptcha/api/siteverify', form],
    ['/hcaptcha/siteverify', form],
    ['/turnstile/v0/siteverify', form],
  ] as const;

  test.each(ROUTES)('%s returns 429 with Retry-After', async (path, request) => {
    const one = await addTenant(narrow, ARGON2ID);
    const send = async (payload: string) => {
      const response = await fetch(`${narrow.url}${path}`, request(one.verifyKey, payload));
      return { response, body: (await response.json()) as Record<string, unknown> };
    };
    const puzzles = await Promise.all(Array.from({ length: 24 }, () => puzzleFor('2', narrow, one)));
    const answers = await Promise.all(puzzles.map((text) => send(guessed(text))));
    const busy = answers.filter(({ response }) => response.status === 429);
    expect(busy.length).toBeGreaterThan(0);
    expect(busy.length).toBeLessThan(answers.length);
    for (const { response, body } of busy) {
      expect(response.headers.get('retry-after')).toBe('1');
      expect(body.success).toBe(false);
      if (path === '/verify') expect(body.code).toBe(1);
      else expect(body['error-codes']).toEqual([path === '/siteverify' ? 'error-other' : 'internal-error']);
    }
    for (const { response, body } of answers.filter((answer) => answer.response.status === 200)) {
      expect(response.headers.get('retry-after')).toBeNull();
      expect(body.success).toBe(false);
    }
  });

  test('the metrics count results, rejections, and seconds', async () => {
    const one = await addTenant(narrow, ARGON2ID);
    const read = async () => {
      const headers = { Authorization: `Bearer ${'m'.repeat(16)}` };
      const text = await (await fetch(`${narrow.url}/metrics`, { headers })).text();
      const values = [...text.matchAll(/^postern_argon2id_(\S+) (\S+)$/gm)];
      return Object.fromEntries(values.map(([, name, value]) => [name, Number(value)]));
    };
    const before = await read();
    const payload = guessed(await puzzleFor('2', narrow, one));
    expect(await verify(narrow.url, one.verifyKey, payload)).toMatchObject({ code: 3 });
    const after = await read();
    const name = 'verifications_total{result="invalid"}';
    expect((after[name] ?? 0) - (before[name] ?? 0)).toBe(1);
    expect((after.verification_seconds_count ?? 0) - (before.verification_seconds_count ?? 0)).toBe(1);
    expect(before['verifications_total{result="rejected"}']).toBeGreaterThan(0);
    expect(after['verifications{state="running"}']).toBe(0);
    expect(after['verifications{state="waiting"}']).toBe(0);
  });

  test('BLAKE2b solutions are accepted', async () => {
    const one = await addTenant(narrow, ARGON2ID);
    const other = await addTenant(narrow);
    const blake2b = await solved(await puzzleFor('2', narrow, other));
    const puzzles = await Promise.all(Array.from({ length: 24 }, () => puzzleFor('2', narrow, one)));
    const waiting = puzzles.map((text) => verify(narrow.url, one.verifyKey, guessed(text)));
    expect(await verify(narrow.url, other.verifyKey, blake2b)).toMatchObject({ success: true, code: 0 });
    await Promise.all(waiting);
  });
});
