import { join } from 'node:path';
import type { Duration } from '../bench/harness/lab.ts';
import type { Commit, Machine } from '../bench/harness/machine.ts';
import type { Row } from '../bench/harness/row.ts';
import type { Native } from './native.ts';
import type { Absent, ProductId } from './products.ts';
import type { Rates } from './rates.ts';
import type { Visits } from './visits.ts';

/** The results of the documentation, which `--record` replaces. */
export const RECORDED = join(import.meta.dir, 'results.json');

export type ProductResult = Rates &
  Visits & {
    readonly id: ProductId;
    /** Versions of the packages, or of Postern. */
    readonly versions: Readonly<Record<string, string>>;
    /** Whether a used solution was accepted again after the server was killed. */
    readonly acceptsAfterKill: boolean;
  };

export type Results = {
  readonly format: 1;
  /** ISO 8601, UTC. */
  readonly measuredAt: string;
  readonly commit: Commit;
  readonly machine: Machine;
  /** The largest share of all cores that other programs used before a measurement, from 0 to 1. */
  readonly busyBefore: number;
  readonly seconds: number;
  readonly duration: Pick<Duration, 'windows' | 'seconds'>;
  readonly visits: number;
  readonly products: readonly ProductResult[];
  /** What was not measured, and why. */
  readonly absent: readonly Absent[];
  readonly native: Native;
};

/** The measurements of a product, in the order of the tables. */
export const MEASUREMENTS = [
  'issuing',
  'verifying',
  'solving',
  'download',
  'memory',
  'start',
] as const satisfies readonly (keyof ProductResult)[];

export type Measurement = (typeof MEASUREMENTS)[number];

export const rowOf = (result: ProductResult, measurement: Measurement): Row => result[measurement];
