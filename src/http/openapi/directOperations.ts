import { testPuzzleText } from '../../captcha/unsignedPuzzles.ts';
import { VERDICT_CODES } from '../../captcha/verdict.ts';
import { TEST_SITEKEY } from '../../model/property.ts';
import { CODE, type Members, response, text, time } from '../api/schemas.ts';
import { REQUEST_ERRORS } from '../captcha/siteverify/vendors.ts';
import {
  errorResponses,
  examplesOf,
  headers,
  headersWithoutId,
  json,
  type Operation,
  RATE_HEADERS,
  type Response,
  type Responses,
  schema,
} from '../operationDocs.ts';

/** The operations of the direct routes: puzzles, verifications, and health checks. */

/** The payload of the test puzzle: metadata of zeros after the version, and sixteen solutions of zeros. */
const TEST_PAYLOAD = `AQ${'A'.repeat(178)}.${testPuzzleText()}`;

const EXPECTED_SITEKEY = { in: 'header', schema: { type: 'string' } } as const;

const COMPATIBILITY = {
  name: 'X-Captcha-Compat-Version',
  in: 'header',
  description: '`rcV3` adds `score` and `action`.',
  schema: { type: 'string' },
} as const;

const TIMESTAMP = '2026-01-31T12:00:00.000Z';

const UNKNOWN = { timestamp: TIMESTAMP, origin: '' };
const KNOWN = { timestamp: TIMESTAMP, origin: 'example.com' };
const VERIFIED = {
  test: { success: true, code: 10, ...UNKNOWN },
  valid: { success: true, code: 0, ...KNOWN },
  replayed: { success: false, code: 8, ...KNOWN },
};

const VERDICT = schema('Verdict');

const VERDICTS: Responses = {
  200: json('Postern checked the solution; see `success` and `code`.', VERDICT, VERIFIED),
  400: json('Code 4: the payload is invalid.', VERDICT, { invalid: { success: false, code: 4, ...UNKNOWN } }),
  401: rejected('the API key is missing, malformed, unknown, revoked, or expired.'),
  403: rejected('the API key has another scope.'),
  408: rejected('the body arrived too slowly.'),
  413: rejected('the body is larger than 64 KiB.'),
  429: rejected(
    'too many requests with this API key, or too many argon2id solutions are waiting.',
    'Retry-After',
  ),
  500: rejected('internal error.'),
  503: rejected('Postern could not count the verification or read the API key. Try again.', 'Retry-After'),
};

/** A response of `/verify` with code 1. */
function rejected(reason: string, ...headers: readonly string[]): Response {
  return json(`Code 1: ${reason}`, VERDICT, { error: { success: false, code: 1, ...UNKNOWN } }, headers);
}

const SITEVERIFY_REQUEST = { schema: schema('SiteverifyRequest') };
const SITEVERIFY_FORM = {
  ...SITEVERIFY_REQUEST,
  examples: examplesOf({
    test: { secret: 'postern_verify_…', response: TEST_PAYLOAD, sitekey: TEST_SITEKEY },
  }),
};

const SITEVERIFY_RESPONSE = schema('SiteverifyResponse');

const tags = ['Verification'];

