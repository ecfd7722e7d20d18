import { type Clock, SECOND } from '../lib/time.ts';
import { toBlock } from '../puzzle/check.ts';
import type { Puzzle } from '../puzzle/puzzle.ts';
import { SOLUTION_SIZE, toPayload } from '../puzzle/solution.ts';
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

/** What a widget tells the page, after it is shown. */
export type WidgetEvent =
  | { readonly kind: 'start' }
  | { readonly kind: 'progress'; readonly percent: number }
  | { readonly kind: 'finish'; readonly solution: string }
  | { readonly kind: 'error'; readonly problem: WidgetProblem; readonly reason: string }
  /** The field is empty again: the page wanted it, or the puzzle expired. */
  | { readonly kind: 'reset' };

export type WidgetDeps = {
  readonly fetchPuzzle: (signal: AbortSignal) => Promise<ClientEnding | Misconfigured>;
  readonly openPool: () => Pool;
  readonly expiry: Expiry;
  readonly now: Clock;
  readonly show: (state: WidgetState) => void;
  /** Writes the hidden field; the empty text clears it. */
  readonly submit: (payload: string) => void;
  readonly onEvent: (event: WidgetEvent) => void;
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
  /** Back to the beginning, with an empty field; the page is not told. */
  close(): void;
  state(): WidgetState['kind'];
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
  let kind: WidgetState['kind'] = 'idle';

  function show(state: WidgetState, event?: WidgetEvent): void {
    kind = state.kind;
    deps.show(state);
    if (event) deps.onEvent(event);
  }

  function stop(): void {
    stops += 1;
    run?.abort();
    run = undefined;
    deps.expiry.disarm();
    deps.submit('');
  }

  function fail(problem: WidgetProblem, reason: string): void {
    stop();
    show({ kind: 'failed', problem, reason }, { kind: 'error', problem, reason });
  }

  async function check(current: AbortController): Promise<void> {
    // The page may have reset it when it was told of the start.
    if (current.signal.aborted) return;
    const pool = deps.openPool();
    current.signal.addEventListener('abort', () => pool.close());
    const asked = await deps.fetchPuzzle(current.signal);
    if (current.signal.aborted) return;
    if (!asked.ok) return fail(asked.problem, asked.reason);
    const { validForMs, text } = asked.value;
    if (validForMs !== undefined) deps.expiry.arm(validForMs, onExpired);
    const solvingSince = deps.now();
    const progress = (percent: number) => show({ kind: 'solving', percent }, { kind: 'progress', percent });
    const solved = await solve(pool, asked.value, progress);
    if (current.signal.aborted) return;
    pool.close();
    expiriesInARow = 0;
    const solution = payloadFrom(solved, deps.now() - solvingSince, text);
    deps.submit(solution);
    show({ kind: 'verified' }, { kind: 'finish', solution });
  }

  function onExpired(): void {
    stop();
    expiriesInARow += 1;
    if (expiriesInARow > EXPIRIES_WITHOUT_SOLUTION) {
      fail('device-slow', '');
      return;
    }
    const mine = stops;
    show({ kind: 'expired' }, { kind: 'reset' });
    if (stops !== mine || run !== undefined) return;
    const wait = Math.max(0, startedAt + REFETCH_MS - deps.now());
    deps.expiry.arm(wait, () => deps.whenVisible(() => stops === mine && start()));
  }

  function start(): void {
    if (run !== undefined) return;
    deps.expiry.disarm();
    const current = new AbortController();
    run = current;
    startedAt = deps.now();
    show({ kind: 'solving', percent: 0 }, { kind: 'start' });
    check(current).catch((cause) => current.signal.aborted || fail('solver-broken', String(cause)));
  }

  function close(): void {
    stop();
    expiriesInARow = 0;
    show({ kind: 'idle' });
  }

  return { start, close, state: () => kind };
}

async function solve(pool: Pool, fetched: FetchedPuzzle, tell: (percent: number) => void): Promise<Solved> {
  const { puzzle, puzzleBytes } = fetched;
  const { solutionCount } = puzzle;
  if (isTest(puzzle)) return nothingOf(puzzle);
  const work = { block: toBlock(puzzleBytes), threshold: thresholdOf(puzzle.difficulty), solutionCount };
  return pool.solve(work, (found) => tell(Math.floor((100 * found) / solutionCount)));
}

function payloadFrom(solved: Solved, elapsed: number, text: string): string {
  const elapsedMs = Math.max(0, Math.round(elapsed));
  return toPayload({ errorCode: 0, usedWasm: solved.usedWasm, elapsedMs }, solved.solutions, text);
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
