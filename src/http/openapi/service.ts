import { headers, IF_NONE_MATCH, json, NOT_MODIFIED, type Operation, schema } from './builders.ts';

const tags = ['Operation'];

/** Operations without an API key: the widget, health checks, and this document. */
// biome-ignore format: a table of operations
export const SERVICE_OPERATIONS = {
  getWidgetScript: {
    operationId: 'getWidgetScript',
    tags: ['Puzzles'],
    summary: 'Get the widget',
    description: 'Returns the script that pages load. The script is also available at a path with a hash of its content, `/widget/postern.<16 hexadecimal digits>.js`, where it never changes.',
    security: [],
    parameters: [IF_NONE_MATCH],
    responses: {
      200: {
        description: 'The script.',
        headers: headers('ETag', 'Access-Control-Allow-Origin'),
        content: { 'text/javascript': { schema: { type: 'string' } } },
      },
      304: NOT_MODIFIED,
    },
  },
  getLiveness: {
    operationId: 'getLiveness',
    tags,
    summary: 'Check liveness',
    description: 'Returns 200 while the process responds.',
    security: [],
    responses: { 200: json('The process responds.', schema('Liveness'), { alive: { status: 'ok' } }) },
  },
  getReadiness: {
    operationId: 'getReadiness',
    tags,
    summary: 'Check readiness',
    description: 'Returns 200 if the server can serve requests, otherwise 503 with the reasons, such as `draining` while it stops, `clock-wrong`, or `claims-not-writable` if the disk is full or broken.',
    security: [],
    responses: {
      200: json('The server is ready.', schema('Readiness'), { ready: { status: 'ok', troubles: [] } }),
      503: json('The server is not ready.', schema('Readiness'), { draining: { status: 'unavailable', troubles: ['draining'] } }),
    },
  },
  getSwaggerUi: {
    operationId: 'getSwaggerUi',
    tags,
    summary: 'View this document as a page',
    description: 'Returns Swagger UI.',
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
    description: 'Returns this document in OpenAPI 3.0.',
    security: [],
    parameters: [IF_NONE_MATCH],
    responses: {
      200: {
        description: 'The document.',
        headers: headers('ETag'),
        content: { 'application/json': { schema: { type: 'object' } } },
      },
      304: NOT_MODIFIED,
    },
  },
} satisfies Record<string, Operation>;
