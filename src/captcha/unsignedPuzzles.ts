import { toBase64 } from '../lib/bytes.ts';
import type { Random } from '../lib/ids.ts';
import { type Clock, HOUR, SECOND, toSeconds } from '../lib/time.ts';
import { type Sitekey, TEST_SITEKEY } from '../model/property.ts';
import type { Challenge } from '../model/propertyFields.ts';
import { workFor } from '../puzzle/kinds.ts';
import {
  fillPuzzle,
  PUZZLE_SIZE,
  PUZZLE_SIZES,
  type Puzzle,
  SOLUTION_COUNT,
  toPuzzleBytes,
} from '../puzzle/puzzle.ts';
import { type PageData, parsePayload } from '../puzzle/solution.ts';
import { SIGNATURE_SIZES } from './signature.ts';

/**
 * The test property's puzzle: all zeros except for the version, the sitekey, and the number of solutions. Widgets detect the zeros and
 * send zeros as solutions, without any work.
 */
const TEST_PUZZLE = toPuzzleBytes({
  version: 1,
  challenge: 'blake2b',
  propertyId: Uint8Array.fromHex(TEST_SITEKEY),
  puzzleId: new Uint8Array(8),
  difficulty: 0,
  solutionCount: SOLUTION_COUNT,
  expiresAtSeconds: 0,
  userData: new Uint8Array(16),
});

/** @returns the response to `GET /puzzle` for the test sitekey. It contains no secret, so its signature is zeros. */
export function testPuzzleText(): string {
  return `${toBase64(TEST_PUZZLE)}.${toBase64(new Uint8Array(SIGNATURE_SIZES.min))}`;
}

/** @param bytes 47 or 48 bytes @returns whether they are the test property's puzzle */
export function isTestPuzzle(bytes: Uint8Array): boolean {
  for (let i = 0; i < PUZZLE_SIZE; i++) {
    if (bytes[i] !== TEST_PUZZLE[i]) return false;
  }
  return true;
}

/** @returns the page's data in an unverified payload; empty if the payload is invalid */
export function readPageData(payload: string): PageData {
  return parsePayload(payload)?.pageData ?? {};
}

const VALIDITY_SECONDS = HOUR / SECOND;
/** Any size will do: the widget does not read the signature. */
const SIGNATURE_SIZE = 32;

export type PlaygroundPuzzle = {
  readonly sitekey: Sitekey;
  /** Integer, 1..255. */
  readonly level: number;
  readonly challenge: Challenge;
  /** The newest version of puzzles that the client can solve. */
  readonly version: Puzzle['version'];
};

/** @see createIssuePlaygroundPuzzle */
export type IssuePlaygroundPuzzle = ReturnType<typeof createIssuePlaygroundPuzzle>;

/**
 * Creates the function that issues a puzzle for trying out a level. Random bytes replace its signature, so `/verify` rejects it. It does
 * not affect statistics or the difficulty of other puzzles. It returns `base64(puzzle) "." base64(random bytes)`.
 */
export function createIssuePlaygroundPuzzle(deps: { readonly clock: Clock; readonly random: Random }) {
  return ({ sitekey, level, challenge, version }: PlaygroundPuzzle): string => {
    const work = workFor(challenge, level, version);
    const bytes = deps.random(new Uint8Array(PUZZLE_SIZES[work.version]));
    fillPuzzle(bytes, {
      ...work,
      propertyId: Uint8Array.fromHex(sitekey),
      expiresAtSeconds: toSeconds(deps.clock()) + VALIDITY_SECONDS,
    });
    return `${toBase64(bytes)}.${toBase64(deps.random(new Uint8Array(SIGNATURE_SIZE)))}`;
  };
}
