import { isKnownTag, weakTagOf } from '../../etag.ts';
import type { Element } from '../../jsx/elements.ts';
import { render } from '../../jsx/runtime.ts';
import type { Visit } from './handler.ts';

/** A part of a page, which a script requests. If the browser already has the same markup, the response is 304. */
export function fragment(visit: Visit, element: Element): Response {
  const markup = render(element);
  const tag = weakTagOf(markup);
  const isKnown = isKnownTag(visit.request.headers.get('if-none-match') ?? '', tag);
  const headers = { ETag: tag, 'Content-Type': 'text/html; charset=utf-8' };
  return new Response(isKnown ? null : markup, { status: isKnown ? 304 : 200, headers });
}
