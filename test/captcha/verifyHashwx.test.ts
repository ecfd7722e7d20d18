import { describe, expect, test } from 'bun:test';
import { createReplayGuard } from '../../src/captcha/replay.ts';
import { createKeyRing, sealClient, signPuzzle } from '../../src/captcha/signature.ts';
import { createVerifySolution, type VerificationRequest } from '../../src/captcha/verify.ts';
import { toBase64 } from '../../src/lib/bytes.ts';
import { instantFromSeconds } from '../../src/lib/time.ts';
import { toPuzzleBytes } from '../../src/puzzle/puzzle.ts';
import { toPayload } from '../../src/puzzle/solution.ts';
import { createBlake2bCheck } from '../../src/server/blake2b.ts';
import { createFakeLedger, hmac, principal, property, rejectArgon2id, signingKey, sitekey } from './fakes.ts';

const issuedAtSeconds = 1_800_000_000;
const ring = createKeyRing([signingKey(1)]);

/** A verifier that does not hash, but returns what the test wants. */
function open(ledger = createFakeLedger()) {
  const state = { ledger, checks: 0, isValid: true, verified: [] as unknown[], counted: [] as string[] };
  const now = instantFromSeconds(issuedAtSeconds + 1);
  const verifySolution = createVerifySolution({
    properties: { bySitekey: () => property },
    guard: createReplayGuard(ledger, 100),
    keyRing: () => ring,
    checkBlake2b: createBlake2bCheck(),
    checkArgon2id: rejectArgon2id,
    checkHashwx() {
      state.checks++;
      return state.isValid;
    },
    clock: () => now,
    isInMaintenance: () => false,
    onFailure() {},
    hasTestProperty: true,
    load: { verified: (...args) => state.verified.push(args) },
    usage: { countVerdict: ({ name }) => state.counted.push(name) },
  });
  const verify = async (payload: string, given: Partial<VerificationRequest> = {}) =>
    verifySolution({ payload, principal, expectedSitekey: undefined, ...given });
  return { state, verify, now };
}

/** Eight solutions with the indexes 0 to 7, before changes. */
function solutionsWith(change: (bytes: Uint8Array) => void = () => {}): Uint8Array {
  const solutions = Uint8Array.from({ length: 64 }, (_, i) => (i % 8 === 0 ? i / 8 : i % 8 === 1 ? 0 : 5));
  change(solutions);
  return solutions;
}

function payload(given: { difficulty?: number; solutions?: Uint8Array; client?: number } = {}): string {
  const { difficulty = 24, solutions = solutionsWith() } = given;
  const puzzle = toPuzzleBytes({
    version: 3,
    challenge: 'hashwx',
    propertyId: Uint8Array.fromHex(sitekey),
    puzzleId: new Uint8Array(8).fill(7),
    difficulty,
    solutionCount: 8,
    expiresAtSeconds: issuedAtSeconds + 60,
    userData: new Uint8Array(16),
  });
  if (given.client !== undefined)
    sealClient(puzzle, puzzle.subarray(0, -8), given.client, signingKey(1).secret, hmac);
  const signature = signPuzzle(puzzle, { host: 'example.com', issuedAtSeconds }, ring, hmac);
  const metadata = { errorCode: 0, usedWasm: true, elapsedMs: 9 };
  return toPayload(metadata, solutions, `${toBase64(puzzle)}.${toBase64(signature)}`);
}

describe('a HashWX solution', () => {
  test('succeeds once, and a repeat is rejected without hashing', async () => {
    const { state, verify } = open();
    expect(await verify(payload())).toMatchObject({ success: true, name: 'no-error', origin: 'example.com' });
    expect(await verify(payload())).toMatchObject({ success: false, name: 'solution-verified-before' });
    expect([state.checks, state.ledger.claims]).toEqual([1, 1]);
  });

  test('repeats its verdict for a request with the same idempotency key', async () => {
    const { state, verify } = open();
    const repeatHash = new Uint8Array(32).fill(5);
    expect(await verify(payload(), { repeatHash })).toMatchObject({ success: true });
    expect(await verify(payload(), { repeatHash })).toMatchObject({ success: true });
    const other = { repeatHash: new Uint8Array(32).fill(6) };
    expect(await verify(payload(), other)).toMatchObject({ name: 'solution-verified-before' });
    expect(state.checks).toBe(1);
  });

  test('counts as paid with its difficulty on the scale of BLAKE2b', async () => {
    const { state, verify, now } = open();
    await verify(payload({ client: 4711 }));
    expect(state.verified).toEqual([[4711, 24 + 36, now]]);
  });

  test('fails if its work is not valid, without a claim', async () => {
    const { state, verify } = open();
    state.isValid = false;
    expect(await verify(payload())).toMatchObject({ success: false, name: 'solution-invalid' });
    expect(state.ledger.claims).toBe(0);
  });

  test.each([
    ['the same solution twice', solutionsWith((bytes) => bytes.copyWithin(8, 0, 8)), 'solution-duplicates'],
    ['the same index twice', solutionsWith((bytes) => bytes.set([0, 0, 9], 8)), 'solution-duplicates'],
    ['an index that is too high', solutionsWith((bytes) => bytes.set([8], 56)), 'solution-invalid'],
    ['a second byte other than 0', solutionsWith((bytes) => bytes.set([1], 57)), 'solution-invalid'],
    ['a wrong number of solutions', new Uint8Array(128), 'solution-bad-format'],
  ] as const)('with %s is rejected without hashing', async (_, solutions, name) => {
    const { state, verify } = open();
    expect(await verify(payload({ solutions }))).toMatchObject({ success: false, name });
    expect([state.checks, state.ledger.claims]).toEqual([0, 0]);
  });

  test.each([0, 23])(
    'of a signed puzzle of difficulty %i, which random nonces solve, is rejected',
    async (difficulty) => {
      const { state, verify } = open();
      expect(await verify(payload({ difficulty }))).toMatchObject({ name: 'solution-bad-format' });
      expect(state.checks).toBe(0);
    },
  );
});
