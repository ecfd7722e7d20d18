/** Memory that is divided in the order of the requests. */
export type Arena = {
  /** @returns the next numbers @throws RangeError if the memory is used up */
  readonly take: (count: number) => Float64Array;
};

/**
 * Divides memory. Two threads that make the same requests get the same parts. A part that one thread writes and others read needs no
 * lock, because reading or writing an aligned 64-bit number is one instruction.
 */
export function createArena(memory: Float64Array): Arena {
  let taken = 0;
  return {
    take(count) {
      if (taken + count > memory.length) throw new RangeError('the memory is used up');
      taken += count;
      return memory.subarray(taken - count, taken);
    },
  };
}

/** An arena that allocates memory of this thread for each request. */
export const OWN_MEMORY: Arena = { take: (count) => new Float64Array(count) };
