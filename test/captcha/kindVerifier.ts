import type { Argon2idResult } from '../../src/captcha/argon2idCheck.ts';
import { createReplayGuard } from '../../src/captcha/replay.ts';
import { createKeyRing, sealClient, signPuzzle } from '../../src/captcha/signature.ts';
import { createVerifySolution, type VerificationRequest } from '../../src/captcha/verify.ts';
import { toBase64 } from '../../src/lib/bytes.ts';
import { instantFromSeconds } from '../../src/lib/time.ts';
import { type PuzzleKind, toPuzzleBytes } from '../../src/puzzle/puzzle.ts';
import { toPayload } from '../../src/puzzle/solution.ts';
import { createBlake2bCheck } from '../../src/server/blake2b.ts';
import { createFakeLedger, hmac, principal, property, signingKey, sitekey } from './fakes.ts';

export const issuedAtSeconds = 1_800_000_000;
const ring = createKeyRing([signingKey(1)]);

/** A verifier that computes neither argon2id nor HashWX, but returns what the test wants. */
export function openVerifier(ledger = createFakeLedger()) {
  const state = {
    ledger,
    checks: 0,
    result: 'valid' as Argon2idResult | Error,
    now: instantFromSeconds(issuedAtSeconds + 1),
    found: property as typeof property | undefined,
    failures: [] as string[],
    counted: [] as string[],
    verified: [] as unknown[],
    isInMaintenance: false,
    verify: async (payload: string, given: Partial<VerificationRequest> = {}) =>
      verifySolution({ payload, principal, expectedSitekey: undefined, ...given }),
  };
  const check = () => {
    state.checks++;
    if (state.result instanceof Error) throw state.result;
    return state.result;
  };
  const verifySolution = createVerifySolution({
    properties: { bySitekey: () => state.found },
    guard: createReplayGuard(ledger, 100),
    keyRing: () => ring,
    checkBlake2b: createBlake2bCheck(),
    checkHashwx: () => check() === 'valid',
    checkArgon2id: async () => check(),
    clock: () => state.now,
    isInMaintenance: () => state.isInMaintenance,
    onFailure: (operation, error) => state.failures.push(`${operation}: ${(error as Error).message}`),
    hasTestProperty: true,
    load: { verified: (...args) => state.verified.push(args) },
    usage: { countVerdict: ({ name }) => state.counted.push(name) },
  });
  return state;
}

/** Eight solutions with the indexes 0 to 7, and otherwise zeros, before changes. */
export function solutionsWith(change: (bytes: Uint8Array) => void = () => {}): Uint8Array {
  const solutions = Uint8Array.from({ length: 64 }, (_, i) => (i % 8 === 0 ? i / 8 : 0));
  change(solutions);
  return solutions;
}

export type PayloadChanges = Partial<{
  kind: PuzzleKind;
  difficulty: number;
  solutions: Uint8Array;
  signer: number;
  client: number;
}>;

/** A payload for a signed puzzle that expires after a minute. */
export function signedPayload(
  kind: PuzzleKind,
  { difficulty = 24, solutions = solutionsWith(), signer = 1, client }: PayloadChanges = {},
): string {
  const puzzle = toPuzzleBytes({
    ...kind,
    propertyId: Uint8Array.fromHex(sitekey),
    puzzleId: new Uint8Array(8).fill(7),
    difficulty,
    solutionCount: 8,
    expiresAtSeconds: issuedAtSeconds + 60,
    userData: new Uint8Array(16),
  });
  if (client !== undefined)
    sealClient(puzzle, puzzle.subarray(0, -8), client, signingKey(signer).secret, hmac);
  const fields = { host: 'example.com', issuedAtSeconds };
  const signature = signPuzzle(puzzle, fields, createKeyRing([signingKey(signer)]), hmac);
  const metadata = { errorCode: 0, usedWasm: true, elapsedMs: 9 };
  return toPayload(metadata, solutions, `${toBase64(puzzle)}.${toBase64(signature)}`);
}
