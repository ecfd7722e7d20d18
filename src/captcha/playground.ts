import { toBase64 } from '../lib/bytes.ts';
import type { Random } from '../lib/ids.ts';
import { type Clock, HOUR, SECOND, toSeconds } from '../lib/time.ts';
import type { Sitekey } from '../model/property.ts';
import { fillPuzzle, PUZZLE_SIZE, SOLUTION_COUNT } from '../puzzle/puzzle.ts';

const VALIDITY_SECONDS = HOUR / SECOND;
/** Any size will do: the widget does not read the signature. */
const SIGNATURE_SIZE = 32;

/**
 * Issues a puzzle for trying out a level. Random bytes replace its signature, so `/verify` rejects it. It does not affect
 * statistics or the difficulty of other puzzles.
 *
 * @param level integer, 1..255
 * @returns `base64(puzzle) "." base64(random bytes)`
 */
export type IssuePlaygroundPuzzle = (sitekey: Sitekey, level: number) => string;

/** @see IssuePlaygroundPuzzle */
export function createIssuePlaygroundPuzzle(deps: {
  readonly clock: Clock;
  readonly random: Random;
}): IssuePlaygroundPuzzle {
  return (sitekey, level) => {
    const bytes = deps.random(new Uint8Array(PUZZLE_SIZE));
    fillPuzzle(bytes, {
      version: 1,
      challenge: 'blake2b',
      propertyId: Uint8Array.fromHex(sitekey),
      difficulty: level,
      solutionCount: SOLUTION_COUNT,
      expiresAtSeconds: toSeconds(deps.clock()) + VALIDITY_SECONDS,
    });
    return `${toBase64(bytes)}.${toBase64(deps.random(new Uint8Array(SIGNATURE_SIZE)))}`;
  };
}
