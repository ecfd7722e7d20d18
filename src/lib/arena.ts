/** Memory from which parts are allocated in the order of the calls. */
export type Arena = {
  /** @returns the next `count` numbers @throws RangeError if the memory is used up */
  readonly take: (count: number) => Float64Array;
};

/**
 * Creates an arena. Two threads that make the same calls in the same order get the same parts. A part that one thread writes
 * and others read needs no lock, because reading or writing an aligned 64-bit number is one instruction.
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

/** An arena that allocates new memory of this thread for each call. */
export const OWN_MEMORY: Arena = { take: (count) => new Float64Array(count) };
