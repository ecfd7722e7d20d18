import { describe, expect, test } from 'bun:test';
import { toClient } from '../../src/captcha/clientLoad.ts';
import { createIssuePuzzle, type IssueOutcome, type PuzzleRequest } from '../../src/captcha/issue.ts';
import { createLoadMeter } from '../../src/captcha/load.ts';
import { createKeyRing, openClient, verifySignature } from '../../src/captcha/signature.ts';
import { bytesFromBase64 } from '../../src/lib/bytes.ts';
import { type Random, systemRandom } from '../../src/lib/ids.ts';
import { type Instant, instantFromSeconds } from '../../src/lib/time.ts';
import { type Property, TEST_SITEKEY } from '../../src/model/property.ts';
import { ARGON2ID_LEVEL_OFFSET, ARGON2ID_MIN_DIFFICULTY } from '../../src/puzzle/argon2id.ts';
import { parsePuzzle } from '../../src/puzzle/puzzle.ts';
import { hmac, property, signingKey, sitekey } from './fakes.ts';

const ring = createKeyRing([signingKey(1)]);
const issuedAtSeconds = 1_800_000_000;

function open(
  change: {
    found?: Property | undefined;
    random?: Random;
    hasTestProperty?: boolean;
    isAsync?: boolean;
    counted?: unknown[];
  } = {},
) {
  const found = 'found' in change ? change.found : property;
  const issue = createIssuePuzzle({
    decide: () => undefined,
    rulesOf: () => undefined,
    properties: { bySitekey: () => (change.isAsync ? Promise.resolve(found) : found) },
    load: createLoadMeter(100),
    keyRing: () => ring,
    clock: () => (instantFromSeconds(issuedAtSeconds) + 999) as Instant,
    random: change.random ?? systemRandom,
    hasTestProperty: change.hasTestProperty ?? true,
    usage: { countPuzzle: (...args) => change.counted?.push(args) },
    onFailure: () => {},
  });
  return async (request: Partial<PuzzleRequest> = {}) =>
    issue({ sitekey, origin: 'https://example.com', client: 1, version: 1, ...request });
}

function read(outcome: IssueOutcome) {
  if (!outcome.ok) throw new Error(outcome.problem);
  const [puzzle, signature] = outcome.value.text.split('.').map(bytesFromBase64);
  if (puzzle === undefined || signature === undefined) throw new Error('not base64');
  return { puzzle: parsePuzzle(puzzle), fields: verifySignature(puzzle, signature, ring, hmac) };
}

describe('a puzzle', () => {
  test('contains the sitekey, the difficulty, and the expiration, and is signed with the page and the time', async () => {
    const { puzzle, fields } = read(await open()({ origin: 'https://EXAMPLE.com:8443' }));
    expect(puzzle?.propertyId.toHex()).toBe(sitekey);
    expect(puzzle).toMatchObject({
      difficulty: 1,
      solutionCount: 16,
      expiresAtSeconds: issuedAtSeconds + 1800,
    });
    expect(fields).toMatchObject({ host: 'example.com', issuedAtSeconds });
  });

  test('is issued for a property that is not cached', async () => {
    expect(read(await open({ isAsync: true })()).fields?.host).toBe('example.com');
  });

  test('contains the client, for the server only', async () => {
    const outcome = await open()({ client: 4711 });
    const puzzle = outcome.ok ? bytesFromBase64(outcome.value.text.split('.')[0] ?? '') : undefined;
    expect(openClient(puzzle ?? new Uint8Array(47), signingKey(1).secret, hmac)).toBe(4711);
  });

  test('is never issued twice', async () => {
    const issue = open();
    const ids = new Set<string>();
    for (let i = 0; i < 100; i++) ids.add(read(await issue()).puzzle?.puzzleId.toHex() ?? '');
    expect(ids.size).toBe(100);
  });

  test('is counted once for its property; rejected requests and the test puzzle are not counted', async () => {
    const counted: unknown[] = [];
    const issue = open({ counted });
    await issue();
    await issue({ origin: 'https://evil.example.net' });
    await issue({ sitekey: TEST_SITEKEY });
    expect(counted).toEqual([[property, instantFromSeconds(issuedAtSeconds) + 999]]);
  });

  test('never has the id zero, which is reserved for the test puzzle', async () => {
    const { puzzle } = read(await open({ random: (bytes) => bytes.fill(0) })());
    expect(puzzle?.puzzleId.some((byte) => byte !== 0)).toBe(true);
  });

  test('is harder for a client that requests many, unless growth is constant', async () => {
    const constant = open();
    const growing = open({ found: { ...property, growth: 'medium' } });
    for (let i = 0; i < 50; i++) await Promise.all([constant(), growing()]);
    expect(read(await constant()).puzzle?.difficulty).toBe(1);
    expect(read(await growing()).puzzle?.difficulty).toBeGreaterThan(20);
    expect(read(await growing({ client: toClient(2, 2) })).puzzle?.difficulty).toBeLessThan(10);
  });
});

