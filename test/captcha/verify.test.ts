import { describe, expect, test } from 'bun:test';
import { createReplayGuard } from '../../src/captcha/replay.ts';
import { createKeyRing, type KeyRing, sealClient, signPuzzle } from '../../src/captcha/signature.ts';
import { testPuzzleText } from '../../src/captcha/unsignedPuzzles.ts';
import type { DialectPayload } from '../../src/captcha/verdicts.ts';
import { createVerifySolution, type VerificationRequest } from '../../src/captcha/verify.ts';
import { bytesFromBase64, toBase64 } from '../../src/lib/bytes.ts';
import { type Instant, instantFromSeconds, later, toIso } from '../../src/lib/time.ts';
import type { OrganizationId } from '../../src/model/organization.ts';
import type { OwnedProperty } from '../../src/model/ports/property.ts';
import { TEST_SITEKEY } from '../../src/model/property.ts';
import { settingsCode } from '../../src/model/statistics.ts';
import { allMeetThreshold, toBlock, toThreshold } from '../../src/puzzle/check.ts';
import { toPuzzleBytes } from '../../src/puzzle/puzzle.ts';
import { parsePayload, toPayload } from '../../src/puzzle/solution.ts';
import { solvePuzzle } from '../../src/puzzle/solve.ts';
import { createBlake2b, createBlake2bCheck } from '../../src/server/blake2b.ts';
import {
  createFakeLedger,
  hmac,
  organizationId,
  principal,
  property,
  rejectArgon2id,
  rejectHashwx,
  signingKey,
  sitekey,
} from './fakes.ts';

const hash = createBlake2b();
const checkBlake2b = createBlake2bCheck();
const issuedAtSeconds = 1_800_000_000;
const expiresAtSeconds = issuedAtSeconds + 60;
const otherOrganization = 11 as OrganizationId;
/** The client that the puzzles were issued to. */
const CLIENT = 4711;
const metadata = { errorCode: 0, usedWasm: false, elapsedMs: 1 };

/** A verifier with state that tests can change. */
function open() {
  const ledger = createFakeLedger();
  const failures: string[] = [];
  const counted: unknown[][] = [];
  const verified: unknown[][] = [];
  const recorded: unknown[][] = [];
  const state = {
    ledger,
    failures,
    counted,
    /** The clients whose puzzles the load meter considers verified, and when. */
    verified,
    /** The failures that the statistics of traffic record. */
    recorded,
    now: instantFromSeconds(issuedAtSeconds + 1),
    found: property as OwnedProperty | undefined,
    readFailure: undefined as Error | undefined,
    isAsync: false,
    settings: undefined as number | undefined,
    isInMaintenance: false,
    hasTestProperty: true,
    checkArgon2id: rejectArgon2id,
    checkHashwx: rejectHashwx,
    ring: createKeyRing([signingKey(1)]) as KeyRing,
    verify: async (given: Partial<VerificationRequest> = {}) =>
      verifySolution({ payload: payload(), principal, expectedSitekey: undefined, ...given }),
  };
  const lookUp = () => {
    if (state.readFailure !== undefined) throw state.readFailure;
    return state.found;
  };
  const verifySolution = (request: VerificationRequest) =>
    createVerifySolution({
      properties: { bySitekey: () => (state.isAsync ? Promise.resolve().then(lookUp) : lookUp()) },
      guard: createReplayGuard(ledger, 100),
      keyRing: () => state.ring,
      checkBlake2b,
      checkArgon2id: state.checkArgon2id,
      checkHashwx: state.checkHashwx,
      clock: () => state.now,
      isInMaintenance: () => state.isInMaintenance,
      onFailure: (operation, error) => failures.push(`${operation}: ${(error as Error).message}`),
      hasTestProperty: state.hasTestProperty,
      usage: {
        countVerdict(verdict, { sitekey, id, settings }, metadata) {
          counted.push([verdict, sitekey, metadata, id]);
          state.settings = settings;
        },
      },
      load: { verified: (...args) => verified.push(args) },
      traffic: { failed: (...args) => recorded.push(args) },
    })(request);
  return state;
}

type State = ReturnType<typeof open>;

