import { bytesFromBase64, toBase64 } from '../lib/bytes.ts';
import { type Puzzle, parsePuzzle, readU32 } from './puzzle.ts';

/**
 * The value that a form submits: `base64(metadata ++ solutions) "." base64(puzzle) "." base64(signature)`.
 *
 * @see docs/reference/protocol.md#payload
 */
export type Payload = {
  /** Reported by the widget and not trustworthy; some client libraries omit it. */
  readonly metadata: Metadata | undefined;
  /** `puzzle.solutionCount` times 8 bytes. */
  readonly solutions: Uint8Array;
  readonly puzzle: Puzzle;
  readonly puzzleBytes: Uint8Array;
  readonly signature: Uint8Array;
};

export type Metadata = {
  /** Error number of the widget, 0 for none. */
  readonly errorCode: number;
  /** Whether the solver used WebAssembly. */
  readonly usedWasm: boolean;
  /** Milliseconds, u32. */
  readonly elapsedMs: number;
};

export const SOLUTION_SIZE = 8;
export const METADATA_SIZE = 7;
const METADATA_VERSION = 1;

/**
 * @returns undefined unless the text has exactly three parts of canonical base64, a puzzle of a known version, and as many
 *   solutions as it requires, with or without the 7 metadata bytes. For the test property's puzzle, all of these may be zero
 */
export function parsePayload(text: string): Payload | undefined {
  const firstDot = text.indexOf('.');
  const secondDot = text.indexOf('.', firstDot + 1);
  if (firstDot < 0 || secondDot < 0) return undefined;
  const puzzleBytes = bytesFromBase64(text.slice(firstDot + 1, secondDot));
  const puzzle = puzzleBytes && parsePuzzle(puzzleBytes);
  const head = puzzle && bytesFromBase64(text.slice(0, firstDot));
  // A fourth part fails here, because a dot is not a base64 character.
  const signature = head && bytesFromBase64(text.slice(secondDot + 1));
  if (!signature || signature.length === 0) return undefined;
  return split(head, puzzle, puzzleBytes, signature);
}

function split(
  head: Uint8Array,
  puzzle: Puzzle,
  puzzleBytes: Uint8Array,
  signature: Uint8Array,
): Payload | undefined {
  const size = puzzle.solutionCount * SOLUTION_SIZE;
  if (head.length === size) {
    return { metadata: undefined, solutions: head, puzzle, puzzleBytes, signature };
  }
  if (head.length !== METADATA_SIZE + size) return undefined;
  if (needsNoWork(puzzle) && isZero(head.subarray(0, METADATA_SIZE))) {
    return { metadata: undefined, solutions: head.slice(METADATA_SIZE), puzzle, puzzleBytes, signature };
  }
  if (head[0] !== METADATA_VERSION) return undefined;
  const metadata = { errorCode: head[1] as number, usedWasm: head[2] === 1, elapsedMs: readU32(head, 3) };
  const solutions = head.slice(METADATA_SIZE);
  return { metadata, solutions, puzzle, puzzleBytes, signature };
}

/** Detects the test property's puzzle. Clients solve it with zeros, and some of them send zeros as metadata too. */
function needsNoWork({ difficulty, expiresAtSeconds }: Puzzle): boolean {
  return difficulty === 0 && expiresAtSeconds === 0;
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

/**
 * @param solutions n times 8 bytes
 * @param puzzleText the response to `GET /puzzle`, included unchanged
 */
export function toPayload(metadata: Metadata, solutions: Uint8Array, puzzleText: string): string {
  const head = new Uint8Array(METADATA_SIZE + solutions.length);
  head[0] = METADATA_VERSION;
  head[1] = metadata.errorCode;
  head[2] = metadata.usedWasm ? 1 : 0;
  new DataView(head.buffer).setUint32(3, Math.min(metadata.elapsedMs, 0xffffffff), true);
  head.set(solutions, METADATA_SIZE);
  return `${toBase64(head)}.${puzzleText}`;
}
