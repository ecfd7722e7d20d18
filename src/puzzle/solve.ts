import { bytesFromBase64 } from '../lib/bytes.ts';
import { type Hash, SOLUTION_OFFSET, toBlock, toThreshold } from './check.ts';
import { type Hashwx, searchHashwxSolution } from './hashwx.ts';
import { type Puzzle, parsePuzzle, readU32 } from './puzzle.ts';
import { SOLUTION_SIZE, toPayload } from './solution.ts';

export type Solved = {
  /** The payload as a form submits it. */
  readonly payload: string;
  /** Number of hashes computed. */
  readonly attempts: number;
};

/** A puzzle to solve. */
type Task = { readonly puzzle: Puzzle; readonly block: Uint8Array; readonly threshold: number };

/**
 * Solves a BLAKE2b puzzle by trying one counter after another. The first four bytes of a solution contain its index, the last four the
 * counter.
 *
 * @param puzzleText the response to `GET /puzzle`
 * @param hash may return the same array on every call
 * @param elapsedMs returns the milliseconds to report in the payload
 * @returns undefined if the text is not a BLAKE2b puzzle
 */
export function solvePuzzle(puzzleText: string, hash: Hash, elapsedMs: () => number): Solved | undefined {
  const task = readTask(puzzleText);
  if (task?.puzzle.challenge !== 'blake2b') return undefined;
  const { puzzle, block, threshold } = task;
  const solutions = new Uint8Array(puzzle.solutionCount * SOLUTION_SIZE);
  let attempts = 0;
  // The solutions of the test puzzle are zeros.
  for (let index = 0; index < puzzle.solutionCount && puzzle.expiresAtSeconds !== 0; index++) {
    const nonces = createNonces(block, index);
    do {
      nonces.next();
      attempts++;
    } while (readU32(hash(block), 0) > threshold);
    solutions.set(block.subarray(SOLUTION_OFFSET), index * SOLUTION_SIZE);
  }
  return toSolved(solutions, attempts, puzzleText, elapsedMs);
}

/**
 * Solves a HashWX puzzle on the calling thread.
 *
 * @param hash BLAKE2b-256, for the seeds; may return the same array on every call
 * @param openHashwx called only for a HashWX puzzle
 * @returns undefined if the text is not a HashWX puzzle
 */
export function solveHashwxPuzzle(
  puzzleText: string,
  hash: Hash,
  openHashwx: () => Hashwx,
  elapsedMs: () => number,
): Solved | undefined {
  const task = readTask(puzzleText);
  if (task?.puzzle.challenge !== 'hashwx') return undefined;
  const { puzzle, block, threshold } = task;
  const hashwx = openHashwx();
  const solutions = new Uint8Array(puzzle.solutionCount * SOLUTION_SIZE);
  let attempts = 0;
  for (let index = 0; index < puzzle.solutionCount; index++) {
    const found = searchHashwxSolution(block, index, threshold, hash, hashwx);
    solutions.set(found.solution, index * SOLUTION_SIZE);
    attempts += found.attempts;
  }
  return toSolved(solutions, attempts, puzzleText, elapsedMs);
}

/**
 * Solves an argon2id puzzle. Solutions have the same form as those of BLAKE2b puzzles.
 *
 * @param loadHash loads the hash function. It can run on other threads, because simultaneous calls use different blocks
 * @param parallelism number of solutions that are searched at the same time, at least 1
 * @returns undefined if the text is not an argon2id puzzle
 */
export async function solveArgon2idPuzzle(
  puzzleText: string,
  loadHash: () => Promise<(block: Uint8Array) => Promise<Uint8Array>>,
  parallelism: number,
  elapsedMs: () => number,
): Promise<Solved | undefined> {
  const task = readTask(puzzleText);
  if (task?.puzzle.challenge !== 'argon2id') return undefined;
  const { puzzle, threshold } = task;
  const hash = await loadHash();
  const solutions = new Uint8Array(puzzle.solutionCount * SOLUTION_SIZE);
  let attempts = 0;
  let nextIndex = 0;
  async function search(): Promise<void> {
    const block = task?.block.slice() ?? new Uint8Array();
    for (let index = nextIndex++; index < puzzle.solutionCount; index = nextIndex++) {
      const nonces = createNonces(block, index);
      do {
        nonces.next();
        attempts++;
      } while (readU32(await hash(block), 0) > threshold);
      solutions.set(block.subarray(SOLUTION_OFFSET), index * SOLUTION_SIZE);
    }
  }
  await Promise.all(Array.from({ length: parallelism }, search));
  return toSolved(solutions, attempts, puzzleText, elapsedMs);
}

function readTask(puzzleText: string): Task | undefined {
  const bytes = bytesFromBase64(puzzleText.slice(0, puzzleText.indexOf('.')));
  const puzzle = bytes && parsePuzzle(bytes);
  if (puzzle === undefined || bytes === undefined) return undefined;
  return { puzzle, block: toBlock(bytes), threshold: toThreshold(puzzle.difficulty) };
}

/** Writes one nonce after another into the block. */
function createNonces(block: Uint8Array, index: number): { readonly next: () => void } {
  const nonce = new DataView(block.buffer, SOLUTION_OFFSET, SOLUTION_SIZE);
  nonce.setUint32(0, index, true);
  let counter = 0;
  return { next: () => nonce.setUint32(4, counter++, true) };
}

function toSolved(
  solutions: Uint8Array,
  attempts: number,
  puzzleText: string,
  elapsedMs: () => number,
): Solved {
  const metadata = { errorCode: 0, usedWasm: false, elapsedMs: Math.round(elapsedMs()) };
  return { payload: toPayload(metadata, solutions, puzzleText), attempts };
}