function puzzleText(difficulty = 1, puzzleId = 1): string {
  const puzzle = toPuzzleBytes({
    version: 1,
    challenge: 'blake2b',
    propertyId: Uint8Array.fromHex(sitekey),
    puzzleId: new Uint8Array(8).fill(puzzleId),
    difficulty,
    solutionCount: 16,
    expiresAtSeconds,
    userData: new Uint8Array(16),
  });
  sealClient(puzzle, puzzle.subarray(0, -8), CLIENT, signingKey(1).secret, hmac);
  const fields = { host: 'shop.example.com', issuedAtSeconds };
  return `${toBase64(puzzle)}.${toBase64(signPuzzle(puzzle, fields, createKeyRing([signingKey(1)]), hmac))}`;
}

function payload(text = puzzleText()): string {
  return solvePuzzle(text, hash, () => 1)?.payload ?? '';
}

/** Sixteen equal solutions. */
function duplicates(text = puzzleText()): string {
  const first = parsePayload(payload(text))?.solutions.subarray(0, 8) ?? [];
  return toPayload(metadata, repeat(first), text);
}

function repeat(solution: ArrayLike<number>): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, i) => solution[i % 8] ?? 0);
}

const HARD = 120;

/** Sixteen different solutions that do not meet the threshold. */
function wrongSolutions(): string {
  const text = puzzleText(HARD);
  const solutions = Uint8Array.from({ length: 128 }, (_, i) => (i % 8 === 0 ? i / 8 : 0));
  const block = toBlock(parsePayload(toPayload(metadata, solutions, text))?.puzzleBytes ?? new Uint8Array());
  if (allMeetThreshold(solutions, block, toThreshold(HARD), hash)) throw new Error('solved by accident');
  return toPayload(metadata, solutions, text);
}

describe('a request that may be repeated', () => {
  const repeatHash = new Uint8Array(32).fill(9);

  test('has the verdict of its first time, and is counted once', async () => {
    const state = open();
    expect(await state.verify({ repeatHash })).toMatchObject({ success: true, name: 'no-error' });
    expect(await state.verify({ repeatHash })).toMatchObject({ success: true, name: 'no-error' });
    expect([state.counted.length, state.ledger.claims]).toEqual([1, 1]);
    expect(await state.verify()).toMatchObject({ success: false, name: 'solution-verified-before' });
  });

  test('fails again if it failed because of another verification', async () => {
    const state = open();
    await state.verify();
    for (let n = 0; n < 2; n++)
      expect(await state.verify({ repeatHash })).toMatchObject({
        success: false,
        name: 'solution-verified-before',
      });
    expect([state.counted.length, state.ledger.claims]).toEqual([2, 2]);
  });

  test('has its verdict although the puzzle has expired in the meantime', async () => {
    const state = open();
    await state.verify({ repeatHash });
    state.now = instantFromSeconds(expiresAtSeconds + 10);
    expect(await state.verify({ repeatHash })).toMatchObject({ success: true });
    expect(await state.verify()).toMatchObject({ success: false, name: 'puzzle-expired' });
  });

  test('is recognized by its hash, its time in whole seconds, and the user of the key', async () => {
    const state = open();
    const keys: unknown[] = [];
    const { recall } = state.ledger;
    state.ledger.recall = (key) => {
      keys.push(key);
      return recall(key);
    };
    state.now = (instantFromSeconds(issuedAtSeconds + 5) + 999) as Instant;
    await state.verify({ repeatHash });
    expect(keys).toEqual([
      { hash: repeatHash, nowSeconds: issuedAtSeconds + 5, userId: principal.creatorId },
    ]);
  });
});

test('a puzzle whose claims were purged has expired', async () => {
  const state = open();
  state.ledger.claim = async () => 0;
  expect(await state.verify()).toMatchObject({ success: false, name: 'puzzle-expired' });
  expect(state.verified).toEqual([]);
});

