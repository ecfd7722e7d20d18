import type { Verdict, VerdictName } from '../../../captcha/verdict.ts';
import { type Instant, toIso } from '../../../lib/time.ts';

/** reCAPTCHA's error codes for invalid requests. */
export const REQUEST_ERRORS = [
  'missing-input-secret',
  'invalid-input-secret',
  'missing-input-response',
  'bad-request',
] as const;

export type ErrorName = (typeof REQUEST_ERRORS)[number] | Exclude<VerdictName, 'no-error'>;

/** The result of a verification request, before it is expressed in a vendor's format. */
export type Result = {
  readonly success: boolean;
  /** Undefined for a success, except for a permitted repeat, during maintenance, and for the test property. */
  readonly name: ErrorName | undefined;
  /** When the puzzle was issued; undefined if unknown. */
  readonly issuedAt?: Instant | undefined;
  /** The page's host; empty if it is unknown. */
  readonly hostname: string;
  /** The property's sitekey, or that of the vendor's test keys; undefined if unknown. */
  readonly sitekey?: string | undefined;
  readonly pageData: Verdict['pageData'];
};

/** @returns the result of a request that was not verified */
export function toRejection(name: ErrorName): Result {
  return { success: false, name, hostname: '', pageData: {} };
}

export function toResult({ success, name, issuedAt, origin, sitekey, pageData }: Verdict): Result {
  const error = name === 'no-error' ? undefined : name;
  return { success, name: error, issuedAt, hostname: origin, sitekey, pageData };
}

/** A vendor's documented test secrets. Postern accepts them only while the test property is on. */
type TestKeys = {
  /** Replaces the page's host in responses. */
  readonly hostname: string;
  /** The test sitekey, for vendors whose responses contain the sitekey. */
  readonly sitekey?: string;
  /** For each secret, a function that returns the error for a response (the form's token); undefined if it is accepted. */
  readonly secrets: Readonly<Record<string, (response: string) => ErrorName | undefined>>;
};

/** Accepts every response (https://developers.google.com/recaptcha/docs/faq). */
const RECAPTCHA_TEST_KEYS: TestKeys = {
  hostname: 'testkey.google.com',
  secrets: { '6LeIxAcTAAAAAGG-vFI1TnRWxMZNFuojJ4WifJWe': () => undefined },
};

/** The token of hCaptcha's test sitekey (https://docs.hcaptcha.com/#integration-testing-test-keys). */
const HCAPTCHA_TOKEN = '10000000-aaaa-bbbb-cccc-000000000001';

export const HCAPTCHA_TEST_SITEKEY = '10000000-ffff-ffff-ffff-000000000001';

const HCAPTCHA_TEST_KEYS: TestKeys = {
  hostname: 'dummy-key-pass',
  sitekey: HCAPTCHA_TEST_SITEKEY,
  secrets: {
    '0x0000000000000000000000000000000000000000': (response) =>
      response === HCAPTCHA_TOKEN ? undefined : 'solution-bad-format',
  },
};

/** The token of Turnstile's test sitekeys (https://developers.cloudflare.com/turnstile/troubleshooting/testing/). */
const TURNSTILE_TOKEN = 'XXXX.DUMMY.TOKEN.XXXX';

/** The first secret accepts the token, the second rejects it, the third reports it as already used. All reject other tokens. */
const TURNSTILE_TEST_KEYS: TestKeys = {
  hostname: 'example.com',
  secrets: {
    '1x0000000000000000000000000000000AA': onlyDummyToken(undefined),
    '2x0000000000000000000000000000000AA': onlyDummyToken('solution-invalid'),
    '3x0000000000000000000000000000000AA': onlyDummyToken('solution-verified-before'),
  },
};

/** @param error for the token; undefined accepts it */
function onlyDummyToken(error: ErrorName | undefined) {
  return (response: string) => (response === TURNSTILE_TOKEN ? error : 'invalid-input-secret');
}

