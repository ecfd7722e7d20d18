/** Looks at something that other processes may change, a few times a second, and tells when it did. */
export type Watch = { readonly stop: () => void };

export type WatchOptions = {
  /** A number that changes with every change; throws or rejects if it cannot be read. */
  readonly version: () => number | Promise<number>;
  readonly onChange: () => Promise<void>;
  /** True while what was last seen cannot be trusted: every look counts as a change. */
  readonly isSuspect: () => boolean;
  readonly onFailure: (error: unknown) => void;
  readonly everyMs: number;
};

/** The first look, and the first one that succeeds after a failure, count as a change: an earlier one may have been missed. */
export function startWatch(options: WatchOptions): Watch {
  let last = Number.NaN;
  let isLooking = false;

  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    try {
      const version = await options.version();
      if (version !== last || options.isSuspect()) await options.onChange();
      last = version;
    } catch (error) {
      last = Number.NaN;
      options.onFailure(error);
    } finally {
      isLooking = false;
    }
  }

  const timer = setInterval(() => void look(), options.everyMs);
  return { stop: () => clearInterval(timer) };
}
