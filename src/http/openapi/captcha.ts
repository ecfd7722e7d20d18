import { testPuzzleText } from '../../captcha/testProperty.ts';
import { TEST_SITEKEY } from '../../model/property.ts';
import { examplesOf, headers, json, type Operation, type Responses, schema } from './parts.ts';
import { RATE_HEADERS, refusals } from './refusals.ts';

/** Zero bytes for the metadata but for its version, and for each of the sixteen solutions. */
const TEST_PAYLOAD = `AQ${'A'.repeat(178)}.${testPuzzleText()}`;

const EXPECTED_SITEKEY = {
  in: 'header',
  description: 'The sitekey that the form has; a solution for another one gets code 6.',
  schema: { type: 'string' },
} as const;

const COMPATIBILITY = {
  name: 'X-Captcha-Compat-Version',
  in: 'header',
  description: '`rcV3` adds `score` and `action`.',
  schema: { type: 'string' },
} as const;

const TIMESTAMP = '2026-01-31T12:00:00.000Z';

const GOOD = { success: true, code: 0, timestamp: TIMESTAMP, origin: 'example.com' };
const TEST = { success: true, code: 10, timestamp: TIMESTAMP, origin: '' };
const REPLAYED = { success: false, code: 8, timestamp: TIMESTAMP, origin: 'example.com' };
const NO_PAYLOAD = { success: false, code: 4, timestamp: TIMESTAMP, origin: '' };
const UNDECIDED = { success: false, code: 1, timestamp: TIMESTAMP, origin: '' };

const VERDICT = schema('Verdict');

const VERDICTS: Responses = {
  200: json('The solution was judged: look at `success` and `code`.', VERDICT, {
    test: TEST,
    good: GOOD,
    replayed: REPLAYED,
  }),
  400: json('Code 4: this is no payload.', VERDICT, { noPayload: NO_PAYLOAD }),
  401: json('Code 1: no key, or one that is malformed, unknown, revoked or expired.', VERDICT, {
    undecided: UNDECIDED,
  }),
  403: json('Code 1: the key has another scope.', VERDICT, { undecided: UNDECIDED }),
  408: json('Code 1: the body took longer than 30 seconds.', VERDICT, { undecided: UNDECIDED }),
  413: json('Code 1: more than 64 KiB.', VERDICT, { undecided: UNDECIDED }),
  429: json('Code 1: too many requests with this key.', VERDICT, { undecided: UNDECIDED }, ['Retry-After']),
  500: json('Code 1: something went wrong on our side.', VERDICT, { undecided: UNDECIDED }),
  503: json(
    'Code 1: nothing was decided, for the count could not be kept or the key not be read.',
    VERDICT,
    { undecided: UNDECIDED },
    ['Retry-After'],
  ),
};

const SITEVERIFY_REQUEST = {
  schema: schema('SiteverifyRequest'),
  examples: examplesOf({
    test: { secret: 'postern_verify_…', response: TEST_PAYLOAD, sitekey: TEST_SITEKEY },
  }),
};

const SITEVERIFY_ANSWER = schema('SiteverifyAnswer');

const tags = ['Verification'];

