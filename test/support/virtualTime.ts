import type { Timer } from '../../src/lib/slidingWindow.ts';

/** Time that passes only when the test says so, from one timer to the next. */
export type VirtualTime = {
  readonly now: () => number;
  readonly timer: Timer;
  /** Lets everything run that needs no time, then moves to the next timer. @returns false where there is none */
  readonly step: () => Promise<boolean>;
  /** Moves on by this much, through all timers on the way. */
  readonly pass: (milliseconds: number) => Promise<void>;
};

export function createVirtualTime(): VirtualTime {
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  let time = 0;

  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  const next = () =>
    [...timers].reduce<{ at: number; run: () => void } | undefined>(
      (first, one) => (first === undefined || one.at < first.at ? one : first),
      undefined,
    );

  async function step(): Promise<boolean> {
    await settle();
    const first = next();
    if (first === undefined) return false;
    timers.delete(first);
    time = Math.max(time, first.at);
    first.run();
    await settle();
    return true;
  }

  return {
    now: () => time,
    timer(milliseconds, run) {
      const entry = { at: time + milliseconds, run };
      timers.add(entry);
      return () => timers.delete(entry);
    },
    step,
    async pass(milliseconds) {
      const end = time + milliseconds;
      await settle();
      for (let first = next(); first !== undefined && first.at <= end; first = next()) await step();
      time = end;
    },
  };
}
