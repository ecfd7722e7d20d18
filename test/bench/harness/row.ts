/** One result of a benchmark. */
export type Row = {
  readonly name: string;
  readonly unit: string;
  /** The median of the windows. */
  readonly value: number;
  /** The same measurement of something else in the same run, in alternating windows. */
  readonly yardstick?: { readonly name: string; readonly value: number };
  /** The median of the windows' ratios: value divided by yardstick. */
  readonly ratio?: number;
  readonly target?: Target;
  readonly windows: number;
  /** The lowest and the highest window: of the ratio if there is one and the target is not an absolute value, otherwise of the value. */
  readonly spread: readonly [number, number];
};

/** What a result should reach. */
export type Target = {
  readonly of: 'value' | 'ratio';
  readonly bound: 'at least' | 'at most';
  readonly required: number;
  readonly goal?: number;
};

type Measured = {
  readonly name: string;
  readonly unit: string;
  /** One for each window. */
  readonly values: readonly number[];
  readonly yardstick?: { readonly name: string; readonly values: readonly number[] };
  readonly target?: Target;
};

/** @throws if there are no windows, or if a value is not a number */
export function toRow({ name, unit, values, yardstick, target }: Measured): Row {
  if (values.length === 0 || !values.every(Number.isFinite)) throw new Error(`"${name}" was not measured`);
  const ratios = yardstick?.values.map((other, window) => (values[window] ?? Number.NaN) / other);
  const spread = target?.of === 'value' ? values : (ratios ?? values);
  return {
    name,
    unit,
    value: rounded(median(values)),
    ...(yardstick && { yardstick: { name: yardstick.name, value: rounded(median(yardstick.values)) } }),
    ...(ratios && { ratio: rounded(median(ratios)) }),
    ...(target && { target }),
    windows: values.length,
    spread: [rounded(Math.min(...spread)), rounded(Math.max(...spread))],
  };
}

/** @returns the number with four significant digits */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

/** @returns the middle value, or the mean of the two in the middle; NaN if there are no values */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = Number.NaN, high = Number.NaN] = [sorted[(sorted.length - 1) >> 1], sorted[middle]];
  return (low + high) / 2;
}

export type Outcome = 'goal' | 'required' | 'missed';

/** @returns what the row reaches; undefined without a target */
export function outcomeOf({ value, ratio, target }: Row): Outcome | undefined {
  if (target === undefined) return undefined;
  const measured = target.of === 'value' ? value : (ratio ?? Number.NaN);
  const reaches = (limit: number) => (target.bound === 'at least' ? measured >= limit : measured <= limit);
  if (target.goal !== undefined && reaches(target.goal)) return 'goal';
  return reaches(target.required) ? 'required' : 'missed';
}
