import type { HistogramReading } from '../lib/histogram.ts';
import type { LedgerLoad } from '../model/readings.ts';
import { byKind, type Family, single } from './family.ts';

export type StoreSources = {
  /** Calls of the stores that have not ended, and their durations in seconds, by kind. */
  readonly running: () => ReadonlyMap<string, number>;
  readonly seconds: () => ReadonlyMap<string, HistogramReading>;
  /** Undefined if claims are not stored over connections. */
  readonly ledgerLoad: (() => LedgerLoad) | undefined;
};

/** @returns the metrics of the calls of stores, and of the connections that store claims */
export function createStoreFamilies({ running, seconds, ledgerLoad }: StoreSources): readonly Family[] {
  return [
    {
      name: 'postern_store_calls_running',
      help: 'Number of reads and writes of the main database that have not finished.',
      type: 'gauge',
      labels: ['kind'],
      read: () => byKind('kind', running()),
    },
    {
      name: 'postern_store_call_duration_seconds',
      help: 'Duration of reads and writes of the main database, including the wait for a connection.',
      type: 'histogram',
      labels: ['kind'],
      read: () => [...seconds()].map(([kind, histogram]) => ({ labels: { kind }, histogram })),
    },
    ...createClaimFamilies(() => ledgerLoad?.()),
  ];
}

function createClaimFamilies(load: () => LedgerLoad | undefined): readonly Family[] {
  const gauge = (name: string, help: string, value: (load: LedgerLoad) => number): Family => ({
    name,
    help,
    type: 'gauge',
    labels: [],
    read() {
      const current = load();
      return single(current && value(current));
    },
  });
  return [
    gauge(
      'postern_claims_waiting',
      'Number of claims that wait for a larger group or for a connection to the database.',
      ({ waiting }) => waiting,
    ),
    gauge(
      'postern_claim_connections_busy',
      'Number of connections to the database that store claims at the moment.',
      ({ busy }) => busy,
    ),
    gauge(
      'postern_claim_connections_available',
      'Number of further connections that could store claims at the same time.',
      ({ connections, busy }) => connections - busy,
    ),
  ];
}
