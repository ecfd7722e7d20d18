import type { HistogramReading } from '../lib/counters.ts';
import { byKind, type Family, type Sample, single } from './family.ts';

export type CaptchaSources = {
  /** Number of puzzles, and of verdicts by code. */
  readonly totals: () => {
    readonly puzzles: number;
    readonly downgraded: number;
    readonly accepted: ArrayLike<number>;
    readonly rejected: ArrayLike<number>;
  };
  readonly commitSeconds: () => HistogramReading;
  readonly batchSizes: () => HistogramReading;
  /** Events that are not in the database yet, and events that were lost. */
  readonly statistics: () => { readonly pending: number; readonly lost: number };
  /** Verifications of argon2id solutions. */
  readonly argon2id: {
    readonly read: () => { readonly running: number; readonly waiting: number };
    readonly results: () => ReadonlyMap<string, number>;
    readonly seconds: () => HistogramReading;
  };
  /** The number of HashWX solutions by result. */
  readonly hashwx: () => ReadonlyMap<string, number>;
  /** The number of batches of counts that nodes exchange, by result. */
  readonly countBatches: () => ReadonlyMap<string, number>;
};

/** Codes that always mean success. Code 8 can mean success or failure, and all other codes mean failure. */
const ONLY_ACCEPTED: ReadonlySet<number> = new Set([0, 9, 10]);
const ALSO_ACCEPTED = 8;
/** Codes of first verifications that succeed, without test puzzles: `no-error` and `maintenance-mode`. */
const SOLVED = [0, 9];

/** @returns the metrics of puzzles and verifications */
export function createCaptchaFamilies(sources: CaptchaSources): readonly Family[] {
  const { totals, commitSeconds, batchSizes, statistics, countBatches, argon2id, hashwx } = sources;
  return [
    {
      name: 'postern_puzzles_issued_total',
      help: 'Number of puzzles issued, without test puzzles.',
      type: 'counter',
      labels: [],
      read: () => single(totals().puzzles),
    },
    {
      name: 'postern_puzzles_downgraded_total',
      help: 'Number of puzzles that were issued as BLAKE2b because the client does not support the kind of work of the property.',
      type: 'counter',
      labels: [],
      read: () => single(totals().downgraded),
    },
    {
      name: 'postern_puzzles_solved_total',
      help: 'Number of puzzles whose solution was accepted, each counted once, without test puzzles.',
      type: 'counter',
      labels: [],
      read() {
        const { accepted } = totals();
        return single(SOLVED.reduce((sum, code) => sum + (accepted[code] ?? 0), 0));
      },
    },
    {
      name: 'postern_verifications_total',
      help: 'Number of verifications by code and by whether the solution was accepted.',
      type: 'counter',
      labels: ['code', 'success'],
      read: () => [...samplesOf(totals().accepted, true), ...samplesOf(totals().rejected, false)],
    },
    {
      name: 'postern_claim_commit_seconds',
      help: 'Duration of the transactions that store claims, including the fsync.',
      type: 'histogram',
      labels: [],
      read: () => [{ histogram: commitSeconds() }],
    },
    {
      name: 'postern_claim_batch_size',
      help: 'Number of claims in one transaction.',
      type: 'histogram',
      labels: [],
      read: () => [{ histogram: batchSizes() }],
    },
    {
      name: 'postern_statistics_pending_events',
      help: 'Number of statistics events in memory that are not in the database yet.',
      type: 'gauge',
      labels: [],
      read: () => single(statistics().pending),
    },
    {
      name: 'postern_statistics_lost_events_total',
      help: 'Number of statistics events that were lost because the database could not be written.',
      type: 'counter',
      labels: [],
      read: () => single(statistics().lost),
    },
    {
      name: 'postern_count_batches_total',
      help: 'Number of batches of rates and load that this node sent to other nodes, received from them, lost, or ignored.',
      type: 'counter',
      labels: ['result'],
      read: () => byKind('result', countBatches()),
    },
    ...argon2idFamilies(argon2id),
    {
      name: 'postern_hashwx_verifications_total',
      help: 'Number of HashWX solutions by result. Solutions are blocked after three wrong ones for the same puzzle.',
      type: 'counter',
      labels: ['result'],
      read: () => byKind('result', hashwx()),
    },
  ];
}

function argon2idFamilies({ read, results, seconds }: CaptchaSources['argon2id']): readonly Family[] {
  return [
    {
      name: 'postern_argon2id_verifications',
      help: 'Number of argon2id solutions that are being verified or are waiting.',
      type: 'gauge',
      labels: ['state'],
      read: () => byKind('state', new Map(Object.entries(read()))),
    },
    {
      name: 'postern_argon2id_verifications_total',
      help: 'Number of argon2id solutions by result. Solutions are rejected if too many are waiting.',
      type: 'counter',
      labels: ['result'],
      read: () => byKind('result', results()),
    },
    {
      name: 'postern_argon2id_verification_seconds',
      help: 'Time to verify an argon2id solution, including the time in the queue.',
      type: 'histogram',
      labels: [],
      read: () => [{ histogram: seconds() }],
    },
  ];
}

/** Every possible series exists from the start, so that the first event of a kind is visible as an increase. */
function samplesOf(counts: ArrayLike<number>, success: boolean): readonly Sample[] {
  return Array.from(counts, (value, code) => ({ code, value }))
    .filter(({ code }) => code === ALSO_ACCEPTED || ONLY_ACCEPTED.has(code) === success)
    .map(({ code, value }) => ({ labels: { code: String(code), success: String(success) }, value }));
}
