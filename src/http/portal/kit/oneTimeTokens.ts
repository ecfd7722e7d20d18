import type { Clock } from '../../../lib/time.ts';
import type { UsedFormStore } from '../../../model/ports/usedForms.ts';
import { fieldOf } from './formData.ts';

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

export const ONE_TIME_TOKEN_FIELD = 'one_time_token';

const TOKEN = /^[0-9a-f]{32}$/;

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
      return TOKEN.test(token) && (await deps.usedForms.use(token, deps.clock()));
    },
  };
}
