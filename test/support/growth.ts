/**
 * CPU time of this process for one run, in microseconds. Other processes make a run take longer, but they do not use this
 * process's CPU time, so a busy machine changes the result little.
 */
async function cpuTimeOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return Math.max(user + system, 1);
}

/** CPU time of the cheapest of several runs, in microseconds. */
async function cheapestOf(runs: number, work: () => unknown): Promise<number> {
  let cheapest = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) cheapest = Math.min(cheapest, await cpuTimeOf(work));
  return cheapest;
}

/** A ratio below every limit of the tests. */
const CLEAR_RATIO = 3;
const ROUNDS = { min: 2, max: 40 };

/**
 * The ratio of the CPU time of the work to that of the reference, by the cheapest run of each. The runs alternate, so that
 * garbage collection and other processes affect both alike; they end early if the ratio is clearly low.
 */
export async function costRatio(work: () => unknown, reference: () => unknown): Promise<number> {
  await reference();
  await work();
  let [cheapest, cheapestReference] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 1; round <= ROUNDS.max; round++) {
    cheapest = Math.min(cheapest, await cpuTimeOf(work));
    cheapestReference = Math.min(cheapestReference, await cpuTimeOf(reference));
    if (round >= ROUNDS.min && cheapest < CLEAR_RATIO * cheapestReference) break;
  }
  return cheapest / cheapestReference;
}

/** Between the exponents of linear time, 1, and of quadratic time, 2. */
export const LINEAR_MAX = 1.5;

const SIZES = [1_000, 2_000, 4_000, 8_000, 16_000];
/** CPU time in microseconds. Shorter work is repeated until it takes this long, because shorter times are noise. */
const MEASURABLE_US = 500;

/**
 * Fits CPU time to `size ** exponent`: the slope of the logarithms, by least squares. The cheapest of five runs of
 * each size counts.
 *
 * @param prepare makes the input of a size; what it returns is measured
 * @param attempts how often the fit is repeated if the first ones are not clearly linear
 */
export async function growthExponent(
  prepare: (size: number) => () => unknown,
  attempts = 3,
): Promise<number> {
  let lowest = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts && lowest >= LINEAR_MAX; attempt++) {
    lowest = Math.min(lowest, await fitExponent(prepare));
  }
  return lowest;
}

async function fitExponent(prepare: (size: number) => () => unknown): Promise<number> {
  const points: (readonly [x: number, y: number])[] = [];
  prepare(SIZES[0] ?? 0)();
  for (const size of SIZES) {
    const work = prepare(size);
    const times = Math.ceil(MEASURABLE_US / microsecondsOf(work));
    const cheapest = await cheapestOf(5, () => {
      for (let time = 0; time < times; time++) work();
    });
    points.push([Math.log(size), Math.log(cheapest / times)]);
  }
  return slopeOf(points);
}

/** Elapsed time of one run, at least 0.1 microseconds; the resolution of CPU time is too coarse for one short run. */
function microsecondsOf(work: () => unknown): number {
  const startedAt = performance.now();
  work();
  return Math.max((performance.now() - startedAt) * 1000, 0.1);
}

function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [middleX, middleY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const covariance = mean(points.map(([x, y]) => (x - middleX) * (y - middleY)));
  return covariance / mean(points.map(([x]) => (x - middleX) ** 2));
}
