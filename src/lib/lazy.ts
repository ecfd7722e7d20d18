/** @returns a function that returns the result of `create`, which is called once, at the first call. An error is not remembered. */
export function lazy<T>(create: () => T): () => T {
  let created: { readonly value: T } | undefined;
  return () => {
    created ??= { value: create() };
    return created.value;
  };
}
