/** The path of a response to an HTTP-01 challenge begins with this (RFC 8555, section 8.3). */
export const CHALLENGE_PATH = '/.well-known/acme-challenge/';

/** The responses to the HTTP-01 challenges of the current order, in memory. */
export type Challenges = {
  /** @returns the response; undefined if there is no such challenge */
  readonly find: (token: string) => string | undefined;
  readonly add: (token: string, response: string) => void;
  readonly clear: () => void;
};

export function createChallenges(): Challenges {
  const responses = new Map<string, string>();
  return {
    find: (token) => responses.get(token),
    add: (token, response) => void responses.set(token, response),
    clear: () => responses.clear(),
  };
}
