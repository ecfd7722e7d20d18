import { base64Of } from '../lib/bytes.ts';
import type { Random } from '../lib/ids.ts';
import { type Clock, HOUR, SECOND, secondsOf } from '../lib/time.ts';
import type { Sitekey } from '../model/property.ts';
import { PUZZLE_SIZE, SOLUTION_COUNT, stampPuzzle } from '../puzzle/puzzle.ts';
import { expectedAttempts } from '../puzzle/threshold.ts';

/** As long as it takes to look at a page. */
const VALIDITY_SECONDS = HOUR / SECOND;
/** The widget passes it on unread. */
const SIGNATURE_SIZE = 32;

/**
 * A puzzle that is good for nothing but being solved: where the signature would be are random bytes, so `/verify` refuses
 * it. It is counted nowhere and makes nobody's puzzles harder.
 *
 * @param level integer, 1..255
 * @returns `base64(puzzle) "." base64(random bytes)`
 */
export type DrawPlaygroundPuzzle = (sitekey: Sitekey, level: number) => string;

/** @see DrawPlaygroundPuzzle */
export function createDrawPlaygroundPuzzle(deps: {
  readonly clock: Clock;
  readonly random: Random;
}): DrawPlaygroundPuzzle {
  return (sitekey, level) => {
    const bytes = deps.random(new Uint8Array(PUZZLE_SIZE));
    stampPuzzle(bytes, {
      propertyId: Uint8Array.fromHex(sitekey),
      difficulty: level,
      solutionCount: SOLUTION_COUNT,
      expiresAtSeconds: secondsOf(deps.clock()) + VALIDITY_SECONDS,
    });
    return `${base64Of(bytes)}.${base64Of(deps.random(new Uint8Array(SIGNATURE_SIZE)))}`;
  };
}

/** Hashes that a whole puzzle takes on average. @param level 1..255 */
export function attemptsFor(level: number): number {
  return expectedAttempts(level) * SOLUTION_COUNT;
}
