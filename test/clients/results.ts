import { join } from 'node:path';
import type { Client, Route, Vendor } from './client.ts';

/** What happened when a client ran. */
export type Result = {
  readonly name: string;
  readonly version: string;
  readonly vendor: Vendor;
  readonly kind: Client['kind'];
  readonly route: Route;
  readonly configuration: string;
  /** The day of the run, in ISO 8601. */
  readonly testedOn: string;
  /** Why it does not work; undefined if it does. */
  readonly reason?: string;
};

/** All results of a run. */
export type Results = {
  readonly format: 1;
  readonly commit: { readonly id: string; readonly isModified: boolean };
  readonly versions: Readonly<Record<string, string>>;
  readonly clients: readonly Result[];
};

/** The results in the documentation. */
export const RECORDED = join(import.meta.dir, 'results.json');
