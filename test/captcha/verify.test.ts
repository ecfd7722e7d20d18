import { describe, expect, test } from 'bun:test';
import { createReplayGuard } from '../../src/captcha/replay.ts';
import { createKeyRing, type KeyRing, signPuzzle } from '../../src/captcha/signature.ts';
import { testPuzzleText } from '../../src/captcha/testProperty.ts';
import { createVerifySolution, type Presentation } from '../../src/captcha/verify.ts';
import { base64Of, bytesOfBase64 } from '../../src/lib/bytes.ts';
import { type Instant, instantOfSeconds, isoOf } from '../../src/lib/time.ts';
import type { OrganizationId } from '../../src/model/organization.ts';
import { type Property, TEST_SITEKEY } from '../../src/model/property.ts';
import { blockOf, doAllMeet } from '../../src/puzzle/check.ts';
import { bytesOfPuzzle } from '../../src/puzzle/puzzle.ts';
import { parsePayload, payloadOf } from '../../src/puzzle/solution.ts';
import { solvePuzzle } from '../../src/puzzle/solve.ts';
import { thresholdOf } from '../../src/puzzle/threshold.ts';
import { createBlake2b } from '../../src/server/crypto.ts';
import { createFakeLedger, hmac, organizationId, principal, property, signingKey, sitekey } from './fakes.ts';

const hash = createBlake2b();
const issuedAtSeconds = 1_800_000_000;
const expiresAtSeconds = issuedAtSeconds + 60;
const elsewhere = 11 as OrganizationId;
const metadata = { errorCode: 0, usedWasm: false, elapsedMs: 1 };

/** A verifier with everything in hand. */
function open() {
  const ledger = createFakeLedger();
  const failures: string[] = [];
  const counted: unknown[][] = [];
  const state = {
    ledger,
    failures,
    counted,
    now: instantOfSeconds(issuedAtSeconds + 1),
    found: property as Property | undefined,
    readFailure: undefined as Error | undefined,
    isAsync: false,
    isInMaintenance: false,
    hasTestProperty: true,
    ring: createKeyRing([signingKey(1)]) as KeyRing,
    verify: async (given: Partial<Presentation> = {}) =>
      verifySolution({ payload: payload(), principal, expectedSitekey: undefined, ...given }),
  };
  const lookUp = () => {
    if (state.readFailure !== undefined) throw state.readFailure;
    return state.found;
  };
  const verifySolution = (presentation: Presentation) =>
    createVerifySolution({
      properties: { bySitekey: () => (state.isAsync ? Promise.resolve().then(lookUp) : lookUp()) },
      guard: createReplayGuard(ledger, 100),
      keyRing: () => state.ring,
      hmac,
      hash,
      clock: () => state.now,
      isInMaintenance: () => state.isInMaintenance,
      onFailure: (what, error) => failures.push(`${what}: ${(error as Error).message}`),
      hasTestProperty: state.hasTestProperty,
      count: { judged: (verdict, of, metadata) => counted.push([verdict, of.sitekey, metadata, of.id]) },
    })(presentation);
  return state;
}

type State = ReturnType<typeof open>;

function puzzleText(difficulty = 1, puzzleId = 1): string {
  const puzzle = bytesOfPuzzle({
    propertyId: Uint8Array.fromHex(sitekey),
    puzzleId: new Uint8Array(8).fill(puzzleId),
    difficulty,
    solutionCount: 16,
    expiresAtSeconds,
    userData: new Uint8Array(16),
  });
  const facts = { host: 'shop.example.com', issuedAtSeconds };
  return `${base64Of(puzzle)}.${base64Of(signPuzzle(puzzle, facts, createKeyRing([signingKey(1)]), hmac))}`;
}

function payload(text = puzzleText()): string {
  return solvePuzzle(text, hash, () => 1)?.payload ?? '';
}

/** Sixteen equal solutions. */
function duplicates(text = puzzleText()): string {
  const first = parsePayload(payload(text))?.solutions.subarray(0, 8) ?? [];
  return payloadOf(metadata, repeat(first), text);
}

function repeat(solution: ArrayLike<number>): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, i) => solution[i % 8] ?? 0);
}

