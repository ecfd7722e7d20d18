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
