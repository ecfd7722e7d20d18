import { base64Of, bytesOfHex } from '../lib/bytes.ts';
import { TEST_SITEKEY } from '../model/property.ts';
import { bytesOfPuzzle, PUZZLE_SIZE, SOLUTION_COUNT } from '../puzzle/puzzle.ts';
import { SIGNATURE_SIZES } from './signature.ts';

/**
 * The test property's puzzle: all zero but for the sitekey and the number of solutions. Widgets see the zeros and
 * send zero solutions at once.
 */
const TEST_PUZZLE = bytesOfPuzzle({
  propertyId: bytesOfHex(TEST_SITEKEY) as Uint8Array,
  puzzleId: new Uint8Array(8),
  difficulty: 0,
  solutionCount: SOLUTION_COUNT,
  expiresAtSeconds: 0,
  userData: new Uint8Array(16),
});

/** What `GET /puzzle` answers for the test sitekey; nothing of it is secret, so its signature is zeros. */
export function testPuzzleText(): string {
  return `${base64Of(TEST_PUZZLE)}.${base64Of(new Uint8Array(SIGNATURE_SIZES.min))}`;
}

/** @param bytes 47 bytes */
export function isTestPuzzle(bytes: Uint8Array): boolean {
  for (let i = 0; i < PUZZLE_SIZE; i++) {
    if (bytes[i] !== TEST_PUZZLE[i]) return false;
  }
  return true;
}
