import type { Awaitable } from '../lib/awaitable.ts';
import type { HistogramReading } from '../lib/counters.ts';

/** A metric with all of its series. */
export type Family = {
  /** Starts with `postern_`, or with `process_` for the standard metrics of a process. */
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
} & (
  | { readonly type: 'counter' | 'gauge'; readonly read: () => Awaitable<readonly Sample[]> }
  | { readonly type: 'histogram'; readonly read: () => Awaitable<readonly HistogramSample[]> }
);

export type Labels = Readonly<Record<string, string>>;

export type Sample = { readonly labels?: Labels; readonly value: number };

export type HistogramSample = { readonly labels?: Labels; readonly histogram: HistogramReading };

/** @returns the samples of a metric without labels; none if the value is unknown */
export function single(value: number | undefined): readonly Sample[] {
  return value === undefined ? [] : [{ value }];
}

/** @returns one sample for each kind, with the kind as the value of the label */
export function byKind(label: string, counts: ReadonlyMap<string, number>): readonly Sample[] {
  return [...counts].map(([kind, value]) => ({ labels: { [label]: kind }, value }));
}
