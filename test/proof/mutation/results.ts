import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the runs have found, by source file, so that runs can be shared and continued. */
export type FileResult = {
  /** Hash of the source file. */
  readonly source: string;
  /** Hash of the tests of its target. */
  readonly tests: string;
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly commit: string;
  readonly mutants: number;
  /** Without those that only a time limit detected. */
  readonly killed: number;
  /** Texts of the mutants: @see Mutant */
  readonly slow: readonly string[];
  readonly survived: readonly string[];
  readonly unreached: readonly string[];
};

export type Results = Readonly<Record<string, FileResult>>;

const RESULTS = join(import.meta.dir, 'results.json');

export function readResults(): Results {
  return JSON.parse(readFileSync(RESULTS, 'utf8'));
}

/** Adds results to the file. Other runs can write at the same time only between two calls. */
export function addResults(added: Results): void {
  const all = Object.entries({ ...readResults(), ...added }).toSorted(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(RESULTS, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
}

/** @param paths files below the root @returns a hash of their contents */
export function hashOf(root: string, paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths) hash.update(`${path}\n`).update(readFileSync(join(root, path)));
  return hash.digest('hex').slice(0, 16);
}
