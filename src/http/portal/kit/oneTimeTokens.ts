import { LRUCache } from 'lru-cache';
import { fieldOf } from './formData.ts';

/**
 * Tokens that make the server accept a form only once. Reloading a response that shows a secret sends its form again; this must neither
 * create another secret nor invalidate the first one.
 */
export type OneTimeTokens = {
  /** @returns a new token */
  readonly issue: () => string;
  /** @returns false if the form has no valid token, or if its token was used before */
  readonly use: (visit: { readonly form: URLSearchParams }) => boolean;
};

export const ONE_TIME_TOKEN_FIELD = 'one_time_token';

/** Maximum number of used tokens in memory, about 100 bytes each. */
const CAPACITY = 10_000;
const TOKEN = /^[0-9a-f]{32}$/;

/** @param newToken returns 32 random hex digits */
export function createOneTimeTokens(newToken: () => string): OneTimeTokens {
  const used = new LRUCache<string, true>({ max: CAPACITY });
  return {
    issue: newToken,
    use({ form }) {
      const token = fieldOf(form, ONE_TIME_TOKEN_FIELD);
      if (!TOKEN.test(token) || used.has(token)) return false;
      used.set(token, true);
      return true;
    },
  };
}
