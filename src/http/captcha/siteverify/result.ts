import type { Verdict, VerdictName } from '../../../captcha/verdict.ts';
import type { Instant } from '../../../lib/time.ts';

/** reCAPTCHA's error codes for invalid requests. */
export type RequestError =
  | 'missing-input-secret'
  | 'invalid-input-secret'
  | 'missing-input-response'
  | 'bad-request';

export type ErrorName = RequestError | Exclude<VerdictName, 'no-error'>;

/** The result of a verification request, before it is expressed in a vendor's format. */
export type Result = {
  readonly success: boolean;
  /** Undefined for a success, except for a permitted repeat, during maintenance, and for the test property. */
  readonly name: ErrorName | undefined;
  /** When the puzzle was issued; undefined if unknown. */
  readonly issuedAt?: Instant | undefined;
  /** The page's host; empty if it is unknown. */
  readonly hostname: string;
  readonly pageData: Verdict['pageData'];
};

/** @returns the result of a request that was not verified */
export function toRejection(name: ErrorName): Result {
  return { success: false, name, hostname: '', pageData: {} };
}

export function toResult({ success, name, issuedAt, origin, pageData }: Verdict): Result {
  return { success, name: name === 'no-error' ? undefined : name, issuedAt, hostname: origin, pageData };
}
