import type { Timer } from '../../src/lib/timer.ts';

/** A clock with timers that only the test advances. */
export type VirtualTime = {
  readonly now: () => number;
  readonly timer: Timer;
  /** Runs pending callbacks, and then advances to the next timer. @returns false if there is no timer */
  readonly step: () => Promise<boolean>;
  /** Advances the clock, and runs the timers in between. */
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
