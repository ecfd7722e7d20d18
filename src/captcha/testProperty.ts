import { toBase64 } from '../lib/bytes.ts';
import { TEST_SITEKEY } from '../model/property.ts';
import type { PageData } from '../puzzle/pageData.ts';
import { PUZZLE_SIZE, SOLUTION_COUNT, toPuzzleBytes } from '../puzzle/puzzle.ts';
import { parsePayload } from '../puzzle/solution.ts';
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
