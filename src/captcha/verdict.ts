import type { Instant } from '../lib/time.ts';
import type { PageData } from '../puzzle/pageData.ts';

/**
 * The result of a verification: its name in `error-codes` of `/siteverify`, and its `code` in `/verify`. A test compares this table
 * with `docs/reference/api.md`.
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
  /** The page's host; empty if it is unknown or the signature is invalid. */
  readonly origin: string;
  readonly verifiedAt: Instant;
  /** Time when the puzzle was issued; undefined if the signature is invalid. */
  readonly issuedAt: Instant | undefined;
  /** The solutions could not be verified or the claim could not be stored, so the caller should retry later. */
  readonly isUnavailable: boolean;
  /** Too many argon2id solutions are being verified. Nothing was verified, so the caller should retry later. */
  readonly isBusy?: boolean;
  /** Comes from the page, so it is not trustworthy. */
  readonly pageData: PageData;
};
