/**
 * Remembers the results of a function, such as formats of `Intl`, which are expensive to create.
 *
 * @param size maximum number of results; a new key that exceeds it discards all of them
 */
export function remembered<T>(size: number, create: (key: string) => T): (key: string) => T {
  const results = new Map<string, { readonly value: T }>();
  return (key) => {
    const known = results.get(key);
    if (known !== undefined) return known.value;
    const value = create(key);
    if (results.size >= size) results.clear();
    results.set(key, { value });
    return value;
  };
}