// biome-ignore format: a table of operations
export const CAPTCHA_OPERATIONS = {
  getPuzzle: {
    operationId: 'getPuzzle',
    tags: ['Puzzles'],
    summary: 'Get a puzzle',
    description: 'What widgets ask for: `base64(puzzle).base64(signature)`. The page that asks must be on the domain of the property; browsers say in `Origin`, or else in `Referer`, which page it is. The test sitekey needs no page.',
    security: [],
    parameters: [
      { name: 'sitekey', in: 'query', required: true, description: '32 hexadecimal digits in any case, with or without the dashes of a UUID.', schema: { type: 'string' }, example: TEST_SITEKEY },
      { name: 'Origin', in: 'header', description: 'The origin of the page; browsers set it themselves.', schema: { type: 'string' } },
    ],
    responses: {
      200: {
        description: 'The puzzle. The one of the test sitekey is always the same, and says nothing of rates.',
        headers: headers('Access-Control-Allow-Origin', ...RATE_HEADERS),
        content: { 'text/plain': { schema: { type: 'string' }, examples: examplesOf({ test: testPuzzleText() }) } },
      },
      ...refusals(['sitekey-malformed', 'rate-limited', 'origin-missing', 'property-unknown', 'origin-not-allowed', 'internal-error', 'unavailable'], { more: RATE_HEADERS }),
    },
  },
  preflightPuzzle: {
    operationId: 'preflightPuzzle',
    tags: ['Puzzles'],
    summary: 'Ask whether a page may get a puzzle',
    description: 'What browsers ask by themselves before a page of another origin gets a puzzle with headers of its own (CORS). Any page may ask; whether it gets a puzzle is told by GET.',
    security: [],
    parameters: [
      { name: 'Origin', in: 'header', description: 'The origin of the page.', schema: { type: 'string' } },
    ],
    responses: {
      204: {
        description: 'Which methods and headers a page may use, for a day.',
        headers: headers('Access-Control-Allow-Origin', 'Access-Control-Allow-Methods', 'Access-Control-Allow-Headers', 'Access-Control-Max-Age'),
      },
    },
  },
  verifySolution: {
    operationId: 'verifySolution',
    tags,
    summary: 'Verify a solution',
    description: 'Verifies the value of the form field that the widget filled. **Send the sitekey of the form, and accept the form if `success` is true.** Every response, including errors, is a verdict.',
    security: [{ VerifyKey: [] }],
    parameters: [
      { name: 'X-PC-Sitekey', ...EXPECTED_SITEKEY },
      { name: 'X-Sitekey', ...EXPECTED_SITEKEY },
    ],
    requestBody: {
      description: 'The value of the hidden field, raw, whatever the content type says; at most 64 KiB.',
      required: true,
      content: {
        'text/plain': { schema: { type: 'string' }, examples: examplesOf({ test: TEST_PAYLOAD }) },
      },
    },
    responses: VERDICTS,
  },
  siteverify: {
    operationId: 'siteverify',
    tags,
    summary: 'Verify a solution as reCAPTCHA does',
    description: 'For backends that speak the protocol of reCAPTCHA: change the address and the secret. The key is `secret`, or in X-API-Key; with the latter a body of another type is the response itself. The test sitekey has `success` true only where the request names it.',
    security: [{}, { VerifyKey: [] }],
    parameters: [COMPATIBILITY],
    requestBody: {
      description: 'At most 64 KiB.',
      required: true,
      content: {
        'application/x-www-form-urlencoded': SITEVERIFY_REQUEST,
        'multipart/form-data': SITEVERIFY_REQUEST,
        'application/json': SITEVERIFY_REQUEST,
      },
    },
    responses: {
      200: json('The solution was judged, or `error-codes` says why not.', SITEVERIFY_ANSWER, {
        test: { success: true, hostname: '', 'error-codes': ['property-test'] },
        good: { success: true, challenge_ts: '2026-01-31T11:59:58.000Z', hostname: 'example.com', 'error-codes': [] },
        noSecret: { success: false, hostname: '', 'error-codes': ['missing-input-secret'] },
      }),
      408: json('The body took longer than 30 seconds.', SITEVERIFY_ANSWER, { slow: { success: false, hostname: '', 'error-codes': ['bad-request'] } }),
      413: json('More than 64 KiB.', SITEVERIFY_ANSWER, { tooLarge: { success: false, hostname: '', 'error-codes': ['bad-request'] } }),
      429: json('Too many requests with this key.', SITEVERIFY_ANSWER, { limited: { success: false, hostname: '', 'error-codes': ['error-other'] } }, ['Retry-After']),
      503: json('Requests without credentials use up their memory for bodies.', SITEVERIFY_ANSWER, { busy: { success: false, hostname: '', 'error-codes': ['error-other'] } }, ['Retry-After']),
    },
  },
} satisfies Record<string, Operation>;
