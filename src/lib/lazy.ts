/**
 * @param create called at the first call, and again after it has thrown; see `lazyAsync` for functions that return promises
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
 * Like `lazy`, for a function that returns a promise. Concurrent calls share it. After it was rejected, the next call calls `create` again.
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
