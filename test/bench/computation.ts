/** Iterations of a computation whose time is measured. */
const SAMPLE = 100_000;
const SAMPLES = 200;

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

/**
 * @param microseconds of one computation
 * @returns a function that performs a number of computations. They take the same processor time if the thread is interrupted
 */
export function createComputation(microseconds: number): (count: number) => void {
  let fastest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < SAMPLES; i++) {
    const start = Bun.nanoseconds();
    iterate(SAMPLE);
    fastest = Math.min(fastest, Bun.nanoseconds() - start);
  }
  const iterations = Math.round((SAMPLE * 1000 * microseconds) / fastest);
  return (count) => iterate(count * iterations);
}
