import { parsePageHost } from '../captcha/origin.ts';
import { errorResponse } from './envelope.ts';
import type { RequestContext } from './requestContext.ts';

/**
 * Maximum length in characters of `Access-Control-Request-Headers`. Tracing adds about 60; a response with this length still fits into
 * the header buffers of proxies (4 KiB in nginx).
 */
const REQUESTED_MAX = 2048;
/** A list of field names (RFC 9110, sections 5.1 and 5.6.1). */
const FIELD_NAMES = /^[\w!#$%&'*+.^`|~-]+(?:[ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]+)*$/;
/** The headers that widgets send. */
const WIDGET_HEADERS = 'x-pc-captcha-version, accept, content-type, x-requested-with';
const MAX_AGE_SECONDS = '86400';

/** @returns whether the text is exactly one origin, which a CORS header can contain */
export function isOrigin(text: string | null | undefined): text is string {
  return typeof text === 'string' && parsePageHost(text) !== undefined;
}

/**
 * Responds to a CORS preflight for a path that pages of every origin may read. Scripts that wrap `fetch` and `XMLHttpRequest`
 * on the page, such as tracing, add headers to the requests of the widget, so every header is allowed: Postern ignores them, and the
 * responses contain no secrets and are the same without credentials.
 */
export function preflightResponse(
  request: Request,
  requestContext: Pick<RequestContext, 'idOf'>,
  methods = 'GET, HEAD, OPTIONS',
): Response {
  const origin = request.headers.get('origin');
  const requested = request.headers.get('access-control-request-headers')?.trim() || WIDGET_HEADERS;
  const headers = new Headers({ Vary: 'Origin, Access-Control-Request-Headers' });
  if (isOrigin(origin) || origin === 'null') headers.set('Access-Control-Allow-Origin', origin);
  if (requested.length > REQUESTED_MAX || !FIELD_NAMES.test(requested)) {
    const detail = `Access-Control-Request-Headers must be a list of header names with at most ${REQUESTED_MAX} characters`;
    return errorResponse({ problem: 'request-malformed', detail }, requestContext.idOf(request), headers);
  }
  headers.set('Access-Control-Allow-Methods', methods);
  headers.set('Access-Control-Allow-Headers', requested);
  headers.set('Access-Control-Max-Age', MAX_AGE_SECONDS);
  return new Response(null, { status: 204, headers });
}
