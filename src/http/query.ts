/** @returns the query of a request's URL, which is not a valid URL if the `Host` header is missing or invalid */
export function queryOf(url: string): URLSearchParams {
  return new URLSearchParams(/\?([^#]*)/.exec(url)?.[1] ?? '');
}
