import { type PageHost, parsePageHost } from '../../captcha/origin.ts';

/**
 * The origins of pages that received puzzles, with everything that does not change from request to request. Bun sends an unchanged
 * `Headers` object at almost no cost, whereas five headers per response cost as much as issuing the puzzle.
 */
export type KnownPages = {
  /** @returns the host of an origin that received a puzzle; undefined for all others */
  readonly hostOf: (origin: string) => PageHost | undefined;
  /** Returns the headers of a response to a page of this origin. Must not be changed. */
  readonly headersFor: (origin: string) => Headers;
};

type KnownPage = { readonly host: PageHost | undefined; readonly headers: Headers };

/** Maximum number of origins, about 1 kB each. The oldest one is evicted, which costs only time. */
const CAPACITY = 1000;

/** @param common the headers of all responses, except for `Access-Control-Allow-Origin` @see KnownPages */
export function createKnownPages(common: Readonly<Record<string, string>>): KnownPages {
  const pages = new Map<string, KnownPage>();

  function add(origin: string): KnownPage {
    const [oldest] = pages.keys();
    if (pages.size >= CAPACITY && oldest !== undefined) pages.delete(oldest);
    const headers = new Headers({ ...common, 'Access-Control-Allow-Origin': origin });
    const page = { host: parsePageHost(origin), headers };
    pages.set(origin, page);
    return page;
  }

  return {
    hostOf: (origin) => pages.get(origin)?.host,
    headersFor: (origin) => (pages.get(origin) ?? add(origin)).headers,
  };
}
