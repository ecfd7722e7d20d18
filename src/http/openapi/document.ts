import { Elysia } from 'elysia';
import { VERDICT_CODES, VERDICTS, type VerdictName } from '../../captcha/verdict.ts';
import { PROBLEMS, type Problem } from '../../model/problems.ts';
import { API_KEY_SCHEMAS } from '../api/apiKeys.ts';
import { ATTACK_MODE_RESPONSES, ATTACK_MODE_SCHEMAS } from '../api/attackMode.ts';
import { PATH_PARAMETERS } from '../api/operationDocs.ts';
import { ORGANIZATION_SCHEMAS } from '../api/organizations.ts';
import { PROPERTY_RESPONSES, TASK_PROBLEMS } from '../api/properties.ts';
import { PROPERTY_SCHEMAS } from '../api/propertyItems.ts';
import { RULE_SCHEMAS } from '../api/ruleFields.ts';
import { RULE_BODIES, RULE_RESPONSES } from '../api/rules.ts';
import { count, ENVELOPE_SCHEMAS, type Members } from '../api/schemas.ts';
import { RANGE_PARAMETERS, STATISTICS_SCHEMAS } from '../api/statistics.ts';
import { TRAFFIC_RESPONSES, TRAFFIC_SCHEMAS } from '../api/traffic.ts';
import { USE_RESPONSES, USE_SCHEMAS } from '../api/useStatistics.ts';
import { OK_CODE, OK_SENTENCE } from '../envelope.ts';
import {
  headerComponent,
  headers,
  IF_NONE_MATCH,
  type Operation,
  problemsIn,
  type Schema,
  sharedErrorResponses,
} from '../operationDocs.ts';
import type { Route } from '../router.ts';
import { DIRECT_SCHEMAS } from './directOperations.ts';
import { VENDOR_BODIES, VENDOR_RESPONSES, VENDOR_SCHEMAS } from './vendorOperations.ts';

export type DocumentDeps = {
  readonly baseUrl: string;
  readonly version: string;
  /** All routes of the server. */
  readonly routes: () => readonly Route[];
};

/** In the order of the Swagger page. */
const TAGS = [
  { name: 'Organizations', description: 'Organizations own properties.' },
  {
    name: 'Properties',
    description: 'Websites that Postern protects. Changes are made in batches, which are tasks.',
  },
  {
    name: 'Rules',
    description:
      'Rules allow or block requests for puzzles, or change their difficulty. The first rule that matches a request decides.',
  },
  { name: 'Tasks', description: 'The results of batches.' },
  { name: 'API keys', description: 'An API key can rotate itself and read its own statistics.' },
  { name: 'Verification', description: 'Backends use these operations to verify solutions.' },
  {
    name: 'Other vendors',
    description: 'Backends that were written for another vendor use these operations.',
  },
  { name: 'Puzzles', description: 'The widget uses these operations to get puzzles for web pages.' },
  { name: 'Operation', description: 'Health checks and documentation.' },
];

/** The paths of the plugin's page and document in an app that only this function uses. */
const PLUGIN_PATH = '/document';

/**
 * Creates the OpenAPI document of the routes that have an operation. It uses version 3.0, which more generators support than 3.1.
 * Routes have no Elysia schemas, because Elysia would validate them before the API key is checked
 * (docs/project/decisions/0005-elysia-on-the-hot-path.md).
 */
export async function createDocument({ baseUrl, version, routes }: DocumentDeps): Promise<string> {
  const documented = routes().flatMap(({ method, path, operation }) =>
    operation === undefined ? [] : [{ method, path, operation }],
  );
  // Loaded on demand: the plugin's page and themes need half a megabyte.
  const { swagger } = await import('@elysiajs/swagger');
  const plugin = swagger({
    path: PLUGIN_PATH,
    excludeMethods: [],
    excludeStaticFile: false,
    documentation: {
      info: {
        title: 'Postern',
        version,
        description: introduction(problemsOf(documented.map(({ operation }) => operation))),
        contact: { name: 'The operator of this server', url: baseUrl },
        license: { name: 'MIT' },
      },
      servers: [{ url: baseUrl }],
      tags: TAGS,
      components: components(),
    },
  });
  const app = new Elysia().use(plugin);
  for (const { method, path, operation: detail } of documented) app.route(method, path, '', { detail });
  await app.modules;
  const response = await app.handle(new Request(`http://localhost${PLUGIN_PATH}/json`));
  if (!response.ok) throw new Error(`cannot create the OpenAPI document: status ${response.status}`);
  return withReferences(await response.text());
}

const SHARED_PARAMETERS = {
  'If-None-Match': IF_NONE_MATCH,
  ...PATH_PARAMETERS,
  ...Object.fromEntries(RANGE_PARAMETERS.map((one) => [one.name, one])),
};