describe('a property with argon2id', () => {
  const argon2id = { ...property, challenge: 'argon2id' } as const;
  /** The least level that is issued as argon2id. */
  const least = ARGON2ID_LEVEL_OFFSET + ARGON2ID_MIN_DIFFICULTY;
  const issued = async (found: Property, version: 1 | 2) => read(await open({ found })({ version })).puzzle;

  test('issues argon2id puzzles to clients that announce version 2', async () => {
    const { puzzle, fields } = read(await open({ found: { ...argon2id, level: 160 } })({ version: 2 }));
    expect(puzzle?.propertyId.toHex()).toBe(sitekey);
    expect(puzzle).toMatchObject({
      version: 2,
      challenge: 'argon2id',
      difficulty: 32,
      solutionCount: 8,
      expiresAtSeconds: issuedAtSeconds + 1800,
    });
    expect(fields).toMatchObject({ host: 'example.com', issuedAtSeconds });
  });

  test('issues BLAKE2b puzzles with the full difficulty to other clients, and below the minimum', async () => {
    for (let level = 1; level <= 255; level++) {
      const blake2b = { version: 1, challenge: 'blake2b', difficulty: level, solutionCount: 16 };
      const reduced = { version: 2, challenge: 'argon2id', difficulty: level - 128, solutionCount: 8 };
      expect(await issued({ ...argon2id, level }, 1)).toMatchObject(blake2b);
      expect(await issued({ ...argon2id, level }, 2)).toMatchObject(level < least ? blake2b : reduced);
      expect(await issued({ ...property, level }, 2)).toMatchObject(blake2b);
    }
  });

  test('issues argon2id puzzles from the request on in which growth reaches the minimum', async () => {
    const issue = open({ found: { ...argon2id, level: 140, growth: 'medium' } });
    const kinds = new Map<number, string>();
    for (let i = 0; i < 50; i++) {
      const puzzle = read(await issue({ version: 2 })).puzzle;
      const difficulty = (puzzle?.difficulty ?? 0) + (puzzle?.challenge === 'argon2id' ? 128 : 0);
      kinds.set(difficulty, puzzle?.challenge ?? '');
    }
    const difficulties = [...kinds.keys()];
    expect(Math.min(...difficulties)).toBe(140);
    expect(Math.max(...difficulties)).toBeGreaterThan(least);
    for (const [difficulty, kind] of kinds) expect(kind).toBe(difficulty < least ? 'blake2b' : 'argon2id');
  });
});

describe('rejects', () => {
  const disabled = { ...property, isEnabled: false };
  test.each([
    ['a page without origin', {}, { origin: undefined }, 'origin-missing'],
    ['an unknown sitekey', { found: undefined }, {}, 'property-unknown'],
    ['a disabled property', { found: disabled }, {}, 'property-unknown'],
    ['the origin null', {}, { origin: 'null' }, 'origin-not-allowed'],
    ['another domain', {}, { origin: 'https://example.org' }, 'origin-not-allowed'],
    ['a subdomain that is not allowed', {}, { origin: 'https://www.example.com' }, 'origin-not-allowed'],
    ['a host without a dot', {}, { origin: 'http://intranet' }, 'origin-without-domain'],
    ['an IP address', {}, { origin: 'http://192.168.1.5:8080' }, 'origin-without-domain'],
    ['an IPv6 address', {}, { origin: 'http://[fd00::1]' }, 'origin-without-domain'],
    ['localhost that is not allowed', {}, { origin: 'http://localhost:3000' }, 'origin-not-allowed'],
    ['127.0.0.1 that is not allowed', {}, { origin: 'http://127.0.0.1:3000' }, 'origin-not-allowed'],
    ['no origin before an unknown sitekey', { found: undefined }, { origin: undefined }, 'origin-missing'],
    [
      'an unknown sitekey before a wrong origin',
      { found: undefined },
      { origin: 'null' },
      'property-unknown',
    ],
    [
      'the test property if it is off',
      { hasTestProperty: false },
      { sitekey: TEST_SITEKEY },
      'property-unknown',
    ],
  ] as const)('%s', async (_, change, request, problem) => {
    expect(await open(change)(request)).toEqual({ ok: false, problem });
  });
});

test('the test puzzle is the same with any origin and without one', async () => {
  const issue = open();
  const texts = [];
  for (const origin of ['https://example.com', 'https://other.test', 'null', undefined]) {
    const outcome = await issue({ sitekey: TEST_SITEKEY, origin });
    expect(outcome).toMatchObject({ ok: true, value: { isTest: true } });
    texts.push(outcome.ok && outcome.value.text);
  }
  expect(new Set(texts).size).toBe(1);
});
