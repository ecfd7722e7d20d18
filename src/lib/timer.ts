/** Calls `run` once after the given time. @returns a function that cancels the call */
export type Timer = (milliseconds: number, run: () => void) => () => void;

/** The system's timer. */
export const timer: Timer = (milliseconds, run) => {
  const id = setTimeout(run, milliseconds);
  return () => clearTimeout(id);
};

/**
 * Waits for a promise for a limited time. Waker: the promise, or the timer.
 *
 * @param onExpired called when the time is over; returns the reason for the rejection, and cleans up anything that still waits for the promise
 */
export async function within<T>(
  milliseconds: number,
  promise: Promise<T>,
  onExpired: () => Error,
  startTimer: Timer = timer,
): Promise<T> {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const cancel = startTimer(milliseconds, () => reject(onExpired()));
  try {
    return await Promise.race([promise, expired]);
  } finally {
    cancel();
  }
}