/** The score of every accepted solution, because proof of work does not measure risk. */
export const SCORE = 0.9;

/** The verification request and response of a vendor. */
export type Vendor = {
  readonly path: string;
  /** Whether the fields can also be in the query, including that of a GET request. */
  readonly allowsQuery: boolean;
  /** The members of the response to an accepted solution, in the vendor's order. */
  readonly acceptedFields: (result: Result, time: string | undefined) => object;
  /** The members of the response to a rejected solution, after `success` and `error-codes`. */
  readonly rejectedFields?: (result: Result) => object;
  /** The fraction of a second that ends a time; an empty text for none. */
  readonly fraction: string;
  /** The number of spaces of indentation; 0 for one line without spaces. */
  readonly indentation: number;
  /** The vendor's names for our errors. All other errors are `invalid-input-response`. */
  readonly errorNames: Readonly<Partial<Record<ErrorName, string>>>;
  readonly testKeys: TestKeys;
};

const RECAPTCHA_ERRORS: Vendor['errorNames'] = {
  'missing-input-secret': 'missing-input-secret',
  'invalid-input-secret': 'invalid-input-secret',
  'missing-input-response': 'missing-input-response',
  'bad-request': 'bad-request',
  'error-other': 'internal-error',
  'puzzle-expired': 'timeout-or-duplicate',
  'property-invalid': 'invalid-input-secret',
  'property-owner-mismatch': 'invalid-input-secret',
  'solution-verified-before': 'timeout-or-duplicate',
  'maintenance-mode': 'internal-error',
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

/**
 * The verification paths of other vendors. The responses have the members, the order, the spacing, and the times of the vendors' own
 * responses, because some clients search the text, for example for `"success": true`, or treat any `error-codes` as a failure. Only
 * Turnstile's success responses have `error-codes`.
 */
export const VENDORS: readonly Vendor[] = [
  {
    path: '/recaptcha/api/siteverify',
    allowsQuery: true,
    acceptedFields: (result, time) => ({
      challenge_ts: time,
      hostname: result.hostname,
      ...scoreFields(result),
    }),
    rejectedFields: scoreFields,
    fraction: '',
    indentation: 2,
    errorNames: RECAPTCHA_ERRORS,
    testKeys: RECAPTCHA_TEST_KEYS,
  },
  {
    path: '/hcaptcha/siteverify',
    allowsQuery: false,
    acceptedFields: ({ hostname, sitekey }, time) => ({
      challenge_ts: time,
      hostname,
      credit: false,
      sitekey,
    }),
    fraction: '.000000',
    indentation: 0,
    errorNames: HCAPTCHA_ERRORS,
    testKeys: HCAPTCHA_TEST_KEYS,
  },
  {
    path: '/turnstile/v0/siteverify',
    allowsQuery: false,
    acceptedFields: ({ hostname, pageData: { action = '', cData = '' } }, time) => ({
      'error-codes': [],
      challenge_ts: time,
      hostname,
      action,
      cdata: cData,
      metadata: { interactive: false },
    }),
    fraction: '.000',
    indentation: 0,
    errorNames: TURNSTILE_ERRORS,
    testKeys: TURNSTILE_TEST_KEYS,
  },
];

/** @returns the body of the response, as the vendor writes it */
export function vendorBody(vendor: Vendor, result: Result): string {
  const { success, name, issuedAt } = result;
  // A puzzle's time is in whole seconds.
  const time = issuedAt === undefined ? undefined : toIso(issuedAt).replace(/\.\d+/, vendor.fraction);
  const codes = name === undefined ? [] : [vendor.errorNames[name] ?? 'invalid-input-response'];
  const fields = success
    ? vendor.acceptedFields(result, time)
    : { 'error-codes': codes, ...vendor.rejectedFields?.(result) };
  return JSON.stringify({ success, ...fields }, null, vendor.indentation);
}
