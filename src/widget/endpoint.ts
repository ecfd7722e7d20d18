import { scriptUrl } from './scriptUrl.ts';
import { urlOf } from './url.ts';

/** @returns the URL of puzzles that the page chose, or `/puzzle` on the script's host; undefined if it is invalid */
export function endpointOf({ dataset: { puzzleEndpoint } }: HTMLElement): string | undefined {
  return puzzleEndpoint ? urlOf(puzzleEndpoint) : urlOf('/puzzle', scriptUrl);
}
