/** The query of a URL, cut out without parsing the rest: with a missing or malformed `Host`, it is no URL. */
export function queryOf(url: string): URLSearchParams {
  return new URLSearchParams(/\?([^#]*)/.exec(url)?.[1] ?? '');
}