test.each([
  [sitekey, true],
  [sitekey.toUpperCase(), true],
  [sitekey.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'), true],
  [TEST_SITEKEY, false],
  ['not a sitekey', false],
  ['', false],
])('a solution for the expected sitekey %j is accepted: %p', async (expectedSitekey, success) => {
  expect(await open().verify({ expectedSitekey })).toMatchObject({
    success,
    name: success ? 'no-error' : 'property-invalid',
  });
});

describe('a solution in the format of another product', () => {
  /** Returns a payload with its own check of the work. @param onCheck receives the secret of the key that signed the puzzle */
  function foreign(isSolved: boolean, onCheck: (secret: Uint8Array) => void = () => {}): DialectPayload {
    const own = parsePayload(payload());
    if (own === undefined) throw new Error('not a payload');
    return {
      ...own,
      solutions: new Uint8Array(),
      isSolved(secret) {
        onCheck(secret);
        return isSolved;
      },
    };
  }

  test('succeeds if its own check, which receives the secret of the signing key, accepts the work', async () => {
    const secrets: Uint8Array[] = [];
    const verdict = await open().verify({ payload: foreign(true, (secret) => secrets.push(secret)) });
    expect(verdict).toMatchObject({ success: true, name: 'no-error' });
    expect(secrets).toEqual([signingKey(1).secret]);
  });

  test('is invalid if its own check rejects the work', async () => {
    expect(await open().verify({ payload: foreign(false) })).toMatchObject({
      success: false,
      name: 'solution-invalid',
    });
  });
});

describe('verifying', () => {
  test('a solved puzzle succeeds, and returns the page and the time of issue', async () => {
    const state = open();
    expect(await state.verify()).toEqual({
      success: true,
      name: 'no-error',
      origin: 'shop.example.com',
      verifiedAt: state.now,
      issuedAt: instantFromSeconds(issuedAtSeconds),
      isUnavailable: false,
      sitekey,
      pageData: {},
    });
    expect(toIso(state.now)).toBe('2027-01-15T08:00:01.000Z');
  });

  test('has the same result for a property that is not cached', async () => {
    const state = open();
    state.isAsync = true;
    expect(await state.verify()).toMatchObject({ success: true, name: 'no-error' });
    expect(await open().verify({ payload: duplicates() })).toMatchObject({ name: 'solution-duplicates' });
  });

  test('a puzzle signed with an old key succeeds while the key is in the key ring', async () => {
    const state = open();
    state.ring = createKeyRing([signingKey(2), signingKey(1)]);
    expect(await state.verify()).toMatchObject({ success: true, name: 'no-error' });
    state.ring = createKeyRing([signingKey(2)]);
    expect(await state.verify()).toMatchObject({ success: false, name: 'integrity-error', origin: '' });
  });

  test.each([
    [-1, true, 'no-error'],
    [0, false, 'puzzle-expired'],
    [1, false, 'puzzle-expired'],
  ])('%d ms after the expiration succeeds: %p', async (distance, success, name) => {
    const state = open();
    state.now = (instantFromSeconds(expiresAtSeconds) + distance) as Instant;
    expect(await state.verify()).toMatchObject({ success, name });
  });

  test.each([
    ['the same', sitekey, 'no-error'],
    ['the same uppercase', sitekey.toUpperCase(), 'no-error'],
    ['the same with dashes', '01234567-89ab-cdef-0123-456789abcdef', 'no-error'],
    ['another', `${sitekey.slice(1)}0`, 'property-invalid'],
    ['an invalid', 'nonsense', 'property-invalid'],
  ])('with %s sitekey expected', async (_, expectedSitekey, name) => {
    expect(await open().verify({ expectedSitekey })).toMatchObject({ name });
  });

  test('a puzzle of a disabled property fails with an unspecified error', async () => {
    const state = open();
    state.found = { ...property, isEnabled: false };
    expect(await state.verify()).toMatchObject({ success: false, name: 'error-other', isUnavailable: false });
  });

  test.each([
    ['of the property\u2019s organization', organizationId, 'no-error'],
    ['of another organization', otherOrganization, 'org-scope-error'],
  ])('with a key %s', async (_, scope, name) => {
    const memberOf = new Set([organizationId, otherOrganization]);
    const scoped = { ...principal, organizationId: scope, memberOf };
    expect(await open().verify({ principal: scoped })).toMatchObject({ name });
  });

  test('is counted: a repeat fails above the maximum and succeeds up to it', async () => {
    const state = open();
    expect(await state.verify()).toMatchObject({ success: true, name: 'no-error' });
    expect(await state.verify()).toMatchObject({ success: false, name: 'solution-verified-before' });
    state.found = { ...property, allowance: 4 };
    expect(await state.verify()).toMatchObject({ success: true, name: 'solution-verified-before' });
  });

  test('is recorded for the client that requested the puzzle, once and only if it succeeds', async () => {
    const state = open();
    await state.verify({ payload: wrongSolutions() });
    await state.verify({ payload: duplicates() });
    await state.verify({ expectedSitekey: TEST_SITEKEY });
    await state.verify({ principal: { ...principal, memberOf: new Set() } });
    state.ledger.failure = new Error('disk full');
    await state.verify();
    expect(state.verified).toEqual([]);
    state.ledger.failure = undefined;
    await state.verify();
    await state.verify();
    expect(state.verified).toEqual([[CLIENT, 1, state.now]]);
  });

  test('is recorded as traffic if it fails, with its reason, its page, and its time', async () => {
    const state = open();
    await state.verify();
    expect(state.recorded).toEqual([]);
    await state.verify();
    expect(state.recorded).toMatchObject([
      [{ sitekey }, 'solution-verified-before', { host: 'shop.example.com', now: state.now }],
    ]);
    expect(state.recorded).toHaveLength(1);
  });

  test('is unavailable if the claim cannot be stored, and reports the reason', async () => {
    const state = open();
    state.ledger.failure = new Error('disk full');
    expect(await state.verify()).toMatchObject({ success: false, name: 'error-other', isUnavailable: true });
    expect(state.failures).toEqual(['claim: disk full']);
    state.ledger.failure = undefined;
    expect(await state.verify()).toMatchObject({ success: true, name: 'no-error' });
  });
});

test.each([
  [42, 'solution-bad-format'],
  [43, 'integrity-error'],
  [296, 'integrity-error'],
  [297, 'solution-bad-format'],
])('a foreign signature of %d bytes results in %s', async (length, name) => {
  const [head, puzzle] = payload().split('.');
  const text = `${head}.${puzzle}.${toBase64(new Uint8Array(length).fill(1))}`;
  expect(await open().verify({ payload: text })).toMatchObject({ success: false, name, origin: '' } as never);
});

describe('in maintenance', () => {
  test('the first verification has code 9 and is counted; the second fails', async () => {
    const state = open();
    state.isInMaintenance = true;
    expect(await state.verify()).toMatchObject({ success: true, name: 'maintenance-mode' });
    expect(await state.verify()).toMatchObject({ success: false, name: 'solution-verified-before' });
    state.isInMaintenance = false;
    expect(await state.verify()).toMatchObject({ success: false, name: 'solution-verified-before' });
  });

  test.each([false, true])(
    'one verification succeeds for an unreadable property (async: %p)',
    async (isAsync) => {
      const state = open();
      state.isAsync = isAsync;
      state.found = { ...property, allowance: 5 };
      state.readFailure = new Error('database is malformed');
      expect(await state.verify()).toMatchObject({ success: true, name: 'maintenance-mode' });
      expect(await state.verify()).toMatchObject({ success: false, name: 'solution-verified-before' });
      expect(state.failures[0]).toBe('property: database is malformed');
    },
  );

  test('solutions are still checked', async () => {
    const state = open();
    state.readFailure = new Error('database is malformed');
    expect(await state.verify({ payload: wrongSolutions() })).toMatchObject({
      success: false,
      name: 'solution-invalid',
    });
    expect(await state.verify({ payload: duplicates() })).toMatchObject({ name: 'solution-duplicates' });
    expect(state.ledger.claims).toBe(0);
  });

  test('a key without access to a cached property is rejected', async () => {
    const state = open();
    state.isInMaintenance = true;
    const foreignPrincipal = { ...principal, memberOf: new Set<OrganizationId>() };
    expect(await state.verify({ principal: foreignPrincipal })).toMatchObject({
      name: 'property-owner-mismatch',
    });
  });
});

describe('the test property', () => {
  const zeros = toPayload(metadata, new Uint8Array(128), testPuzzleText());
  const withoutMetadata = `${toBase64(new Uint8Array(128))}.${testPuzzleText()}`;

  test.each([
    ['with metadata', zeros],
    ['without metadata', withoutMetadata],
    ['with metadata zeros', `${toBase64(new Uint8Array(7 + 128))}.${testPuzzleText()}`],
  ])('always succeeds with code 10, %s', async (_, text) => {
    const state = open();
    for (let i = 0; i < 3; i++) {
      expect(await state.verify({ payload: text })).toMatchObject({
        success: true,
        name: 'property-test',
        origin: '',
      });
    }
    expect(state.ledger.claims).toBe(0);
  });

  test('fails if another sitekey is expected', async () => {
    expect(await open().verify({ payload: zeros, expectedSitekey: TEST_SITEKEY })).toMatchObject({
      success: true,
    });
    const other = await open().verify({ payload: zeros, expectedSitekey: sitekey });
    expect(other).toMatchObject({ success: false, name: 'property-invalid' });
  });

  test('is not recognized if any byte of its puzzle changes', async () => {
    const [puzzle = '', signature = ''] = testPuzzleText().split('.');
    const bytes = bytesFromBase64(puzzle) ?? new Uint8Array();
    for (let at = 0; at < bytes.length; at++) {
      const changed = bytes.with(at, (bytes[at] ?? 0) ^ 0x10);
      const solutions = new Uint8Array((changed[26] ?? 0) * 8);
      const text = `${toBase64(solutions)}.${toBase64(changed)}.${signature}`;
      const name = at === 0 || at === 26 ? 'solution-bad-format' : 'integrity-error';
      expect([at, await open().verify({ payload: text })]).toMatchObject([at, { success: false, name }]);
    }
  });

  test('accepts metadata that is all zeros or has version 1', async () => {
    const head = new Uint8Array(7 + 128);
    for (const at of [0, 1, 6]) {
      const text = `${toBase64(head.with(at, 2))}.${testPuzzleText()}`;
      expect([at, await open().verify({ payload: text })]).toMatchObject([
        at,
        { name: 'solution-bad-format' },
      ]);
    }
  });

  test('has an invalid signature if it is off', async () => {
    const state = open();
    state.hasTestProperty = false;
    expect(await state.verify({ payload: zeros })).toMatchObject({ success: false, name: 'integrity-error' });
  });
});

/** All failures in the order of the checks. A later failure must not change the result of an earlier one. */
describe('the first failure decides', () => {
  type Case = { payload: string; request: Partial<VerificationRequest>; state: (state: State) => void };
  const foreignPrincipal = {
    ...principal,
    memberOf: new Set<OrganizationId>(),
    organizationId: otherOrganization,
  };
  const scoped = { ...principal, memberOf: new Set([organizationId]), organizationId: otherOrganization };
  const inOrder: readonly [string, (c: Case) => void][] = [
    [
      'solution-bad-format',
      (c) => {
        c.payload = `${c.payload}.`;
      },
    ],
    [
      'integrity-error',
      (c) => {
        c.state = both(c.state, (s) => {
          s.ring = createKeyRing([signingKey(9)]);
        });
      },
    ],
    [
      'puzzle-expired',
      (c) => {
        c.state = both(c.state, (s) => {
          s.now = instantFromSeconds(expiresAtSeconds);
        });
      },
    ],
    [
      'property-invalid',
      (c) => {
        c.request = { ...c.request, expectedSitekey: TEST_SITEKEY };
      },
    ],
    [
      'property-invalid',
      (c) => {
        c.state = both(c.state, (s) => {
          s.found = undefined;
        });
      },
    ],
    [
      'error-other',
      (c) => {
        c.state = both(c.state, (s) => {
          s.found = s.found && { ...s.found, isEnabled: false };
        });
      },
    ],
    [
      'property-owner-mismatch',
      (c) => {
        c.request = { ...c.request, principal: foreignPrincipal };
      },
    ],
    [
      'org-scope-error',
      (c) => {
        c.request = { principal: scoped, ...c.request };
      },
    ],
    // A payload cannot contain both of the next two failures unless equal solutions are combined with a hard puzzle.
    [
      'solution-duplicates',
      (c) => {
        c.payload =
          c.payload === payload() ? duplicates() : toPayload(metadata, new Uint8Array(128), puzzleText(HARD));
      },
    ],
    [
      'solution-invalid',
      (c) => {
        c.payload = wrongSolutions();
      },
    ],
    [
      'error-other',
      (c) => {
        c.state = both(c.state, (s) => {
          s.ledger.failure = new Error('disk full');
        });
      },
    ],
    [
      'maintenance-mode',
      (c) => {
        c.state = both(c.state, (s) => {
          s.isInMaintenance = true;
        });
      },
    ],
  ];
  const both = (a: (s: State) => void, b: (s: State) => void) => (s: State) => {
    a(s);
    b(s);
  };

  async function verdictOf(failures: readonly number[]): Promise<string> {
    const c: Case = { payload: payload(), request: {}, state: () => {} };
    // In reverse order: the failure that is checked first is applied last.
    for (const index of failures.toReversed()) inOrder[index]?.[1](c);
    const state = open();
    c.state(state);
    return (await state.verify({ payload: c.payload, ...c.request })).name;
  }

  test.each(inOrder.map(([name], index) => [name, index] as const))(
    '%s (%d) is detected alone',
    async (name, index) => {
      expect(await verdictOf([index])).toBe(name as string);
    },
  );

  test('among any two', async () => {
    for (let a = 0; a < inOrder.length; a++) {
      for (let b = a + 1; b < inOrder.length; b++) {
        expect([a, b, await verdictOf([a, b])]).toEqual([a, b, inOrder[a]?.[0] ?? '']);
      }
    }
  });

  test('among any one and all later ones', async () => {
    for (let from = 0; from < inOrder.length; from++) {
      const rest = inOrder.map((_, index) => index).slice(from);
      expect([from, await verdictOf(rest)]).toEqual([from, inOrder[from]?.[0] ?? '']);
    }
  });

  test('and every verdict is counted once, for the property if the key has access to it', async () => {
    const uncounted = ['solution-bad-format', 'property-test', 'integrity-error'];
    uncounted.push('property-owner-mismatch', 'org-scope-error');
    for (const [name, damage] of inOrder) {
      const c: Case = { payload: payload(), request: {}, state: () => {} };
      damage(c);
      const state = open();
      c.state(state);
      const verdict = await state.verify({ payload: c.payload, ...c.request });
      const counted = state.counted.map(([verdict, sitekey]) => [verdict, sitekey]);
      expect([name, counted]).toEqual([name, [[verdict, uncounted.includes(name) ? undefined : sitekey]]]);
    }
    const state = open();
    const verdict = await state.verify();
    expect(state.counted).toEqual([
      [verdict, sitekey, { errorCode: 0, usedWasm: false, elapsedMs: 1 }, property.id],
    ]);
  });

  // Otherwise, the advice on the level would rate the level of the property by solve times of harder puzzles.
  test('and solve times during attack mode count for its settings', async () => {
    const state = open();
    const counted = async (attackUntil: Instant) => {
      state.found = { ...property, level: 150, attackUntil };
      await state.verify({ payload: payload(puzzleText(1, attackUntil % 256)) });
      return state.settings;
    };
    expect(await counted(state.now)).toBe(settingsCode({ ...property, level: 150 }));
    expect(await counted(later(state.now, 1))).toBe(settingsCode({ ...property, level: 166 }));
  });

  // Otherwise, a tenant could distort another tenant's statistics.
  const FOREIGN = [
    ['of another tenant', { ...principal, memberOf: new Set([otherOrganization]) }],
    ['limited to another organization', { ...principal, organizationId: otherOrganization }],
  ] as const;

  test.each(FOREIGN)('and no verdict for a key %s is counted for the property', async (_, foreign) => {
    for (const isAsync of [false, true]) {
      for (const [name, damage] of inOrder) {
        const c: Case = { payload: payload(), request: {}, state: () => {} };
        damage(c);
        const state = open();
        c.state(state);
        state.isAsync = isAsync;
        await state.verify({ payload: c.payload, ...c.request, principal: foreign });
        // The statistics ignore unknown sitekeys.
        if (state.found === undefined) continue;
        expect([name, state.counted.map(([, sitekey]) => sitekey)]).toEqual([name, [undefined]]);
      }
    }
  });

  test('and an expired puzzle whose property cannot be read is counted for the installation only', async () => {
    for (const isAsync of [false, true]) {
      const state = open();
      state.isAsync = isAsync;
      state.now = instantFromSeconds(expiresAtSeconds);
      state.readFailure = new Error('disk I/O error');
      expect(await state.verify()).toMatchObject({ name: 'puzzle-expired', success: false });
      expect(state.counted.map(([, sitekey]) => sitekey)).toEqual([undefined]);
    }
  });

  test('and no claim is made after a failure', async () => {
    for (let index = 0; index < 10; index++) {
      const c: Case = { payload: payload(), request: {}, state: () => {} };
      inOrder[index]?.[1](c);
      const state = open();
      c.state(state);
      await state.verify({ payload: c.payload, ...c.request });
      expect([index, state.ledger.claims]).toEqual([index, 0]);
    }
  });
});
