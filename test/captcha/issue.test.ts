import { describe, expect, test } from 'bun:test';
import { toClient } from '../../src/captcha/clientLoad.ts';
import {
  createIssuePuzzle,
  type IssueDeps,
  type IssueOutcome,
  type PuzzleRequest,
} from '../../src/captcha/issue.ts';
import { createLoadMeter } from '../../src/captcha/load.ts';
import type { RequestSource } from '../../src/captcha/rules/requestFacts.ts';
import type { AppliedRules, RulesOf } from '../../src/captcha/rules/ruleCache.ts';
import type { Ruling } from '../../src/captcha/rules/rulings.ts';
import { createKeyRing, openClient, verifySignature } from '../../src/captcha/signature.ts';
import { bytesFromBase64 } from '../../src/lib/bytes.ts';
import { type Random, systemRandom } from '../../src/lib/ids.ts';
import { type Instant, instantFromSeconds } from '../../src/lib/time.ts';
import { type Property, TEST_SITEKEY } from '../../src/model/property.ts';
import { minLevelOf } from '../../src/puzzle/kinds.ts';
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
    traffic?: IssueDeps<Property>['traffic'];
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
    traffic: change.traffic,
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

  test('is not marked as that of the test property', async () => {
    expect(await open()()).toMatchObject({ ok: true, value: { isTest: false } });
  });

  test('has the work of attack mode until it ends', async () => {
    const levelUntil = async (seconds: number) => {
      const attackUntil = instantFromSeconds(issuedAtSeconds + seconds);
      return read(await open({ found: { ...property, attackUntil } })()).puzzle?.difficulty;
    };
    // The level of attack mode, and that of the property.
    expect([await levelUntil(1), await levelUntil(0)]).toEqual([144, 1]);
  });

  test('is counted as downgraded if a newer client would get argon2id', async () => {
    const found = { ...property, challenge: 'argon2id', level: minLevelOf('argon2id') } as const;
    const counted: unknown[] = [];
    const issue = open({ found, counted });
    await issue({ version: 1 });
    await issue({ version: 2 });
    const now = instantFromSeconds(issuedAtSeconds) + 999;
    expect(counted).toEqual([
      [found, now, true],
      [found, now, false],
    ]);
  });

  test.each([true, false])('is recorded if it is part of the sample: %p', async (isPart) => {
    const recorded: unknown[] = [];
    const ignore = () => {};
    const traffic = {
      isDue: () => isPart,
      issued: (...args: unknown[]) => recorded.push(args),
      rejected: ignore,
    };
    await open({ traffic })();
    const request = {
      host: 'example.com',
      source: undefined,
      now: instantFromSeconds(issuedAtSeconds) + 999,
    };
    expect(recorded).toEqual(isPart ? [[property, request]] : []);
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
  const least = minLevelOf('argon2id');
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
  const withSubdomains = { ...property, allowsSubdomains: true };
  test.each([
    ['a page without origin', {}, { origin: undefined }, 'origin-missing'],
    ['an unknown sitekey', { found: undefined }, {}, 'property-unknown'],
    ['a disabled property', { found: disabled }, {}, 'property-unknown'],
    ['the origin null', {}, { origin: 'null' }, 'origin-not-allowed'],
    ['the origin null, with subdomains', { found: withSubdomains }, { origin: 'null' }, 'origin-not-allowed'],
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

describe('rules', () => {
  const SOURCE: RequestSource = { address: () => undefined, header: () => null, path: () => undefined };
  const RULES: AppliedRules = { installation: undefined, property: undefined };

  /** Issues puzzles for a property whose rules decide this. */
  function openWith(
    ruling: Ruling | undefined,
    rules: ReturnType<RulesOf> = RULES,
    found: Property = property,
  ) {
    const observed: number[] = [];
    const decided: unknown[] = [];
    const failures: unknown[] = [];
    const load = createLoadMeter(100);
    const issue = createIssuePuzzle<Property>({
      decide(found, applied, source) {
        decided.push([found, applied, source()]);
        return ruling;
      },
      rulesOf: () => rules,
      properties: { bySitekey: () => found },
      load: {
        ...load,
        observe(client, ...args) {
          observed.push(client);
          return load.observe(client, ...args);
        },
      },
      keyRing: () => ring,
      clock: () => instantFromSeconds(issuedAtSeconds),
      random: systemRandom,
      hasTestProperty: true,
      usage: { countPuzzle() {} },
      onFailure: (error) => failures.push(error),
    });
    const request = { sitekey, origin: 'https://example.com', client: 7, version: 1 } as const;
    return {
      issue: async () => issue({ ...request, source: () => SOURCE }),
      withoutSource: async () => issue(request),
      observed,
      decided,
      failures,
    };
  }

  test('see the property and the request', async () => {
    const { issue, decided } = openWith(undefined);
    read(await issue());
    expect(decided).toEqual([[property, RULES, SOURCE]]);
  });

  test.each([
    ['argon2id', 255, 'argon2id'],
    // BLAKE2b below the minimum level of argon2id is no downgrade.
    ['argon2id', 1, undefined],
    ['blake2b', 255, undefined],
  ] as const)(
    'see whether the puzzle for an older client is downgraded: %s at level %i: %p',
    async (challenge, level, downgrade) => {
      const found = { ...property, challenge, level };
      const { issue, decided } = openWith(undefined, RULES, found);
      await issue();
      expect(decided).toEqual([[found, RULES, { ...SOURCE, downgrade }]]);
    },
  );

  test('can block a puzzle', async () => {
    const { issue, observed } = openWith({ kind: 'block' });
    expect(await issue()).toEqual({ ok: false, problem: 'rule-blocked' });
    expect(observed).toEqual([]);
  });

  test.each([
    [true, [7]],
    [false, []],
  ])(
    'can set the level of a puzzle; if it counts as load (%p), the client pays for it',
    async (countsAsLoad, clients) => {
      const { issue, observed } = openWith({ kind: 'issue', level: 42, growth: 'constant', countsAsLoad });
      const { puzzle } = read(await issue());
      expect(puzzle?.difficulty).toBe(42);
      expect(observed).toEqual(clients);
    },
  );

  test('that decide nothing leave the puzzle as it is', async () => {
    const { issue, observed } = openWith(undefined);
    expect(read(await issue()).puzzle?.difficulty).toBe(property.level);
    expect(observed).toEqual([7]);
  });

  test('that were not compiled in time prevent the puzzle', async () => {
    expect(await openWith(undefined, 'late').issue()).toEqual({ ok: false, problem: 'unavailable' });
    expect(await openWith(undefined, Promise.resolve('late')).issue()).toEqual({
      ok: false,
      problem: 'unavailable',
    });
  });

  test('that cannot be read prevent the puzzle, and are reported', async () => {
    const error = new Error('the disk is gone');
    const { issue, failures } = openWith(undefined, Promise.reject(error));
    expect(await issue()).toEqual({ ok: false, problem: 'unavailable' });
    expect(failures).toEqual([error]);
  });

  test('do not apply to requests of the portal', async () => {
    const { withoutSource, decided } = openWith({ kind: 'block' });
    expect(read(await withoutSource()).puzzle?.difficulty).toBe(property.level);
    expect(decided).toEqual([]);
  });
});

test('the host that the caller knows is used instead of the origin', async () => {
  const known = await open()({ host: 'example.com', origin: 'https://else.example' });
  expect(read(known).fields?.host).toBe('example.com');
});

test('a property that cannot be read is reported, and prevents the puzzle', async () => {
  const failures: unknown[] = [];
  const error = new Error('the disk is gone');
  const issue = createIssuePuzzle({
    decide: () => undefined,
    rulesOf: () => undefined,
    properties: {
      bySitekey() {
        throw error;
      },
    },
    load: createLoadMeter(100),
    keyRing: () => ring,
    clock: () => instantFromSeconds(issuedAtSeconds),
    random: systemRandom,
    hasTestProperty: true,
    usage: { countPuzzle() {} },
    onFailure: (reason) => failures.push(reason),
  });
  expect(await issue({ sitekey, origin: 'https://example.com', client: 1, version: 1 })).toEqual({
    ok: false,
    problem: 'unavailable',
  });
  expect(failures).toEqual([error]);
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
