import { headers, IF_NONE_MATCH, json, type Operation, schema } from './parts.ts';

const tags = ['Operation'];

/** What can be had without a key and is not for pages of other sites, but for the widget. */
// biome-ignore format: a table of operations
export const SURROUNDING_OPERATIONS = {
  getWidgetScript: {
    operationId: 'getWidgetScript',
    tags: ['Puzzles'],
    summary: 'Get the widget',
    description: 'The script that pages of sites load. It is also at a path with a hash of its contents, `/widget/postern.<16 hexadecimal digits>.js`, where it never changes and may be kept for ever.',
    security: [],
    parameters: [IF_NONE_MATCH],
    responses: {
      200: {
        description: 'The script.',
        headers: headers('ETag', 'Access-Control-Allow-Origin'),
        content: { 'text/javascript': { schema: { type: 'string' } } },
      },
      304: { description: 'Nothing has changed since.', headers: headers('ETag') },
    },
  },
  getLiveness: {
    operationId: 'getLiveness',
    tags,
    summary: 'Does it live?',
    description: '200 while the process answers.',
    security: [],
    responses: { 200: json('It does.', schema('Liveness'), { alive: { status: 'ok' } }) },
  },
  getReadiness: {
    operationId: 'getReadiness',
    tags,
    summary: 'Can it serve?',
    description: '200 while it can. Else 503: it was told to stop (`draining`), or verifications cannot be counted, for the disk is full or broken (`claims-not-writable`).',
    security: [],
    responses: {
      200: json('It can.', schema('Readiness'), { ready: { status: 'ok', troubles: [] } }),
      503: json('It cannot.', schema('Readiness'), { draining: { status: 'unavailable', troubles: ['draining'] } }),
    },
  },
  getSwaggerUi: {
    operationId: 'getSwaggerUi',
    tags,
    summary: 'Get this document as a page',
    description: 'Swagger UI, from this host alone.',
    security: [],
    responses: {
      200: {
        description: 'The page.',
        headers: headers(),
        content: { 'text/html': { schema: { type: 'string' } } },
      },
    },
  },
  getOpenApiDocument: {
    operationId: 'getOpenApiDocument',
    tags,
    summary: 'Get this document',
    description: 'OpenAPI 3.0.',
    security: [],
    parameters: [IF_NONE_MATCH],
    responses: {
      200: {
        description: 'The document.',
        headers: headers('ETag'),
        content: { 'application/json': { schema: { type: 'object' } } },
      },
      304: { description: 'Nothing has changed since.', headers: headers('ETag') },
    },
  },
} satisfies Record<string, Operation>;
