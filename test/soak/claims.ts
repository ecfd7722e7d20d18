/** What clients know about the payloads that they presented. Each payload may be accepted once. */
export type PresentedClaims = {
  /** Records the responses to simultaneous presentations of one payload. */
  readonly record: (payload: string, results: readonly Presented[]) => void;
  readonly accepted: ReadonlySet<string>;
  /** Presented, never accepted, and at least one result is unknown. */
  readonly unknown: ReadonlySet<string>;
  /** Payloads that were accepted more than once. */
  readonly acceptedTwice: readonly string[];
  /** Payloads that every response rejected although they were new. */
  readonly rejected: readonly string[];
};

/** `unknown`: no verdict, because of a 503, a 429, or a closed connection. */
export type Presented = 'accepted' | 'used' | 'unknown' | 'rejected';

export function createPresentedClaims(): PresentedClaims {
  const accepted = new Set<string>();
  const unknown = new Set<string>();
  const acceptedTwice: string[] = [];
  const rejected: string[] = [];
  return {
    accepted,
    unknown,
    acceptedTwice,
    rejected,
    record(payload, results) {
      const count = results.filter((result) => result === 'accepted').length;
      if (count + (accepted.has(payload) ? 1 : 0) > 1) acceptedTwice.push(payload);
      if (count > 0) {
        accepted.add(payload);
        unknown.delete(payload);
      } else if (results.includes('unknown')) unknown.add(payload);
      else if (!accepted.has(payload) && !unknown.has(payload)) rejected.push(payload);
    },
  };
}
