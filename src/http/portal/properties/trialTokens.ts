import { isSignatureOf, type Sign, signatureOf } from '../../../lib/signatures.ts';
import { type Clock, MINUTE } from '../../../lib/time.ts';
import { parseSitekey, type Sitekey } from '../../../model/property.ts';

/** A test of a property: its sitekey, and the origin of the page that the test stands for. */
export type Trial = { readonly sitekey: Sitekey; readonly origin: string };

/**
 * Tokens that allow a browser to fetch puzzles for a test. The widget sends no cookies, so the URL carries the permission. It is valid
 * for an hour.
 */
export type TrialTokens = {
  readonly issue: (trial: Trial) => string;
  /** @returns undefined if this installation did not issue the token, or if it has expired */
  readonly open: (token: string) => Trial | undefined;
};

const LIFETIME = 60 * MINUTE;
const TOKEN = /^([0-9a-f]{32})\.(\d{1,16})\.([\w-]{1,480})\.([\w-]{43})$/;

/** @see TrialTokens */
export function createTrialTokens(deps: { readonly sign: Sign; readonly clock: Clock }): TrialTokens {
  return {
    issue({ sitekey, origin }) {
      const until = Math.ceil(deps.clock() + LIFETIME);
      const payload = `${sitekey}.${until}.${Buffer.from(origin).toString('base64url')}`;
      return `${payload}.${signatureOf(deps.sign, `trial ${payload}`)}`;
    },
    open(token) {
      const [, key = '', until = '', origin = '', mac = ''] = TOKEN.exec(token) ?? [];
      const sitekey = parseSitekey(key);
      if (!sitekey.ok || Number(until) < deps.clock()) return undefined;
      if (!isSignatureOf(deps.sign, `trial ${key}.${until}.${origin}`, mac)) return undefined;
      return { sitekey: sitekey.value, origin: Buffer.from(origin, 'base64url').toString() };
    },
  };
}
