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