/** The operations of direct routes, by their methods and paths. */
// biome-ignore format: a table of operations
export const DIRECT_OPERATIONS: Readonly<Record<string, Operation>> = {
  'GET /puzzle': {
    operationId: 'getPuzzle',
    tags: ['Puzzles'],
    summary: 'Get a puzzle',
    description: 'Issues a puzzle for the widget: `base64(puzzle).base64(signature)`. The requesting page must be on the domain of the property; browsers send its origin in `Origin` or `Referer`. If the test property is on (`POSTERN_TEST_PROPERTY`), its sitekey accepts any page.',
    security: [],
    parameters: [
      { name: 'sitekey', in: 'query', required: true, description: '32 hexadecimal digits in any case, with or without the dashes of a UUID.', schema: { type: 'string' }, example: TEST_SITEKEY },
      { name: 'path', in: 'query', description: 'The path of the page, for rules with paths.', schema: { type: 'string' }, example: '/login' },
      { name: 'Origin', in: 'header', description: 'The origin of the page. Browsers set it.', schema: { type: 'string' } },
      { name: 'version', in: 'query', description: 'Like `X-PC-Captcha-Version`.', schema: { type: 'string', enum: ['1', '2', '3'] } },
      { name: 'X-PC-Captcha-Version', in: 'header', description: 'The newest version of puzzles that the client can solve. Only clients that send `2` or `3` get argon2id puzzles, and only clients that send `3` get HashWX puzzles.', schema: { type: 'string', enum: ['1', '2', '3'] } },
    ],
    responses: {
      200: {
        description: 'The puzzle. The response has an `X-Request-Id`, an `X-Trace-ID`, and rate limit headers only if the request has an `X-Request-Id`; the puzzle of the test sitekey never has them.',
        headers: headersWithoutId('Access-Control-Allow-Origin', ...RATE_HEADERS),
        content: { 'text/plain': { schema: { type: 'string' }, examples: examplesOf({ test: testPuzzleText() }) } },
      },
      ...errorResponses(['sitekey-malformed', 'rate-limited', 'origin-missing', 'property-unknown', 'origin-not-allowed', 'origin-without-domain', 'rule-blocked', 'internal-error', 'unavailable']),
    },
  },
  'OPTIONS /puzzle': {
    operationId: 'preflightPuzzle',
    tags: ['Puzzles'],
    summary: 'Preflight request for a puzzle',
    description: 'Allows all headers of every page; `GET /puzzle` checks the origin.',
    security: [],
    parameters: [
      { name: 'Origin', in: 'header', description: 'The origin of the page.', schema: { type: 'string' } },
    ],
    responses: {
      204: {
        description: 'The methods and headers that a page may use. Browsers may cache them for a day.',
        headers: headers('Access-Control-Allow-Origin', 'Access-Control-Allow-Methods', 'Access-Control-Allow-Headers', 'Access-Control-Max-Age'),
      },
    },
  },
  'POST /verify': {
    operationId: 'verifySolution',
    tags,
    summary: 'Verify a solution',
    description: 'Verifies the value of the form field that the widget fills in. **Send the sitekey of the form, and accept the form if `success` is true.** Every response, including errors, is a verdict.',
    security: [{ VerifyKey: [] }],
    parameters: [
      // Required here, so that generated clients ask for it.
      { name: 'X-PC-Sitekey', required: true, description: 'The sitekey of the form. A solution for another sitekey gets code 6. Postern also accepts requests without this header, but then the form accepts a solution for any property that the API key can verify.', ...EXPECTED_SITEKEY },
      { name: 'X-Sitekey', description: 'Another name for `X-PC-Sitekey`.', deprecated: true, ...EXPECTED_SITEKEY },
    ],
    requestBody: {
      description: 'The raw value of the hidden form field, at most 64 KiB. The content type is ignored.',
      required: true,
      content: {
        'text/plain': { schema: { type: 'string' }, examples: examplesOf({ test: TEST_PAYLOAD }) },
      },
    },
    responses: VERDICTS,
  },
  'POST /siteverify': {
    operationId: 'siteverify',
    tags,
    summary: 'Verify a solution with the protocol of reCAPTCHA',
    description: 'For backends that use the protocol of reCAPTCHA; only the URL and the secret have to change. Send the API key as `secret` or in the header X-API-Key. With the header, a body of any other content type is the solution itself. A solution for the test sitekey succeeds only if the request contains that sitekey.',
    security: [{}, { VerifyKey: [] }],
    parameters: [COMPATIBILITY],
    requestBody: {
      description: 'At most 64 KiB.',
      required: true,
      content: {
        'application/x-www-form-urlencoded': SITEVERIFY_FORM,
        'multipart/form-data': SITEVERIFY_REQUEST,
        'application/json': SITEVERIFY_REQUEST,
      },
    },
    responses: {
      200: json('Postern checked the solution, or `error-codes` shows why it could not.', SITEVERIFY_RESPONSE, {
        test: { success: true, hostname: '', 'error-codes': ['property-test'] },
        valid: { success: true, challenge_ts: '2026-01-31T11:59:58.000Z', hostname: 'example.com', 'error-codes': [] },
        noSecret: { success: false, hostname: '', 'error-codes': ['missing-input-secret'] },
      }),
      413: json('The body is larger than 64 KiB.', SITEVERIFY_RESPONSE, { tooLarge: { success: false, hostname: '', 'error-codes': ['bad-request'] } }),
      429: json('Too many requests with this API key, or too many requests without a key in the header are sending bodies at the same time.', SITEVERIFY_RESPONSE, { limited: { success: false, hostname: '', 'error-codes': ['error-other'] } }, ['Retry-After']),
    },
  },
  'GET /livez': {
    operationId: 'getLiveness',
    tags: ['Operation'],
    summary: 'Check liveness',
    description: 'Returns 200 while the process responds.',
    security: [],
    responses: { 200: json('The process responds.', schema('Liveness'), { alive: { status: 'ok' } }) },
  },
  'GET /readyz': {
    operationId: 'getReadiness',
    tags: ['Operation'],
    summary: 'Check readiness',
    description: 'Returns 200 if the server can serve requests, otherwise 503 with the reasons, such as `draining` while it stops, `database-unavailable`, `clock-wrong`, or `claims-not-writable` if the disk is full or broken.',
    security: [],
    responses: {
      200: json('The server is ready.', schema('Readiness'), { ready: { status: 'ok', problems: [] } }),
      503: json('The server is not ready.', schema('Readiness'), { draining: { status: 'unavailable', problems: ['draining'] } }),
    },
  },
};

