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

/** The first run starts after `everyMs`. The timer skips a run if the previous one is still in progress. */
export function startPeriodic({ work, everyMs, isPaused = () => false }: PeriodicOptions): Periodic {
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  function begin(): Promise<void> {
    next = undefined;
    current = work().finally(() => {
      current = undefined;
    });
    return current;
  }

  function run(): Promise<void> {
    if (current === undefined) return begin();
    next ??= current.then(begin);
    return next;
  }

  const timer = setInterval(() => {
    if (current === undefined && !isPaused()) void begin();
  }, everyMs);
  return {
    run,
    isRunning: () => current !== undefined,
    async stop() {
      clearInterval(timer);
      await (next ?? current);
    },
  };
}