const HARD = 120;

/** Sixteen different solutions that do not meet the threshold. */
function wrong(): string {
  const text = puzzleText(HARD);
  const solutions = Uint8Array.from({ length: 128 }, (_, i) => (i % 8 === 0 ? i / 8 : 0));
  const block = blockOf(parsePayload(payloadOf(metadata, solutions, text))?.puzzleBytes ?? new Uint8Array());
  if (doAllMeet(solutions, block, thresholdOf(HARD), hash)) throw new Error('solved by accident');
  return payloadOf(metadata, solutions, text);
}

describe('a verification', () => {
  test('of a solved puzzle succeeds, and says where and when the puzzle was issued', async () => {
    const state = open();
    expect(await state.verify()).toEqual({
      success: true,
      name: 'no-error',
      origin: 'shop.example.com',
      verifiedAt: state.now,
      issuedAt: instantOfSeconds(issuedAtSeconds),
      isUnavailable: false,
    });
    expect(isoOf(state.now)).toBe('2027-01-15T08:00:01.000Z');
  });

  test('of a property that is not in memory yet ends the same', async () => {
    const state = open();
    state.isAsync = true;
    expect(await state.verify()).toMatchObject({ success: true, name: 'no-error' });
    expect(await open().verify({ payload: duplicates() })).toMatchObject({ name: 'solution-duplicates' });
  });

  test('of a puzzle that an old key signed succeeds while the key ring has it', async () => {
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
  ])('%d ms from the expiration: %p', async (distance, success, name) => {
    const state = open();
    state.now = (instantOfSeconds(expiresAtSeconds) + distance) as Instant;
    expect(await state.verify()).toMatchObject({ success, name });
  });

  test.each([
    ['the same', sitekey, 'no-error'],
    ['the same in capitals', sitekey.toUpperCase(), 'no-error'],
    ['the same with dashes', '01234567-89ab-cdef-0123-456789abcdef', 'no-error'],
    ['another', `${sitekey.slice(1)}0`, 'property-invalid'],
    ['no sitekey', 'nonsense', 'property-invalid'],
  ])('that expects %s sitekey', async (_, expectedSitekey, name) => {
    expect(await open().verify({ expectedSitekey })).toMatchObject({ name });
  });

  test('of a disabled property is an unspecified error', async () => {
    const state = open();
    state.found = { ...property, isEnabled: false };
    expect(await state.verify()).toMatchObject({ success: false, name: 'error-other', isUnavailable: false });
  });

  test.each([
    ['of the property\u2019s organization', organizationId, 'no-error'],
    ['of another organization', elsewhere, 'org-scope-error'],
  ])('with a key %s', async (_, scope, name) => {
    const memberOf = new Set([organizationId, elsewhere]);
    const scoped = { ...principal, organizationId: scope, memberOf };
    expect(await open().verify({ principal: scoped })).toMatchObject({ name });
  });

  test('is counted: a repeat fails, or succeeds as far as the property allows', async () => {
    const state = open();
    expect(await state.verify()).toMatchObject({ success: true, name: 'no-error' });
    expect(await state.verify()).toMatchObject({ success: false, name: 'solution-verified-before' });
    state.found = { ...property, allowance: 4 };
    expect(await state.verify()).toMatchObject({ success: true, name: 'solution-verified-before' });
  });

  test('whose claim cannot be kept decides nothing, and tells why', async () => {
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
])('a signature of %d bytes that is none of ours is a %s', async (length, name) => {
  const [head, puzzle] = payload().split('.');
  const text = `${head}.${puzzle}.${base64Of(new Uint8Array(length).fill(1))}`;
  expect(await open().verify({ payload: text })).toMatchObject({ success: false, name, origin: '' } as never);
});

describe('in maintenance', () => {
  test('a first verification is code 9 and counted, a second one is not accepted', async () => {
    const state = open();
    state.isInMaintenance = true;
    expect(await state.verify()).toMatchObject({ success: true, name: 'maintenance-mode' });
    expect(await state.verify()).toMatchObject({ success: false, name: 'solution-verified-before' });
    state.isInMaintenance = false;
    expect(await state.verify()).toMatchObject({ success: false, name: 'solution-verified-before' });
  });

  test.each([false, true])(
    'an unreadable property is taken at its word (late: %p), once',
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

  test('proofs are still checked', async () => {
    const state = open();
    state.readFailure = new Error('database is malformed');
    expect(await state.verify({ payload: wrong() })).toMatchObject({
      success: false,
      name: 'solution-invalid',
    });
    expect(await state.verify({ payload: duplicates() })).toMatchObject({ name: 'solution-duplicates' });
    expect(state.ledger.claims).toBe(0);
  });

  test('who may not use a known property may not now', async () => {
    const state = open();
    state.isInMaintenance = true;
    const stranger = { ...principal, memberOf: new Set<OrganizationId>() };
    expect(await state.verify({ principal: stranger })).toMatchObject({ name: 'property-owner-mismatch' });
  });
});

describe('the test property', () => {
  const zeros = payloadOf(metadata, new Uint8Array(128), testPuzzleText());
  const bare = `${base64Of(new Uint8Array(128))}.${testPuzzleText()}`;

  test.each([
    ['with metadata', zeros],
    ['without', bare],
    ['with metadata of zeros', `${base64Of(new Uint8Array(7 + 128))}.${testPuzzleText()}`],
  ])('succeeds with code 10 as often as one likes, %s', async (_, text) => {
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

  test('must be the expected one, where one is expected', async () => {
    expect(await open().verify({ payload: zeros, expectedSitekey: TEST_SITEKEY })).toMatchObject({
      success: true,
    });
    const other = await open().verify({ payload: zeros, expectedSitekey: sitekey });
    expect(other).toMatchObject({ success: false, name: 'property-invalid' });
  });

  test('is not what its puzzle is with any one byte changed', async () => {
    const [puzzle = '', signature = ''] = testPuzzleText().split('.');
    const bytes = bytesOfBase64(puzzle) ?? new Uint8Array();
    for (let at = 0; at < bytes.length; at++) {
      const changed = bytes.with(at, (bytes[at] ?? 0) ^ 0x10);
      const solutions = new Uint8Array((changed[26] ?? 0) * 8);
      const text = `${base64Of(solutions)}.${base64Of(changed)}.${signature}`;
      const name = at === 0 || at === 26 ? 'solution-bad-format' : 'integrity-error';
      expect([at, await open().verify({ payload: text })]).toMatchObject([at, { success: false, name }]);
    }
  });

  test('has 7 bytes of metadata that are all zero, or have version 1', async () => {
    const head = new Uint8Array(7 + 128);
    for (const at of [0, 1, 6]) {
      const text = `${base64Of(head.with(at, 2))}.${testPuzzleText()}`;
      expect([at, await open().verify({ payload: text })]).toMatchObject([
        at,
        { name: 'solution-bad-format' },
      ]);
    }
  });

  test('that is switched off is a puzzle nobody signed', async () => {
    const state = open();
    state.hasTestProperty = false;
    expect(await state.verify({ payload: zeros })).toMatchObject({ success: false, name: 'integrity-error' });
  });
});

/** Every way to fail, in the order in which they are looked for. A later one must not matter to an earlier. */
describe('the first failure wins', () => {
  type Case = { payload: string; presentation: Partial<Presentation>; state: (state: State) => void };
  const stranger = { ...principal, memberOf: new Set<OrganizationId>(), organizationId: elsewhere };
  const scoped = { ...principal, memberOf: new Set([organizationId]), organizationId: elsewhere };
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
          s.now = instantOfSeconds(expiresAtSeconds);
        });
      },
    ],
    [
      'property-invalid',
      (c) => {
        c.presentation = { ...c.presentation, expectedSitekey: TEST_SITEKEY };
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
        c.presentation = { ...c.presentation, principal: stranger };
      },
    ],
    [
      'org-scope-error',
      (c) => {
        c.presentation = { principal: scoped, ...c.presentation };
      },
    ],
    // These two exclude each other as payloads; equal solutions of a hard puzzle are both.
    [
      'solution-duplicates',
      (c) => {
        c.payload =
          c.payload === payload() ? duplicates() : payloadOf(metadata, new Uint8Array(128), puzzleText(HARD));
      },
    ],
    [
      'solution-invalid',
      (c) => {
        c.payload = wrong();
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
    const c: Case = { payload: payload(), presentation: {}, state: () => {} };
    // From the last to the first: what is looked for first is damaged last.
    for (const index of failures.toReversed()) inOrder[index]?.[1](c);
    const state = open();
    c.state(state);
    return (await state.verify({ payload: c.payload, ...c.presentation })).name;
  }

  test.each(inOrder.map(([name], index) => [name, index] as const))(
    '%s (%d) is found alone',
    async (name, index) => {
      expect(await verdictOf([index])).toBe(name as string);
    },
  );

  test('of any two, the one that stands first', async () => {
    for (let a = 0; a < inOrder.length; a++) {
      for (let b = a + 1; b < inOrder.length; b++) {
        expect([a, b, await verdictOf([a, b])]).toEqual([a, b, inOrder[a]?.[0] ?? '']);
      }
    }
  });

  test('of all from one on, that one', async () => {
    for (let from = 0; from < inOrder.length; from++) {
      const rest = inOrder.map((_, index) => index).slice(from);
      expect([from, await verdictOf(rest)]).toEqual([from, inOrder[from]?.[0] ?? '']);
    }
  });

  test('and every verdict is reported to the statistics once, with the sitekey if the key may verify for the property', async () => {
    const ofNobody = ['solution-bad-format', 'property-test', 'integrity-error'];
    ofNobody.push('property-owner-mismatch', 'org-scope-error');
    for (const [name, damage] of inOrder) {
      const c: Case = { payload: payload(), presentation: {}, state: () => {} };
      damage(c);
      const state = open();
      c.state(state);
      const verdict = await state.verify({ payload: c.payload, ...c.presentation });
      const told = state.counted.map(([verdict, sitekey]) => [verdict, sitekey]);
      expect([name, told]).toEqual([name, [[verdict, ofNobody.includes(name) ? undefined : sitekey]]]);
    }
    const state = open();
    const verdict = await state.verify();
    expect(state.counted).toEqual([
      [verdict, sitekey, { errorCode: 0, usedWasm: false, elapsedMs: 1 }, property.id],
    ]);
  });

  // A tenant could fill another tenant's statistics with failures.
  const STRANGERS = [
    ['of another tenant', { ...principal, memberOf: new Set([elsewhere]) }],
    ['limited to another organization', { ...principal, organizationId: elsewhere }],
  ] as const;

  test.each(STRANGERS)(
    'and nothing that a key %s presents is counted for the property',
    async (_, stranger) => {
      for (const isAsync of [false, true]) {
        for (const [name, damage] of inOrder) {
          const c: Case = { payload: payload(), presentation: {}, state: () => {} };
          damage(c);
          const state = open();
          c.state(state);
          state.isAsync = isAsync;
          await state.verify({ payload: c.payload, ...c.presentation, principal: stranger });
          // The statistics find no property of a sitekey that does not exist.
          if (state.found === undefined) continue;
          expect([name, state.counted.map(([, sitekey]) => sitekey)]).toEqual([name, [undefined]]);
        }
      }
    },
  );

  test('and an expired puzzle whose property cannot be read is counted for the installation', async () => {
    for (const isAsync of [false, true]) {
      const state = open();
      state.isAsync = isAsync;
      state.now = instantOfSeconds(expiresAtSeconds);
      state.readFailure = new Error('disk I/O error');
      expect(await state.verify()).toMatchObject({ name: 'puzzle-expired', success: false });
      expect(state.counted.map(([, sitekey]) => sitekey)).toEqual([undefined]);
    }
  });

  test('and only what passed all of it is counted', async () => {
    for (let index = 0; index < 10; index++) {
      const c: Case = { payload: payload(), presentation: {}, state: () => {} };
      inOrder[index]?.[1](c);
      const state = open();
      c.state(state);
      await state.verify({ payload: c.payload, ...c.presentation });
      expect([index, state.ledger.claims]).toEqual([index, 0]);
    }
  });
});
