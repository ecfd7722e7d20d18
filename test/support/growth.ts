/** Milliseconds of the fastest of several runs: other processes make a run slower, never faster. */
async function fastestOf(runs: number, work: () => unknown): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const startedAt = performance.now();
    await work();
    fastest = Math.min(fastest, performance.now() - startedAt);
  }
  return fastest;
}

/** Measurements on a busy machine: what is slow is slow each time, what was disturbed is not. */
const ATTEMPTS = 3;

/** The lowest of a few measurements; one below `clear` ends them. */
async function lowestOf(clear: number, measure: () => Promise<number>): Promise<number> {
  let lowest = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && lowest >= clear; attempt++) {
    lowest = Math.min(lowest, await measure());
  }
  return lowest;
}

/** A ratio that no limit is below. */
const CLEAR_RATIO = 3;

/** How many times longer one piece of work takes than another one, by the fastest of five runs each, after one to warm up. */
export async function costRatio(work: () => unknown, reference: () => unknown): Promise<number> {
  await reference();
  await work();
  return lowestOf(CLEAR_RATIO, async () => (await fastestOf(5, work)) / (await fastestOf(5, reference)));
}

/** Between the exponents of linear time, 1, and of quadratic time, 2. */
export const LINEAR_MAX = 1.5;

const SIZES = [1_000, 2_000, 4_000, 8_000, 16_000];
/** A run that takes less is repeated until it takes as long: shorter times are noise. */
const MEASURABLE_MS = 0.2;

/**
 * Fits running time to `size ** exponent`: the slope of the logarithms, by least squares. Of each size, the fastest of five
 * runs counts.
 *
 * @param prepare makes the input of a size; what it returns is measured
 */
export function growthExponent(prepare: (size: number) => () => unknown): Promise<number> {
  return lowestOf(LINEAR_MAX, () => fitExponent(prepare));
}

async function fitExponent(prepare: (size: number) => () => unknown): Promise<number> {
  const points: (readonly [x: number, y: number])[] = [];
  prepare(SIZES[0] ?? 0)();
  for (const size of SIZES) {
    const work = prepare(size);
    const once = await fastestOf(1, work);
    const times = Math.max(1, Math.ceil(MEASURABLE_MS / Math.max(once, 1e-4)));
    const fastest = await fastestOf(5, () => {
      for (let time = 0; time < times; time++) work();
    });
    points.push([Math.log(size), Math.log(fastest / times)]);
  }
  return slopeOf(points);
}

function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [middleX, middleY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const covariance = mean(points.map(([x, y]) => (x - middleX) * (y - middleY)));
  return covariance / mean(points.map(([x]) => (x - middleX) ** 2));
}
