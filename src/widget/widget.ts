import { type Clock, SECOND } from '../lib/time.ts';
import { blockOf } from '../puzzle/check.ts';
import type { Puzzle } from '../puzzle/puzzle.ts';
import { payloadOf, SOLUTION_SIZE } from '../puzzle/solution.ts';
import { thresholdOf } from '../puzzle/threshold.ts';
import type { ClientEnding, FetchedPuzzle } from './client.ts';
import type { Expiry } from './expiry.ts';
import type { WidgetProblem } from './i18n.ts';
import type { Pool, Solved } from './pool.ts';

/** What a widget shows. */
export type WidgetState =
  | { readonly kind: 'idle' }
  /** `percent` 0..100 of the solutions found. */
  | { readonly kind: 'solving'; readonly percent: number }
  | { readonly kind: 'verified' }
  /** Over, and about to begin again by itself. */
  | { readonly kind: 'expired' }
  | { readonly kind: 'failed'; readonly problem: WidgetProblem; readonly reason: string };

export type WidgetDeps = {
  readonly fetchPuzzle: (signal: AbortSignal) => Promise<ClientEnding | Misconfigured>;
  readonly openPool: () => Pool;
  readonly expiry: Expiry;
  readonly now: Clock;
  readonly show: (state: WidgetState) => void;
  /** Writes the hidden field; the empty text clears it. */
  readonly submit: (payload: string) => void;
  readonly onFinished: (payload: string) => void;
  readonly onProblem: (problem: WidgetProblem, reason: string) => void;
  /** Runs at once where the page is in sight, else when it comes back. */
  readonly whenVisible: (run: () => void) => void;
};

export type Misconfigured = {
  readonly ok: false;
  readonly problem: 'sitekey-missing' | 'endpoint-malformed';
  readonly reason: string;
};

export interface Widget {
  /** Starts the check; does nothing while one runs or holds. */
  start(): void;
  /** Back to the beginning, with an empty field. */
  reset(): void;
}

// Whatever the clocks say, an expired puzzle makes for one more request in this time.
const REFETCH_MS = 30 * SECOND;
const EXPIRIES_WITHOUT_SOLUTION = 3;

/**
 * One check of one form, from the press of the button to the filled field.
 *
 * Invariant: whatever is under way belongs to a run; `stop` ends the run, and nothing that arrives for an
 * ended run is looked at.
 */
export function createWidget(deps: WidgetDeps): Widget {
  let run: AbortController | undefined;
  let startedAt = deps.now();
  let expiriesInARow = 0;
  let stops = 0;

  function stop(): void {
    stops += 1;
    run?.abort();
    run = undefined;
    deps.expiry.disarm();
    deps.submit('');
  }

  function fail(problem: WidgetProblem, reason: string): void {
    stop();
    deps.onProblem(problem, reason);
    deps.show({ kind: 'failed', problem, reason });
  }

  async function check(current: AbortController): Promise<void> {
    const pool = deps.openPool();
    current.signal.addEventListener('abort', () => pool.close());
    const asked = await deps.fetchPuzzle(current.signal);
    if (current.signal.aborted) return;
    if (!asked.ok) return fail(asked.problem, asked.reason);
    const { validForMs, text } = asked.value;
    if (validForMs !== undefined) deps.expiry.arm(validForMs, onExpired);
    const solvingSince = deps.now();
    const solved = await solve(pool, asked.value, (percent) => deps.show({ kind: 'solving', percent }));
    if (current.signal.aborted) return;
    pool.close();
    expiriesInARow = 0;
    const elapsedMs = Math.max(0, Math.round(deps.now() - solvingSince));
    const metadata = { errorCode: 0, usedWasm: solved.usedWasm, elapsedMs };
    const payload = payloadOf(metadata, solved.solutions, text);
    deps.submit(payload);
    deps.show({ kind: 'verified' });
    deps.onFinished(payload);
  }

  function onExpired(): void {
    stop();
    expiriesInARow += 1;
    if (expiriesInARow > EXPIRIES_WITHOUT_SOLUTION) {
      fail('device-slow', '');
      return;
    }
    deps.show({ kind: 'expired' });
    const wait = Math.max(0, startedAt + REFETCH_MS - deps.now());
    const mine = stops;
    deps.expiry.arm(wait, () => deps.whenVisible(() => stops === mine && start()));
  }

  function start(): void {
    if (run !== undefined) return;
    deps.expiry.disarm();
    const current = new AbortController();
    run = current;
    startedAt = deps.now();
    deps.show({ kind: 'solving', percent: 0 });
    check(current).catch((cause) => {
      if (!current.signal.aborted) fail('solver-broken', String(cause));
    });
  }

  return {
    start,
    reset() {
      stop();
      expiriesInARow = 0;
      deps.show({ kind: 'idle' });
    },
  };
}

async function solve(pool: Pool, fetched: FetchedPuzzle, tell: (percent: number) => void): Promise<Solved> {
  const { puzzle, puzzleBytes } = fetched;
  const { solutionCount } = puzzle;
  if (isTest(puzzle)) return nothingOf(puzzle);
  const work = { block: blockOf(puzzleBytes), threshold: thresholdOf(puzzle.difficulty), solutionCount };
  return pool.solve(work, (found) => tell(Math.floor((100 * found) / solutionCount)));
}

/** The test puzzle asks for no work. */
function isTest(puzzle: Puzzle): boolean {
  return (
    puzzle.difficulty === 0 && puzzle.expiresAtSeconds === 0 && puzzle.puzzleId.every((byte) => byte === 0)
  );
}

function nothingOf(puzzle: Puzzle): Solved {
  return { solutions: new Uint8Array(puzzle.solutionCount * SOLUTION_SIZE), usedWasm: false };
}
