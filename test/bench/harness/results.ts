import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Commit, Machine } from './machine.ts';
import type { Row } from './row.ts';

/** The results of the documentation, which `--record` updates. */
export const RECORDED = join(import.meta.dir, '../results.json');

/** The results of one part. */
export type PartResult = {
  readonly part: string;
  /** ISO 8601, UTC. */
  readonly measuredAt: string;
  readonly commit: Commit;
  readonly machine: Machine;
  /** Share of all cores that other programs used right before the part started. */
  readonly busyBefore: number;
  readonly seconds: number;
  readonly rows: readonly Row[];
  /** Why nothing was measured. */
  readonly skipped?: string;
};

export type Results = { readonly format: 1; readonly parts: readonly PartResult[] };

export async function readRecorded(): Promise<Results> {
  const file = Bun.file(RECORDED);
  return (await file.exists()) ? file.json() : { format: 1, parts: [] };
}

/**
 * Replaces the results of the parts that were measured, and keeps the others.
 *
 * @param order the names of all parts; results of others are dropped
 */
export function merged(recorded: Results, measured: Results, order: readonly string[]): Results {
  const parts = order.flatMap((name) => {
    const isOf = ({ part }: PartResult) => part === name;
    const result = measured.parts.find(isOf);
    // A part that could not run does not replace its earlier results.
    const isUseful = result !== undefined && result.skipped === undefined;
    const chosen = isUseful ? result : (recorded.parts.find(isOf) ?? result);
    return chosen === undefined ? [] : [chosen];
  });
  return { format: 1, parts };
}

export async function writeResults(file: string, results: Results): Promise<void> {
  mkdirSync(dirname(file), { recursive: true });
  await Bun.write(file, `${JSON.stringify(results, null, 1)}\n`);
}
