import { type Headers, headers, type Schema } from './builders.ts';
import { sharedErrorResponses } from './errorResponses.ts';
import { TASK_STARTED } from './properties.ts';
import { RULE_RESPONSES } from './rules.ts';
import { SCHEMAS } from './schemas.ts';

/** A header. `isRequired`: whether all responses that list the header have it. */
type Row = readonly [description: string, schema: Schema, isRequired?: true];

const TEXT: Schema = { type: 'string' };
const COUNT: Schema = { type: 'integer', minimum: 0 };

// biome-ignore format: a table
const HEADERS: Readonly<Record<string, Row>> = {
  'X-Request-Id': ['The id of the request, which is also in the log. `X-Trace-ID` has the same value. A request can set its own id in the same header: 1 to 128 letters, digits, and `_ . : -`.', { type: 'string', pattern: '^[\\w.:-]{1,128}$' }, true],
  'X-RateLimit-Limit': ['Maximum number of requests in a burst.', COUNT],
  'X-RateLimit-Remaining': ['Number of requests left.', COUNT],
  'X-RateLimit-Reset': ['Number of seconds until the full burst is available again.', COUNT],
  'Retry-After': ['Number of seconds to wait before the next request.', COUNT, true],
  ETag: ['The value for `If-None-Match`.', { type: 'string', pattern: '^(W/)?"[^"]*"$' }, true],
  'Access-Control-Allow-Origin': ['The origin of the requesting page, or `*`.', TEXT],
  'Access-Control-Allow-Methods': ['Methods that a page may use.', TEXT],
  'Access-Control-Allow-Headers': ['Headers that a page may send.', TEXT],
  'Access-Control-Max-Age': ['Number of seconds for which the browser may cache this response.', COUNT],
};

function headerComponents(): Headers {
  return Object.fromEntries(
    Object.entries(HEADERS).map(([name, [description, schema, required = false]]) => [
      name,
      { description, required, schema },
    ]),
  );
}

/** @returns the components of the document */
export function components() {
  const key = { type: 'apiKey', in: 'header', name: 'X-API-Key' } as const;
  return {
    securitySchemes: {
      PortalKey: {
        ...key,
        description: 'An API key with the `portal` scope (Portal operations), for the Platform API.',
      },
      VerifyKey: {
        ...key,
        description: 'An API key with the `verify` scope (Captcha verification), for backends.',
      },
    },
    headers: headerComponents(),
    responses: {
      NotModified: { description: 'Nothing has changed.', headers: headers('ETag') },
      TaskStarted: TASK_STARTED,
      ...RULE_RESPONSES,
      ...sharedErrorResponses(),
    },
    schemas: { ...SCHEMAS },
  };
}
