import { toBase64 } from '../lib/bytes.ts';
import type { Random } from '../lib/ids.ts';
import { type Clock, HOUR, SECOND, toSeconds } from '../lib/time.ts';
import type { Sitekey } from '../model/property.ts';
import type { Challenge } from '../model/propertyFields.ts';
import { fillPuzzle, PUZZLE_SIZES, type Puzzle } from '../puzzle/puzzle.ts';
import { workFor } from './workFor.ts';

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
