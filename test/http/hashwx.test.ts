import { describe, expect, test } from 'bun:test';
import { INSTALLATION } from '../../src/model/actor.ts';
import { parsePuzzle } from '../../src/puzzle/puzzle.ts';
import { METADATA_SIZE } from '../../src/puzzle/solution.ts';
import { solveNatively } from '../../src/server/nativeSolver.ts';
import { addTenant, expectOk } from '../support/server.ts';
import { useServer, useTenant } from '../support/useServer.ts';
import { verify } from '../support/visitor.ts';
import { withDuplicates, withPart } from './payload.ts';

/** The least level that is issued as HashWX, so that solving takes about 64 hashes. */
const LEVEL = 60;
const HASHWX = { level: LEVEL, challenge: 'hashwx' } as const;
const TOKEN = 'm'.repeat(16);

const server = useServer({ settings: { POSTERN_METRICS_TOKEN: TOKEN } });
const tenant = useTenant(server, HASHWX);

async function puzzleFor(version: string | undefined, { property } = tenant): Promise<string> {
  const headers: Record<string, string> = { Origin: 'https://example.com' };
  if (version !== undefined) headers['X-PC-Captcha-Version'] = version;
  const response = await fetch(`${server.url}/puzzle?sitekey=${property.sitekey}`, { headers });
  if (!response.ok) throw new Error(`no puzzle: ${response.status}`);
  return response.text();
}

const bytesOf = (puzzleText: string) => Uint8Array.fromBase64(puzzleText.split('.')[0] ?? '');

async function solved(puzzleText: string): Promise<string> {
  return (await solveNatively(puzzleText))?.payload ?? '';
}

/** The payload with other nonces, of which at most one in 2^24 is right. @param block distinguishes payloads */
function withWrongNonces(payload: string, block: number): string {
  return withPart(payload, 'solutions', (bytes) => {
    for (let at = METADATA_SIZE; at < bytes.length; at += 8)
      bytes.set([0xee, 0xee, block, 0xee, 0xee, 0xee], at + 2);
    return bytes;
  });
}

async function metrics(): Promise<Readonly<Record<string, number>>> {
  const headers = { Authorization: `Bearer ${TOKEN}` };
  const text = await (await fetch(`${server.url}/metrics`, { headers })).text();
  const values = [...text.matchAll(/^postern_((?:hashwx|puzzles)_\S+) (\S+)$/gm)];
  return Object.fromEntries(values.map(([, name, value]) => [name, Number(value)]));
}

