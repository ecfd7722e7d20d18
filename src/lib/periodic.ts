/** Work that runs at regular intervals and on request. Runs never overlap. */
export type Periodic = {
  /**
   * Starts a run now, or after the current run if one is in progress. Also works after `stop`.
   *
   * @returns resolves when a run that began after the call has finished; simultaneous callers share it
   */
  readonly run: () => Promise<void>;
  readonly isRunning: () => boolean;
  /** Stops the timer. @returns resolves when no run is in progress or requested */
  readonly stop: () => Promise<void>;
};

export type PeriodicOptions = {
  /** Must not reject. */
  readonly work: () => Promise<void>;
  readonly everyMs: number;
  /** While true, the timer starts no runs. */
  readonly isPaused?: () => boolean;
};

/**
 * The first run starts after `everyMs`. The timer skips a run if the previous one is still in progress.
 *
 * Wakers: the end of a run starts the requested run in the same step, whether it succeeded or failed, so no request can come between
 * them and start another run. Without a run in progress, `run` and the timer start one. A run that never ends blocks all later ones, so
 * work that waits needs a deadline of its own.
 */
export function startPeriodic({ work, everyMs, isPaused = () => false }: PeriodicOptions): Periodic {
  let current: Promise<void> | undefined;
  let next: ReturnType<typeof Promise.withResolvers<void>> | undefined;

  function begin(): Promise<void> {
    next = undefined;
    const ended = Promise.withResolvers<void>();
    current = ended.promise;
    Promise.try(work).then(
      () => end(ended.resolve),
      (error) => end(() => ended.reject(error)),
    );
    return ended.promise;
  }

  function end(settle: () => void): void {
    const requested = next;
    current = undefined;
    if (requested !== undefined) requested.resolve(begin());
    settle();
  }

  function run(): Promise<void> {
    if (current === undefined) return begin();
    next ??= Promise.withResolvers();
    return next.promise;
  }

  const timer = setInterval(() => {
    if (current === undefined && !isPaused()) void begin();
  }, everyMs);
  return {
    run,
    isRunning: () => current !== undefined,
    async stop() {
      clearInterval(timer);
      while (current !== undefined) await current.catch(() => {});
    },
  };
}
