import { type Clock, SECOND } from '../lib/time.ts';
import { attempt } from './console.ts';
import type { WidgetProblem } from './i18n.ts';
import { type SolveDeps, solvePuzzle } from './solvePuzzle.ts';

/** The state that a widget shows. */
export type WidgetState =
  /** With the problem, the puzzle expired, and the check does not start again automatically. */
  | { readonly kind: 'idle'; readonly problem?: 'expired-manual' }
  /** `percent` of the solutions found, 0..100. */
  | { readonly kind: 'solving'; readonly percent: number }
  | { readonly kind: 'verified' }
  /** The puzzle expired, and the check will start again automatically. */
  | { readonly kind: 'expired' }
  | { readonly kind: 'failed'; readonly problem: WidgetProblem; readonly reason: string };

/** An event for the page, after the state is shown. */
export type WidgetEvent =
  | { readonly kind: 'start' }
  | { readonly kind: 'progress'; readonly percent: number }
  | { readonly kind: 'finish'; readonly solution: string }
  | {
      readonly kind: 'error';
      readonly problem: WidgetProblem;
      readonly reason: string;
      /** HTTP status of the response that rejected the page; 0 for other problems. */
      readonly status: number;
    }
  /** The field was cleared because the page reset the widget, or because the puzzle expired. */
  | { readonly kind: 'reset'; readonly expired?: boolean };

export type WidgetDeps = SolveDeps<Misconfigured> & {
  readonly expiry: Expiry;
  readonly show: (state: WidgetState) => void;
  /** Sets the value of the hidden field. */
  readonly setSolution: (payload: string) => void;
  readonly onEvent: (event: WidgetEvent) => void;
  /** Whether the check starts again after the puzzle expires. */
  readonly mayRestart: () => boolean;
  /** Calls the function as soon as the widget is visible. */
  readonly whenVisible: (run: () => void) => void;
};

export type Misconfigured = {
  readonly ok: false;
  readonly problem: 'sitekey-missing' | 'endpoint-malformed';
  readonly reason: string;
  readonly status?: undefined;
};

export interface Widget {
  /** Starts the check, unless it is in progress or verified. */
  start(): void;
  /** Returns to the idle state with an empty field, without an event for the page. */
  cancel(): void;
  state(): WidgetState['kind'];
}

// Minimum time between requests after an expired puzzle, in case of wrong clocks.
const REFETCH_MS = 30 * SECOND;
const EXPIRIES_WITHOUT_SOLUTION = 3;

/**
 * Creates the check of one form, from the start to the filled field.
 *
 * Invariant: all pending work belongs to a run. `stop` ends the run, and results of an ended run are ignored.
 */
export function createWidget(deps: WidgetDeps): Widget {
  let run: AbortController | undefined;
  let startedAt = deps.now();
  let expiriesInARow = 0;
  let stops = 0;
  let kind: WidgetState['kind'] = 'idle';

  function show(state: WidgetState, event?: WidgetEvent): void {
    kind = state.kind;
    attempt(() => deps.show(state));
    if (event) deps.onEvent(event);
  }

  function stop(): void {
    stops += 1;
    const ended = run;
    run = undefined;
    attempt(() => ended?.abort());
    deps.expiry.disarm();
    deps.setSolution('');
  }

  function fail(problem: WidgetProblem, reason: string, status = 0): void {
    stop();
    show({ kind: 'failed', problem, reason }, { kind: 'error', problem, reason, status });
  }

  async function check(): Promise<void> {
    run = new AbortController();
    const { signal } = run;
    show({ kind: 'solving', percent: 0 }, { kind: 'start' });
    // The page may have reset the widget during the start event.
    if (signal.aborted) return;
    const onFetched = (validForMs: number | undefined) =>
      validForMs === undefined || deps.expiry.arm(validForMs, onExpired);
    const onProgress = (percent: number) => show({ kind: 'solving', percent }, { kind: 'progress', percent });
    const solved = await solvePuzzle(deps, signal, onFetched, onProgress);
    if (signal.aborted) return;
    if (!solved.ok) return fail(solved.problem, solved.reason, solved.status);
    expiriesInARow = 0;
    deps.setSolution(solved.value);
    show({ kind: 'verified' }, { kind: 'finish', solution: solved.value });
  }

  function onExpired(): void {
    stop();
    expiriesInARow += 1;
    if (expiriesInARow > EXPIRIES_WITHOUT_SOLUTION) {
      fail('device-slow', '');
      return;
    }
    const before = stops;
    const mayRestart = deps.mayRestart();
    show(mayRestart ? { kind: 'expired' } : { kind: 'idle', problem: 'expired-manual' }, {
      kind: 'reset',
      expired: true,
    });
    if (stops !== before || run || !mayRestart) return;
    const wait = startedAt + REFETCH_MS - deps.now();
    deps.expiry.arm(wait, () => deps.whenVisible(() => stops === before && start()));
  }

  function start(): void {
    if (run) return;
    deps.expiry.disarm();
    startedAt = deps.now();
    const before = stops;
    check().catch((cause) => stops !== before || fail('solver-broken', `${cause}`));
  }

  function cancel(): void {
    stop();
    expiriesInARow = 0;
    show({ kind: 'idle' });
  }

  return { start, cancel, state: () => kind };
}

/** A timer for one deadline. */
interface Expiry {
  /** Replaces the current deadline. @param milliseconds from now; may be negative */
  arm(milliseconds: number, onExpired: () => void): void;
  /** Checks the deadline. Call it when the page becomes visible, because timers stop while a device sleeps. */
  check(): void;
  disarm(): void;
}

// The maximum delay of browser timers; longer timers fire immediately.
const MAX_TIMER_MS = 2 ** 31 - 1;

/** @param setTimer treats a negative delay as 0 */
export function createExpiry(
  now: Clock,
  setTimer: (milliseconds: number, run: () => void) => number | undefined,
  clearTimer: (timer: number | undefined) => void,
): Expiry {
  let timer: number | undefined;
  let deadline = 0;
  let notify: (() => void) | undefined;

  function disarm(): void {
    clearTimer(timer);
    notify = undefined;
  }

  function schedule(): void {
    clearTimer(timer);
    timer = setTimer(Math.min(deadline - now(), MAX_TIMER_MS), check);
  }

  function check(): void {
    const run = notify;
    if (!run) return;
    if (deadline > now()) {
      schedule();
    } else {
      disarm();
      run();
    }
  }

  return {
    arm(milliseconds, onExpired) {
      notify = onExpired;
      deadline = now() + milliseconds;
      schedule();
    },
    check,
    disarm,
  };
}
