import type { Instant } from '../lib/time.ts';

/**
 * How a verification ended, by name: the number that `/verify` answers. The names are those that reCAPTCHA-style
 * clients see in `error-codes`. `docs/reference/api.md` holds the same table; a test compares.
 */
export const VERDICT_CODES = {
  'no-error': 0,
  'error-other': 1,
  'solution-duplicates': 2,
  'solution-invalid': 3,
  'solution-bad-format': 4,
  'puzzle-expired': 5,
  'property-invalid': 6,
  'property-owner-mismatch': 7,
  'solution-verified-before': 8,
  'maintenance-mode': 9,
  'property-test': 10,
  'integrity-error': 11,
  'org-scope-error': 12,
} as const;

export type VerdictName = keyof typeof VERDICT_CODES;

export type Verdict = {
  readonly success: boolean;
  readonly name: VerdictName;
  /** The page's host, or "" where it is not known or the signature did not hold. */
  readonly origin: string;
  readonly verifiedAt: Instant;
  /** When the puzzle was issued, where the signature held. */
  readonly issuedAt: Instant | undefined;
  /** The claim could not be kept, so nothing was decided: ask again later. */
  readonly isUnavailable: boolean;
};
