/** A repeatable source of random numbers. */
export type Source = {
  /** 0 (included) to 1. */
  readonly unit: () => number;
  /** An integer, 0..below-1. */
  readonly integer: (below: number) => number;
  /** The time until the next of many independent events; the mean is 1. */
  readonly exponential: () => number;
  /** A log-normal distribution. */
  readonly logNormal: (median: number, sigma: number) => number;
  /** The sum of `count` exponentials: the work of a puzzle with that many solutions, in units of the mean work of one solution. */
  readonly gamma: (count: number) => number;
};

/** SplitMix32: one 32-bit number per step, from a counter. @param seed integer */
export function createSource(seed: number): Source {
  let state = seed | 0;
  const unit = () => {
    state = (state + 0x9e3779b9) | 0;
    let z = state ^ (state >>> 16);
    z = Math.imul(z, 0x21f0aaad);
    z ^= z >>> 15;
    z = Math.imul(z, 0x735a2d97);
    return ((z ^ (z >>> 15)) >>> 0) / 2 ** 32;
  };
  const exponential = () => -Math.log(1 - unit());
  return {
    unit,
    exponential,
    integer: (below) => Math.floor(unit() * below),
    logNormal(median, sigma) {
      const normal = Math.sqrt(2 * exponential()) * Math.cos(2 * Math.PI * unit());
      return median * Math.exp(sigma * normal);
    },
    gamma(count) {
      let sum = 0;
      for (let i = 0; i < count; i++) sum += exponential();
      return sum;
    },
  };
}
