/** Iterations in one calibration sample. */
const SAMPLE = 100_000;
/** The fastest of these samples counts, because interruptions only make a sample slower. */
const SAMPLES = 200;

/**
 * Measures how fast this thread computes.
 *
 * @param microseconds processor time of one computation
 * @returns a function that performs `count` computations. Each has a fixed number of iterations, so the time during which the thread does
 *   not run does not count
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