/** Replaces parameters that many operations have. The plugin would add the parameters of a path again if they were references. */
function withReferences(text: string): string {
  const { paths, ...rest } = JSON.parse(text);
  let written = JSON.stringify(paths);
  for (const [name, shared] of Object.entries(SHARED_PARAMETERS)) {
    const reference = JSON.stringify({ $ref: `#/components/parameters/${name}` });
    written = written.replaceAll(JSON.stringify(shared), () => reference);
  }
  return JSON.stringify({ ...rest, paths: JSON.parse(written) });
}

const SCHEMAS: Members = {
  ...ENVELOPE_SCHEMAS,
  ...ORGANIZATION_SCHEMAS,
  ...PROPERTY_SCHEMAS,
  ...STATISTICS_SCHEMAS,
  ...USE_SCHEMAS,
  ...TRAFFIC_SCHEMAS,
  ...RULE_SCHEMAS,
  ...API_KEY_SCHEMAS,
  ...ATTACK_MODE_SCHEMAS,
  ...DIRECT_SCHEMAS,
  ...VENDOR_SCHEMAS,
};

/** Problems that any path can respond with; the introduction describes them. */
const GENERAL_PROBLEMS: readonly Problem[] = [
  'path-unknown',
  'method-not-allowed',
  'request-malformed',
  'operation-sunset',
];

/** @returns the problems of all requests and tasks, in the order of the table of problems */
function problemsOf(operations: readonly Operation[]): readonly Problem[] {
  const ofRequests = problemsIn(operations);
  const documented = new Set<string>([...GENERAL_PROBLEMS, ...TASK_PROBLEMS, ...ofRequests]);
  return (Object.keys(PROBLEMS) as Problem[]).filter((problem) => documented.has(problem));
}

/** A header. `isRequired`: whether all responses that list the header have it. */
type HeaderRow = readonly [description: string, schema: Schema, isRequired?: true];

const TEXT: Schema = { type: 'string' };
const COUNT = count();

// biome-ignore format: a table
const HEADERS: Readonly<Record<string, HeaderRow>> = {
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

/** @returns the components of the document */
function components() {
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
    headers: Object.fromEntries(
      Object.entries(HEADERS).map(([name, [description, schema, required = false]]) => [
        headerComponent(name),
        { description, required, schema },
      ]),
    ),
    parameters: { ...SHARED_PARAMETERS },
    requestBodies: { ...RULE_BODIES, ...VENDOR_BODIES },
    responses: {
      NotModified: { description: 'Nothing has changed.', headers: headers('ETag') },
      ...PROPERTY_RESPONSES,
      ...ATTACK_MODE_RESPONSES,
      ...TRAFFIC_RESPONSES,
      ...RULE_RESPONSES,
      ...USE_RESPONSES,
      ...VENDOR_RESPONSES,
      ...sharedErrorResponses(),
    },
    schemas: { ...SCHEMAS },
  };
}

/** @param documented the problems of requests and tasks @returns Markdown: what operations have in common, and all codes */
function introduction(documented: readonly Problem[]): string {
  return `Issues proof-of-work puzzles to web pages, verifies their solutions for backends, and manages properties.

## Envelope

Responses of the Platform API, and error responses of all operations except \`/verify\`, \`/siteverify\`, and those of other vendors, are envelopes: \`meta\` contains the result, and \`data\` contains the requested data or null. Lists also have \`pagination\`. \`meta.code\` is ${OK_CODE} for success; it determines the HTTP status. If items of a batch are invalid, \`data.errors\` lists them.

An unknown path returns 404, and a known path with another method returns 405 with \`Allow\`. A deprecated operation has the headers \`Deprecation\` and \`Sunset\`, and returns 410 after its sunset. No operation is deprecated.

## Codes of the envelope

${table(['code', 'name', 'status', 'description'], [[OK_CODE, '`ok`', 200, OK_SENTENCE], ...problemRows(documented)])}

## Codes of a verification

**Send your sitekey in X-PC-Sitekey, and accept a form if \`success\` is true.** This includes permitted repeats (code 8) and
solutions during maintenance (code 9). To reject those too, require code 0.

${table(['code', 'name', 'meaning'], verdictRows())}
`;
}

type Row = readonly (string | number)[];

function problemRows(documented: readonly Problem[]): readonly Row[] {
  return documented
    .map((name) => ({ name, ...PROBLEMS[name] }))
    .sort((a, b) => a.code - b.code || a.status - b.status)
    .map(({ code, status, name, sentence }) => [code, `\`${name}\``, status, sentence]);
}

function verdictRows(): readonly Row[] {
  return (Object.keys(VERDICT_CODES) as VerdictName[]).map((name) => [
    VERDICT_CODES[name],
    `\`${name}\``,
    VERDICTS[name].meaning,
  ]);
}

function table(head: Row, rows: readonly Row[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
