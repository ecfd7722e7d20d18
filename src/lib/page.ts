/** The position of a page in a list. `limit`: the maximum number of items. */
export type PageSlice = { readonly offset: number; readonly limit: number };

/** Part of a list, and whether more items follow it. */
export type Page<T> = { readonly items: readonly T[]; readonly hasMore: boolean };

/** Fetches a page. Requests one item more than the limit, to learn whether more items follow. @param limit at least 1 */
export async function fetchPage<T>(
  limit: number,
  fetchUpTo: (limit: number) => Promise<readonly T[]>,
): Promise<Page<T>> {
  const found = await fetchUpTo(limit + 1);
  return { items: found.slice(0, limit), hasMore: found.length > limit };
}
