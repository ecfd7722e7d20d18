import { ORIGIN_MAX_LENGTH } from '../../../captcha/origin.ts';
import { areEqual } from '../../../lib/bytes.ts';

/** What a form must carry, so that no other site can have sent it (OWASP Cross-Site Request Forgery Prevention). */
export type FormTokens = {
  /** @param bearer the session's secret, or the visitor's name where nobody is signed in */
  readonly tokenFor: (bearer: string) => string;
  readonly isTokenOf: (bearer: string, token: string) => boolean;
};

/** The field of a form that holds its token. */
export const TOKEN_FIELD = 'form_token';

/** @param sign HMAC-SHA-256 with a secret of the installation */
export function createFormTokens(sign: (text: string) => Uint8Array): FormTokens {
  const macOf = (bearer: string) => sign(`form ${bearer}`);
  return {
    tokenFor: (bearer) => Buffer.from(macOf(bearer)).toString('base64url'),
    isTokenOf: (bearer, token) => areEqual(Buffer.from(token, 'base64url'), macOf(bearer)),
  };
}

/**
 * Whether a page of ours sent this request, by the browser's own word. `Sec-Fetch-Site` comes from every browser of today
 * on https and localhost, `Origin` with every POST. The origin's host must be the one that the request was sent to, or that
 * of the base URL, where a proxy changes `Host`; `X-Forwarded-Host` is anybody's word.
 */
export function isFromUs(request: Request, baseUrl: string): boolean {
  const site = request.headers.get('sec-fetch-site');
  const origin = request.headers.get('origin');
  if (site !== null && site !== 'same-origin') return false;
  if (origin === null) return site !== null;
  if (origin.length > ORIGIN_MAX_LENGTH) return false;
  const host = URL.parse(origin)?.host;
  return host !== undefined && (host === request.headers.get('host') || host === new URL(baseUrl).host);
}
