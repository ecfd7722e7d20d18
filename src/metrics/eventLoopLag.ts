export type EventLoopLagOptions = {
  readonly everyMs: number;
  /** A monotonic time in milliseconds. */
  readonly now: () => number;
  /** Called with the delay of each tick in seconds, at least 0. */
  readonly onTick: (lagSeconds: number) => void;
};

/**
 * Measures how late a repeating timer fires, which is how long events wait for the event loop.
 *
 * @returns a function that stops the measurement
 */
export function startEventLoopLag({ everyMs, now, onTick }: EventLoopLagOptions): () => void {
  let previous = now();
  const timer = setInterval(() => {
    const current = now();
    onTick(Math.max(0, current - previous - everyMs) / 1000);
    previous = current;
  }, everyMs);
  return () => clearInterval(timer);
}
