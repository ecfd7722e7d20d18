/** The signals that stop a server. */
export type StopSignals = ReturnType<typeof createStopSignals>;

/** Supervisors and wrappers repeat signals, and forward those that the server receives anyway. */
const REPEAT_MS = 1000;
/** Wrappers such as npm deliver one Ctrl+C several times within this time. A person takes longer to press it again. */
const SAME_INTERRUPT_MS = 50;

/**
 * Decides what a signal means. The first one stops the server. A later one ends it at once if it arrives more than a second after the first
 * one, or if it is another SIGINT of a person.
 *
 * @param now in milliseconds
 * @param endNow ends the process without a clean stop
 */
export function createStopSignals(now: () => number, endNow: () => void) {
  const { promise: received, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let first: { readonly signal: NodeJS.Signals; readonly at: number } | undefined;
  let interruptedAt: number | undefined;

  /** @returns whether this is the second SIGINT of a person */
  function isSecondInterrupt(signal: NodeJS.Signals, at: number): boolean {
    if (signal !== 'SIGINT') return false;
    const previous = interruptedAt;
    interruptedAt = at;
    return previous !== undefined && at - previous >= SAME_INTERRUPT_MS;
  }

  return {
    /** Resolves to the first signal. */
    received,
    /** The first signal; undefined before it. */
    first: (): NodeJS.Signals | undefined => first?.signal,
    handle(signal: NodeJS.Signals): void {
      const at = now();
      const isSecond = isSecondInterrupt(signal, at);
      if (first === undefined) {
        first = { signal, at };
        resolve(signal);
      } else if (isSecond || at - first.at > REPEAT_MS) endNow();
    },
  };
}

/**
 * The signals whose default action ends a process, except those of a crash (such as SIGSEGV), SIGKILL, SIGSTKFLT, and the real-time
 * signals, for which Bun has no handlers. Bun itself ignores SIGPIPE and SIGXFSZ, and uses SIGPWR.
 */
const WITHOUT_MEANING = [
  'SIGUSR1',
  'SIGUSR2',
  'SIGALRM',
  'SIGVTALRM',
  'SIGPROF',
  'SIGIO',
  'SIGXCPU',
] as const;

export type SignalActions = {
  /** Whether SIGHUP means that the terminal was closed, which stops the server. */
  readonly stopsOnHangup: boolean;
  /** Loads the certificate again, after SIGHUP. Undefined if the server has none. */
  readonly reload: (() => void) | undefined;
  /** Called for each signal that has no effect. */
  readonly onIgnored: (signal: NodeJS.Signals) => void;
};

/** Handles all signals of the process that can be handled. */
export function listenForSignals({ stopsOnHangup, reload, onIgnored }: SignalActions): StopSignals {
  const signals = createStopSignals(
    () => performance.now(),
    () => process.kill(process.pid, 'SIGKILL'),
  );
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const) process.on(signal, signals.handle);
  for (const signal of WITHOUT_MEANING) process.on(signal, onIgnored);
  process.on('SIGHUP', stopsOnHangup ? signals.handle : (reload ?? onIgnored));
  return signals;
}
