/** Iterations in one calibration sample. */
const SAMPLE = 100_000;
/** Number of calibration samples. Only the fastest one counts, because an interruption can only slow a sample down. */
const SAMPLES = 200;

/**
 * Creates a computation that takes a given processor time. It is calibrated to the speed of this thread.
 *
 * @param microseconds processor time of one computation
 * @returns a function that performs `count` computations. Each has a fixed number of iterations, so it takes the same processor time if the
 *   scheduler interrupts the thread
 */
export function createComputation(microseconds: number): (count: number) => void {
  // Stored so that the compiler cannot remove the loop.
  let state = 1;

  /** Xorshift (Marsaglia, "Xorshift RNGs", 2003). */
  function iterate(iterations: number): void {
    let bits = state;
    for (let i = 0; i < iterations; i++) {
      bits ^= bits << 13;
      bits ^= bits >>> 17;
      bits ^= bits << 5;
    }
    state = bits;
  }

  let fastest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < SAMPLES; i++) {
    const start = Bun.nanoseconds();
    iterate(SAMPLE);
    fastest = Math.min(fastest, Bun.nanoseconds() - start);
  }
  const iterations = Math.round((SAMPLE * 1000 * microseconds) / fastest);
  return (count) => iterate(count * iterations);
}
