import { ORIGIN_MAX_LENGTH } from '../../captcha/origin.ts';
import { isSignatureOf, type Sign, signatureOf } from '../../lib/signatures.ts';
import { type Clock, MINUTE } from '../../lib/time.ts';
import type { UsedFormStore } from '../../model/ports/session.ts';
import { parseSitekey, type Sitekey } from '../../model/property.ts';
import type { Session } from '../../model/session.ts';
import type { OpaqueIds } from '../../platform/opaqueId.ts';
import { ONE_TIME_TOKEN_FIELD } from '../components/form.tsx';
import { fieldOf } from './forms.ts';

/** The session that a page belongs to. */
export type PageSession = Pick<Session, 'id' | 'accountId'>;

/**
 * Tokens in forms, which pages of other websites cannot know (OWASP Cross-Site Request Forgery Prevention). The token of a page for a
 * signed-in user names the session, and remains valid when the session's secret changes. A form that arrives after its session has
 * ended therefore still proves which user filled it in.
 */
export type FormTokens = {
  /** @param visitor the name of a browser in which no user is signed in */
  readonly forVisitor: (visitor: string) => string;
  readonly isOfVisitor: (visitor: string, token: string) => boolean;
  readonly forSession: (session: PageSession) => string;
  /** @returns the page's session, even if it has ended; undefined if this installation did not create the token */
  readonly sessionOf: (token: string) => PageSession | undefined;
};

const SESSION_TOKEN = /^([\w-]{22})\.([\w-]{22})\.([\w-]{43})$/;

/** @see FormTokens */
export function createFormTokens({
  sign,
  ids,
}: {
  readonly sign: Sign;
  readonly ids: OpaqueIds;
}): FormTokens {
  const macOf = (bearer: string) => signatureOf(sign, `form ${bearer}`);
  const isMacOf = (bearer: string, mac: string) => isSignatureOf(sign, `form ${bearer}`, mac);
  const bearerOf = ({ id, accountId }: PageSession) => `session ${id} of ${accountId}`;
  return {
    forVisitor: macOf,
    isOfVisitor: isMacOf,
    forSession(session) {
      const mac = macOf(bearerOf(session));
      return `${ids.seal('session', session.id)}.${ids.seal('account', session.accountId)}.${mac}`;
    },
    sessionOf(token) {
      const [, sessionId = '', account = '', mac = ''] = SESSION_TOKEN.exec(token) ?? [];
      const [id, accountId] = [ids.open('session', sessionId), ids.open('account', account)];
      if (id === undefined || accountId === undefined) return undefined;
      return isMacOf(bearerOf({ id, accountId }), mac) ? { id, accountId } : undefined;
    },
  };
}

/**
 * Whether a page of this server sent the request, according to the browser. Current browsers send `Sec-Fetch-Site` on https and
 * localhost, and `Origin` with every POST. `Sec-Fetch-Site` is `none` if no page caused the request, and `same-site` for subdomains and
 * other ports. `same-origin` decides alone, because a proxy may change `Host`, and pages cannot set this header. If a proxy sets
 * `Referrer-Policy: no-referrer` for our pages, `Origin` is `null`, and `Sec-Fetch-Site` also decides. Any other origin must have the host of the request, or that of the base URL if a proxy changes `Host`. `X-Forwarded-Host` is ignored,
 * because every client can send it.
 */
export function isFromUs(request: Request, baseUrl: string): boolean {
  const secFetchSite = request.headers.get('sec-fetch-site');
  const origin = request.headers.get('origin');
  if (secFetchSite === 'same-origin') return true;
  if (secFetchSite !== null && secFetchSite !== 'none') return false;
  if (origin === null || origin === 'null') return secFetchSite !== null;
  if (origin.length > ORIGIN_MAX_LENGTH) return false;
  const host = URL.parse(origin)?.host;
  return host !== undefined && (host === request.headers.get('host') || host === new URL(baseUrl).host);
}

/**
 * Tokens that make the server accept a form only once. Reloading a response that shows a secret sends its form again; this must neither
 * create another secret nor invalidate the first one.
 */
export type OneTimeTokens = {
  /** @returns a new token */
  readonly issue: () => string;
  /** @returns false if the form has no valid token, or if its token was used before on any server of the installation */
  readonly use: (visit: { readonly form: URLSearchParams }) => Promise<boolean>;
};

const ONE_TIME_TOKEN = /^[0-9a-f]{32}$/;

/** @param deps.newToken returns 32 random hex digits */
export function createOneTimeTokens(deps: {
  readonly usedForms: Pick<UsedFormStore, 'use'>;
  readonly newToken: () => string;
  readonly clock: Clock;
}): OneTimeTokens {
  return {
    issue: deps.newToken,
    async use({ form }) {
      const token = fieldOf(form, ONE_TIME_TOKEN_FIELD);
      return ONE_TIME_TOKEN.test(token) && (await deps.usedForms.use(token, deps.clock()));
    },
  };
}

/** A test of a property: its sitekey, and the origin of the page that the test stands for. */
type Trial = { readonly sitekey: Sitekey; readonly origin: string };

/**
 * Tokens that allow a browser to fetch puzzles for a test. The widget sends no cookies, so the URL carries the permission. It is valid
 * for an hour.
 */
export type TrialTokens = {
  readonly issue: (trial: Trial) => string;
  /** @returns undefined if this installation did not issue the token, or if it has expired */
  readonly open: (token: string) => Trial | undefined;
};

const TRIAL_LIFETIME = 60 * MINUTE;
const TRIAL_TOKEN = /^([0-9a-f]{32})\.(\d{1,16})\.([\w-]{1,480})\.([\w-]{43})$/;

/** @param deps.sign HMAC-SHA-256 with a secret of the installation, 32 bytes */
export function createTrialTokens(deps: { readonly sign: Sign; readonly clock: Clock }): TrialTokens {
  return {
    issue({ sitekey, origin }) {
      const until = Math.ceil(deps.clock() + TRIAL_LIFETIME);
      const payload = `${sitekey}.${until}.${Buffer.from(origin).toString('base64url')}`;
      return `${payload}.${signatureOf(deps.sign, `trial ${payload}`)}`;
    },
    open(token) {
      const [, key = '', until = '', origin = '', mac = ''] = TRIAL_TOKEN.exec(token) ?? [];
      const sitekey = parseSitekey(key);
      if (!sitekey.ok || Number(until) < deps.clock()) return undefined;
      if (!isSignatureOf(deps.sign, `trial ${key}.${until}.${origin}`, mac)) return undefined;
      return { sitekey: sitekey.value, origin: Buffer.from(origin, 'base64url').toString() };
    },
  };
}
