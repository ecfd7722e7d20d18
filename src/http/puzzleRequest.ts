import type { PuzzleRequest } from '../captcha/issue.ts';
import { ORIGIN_MAX_LENGTH } from '../captcha/origin.ts';
import type { RequestSource } from '../captcha/rules/requestFacts.ts';
import { hostOf, parameterOf } from '../lib/target.ts';
import { parsePagePath } from '../model/rules/pattern.ts';
import type { RequestContext } from './requestContext.ts';

/** Reads what a request for a puzzle says about the client and the page. */

/** The origin of the requesting page as it was sent; undefined if it is unknown. */
export type Page = string | undefined;

/** Maximum length of a `Referer` whose path is used. */
const REFERER_MAX_LENGTH = 2048;

/** Returns the values of a request for a puzzle that rules depend on. */
export function sourceOf(request: Request, requestContext: Pick<RequestContext, 'addressOf'>): RequestSource {
  return {
    address: () => requestContext.addressOf(request),
    header: (name) => request.headers.get(name),
    path: () => pathOf(request),
  };
}

/**
 * Finds the path of the page: the parameter `path`, which a page adds to the endpoint of its widget; otherwise the path of the `Referer`.
 * Our widget sends only the origin as `Referer`, and so does every browser by default if the page is on another origin, so the path `/`
 * of a `Referer` says nothing.
 */
function pathOf(request: Request): string | undefined {
  const given = parameterOf(request, 'path');
  if (given !== undefined) return parsePagePath(given);
  const referer = request.headers.get('referer');
  if (referer === null || referer.length > REFERER_MAX_LENGTH) return undefined;
  const path = URL.parse(referer)?.pathname;
  return path === '/' ? undefined : path;
}

/**
 * Finds the origin of the requesting page. Browsers send no `Origin` with a same-origin GET, so the origin of `Referer` replaces it if
 * `Sec-Fetch-Site` is `same-origin` or, on http pages that have no such header, if the referring page is on the requested host. A
 * `Referer` of more than 300 characters is ignored; the widget sends only the origin. If browsers or proxies remove the `Referer`, the
 * requested host replaces it. `X-Forwarded-Host` does not, because scripts can set it: a page on another name of this server could
 * pretend to be on any host.
 */
export function pageOf(request: Request): Page {
  const { headers } = request;
  const origin = headers.get('origin');
  if (origin) return origin;
  const secFetchSite = headers.get('sec-fetch-site');
  const referrer = referrerOf(headers);
  if (secFetchSite === null) return referrer?.host === headers.get('host') ? referrer?.origin : undefined;
  if (secFetchSite !== 'same-origin') return undefined;
  if (referrer !== undefined) return referrer.origin;
  const host = hostOf(request);
  // Browsers send `Sec-Fetch-Site` only to https and loopback hosts; only the host is compared.
  return host === undefined ? undefined : `https://${host}`;
}

function referrerOf(headers: Headers): URL | undefined {
  const referer = headers.get('referer');
  if (referer === null || referer.length > ORIGIN_MAX_LENGTH) return undefined;
  return URL.parse(referer) ?? undefined;
}

/**
 * @returns the newest version of puzzles that the client can solve, from the header or the parameter `version`, which causes no
 *   preflight request; 1 if the client announces none or an unknown one
 */
export function announcedVersion(request: Request): PuzzleRequest['version'] {
  const announced = request.headers.get('x-pc-captcha-version') ?? parameterOf(request, 'version');
  if (announced === '3') return 3;
  return announced === '2' ? 2 : 1;
}
