/** Writes down, now and then, what memory has gathered. */
export type Flushing = {
  /** One more time, and never again. */
  readonly stop: () => Promise<void>;
};

export type FlushingOptions = {
  /** Writes down some. @returns whether there is more; throws where it cannot be written */
  readonly flush: () => Promise<boolean>;
  readonly everyMs: number;
  /** While true, nothing is written. */
  readonly isPaused: () => boolean;
  readonly onFailure: (error: unknown) => void;
};

/** Between two portions requests get their turn. */
export function startFlushing({ flush, everyMs, isPaused, onFailure }: FlushingOptions): Flushing {
  let running: Promise<void> | undefined;

  async function round(): Promise<void> {
    try {
      while (!isPaused() && (await flush())) await new Promise(setImmediate);
    } catch (error) {
      onFailure(error);
    }
  }

  function start(): Promise<void> {
    // Forgotten in a turn of its own: a round that has nothing to wait for is over before it is remembered.
    running ??= round().finally(() => {
      running = undefined;
    });
    return running;
  }

  const timer = setInterval(() => void start(), everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await running;
      await start();
    },
  };
}
