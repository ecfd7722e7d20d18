import { type Members, response, text, time } from '../api/schemas.ts';
import { examplesOf, json, type Operation, type Response, type Responses, schema } from '../operationDocs.ts';

/** The operations of the paths of other vendors. Their responses have the vendors' formats. */

const tags = ['Other vendors'];
const ANSWER = schema('VendorVerdict');
const REQUEST = { schema: schema('VendorVerification') };
const FORM = {
  ...REQUEST,
  examples: examplesOf({ example: { secret: 'postern_verify_…', response: 'AQAA….AQqq….…' } }),
};

const rejected = (description: string, code: string, ...headers: readonly string[]) =>
  json(description, ANSWER, { rejected: { success: false, 'error-codes': [code] } }, headers);

const KNOWN = { challenge_ts: '2026-01-31T11:59:58Z', hostname: 'example.com' };

/** @param valid the response to an accepted solution */
const answered = (valid: object) =>
  json('Postern checked the solution, or `error-codes` shows why it could not.', ANSWER, { valid });

/** Responses that these operations share, by their names in the components. */
export const VENDOR_RESPONSES: Readonly<Record<string, Response>> = {
  RecaptchaAnswered: answered({ success: true, ...KNOWN, score: 0.9, action: 'login' }),
  VendorTooLarge: rejected('The body is larger than 64 KiB.', 'bad-request'),
  VendorLimited: rejected(
    'Too many requests with this API key, or too many bodies at the same time.',
    'internal-error',
    'Retry-After',
  ),
};

/** The request body that these operations share, by its name in the components. */
export const VENDOR_BODIES = {
  VendorVerification: {
    description: 'At most 64 KiB. Plain text is a form.',
    required: true,
    content: {
      'application/x-www-form-urlencoded': FORM,
      'multipart/form-data': REQUEST,
      'application/json': REQUEST,
    },
  },
} as const;

const LIMITED = { 429: { $ref: '#/components/responses/VendorLimited' } };
const RECAPTCHA: Responses[string] = { $ref: '#/components/responses/RecaptchaAnswered' };

function verification(operationId: string, vendor: string, answer: Responses[string]): Operation {
  return {
    operationId,
    tags,
    summary: `Verify a solution for ${vendor}`,
    description: `For backends that were written for ${vendor}.`,
    security: [],
    requestBody: { $ref: '#/components/requestBodies/VendorVerification' },
    responses: { 200: answer, ...LIMITED, 413: { $ref: '#/components/responses/VendorTooLarge' } },
  };
}

const FIELDS: Members = {
  secret: text('An API key with the `verify` scope.'),
  response: text('The value of the form field.'),
  sitekey: text('The sitekey of the form. Without it, solutions for every property of the key are accepted.'),
  idempotency_key: {
    ...text('Requests with the same key get the same result for five minutes.'),
    maxLength: 128,
  },
};

/** By their methods and paths. */
// biome-ignore format: a table of operations
export const VENDOR_OPERATIONS: Readonly<Record<string, Operation>> = {
  'POST /recaptcha/api/siteverify': verification('verifyRecaptcha', 'reCAPTCHA', RECAPTCHA),
  'GET /recaptcha/api/siteverify': {
    operationId: 'verifyRecaptchaQuery',
    tags,
    summary: 'Verify a solution for reCAPTCHA with a query',
    description: 'Prefer POST, because logs of proxies can contain the query, with the API key.',
    security: [],
    parameters: Object.entries(FIELDS).map(([name, of]) => ({ name, in: 'query', schema: of })),
    responses: { 200: RECAPTCHA, ...LIMITED },
  },
  'POST /hcaptcha/siteverify': verification('verifyHcaptcha', 'hCaptcha', answered({ success: true, ...KNOWN, credit: false, sitekey: '0123456789abcdef0123456789abcdef' })),
  'POST /turnstile/v0/siteverify': verification('verifyTurnstile', 'Turnstile', answered({ success: true, 'error-codes': [], ...KNOWN, action: 'login', cdata: '', metadata: { interactive: false } })),
  'POST /checksiteconfig': {
    operationId: 'checkSitekey',
    tags,
    summary: 'Check the settings of a plugin for hCaptcha',
    description: 'Checks whether a page of the host can use the sitekey. Counts against the limit of requests for puzzles.',
    security: [],
    parameters: ['sitekey', 'host'].map((name) => ({ name, in: 'query', required: true, schema: { type: 'string' } })),
    responses: {
      200: json('The result.', schema('SitekeyCheck'), { passed: { pass: true, features: {} } }),
      429: json('Too many requests from this address.', schema('SitekeyCheck'), { limited: { pass: false, error: 'Too many requests.' } }, ['Retry-After']),
    },
  },
};

export const VENDOR_SCHEMAS: Members = {
  VendorVerification: { type: 'object', description: 'Other fields are ignored.', properties: FIELDS },
  VendorVerdict: response(
    {
      success: { type: 'boolean' },
      'error-codes': {
        type: 'array',
        items: { type: 'string' },
        description:
          "The vendor's error names. Of the success responses, only Turnstile's have this member; it is empty.",
      },
      challenge_ts: time('The time when the puzzle was issued.'),
      hostname: text('The host of the page that requested the puzzle.'),
      score: { type: 'number', description: 'reCAPTCHA v3: 0.9 for a success, otherwise 0.' },
      action: text('reCAPTCHA v3 and Turnstile: the action of the page, which is not signed.'),
      cdata: text('Turnstile: the customer data of the page, which is not signed.'),
      metadata: { type: 'object', properties: { interactive: { type: 'boolean' } } },
      credit: { type: 'boolean', description: 'hCaptcha: always false.' },
      sitekey: text('hCaptcha: the sitekey of the property.'),
    },
    'Failures have only `success`, `error-codes`, and, for reCAPTCHA v3, `score` and `action`.',
    ['success'],
  ),
  SitekeyCheck: response(
    {
      pass: { type: 'boolean' },
      features: { type: 'object' },
      error: text('Why the sitekey does not pass.'),
    },
    'The result of a check of settings.',
    ['pass'],
  ),
};
