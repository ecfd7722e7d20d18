import { ORIGIN_MAX_LENGTH } from '../../../captcha/origin.ts';
import { areEqual } from '../../../lib/bytes.ts';

/** Tokens in forms, which pages of other websites cannot know (OWASP Cross-Site Request Forgery Prevention). */
export type FormTokens = {
  /** @param bearer the secret of the session, or the visitor's name if no user is signed in */
  readonly tokenFor: (bearer: string) => string;
  readonly isTokenOf: (bearer: string, token: string) => boolean;
};

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
 * Whether a page of this server sent the request, according to the browser. Current browsers send `Sec-Fetch-Site` on https and
 * localhost, and `Origin` with every POST. The origin's host must be the host of the request, or that of the base URL if a proxy
 * changes `Host`. `X-Forwarded-Host` is ignored, because every client can send it.
 */
export function isFromUs(request: Request, baseUrl: string): boolean {
  const secFetchSite = request.headers.get('sec-fetch-site');
  const origin = request.headers.get('origin');
  if (secFetchSite !== null && secFetchSite !== 'same-origin') return false;
  if (origin === null) return secFetchSite !== null;
  if (origin.length > ORIGIN_MAX_LENGTH) return false;
  const host = URL.parse(origin)?.host;
  return host !== undefined && (host === request.headers.get('host') || host === new URL(baseUrl).host);
}
