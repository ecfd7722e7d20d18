import type { Headers, Schema } from './parts.ts';
import { SCHEMAS } from './schemas.ts';

type Described = Readonly<Record<string, readonly [description: string, schema: Schema, isAlways?: true]>>;

const TEXT: Schema = { type: 'string' };
const COUNT: Schema = { type: 'integer', minimum: 0 };
const SECONDS: Schema = { type: 'integer', minimum: 0 };

// biome-ignore format: a table
const HEADERS: Described = {
  'X-Request-Id': ['The id of the request, in the log too. A request brings its own in the same header: 1 to 128 letters, digits and `_ . : -`.', { type: 'string', pattern: '^[\\w.:-]{1,128}$' }, true],
  'X-Trace-ID': ['The same as X-Request-Id.', { type: 'string', pattern: '^[\\w.:-]{1,128}$' }, true],
  'X-RateLimit-Limit': ['Requests at once.', COUNT],
  'X-RateLimit-Remaining': ['What is left of them.', COUNT],
  'X-RateLimit-Reset': ['Seconds until all are free again.', SECONDS],
  'Retry-After': ['Seconds to wait before the next request.', SECONDS, true],
  ETag: ['What `If-None-Match` takes.', { type: 'string', pattern: '^(W/)?"[^"]*"$' }, true],
  'Access-Control-Allow-Origin': ['The origin of the page that asked, or `*`.', TEXT],
  'Access-Control-Allow-Methods': ['Methods that a page may use.', TEXT],
  'Access-Control-Allow-Headers': ['Headers that a page may send.', TEXT],
  'Access-Control-Max-Age': ['Seconds for which this may be kept.', SECONDS],
};

function headerComponents(): Headers {
  return Object.fromEntries(
    Object.entries(HEADERS).map(([name, [description, schema, required = false]]) => [
      name,
      { description, required, schema },
    ]),
  );
}

/** The document's components. */
export function components() {
  const key = { type: 'apiKey', in: 'header', name: 'X-API-Key' } as const;
  return {
    securitySchemes: {
      PortalKey: {
        ...key,
        description: 'An API key of scope `portal` (Portal operations), for the Platform API.',
      },
      VerifyKey: {
        ...key,
        description: 'An API key of scope `verify` (Captcha verification), for verifying solutions.',
      },
    },
    headers: headerComponents(),
    schemas: { ...SCHEMAS },
  };
}