describe('a property with HashWX', () => {
  test.each([
    ['3', 48, { version: 3, challenge: 'hashwx', difficulty: LEVEL - 36, solutionCount: 8 }],
    ['2', 47, { version: 1, challenge: 'blake2b', difficulty: LEVEL, solutionCount: 16 }],
    ['1', 47, { version: 1, challenge: 'blake2b', difficulty: LEVEL, solutionCount: 16 }],
    [undefined, 47, { version: 1, challenge: 'blake2b' }],
    ['4', 47, { version: 1, challenge: 'blake2b' }],
    ['3, 3', 47, { version: 1, challenge: 'blake2b' }],
  ])('issues for the announced version %p a puzzle of %i bytes', async (version, size, expected) => {
    const bytes = bytesOf(await puzzleFor(version));
    expect(bytes).toHaveLength(size);
    expect(parsePuzzle(bytes)).toMatchObject(expected);
  });

  test('issues BLAKE2b puzzles if the level is too low', async () => {
    const easy = await addTenant(server, { level: LEVEL - 1, challenge: 'hashwx' });
    expect(parsePuzzle(bytesOf(await puzzleFor('3', easy)))).toMatchObject({
      version: 1,
      difficulty: LEVEL - 1,
    });
  });

  test('issues harder puzzles to clients with an older version if a rule says so', async () => {
    const rule = { name: 'Old', action: 'adjust', levels: 16, conditions: { downgrades: ['hashwx'] } };
    const strict = await addTenant(server, HASHWX);
    const { rules } = server.app.services;
    expectOk(await rules.add(INSTALLATION, strict.property.id, rule));
    const difficultyFor = async (version: string) =>
      parsePuzzle(bytesOf(await puzzleFor(version, strict)))?.difficulty;
    expect(await difficultyFor('3')).toBe(LEVEL - 36);
    expect([await difficultyFor('2'), await difficultyFor('1')]).toEqual([LEVEL + 16, LEVEL + 16]);
  });

  test('issues argon2id puzzles to a client of version 3 if the property requires them', async () => {
    const other = await addTenant(server, { level: 152, challenge: 'argon2id' });
    expect(parsePuzzle(bytesOf(await puzzleFor('3', other)))).toMatchObject({
      version: 2,
      challenge: 'argon2id',
    });
  });

  test('accepts a solution once, even if a hundred requests send it at the same time', async () => {
    const payload = await solved(await puzzleFor('3'));
    const verdicts = await Promise.all(
      Array.from({ length: 100 }, () => verify(server.url, tenant.verifyKey, payload)),
    );
    expect(verdicts.filter(({ success }) => success)).toHaveLength(1);
    expect(new Set(verdicts.map(({ code }) => code))).toEqual(new Set([0, 8]));
  });

  test('rejects wrong and duplicate solutions, then accepts the right ones', async () => {
    const payload = await solved(await puzzleFor('3'));
    expect(await verify(server.url, tenant.verifyKey, withWrongNonces(payload, 1))).toMatchObject({
      code: 3,
    });
    expect(await verify(server.url, tenant.verifyKey, withDuplicates(payload))).toMatchObject({ code: 2 });
    expect(await verify(server.url, tenant.verifyKey, payload)).toMatchObject({ success: true, code: 0 });
  });

  test('blocks a puzzle after three wrong payloads, and counts results', async () => {
    const before = await metrics();
    const payload = await solved(await puzzleFor('3'));
    for (let n = 0; n < 3; n++) {
      const verdict = await verify(server.url, tenant.verifyKey, withWrongNonces(payload, n));
      expect(verdict).toMatchObject({ success: false, code: 3 });
    }
    expect(await verify(server.url, tenant.verifyKey, payload)).toMatchObject({ success: false, code: 3 });
    const other = await solved(await puzzleFor('3'));
    expect(await verify(server.url, tenant.verifyKey, other)).toMatchObject({ success: true, code: 0 });
    const after = await metrics();
    const rise = (result: string) => {
      const name = `hashwx_verifications_total{result="${result}"}`;
      return (after[name] ?? 0) - (before[name] ?? 0);
    };
    expect(['valid', 'invalid', 'blocked'].map(rise)).toEqual([1, 3, 1]);
  });

  test('counts the puzzles that are BLAKE2b because of the client', async () => {
    const before = await metrics();
    for (const version of ['1', '2', '3']) await puzzleFor(version);
    const after = await metrics();
    const rise = (name: string) => (after[name] ?? 0) - (before[name] ?? 0);
    expect([rise('puzzles_issued_total'), rise('puzzles_downgraded_total')]).toEqual([3, 2]);
  });

  test.each([0, 1, 26, 32, 47])('rejects a puzzle whose byte %i was changed', async (at) => {
    const payload = await solved(await puzzleFor('3'));
    const changed = withPart(payload, 'puzzle', (bytes) => bytes.with(at, (bytes[at] ?? 0) ^ 1));
    const { code } = await verify(server.url, tenant.verifyKey, changed);
    // The version and the kind determine each other.
    expect(code).toBe(at <= 1 ? 4 : 11);
  });

  test.each(['/siteverify', '/recaptcha/api/siteverify', '/hcaptcha/siteverify', '/turnstile/v0/siteverify'])(
    '%s accepts a solution once',
    async (path) => {
      const response = await solved(await puzzleFor('3'));
      const body = () => new URLSearchParams({ secret: tenant.verifyKey, response });
      const send = async () => (await fetch(`${server.url}${path}`, { method: 'POST', body: body() })).json();
      expect(await send()).toMatchObject({ success: true });
      expect(await send()).toMatchObject({ success: false });
    },
  );
});
