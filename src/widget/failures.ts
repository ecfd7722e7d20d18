import { log } from './console.ts';
import { clearTimer, later } from './timers.ts';
import type { Widget, WidgetEvent } from './widget.ts';

// Each failure doubles the maximum delay after the network has returned, because it may be unstable.
const RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;

/** Counts a widget's consecutive failures and logs them. */
export function createFailures(widget: Widget, whenVisible: (run: () => void) => void) {
  let count = 0;
  let isCutOff = false;
  let timer: number | undefined;
  const mayResume = () => isCutOff && widget.state() === 'failed';
  return {
    /** @returns whether the check failed because the server was unreachable */
    add(event: WidgetEvent): boolean {
      const { kind, problem, reason }: { kind: string; problem?: string; reason?: string } = event;
      isCutOff = problem === 'service-unreachable';
      if (kind === 'finish') count = 0;
      if (problem) {
        count += 1;
        log(`${problem}: ${reason}`);
      }
      return isCutOff;
    },
    count: () => count,
    /**
     * Starts a check again that failed because the server was unreachable, after a random delay, because the network may return for
     * many visitors at once.
     */
    resume(): void {
      clearTimer(timer);
      const delay = Math.random() * Math.min(RETRY_MS * 2 ** count, MAX_RETRY_MS);
      if (mayResume()) timer = later(delay, () => whenVisible(() => mayResume() && widget.start()));
    },
  };
}
