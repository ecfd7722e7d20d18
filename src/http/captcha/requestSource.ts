import type { RequestSource } from '../../captcha/rules/requestFacts.ts';
import { parameterOf } from '../../lib/target.ts';
import { parsePagePath } from '../../model/rules/pagePath.ts';
import type { RequestContext } from '../requestContext.ts';

/** Maximum length of a `Referer` that is parsed. */
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
