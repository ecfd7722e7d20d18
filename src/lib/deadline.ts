import { timer as systemTimer, type Timer } from './timer.ts';

/**
 * Waits for a promise for a limited time. Waker: the promise, or the timer.
 *
 * @param onExpired called when the time is over; returns the reason for the rejection, and cleans up anything that still waits for the promise
 */
export async function within<T>(
  milliseconds: number,
  promise: Promise<T>,
  onExpired: () => Error,
  timer: Timer = systemTimer,
): Promise<T> {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const cancel = timer(milliseconds, () => reject(onExpired()));
  try {
    return await Promise.race([promise, expired]);
  } finally {
    cancel();
  }
}
