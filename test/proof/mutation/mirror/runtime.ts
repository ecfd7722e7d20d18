/**
 * What files with mutants import. The state is a file that all threads and processes of a run map into memory, so that the mutant that
 * is turned on, and the mutants that were reached, are the same for all of them.
 */

/** The numbers at the start of the state. */
const HEAD = { active: 0, steps: 1, limit: 2 } as const;
const HEAD_SIZE = 16;

const bytes: Uint8Array<ArrayBuffer> = Bun.mmap(`${import.meta.dir}/state.bin`, { shared: true });
const head = new Uint32Array(bytes.buffer, bytes.byteOffset, HEAD_SIZE / 4);
const reached = bytes.subarray(HEAD_SIZE);

/** No mutant. */
export const NONE = 0xffffffff;

/** Whether a mutant is turned on. */
export function $m(mutant: number): boolean {
  reached[mutant] = 1;
  return head[HEAD.active] === mutant;
}

/** Counts a pass of a loop. @throws if there were more than the limit */
export function $l(): void {
  const steps = (head[HEAD.steps] as number) + 1;
  head[HEAD.steps] = steps;
  if (steps > (head[HEAD.limit] as number)) throw new Error('a loop of a mutant does not end');
}

/** Turns on a mutant, and no other. */
export function turnOn(mutant: number): void {
  head[HEAD.active] = mutant;
}

/** Sets the number of passes after which loops fail. */
export function limitSteps(limit: number): void {
  head[HEAD.steps] = 0;
  head[HEAD.limit] = limit;
}

export function countSteps(): number {
  return head[HEAD.steps] as number;
}

/** @returns the numbers of the mutants that were reached since the last call */
export function takeReached(): readonly number[] {
  const numbers: number[] = [];
  for (let at = reached.indexOf(1); at >= 0; at = reached.indexOf(1, at + 1)) numbers.push(at);
  reached.fill(0);
  return numbers;
}
