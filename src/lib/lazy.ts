/**
 * @param create called at the first call; called again after it has thrown, but not after a promise that it returned was rejected
 * @returns a function that returns the result of `create`
 */
export function lazy<T>(create: () => T): () => T {
  let created: { readonly value: T } | undefined;
  return () => {
    created ??= { value: create() };
    return created.value;
  };
}
