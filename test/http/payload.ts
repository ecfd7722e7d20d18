import { bytesFromBase64, toBase64 } from '../../src/lib/bytes.ts';
import { allMeetThreshold, toBlock, toThreshold } from '../../src/puzzle/check.ts';
import { METADATA_SIZE, SOLUTION_SIZE } from '../../src/puzzle/solution.ts';
import { createBlake2b } from '../../src/server/blake2b.ts';

/** Changes of payloads. */

type Part = 'solutions' | 'puzzle' | 'signature';

const PLACE: Readonly<Record<Part, number>> = { solutions: 0, puzzle: 1, signature: 2 };

/** @returns the payload with one part replaced */
export function withPart(payload: string, part: Part, write: (bytes: Uint8Array) => Uint8Array): string {
  const parts = payload.split('.');
  const bytes = bytesFromBase64(parts[PLACE[part]] ?? '');
  if (bytes === undefined) throw new Error(`no ${part} in ${payload}`);
  parts[PLACE[part]] = toBase64(write(bytes));
  return parts.join('.');
}

/** @returns the payload with one flipped bit; a negative offset counts from the end */
export function withFlippedBit(payload: string, part: Part, offset: number): string {
  return withPart(payload, part, (bytes) => {
    const at = offset < 0 ? bytes.length + offset : offset;
    bytes[at] = (bytes[at] as number) ^ 1;
    return bytes;
  });
}

/** @returns the payload with the first solution in place of the second one */
export function withDuplicates(payload: string): string {
  return withPart(payload, 'solutions', (bytes) => {
    bytes.copyWithin(METADATA_SIZE + SOLUTION_SIZE, METADATA_SIZE, METADATA_SIZE + SOLUTION_SIZE);
    return bytes;
  });
}

/** @returns the payload with a nonce at this index that does not meet the threshold */
export function withWrongNonce(payload: string, index: number): string {
  const puzzle = bytesFromBase64(payload.split('.')[1] ?? '') ?? new Uint8Array();
  const threshold = toThreshold(puzzle[25] as number);
  const hash = createBlake2b();
  return withPart(payload, 'solutions', (bytes) => {
    const at = METADATA_SIZE + index * SOLUTION_SIZE;
    const nonce = bytes.subarray(at, at + SOLUTION_SIZE);
    do nonce[7] = (nonce[7] as number) + 1;
    while (allMeetThreshold(nonce, toBlock(puzzle), threshold, hash));
    return bytes;
  });
}

/** @returns the payload without metadata, as some client libraries send it */
export function withoutMetadata(payload: string): string {
  return withPart(payload, 'solutions', (bytes) => bytes.slice(METADATA_SIZE));
}

/** @returns other solutions of the same puzzle */
export function solvedAgain(payload: string): string {
  const puzzle = bytesFromBase64(payload.split('.')[1] ?? '') ?? new Uint8Array();
  const threshold = toThreshold(puzzle[25] as number);
  const hash = createBlake2b();
  return withPart(payload, 'solutions', (bytes) => {
    for (let at = METADATA_SIZE; at < bytes.length; at += SOLUTION_SIZE) {
      const nonce = bytes.subarray(at, at + SOLUTION_SIZE);
      const counter = new DataView(nonce.buffer, nonce.byteOffset + 4, 4);
      do counter.setUint32(0, counter.getUint32(0, true) + 1, true);
      while (!allMeetThreshold(nonce, toBlock(puzzle), threshold, hash));
    }
    return bytes;
  });
}