const HOST = text('The host of the page that requested the puzzle; empty if it is unknown.');

export const DIRECT_SCHEMAS: Members = {
  Verdict: response(
    {
      success: { type: 'boolean' },
      code: { ...CODE, enum: Object.values(VERDICT_CODES) },
      timestamp: time('The time of the verification, in UTC.'),
      origin: HOST,
    },
    'Accept a form if `success` is true. To reject permitted repeats (8) and solutions during maintenance (9) too, require `code` 0.',
  ),
  SiteverifyRequest: {
    type: 'object',
    description: 'The parameters of reCAPTCHA. Other parameters are ignored.',
    properties: {
      secret: text('An API key with the `verify` scope, unless it is in X-API-Key.'),
      response: text('The value of the hidden form field.'),
      sitekey: text('The sitekey of the form.'),
      remoteip: text('Ignored.'),
    },
  },
  SiteverifyResponse: response(
    {
      success: { type: 'boolean' },
      challenge_ts: time('The time when the puzzle was issued, if known.'),
      hostname: HOST,
      'error-codes': {
        type: 'array',
        items: {
          type: 'string',
          enum: [...Object.keys(VERDICT_CODES).filter((name) => name !== 'no-error'), ...REQUEST_ERRORS],
        },
      },
      score: {
        type: 'number',
        minimum: 0,
        maximum: 1,
        description: 'Only with X-Captcha-Compat-Version: rcV3.',
      },
      action: text('Only with X-Captcha-Compat-Version: rcV3; always empty.'),
    },
    'The response in the format of reCAPTCHA.',
    ['success', 'hostname', 'error-codes'],
  ),
  Liveness: response({ status: { type: 'string', enum: ['ok'] } }),
  Readiness: response({
    status: { type: 'string', enum: ['ok', 'unavailable'] },
    problems: { type: 'array', items: { type: 'string' }, description: 'Names of the problems.' },
  }),
};
