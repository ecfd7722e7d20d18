/**
 * @param create called on the first call, and on the next call if it throws; use `lazyAsync` if it returns a promise
 * @returns a function that returns the result of `create`
 */
export function lazy<T>(create: () => T): () => T {
  let created: { readonly value: T } | undefined;
  return () => {
    created ??= { value: create() };
    return created.value;
  };
}

/**
 * Like `lazy`, for a function that returns a promise. All calls share one promise. If it is rejected, the next call calls `create` again.
 */
export function lazyAsync<T>(create: () => Promise<T>): () => Promise<T> {
  let created: Promise<T> | undefined;
  return () => {
    created ??= create().catch((error: unknown) => {
      created = undefined;
      throw error;
    });
    return created;
  };
}

/**
 * Applies the results of reads that can overlap. A read that began before the last applied one is ignored, so a late result never
 * replaces a newer one.
 *
 * @returns a function that reads and then applies the result. @throws (rejects) the error of the read
 */
export function createLatest<T>(apply: (value: T) => void): (read: () => Promise<T>) => Promise<void> {
  let started = 0;
  let applied = 0;
  return async (read) => {
    const own = ++started;
    const value = await read();
    if (own < applied) return;
    applied = own;
    apply(value);
  };
}
