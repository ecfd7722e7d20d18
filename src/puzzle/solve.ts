import { bytesFromBase64 } from '../lib/bytes.ts';
import { type Hash, SOLUTION_OFFSET, toBlock } from './check.ts';
import { parsePuzzle, readU32 } from './puzzle.ts';
import { SOLUTION_SIZE, toPayload } from './solution.ts';
import { toThreshold } from './threshold.ts';

export type Solved = {
  /** The payload as a form submits it. */
  readonly payload: string;
  /** Number of hashes computed. */
  readonly attempts: number;
};

/**
 * Solves a puzzle by trying one counter after another. The first four bytes of a solution contain its index, the last four the
 * counter.
 *
 * @param puzzleText the response to `GET /puzzle`
 * @param hash may return the same array on every call
 * @param elapsedMs returns the milliseconds to report in the payload
 * @returns undefined if the text is not a puzzle
 */
export function solvePuzzle(puzzleText: string, hash: Hash, elapsedMs: () => number): Solved | undefined {
  const puzzleBytes = bytesFromBase64(puzzleText.slice(0, puzzleText.indexOf('.')));
  const puzzle = puzzleBytes && parsePuzzle(puzzleBytes);
  if (puzzle === undefined || puzzleBytes === undefined) return undefined;
  const solutions = new Uint8Array(puzzle.solutionCount * SOLUTION_SIZE);
  // The solutions of the test puzzle are zeros.
  const isTest = puzzle.expiresAtSeconds === 0;
  const attempts = isTest ? 0 : search(solutions, toBlock(puzzleBytes), toThreshold(puzzle.difficulty), hash);
  const metadata = { errorCode: 0, usedWasm: false, elapsedMs: Math.round(elapsedMs()) };
  return { payload: toPayload(metadata, solutions, puzzleText), attempts };
}

function search(solutions: Uint8Array, block: Uint8Array, threshold: number, hash: Hash): number {
  const nonce = new DataView(block.buffer, SOLUTION_OFFSET, SOLUTION_SIZE);
  let attempts = 0;
  for (let at = 0; at < solutions.length; at += SOLUTION_SIZE) {
    nonce.setUint32(0, at / SOLUTION_SIZE, true);
    let counter = 0;
    do {
      nonce.setUint32(4, counter++, true);
      attempts++;
    } while (readU32(hash(block), 0) > threshold);
    solutions.set(block.subarray(SOLUTION_OFFSET), at);
  }
  return attempts;
}
