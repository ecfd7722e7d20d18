import { toIso } from '../../../lib/time.ts';
import type { ErrorName, Result } from './result.ts';
import { HCAPTCHA_TEST_KEYS, RECAPTCHA_TEST_KEYS, type TestKeys, TURNSTILE_TEST_KEYS } from './testKeys.ts';

/** The score of every accepted solution, because proof of work does not measure risk. */
export const SCORE = 0.9;

/** The verification request and response of a vendor. */
export type Vendor = {
  readonly path: string;
  /** Whether the fields can also be in the query, including that of a GET request. */
  readonly allowsQuery: boolean;
  /** The response's members in addition to `success`, `challenge_ts`, `hostname`, and `error-codes`. */
  readonly fieldsOf: (result: Result) => object;
  readonly errorNames: Readonly<Record<ErrorName, string>>;
  readonly testKeys: TestKeys;
};

const RECAPTCHA_ERRORS: Vendor['errorNames'] = {
  'missing-input-secret': 'missing-input-secret',
  'invalid-input-secret': 'invalid-input-secret',
  'missing-input-response': 'missing-input-response',
  'bad-request': 'bad-request',
  'error-other': 'internal-error',
  'solution-duplicates': 'invalid-input-response',
  'solution-invalid': 'invalid-input-response',
  'solution-bad-format': 'invalid-input-response',
  'puzzle-expired': 'timeout-or-duplicate',
  'property-invalid': 'invalid-input-secret',
  'property-owner-mismatch': 'invalid-input-secret',
  'solution-verified-before': 'timeout-or-duplicate',
  'maintenance-mode': 'internal-error',
  'property-test': 'invalid-input-response',
  'integrity-error': 'invalid-input-response',
  'org-scope-error': 'invalid-input-secret',
};

const HCAPTCHA_ERRORS: Vendor['errorNames'] = {
  ...RECAPTCHA_ERRORS,
  'puzzle-expired': 'expired-input-response',
  'property-invalid': 'sitekey-secret-mismatch',
  'property-owner-mismatch': 'sitekey-secret-mismatch',
  'solution-verified-before': 'already-seen-response',
  'property-test': 'not-using-dummy-passcode',
  'org-scope-error': 'sitekey-secret-mismatch',
};

/**
 * Only an invalid secret gets `invalid-input-secret`, because Simple Cloudflare Turnstile (WordPress) turns itself off when it
 * receives this name, and any visitor can send a solution for another property.
 */
const TURNSTILE_ERRORS: Vendor['errorNames'] = {
  ...RECAPTCHA_ERRORS,
  'property-invalid': 'invalid-input-response',
  'property-owner-mismatch': 'invalid-input-response',
  'org-scope-error': 'invalid-input-response',
};

/** @returns the fields of reCAPTCHA v3; empty for a solution without an action, as in reCAPTCHA v2 */
export function scoreFields({ success, pageData: { action } }: Result): object {
  if (action === undefined) return {};
  return { score: success ? SCORE : 0, ...(action ? { action } : {}) };
}

function turnstileFields({ success, pageData: { action = '', cData = '' } }: Result): object {
  return success ? { action, cdata: cData, metadata: { interactive: false } } : {};
}

/** The verification paths of other vendors. */
export const VENDORS: readonly Vendor[] = [
  {
    path: '/recaptcha/api/siteverify',
    allowsQuery: true,
    fieldsOf: scoreFields,
    errorNames: RECAPTCHA_ERRORS,
    testKeys: RECAPTCHA_TEST_KEYS,
  },
  {
    path: '/hcaptcha/siteverify',
    allowsQuery: false,
    fieldsOf: () => ({ credit: false }),
    errorNames: HCAPTCHA_ERRORS,
    testKeys: HCAPTCHA_TEST_KEYS,
  },
  {
    path: '/turnstile/v0/siteverify',
    allowsQuery: false,
    fieldsOf: turnstileFields,
    errorNames: TURNSTILE_ERRORS,
    testKeys: TURNSTILE_TEST_KEYS,
  },
];

/** @returns the body of the response. A success has no error codes, because some clients treat any code as a failure */
export function vendorBody(vendor: Vendor, result: Result): object {
  const { success, name, issuedAt, hostname } = result;
  return {
    success,
    ...(issuedAt === undefined ? {} : { challenge_ts: toIso(issuedAt) }),
    hostname,
    ...vendor.fieldsOf(result),
    'error-codes': success || name === undefined ? [] : [vendor.errorNames[name]],
  };
}
