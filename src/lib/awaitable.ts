/** A value, or a promise of it. */
export type Awaitable<T> = T | Promise<T>;

/**
 * Continues with a value as soon as it is there. Unlike `await`, it costs no promise and no microtask if it is there already.
 *
 * @param onError handles the rejection of the promise, but not errors of `next`
 */
export function chain<T, R>(
  value: Awaitable<T>,
  next: (value: T) => Awaitable<R>,
  onError?: (error: unknown) => Awaitable<R>,
): Awaitable<R> {
  return value instanceof Promise ? value.then(next, onError) : next(value);
}

/**
 * Like `chain`, for a call that may fail.
 *
 * @param onError handles what `call` throws or rejects with, but not errors of `next`
 */
export function attempt<T, R>(
  call: () => Awaitable<T>,
  next: (value: T) => Awaitable<R>,
  onError: (error: unknown) => Awaitable<R>,
): Awaitable<R> {
  let value: Awaitable<T>;
  try {
    value = call();
  } catch (error) {
    return onError(error);
  }
  return chain(value, next, onError);
}
