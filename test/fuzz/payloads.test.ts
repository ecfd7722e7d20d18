import { describe, expect, test } from 'bun:test';
import { asyncProperty, constantFrom, integer } from 'fast-check';
import { createReplayGuard } from '../../src/captcha/replay.ts';
import { createKeyRing, signPuzzle } from '../../src/captcha/signature.ts';
import { createVerifySolution } from '../../src/captcha/verify.ts';
import { bytesFromBase64, toBase64 } from '../../src/lib/bytes.ts';
import { areEqual } from '../../src/lib/signatures.ts';
import { instantFromSeconds } from '../../src/lib/time.ts';
import { allMeetThreshold, areDistinct, toBlock, toThreshold } from '../../src/puzzle/check.ts';
import { checkHashwxIndexes } from '../../src/puzzle/hashwx.ts';
import { type PuzzleKind, parsePuzzle, toPuzzleBytes } from '../../src/puzzle/puzzle.ts';
import { METADATA_SIZE, parsePayload } from '../../src/puzzle/solution.ts';
import { solveArgon2idPuzzle, solveHashwxPuzzle, solvePuzzle } from '../../src/puzzle/solve.ts';
import { createBlake2b, createBlake2bCheck } from '../../src/server/blake2b.ts';
import { createHashwx, createHashwxCheck } from '../../src/server/hashwx.ts';
import {
  createFakeLedger,
  hmac,
  noLoad,
  noUsage,
  principal,
  property,
  signingKey,
  sitekey,
} from '../captcha/fakes.ts';
import { FUZZ_TIMEOUT_MS, holdsLater } from './runs.ts';

const hash = createBlake2b();
const checkBlake2b = createBlake2bCheck();
const checkHashwx = await createHashwxCheck()();
const ring = createKeyRing([signingKey(1)]);
const issuedAtSeconds = 1_800_000_000;
const DIFFICULTY = 104;

/** A puzzle and its payload. */
type Target = {
  readonly puzzle: Uint8Array;
  readonly signature: Uint8Array;
  readonly payload: string;
};

async function targetOf(kind: PuzzleKind): Promise<Target> {
  const puzzle = toPuzzleBytes({
    ...kind,
    propertyId: Uint8Array.fromHex(sitekey),
    puzzleId: new Uint8Array(8).fill(1),
    difficulty: DIFFICULTY,
    solutionCount: 4,
    expiresAtSeconds: issuedAtSeconds + 60,
    userData: new Uint8Array(16),
  });
  const signature = signPuzzle(puzzle, { host: 'example.com', issuedAtSeconds }, ring, hmac);
  const text = `${toBase64(puzzle)}.${toBase64(signature)}`;
  const solved =
    solvePuzzle(text, hash, () => 1) ??
    solveHashwxPuzzle(text, hash, createHashwx, () => 1) ??
    (await solveArgon2idPuzzle(
      text,
      async () => async (block) => hash(block).slice(),
      1,
      () => 1,
    ));
  if (solved === undefined) throw new Error('the puzzle could not be solved');
  return { puzzle, signature, payload: solved.payload };
}

/** One in 2^13 changes of a solution results in another valid solution. */
function isOtherSolution(text: string, { puzzle, signature }: Target): boolean {
  const changed = parsePayload(text);
  if (changed === undefined || !areEqual(changed.puzzleBytes, puzzle)) return false;
  if (!areEqual(changed.signature, signature) || !areDistinct(changed.solutions)) return false;
  return hasWork(changed.solutions, puzzle);
}

/** Whether solutions are valid. BLAKE2b stands for argon2id, which takes ten thousand times as long. */
function hasWork(solutions: Uint8Array, puzzle: Uint8Array): boolean {
  const [block, threshold] = [toBlock(puzzle), toThreshold(DIFFICULTY)];
  if (parsePuzzle(puzzle)?.challenge !== 'hashwx') return allMeetThreshold(solutions, block, threshold, hash);
  return checkHashwxIndexes(solutions) === 'valid' && checkHashwx(solutions, block, threshold);
}

/** Verifies a payload with an empty ledger. */
async function verify(text: string) {
  return createVerifySolution({
    properties: { bySitekey: () => property },
    guard: createReplayGuard(createFakeLedger(), 10),
    keyRing: () => ring,
    checkBlake2b,
    checkArgon2id: async (_, { puzzleBytes, solutions }) =>
      hasWork(solutions, puzzleBytes) ? 'valid' : 'invalid',
    checkHashwx: ({ puzzleBytes, solutions }) => hasWork(solutions, puzzleBytes),
    clock: () => instantFromSeconds(issuedAtSeconds),
    isInMaintenance: () => false,
    onFailure: () => {},
    hasTestProperty: true,
    usage: noUsage,
    load: noLoad,
  })({ payload: text, principal, expectedSitekey: undefined });
}

const KINDS: readonly PuzzleKind[] = [
  { version: 1, challenge: 'blake2b' },
  { version: 2, challenge: 'blake2b' },
  { version: 2, challenge: 'argon2id' },
  { version: 3, challenge: 'hashwx' },
];
const targets = await Promise.all(KINDS.map(async (kind) => ({ ...kind, target: await targetOf(kind) })));

describe.each(targets)('version $version, $challenge', ({ target }) => {
  const { payload } = target;
  test('the original payload is valid', async () => {
    expect(await verify(payload)).toMatchObject({ success: true, name: 'no-error' });
  });

  test(
    'no payload with a changed byte is valid, except in the metadata',
    async () => {
      const parts = payload.split('.').map((part) => bytesFromBase64(part) ?? new Uint8Array());
      await holdsLater(
        asyncProperty(
          integer({ min: 0, max: 2 }),
          integer({ min: 0, max: 1000 }),
          integer({ min: 1, max: 255 }),
          async (part, place, change) => {
            const changed = parts.map((bytes) => bytes.slice());
            const bytes = changed[part] ?? new Uint8Array();
            const at = place % bytes.length;
            bytes[at] = (bytes[at] ?? 0) ^ change;
            const text = changed.map(toBase64).join('.');
            const verdict = await verify(text);
            // The metadata after the version byte is not verified.
            const isMetadata = part === 0 && at > 0 && at < METADATA_SIZE;
            expect(verdict.success).toBe(isMetadata || isOtherSolution(text, target));
          },
        ),
      );
    },
    FUZZ_TIMEOUT_MS,
  );

  test(
    'no payload with a changed, removed, doubled, or moved character is valid',
    async () => {
      const places = integer({ min: 0, max: payload.length - 2 });
      const edits = constantFrom('change', 'drop', 'double', 'swap');
      const characters = constantFrom(...'ABYZabyz0189+/=.-_ \n\0é');
      const metadataEnd = Math.ceil((METADATA_SIZE * 4) / 3);
      await holdsLater(
        asyncProperty(places, edits, characters, async (at, edit, character) => {
          const [before, one, next, after] = [
            payload.slice(0, at),
            payload[at],
            payload[at + 1],
            payload.slice(at + 2),
          ];
          const edited = {
            change: `${character}${next}`,
            drop: next,
            double: `${one}${one}${next}`,
            swap: `${next}${one}`,
          };
          const text = `${before}${edited[edit]}${after}`;
          if (text === payload || at < metadataEnd) return;
          expect((await verify(text)).success).toBe(isOtherSolution(text, target));
        }),
      );
    },
    FUZZ_TIMEOUT_MS,
  );
});
