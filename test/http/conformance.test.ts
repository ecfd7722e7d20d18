import { beforeAll, describe, expect, test } from 'bun:test';
import { RATE_HEADERS } from '../../src/http/operationDocs.ts';
import { INSTALLATION } from '../../src/model/actor.ts';
import { PROBLEMS, type Problem } from '../../src/model/problems.ts';
import {
  createValidator,
  documentOf,
  operationsOf,
  type Placed,
  type Validator,
} from '../support/document.ts';
import { api, blockTasks, type Entry, idsOf } from '../support/platform.ts';
import { addUser } from '../support/portal.ts';
import { addKey, addTenant, expectOk, startServer, type Tenant, type TestServer } from '../support/server.ts';
import { useServer } from '../support/useServer.ts';
import { fetchAndSolve } from '../support/visitor.ts';

/**
 * Compares the OpenAPI document with a server: tests request every operation with each of its documented statuses and validate the
 * responses. Bodies of successful requests are the examples of the document.
 */

type Body = NonNullable<RequestInit['body']>;

type World = {
  readonly server: TestServer;
  readonly tenant: Tenant;
  readonly org: string;
  readonly property: string;
  readonly task: string;
  readonly foreign: { readonly org: string; readonly property: string };
  /** A rule of the property, and one of the installation. */
  readonly rules: Readonly<Record<'property' | 'installation', string>>;
  readonly keys: Readonly<
    Record<'readOnly' | 'limited' | 'limitedElsewhere' | 'admin' | 'adminReadOnly', string>
  >;
};

/** The difference between a request and a valid request. */
type Row = {
  readonly operation: string;
  readonly status: number;
  /** The problem of an error in the envelope. */
  readonly problem?: Problem;
  readonly key?: ((world: World) => string) | null;
  readonly params?: (world: World) => Readonly<Record<string, string>>;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Body | ((world: World) => unknown);
  readonly type?: string | null;
  /** The name of the example that is the body. */
  readonly example?: string;
};

let world: World;
let validator: Validator;
let placed: ReadonlyMap<string, Placed>;
/** Tested statuses, as `operation status`. */
const seen = new Set<string>();

const server = useServer({ settings: { POSTERN_DNS_CHECK: 'off' } });
beforeAll(async () => {
  const document = await documentOf(server);
  validator = createValidator(document);
  placed = operationsOf(document);
  world = await createWorld(server);
});

async function createWorld(on: TestServer): Promise<World> {
  const tenant = await addTenant(on);
  const other = await addTenant(on);
  const { services } = on.app;
  const { org, property } = idsOf(on, tenant);
  const started = await api(on, tenant.portalKey).put<{ id: string }>('/properties', [
    { id: property, level: 2 },
  ]);
  await api(on, tenant.portalKey).finished(started.data.id);
  const second = await services.organizations.create(INSTALLATION, {
    name: 'Second',
    ownerId: tenant.account.id,
  });
  if (!second.ok) throw new Error(second.problem);
  const rule = { name: 'Dry run', dry_run: true, action: 'block', conditions: { networks: ['192.0.2.1'] } };
  const ofProperty = expectOk(await services.rules.add(INSTALLATION, tenant.property.id, rule));
  const ofInstallation = expectOk(await services.rules.add(INSTALLATION, 'installation', rule));
  const admin = await addUser(on, true);
  const limit = (organizationId: typeof tenant.organization.id) => ({ organizationId });
  return {
    server: on,
    tenant,
    org,
    property,
    task: started.data.id,
    foreign: idsOf(on, other),
    rules: {
      property: ofProperty.rules[0]?.id ?? '',
      installation: ofInstallation.rules.at(-1)?.id ?? '',
    },
    keys: {
      admin: await addKey(services, admin, 'portal'),
      adminReadOnly: await addKey(services, admin, 'portal', { isReadOnly: true }),
      readOnly: await addKey(services, tenant.account, 'portal', { isReadOnly: true }),
      limited: await addKey(services, tenant.account, 'portal', limit(tenant.organization.id)),
      limitedElsewhere: await addKey(services, tenant.account, 'portal', limit(second.value.id)),
    },
  };
}

/** Sends the request of a row and validates the response against the document. */
async function check(row: Row, { on = world }: { readonly on?: World } = {}): Promise<Response> {
  const { operation, path, method } = placed.get(row.operation) as Placed;
  const params = {
    org_id: on.org,
    property_id: on.property,
    id: on.task,
    rule_id: ruleOf(on, path),
    ...row.params?.(on),
  };
  const filled = path.replaceAll(/{(\w+)}/g, (_, name: string) => params[name as keyof typeof params]);
  const response = await fetch(`${on.server.url}${filled}${row.query ?? ''}`, {
    method,
    headers: headersOf(row, operation, on),
    ...bodyOf(row, operation, on),
  });
  const shown = await response.clone().text();
  expect({ row, status: response.status, shown }).toEqual({ row, status: row.status, shown });
  expect({ row, errors: await validator.errorsOfResponse(operation, response) }).toEqual({ row, errors: [] });
  const requestId = response.headers.get('x-request-id');
  expect({ row, traceId: response.headers.get('x-trace-id') }).toEqual({ row, traceId: requestId });
  if (row.status === 304 && PLATFORM.includes(row.operation)) {
    expect({ row, missing: RATE_HEADERS.filter((name) => !response.headers.has(name)) }).toEqual({
      row,
      missing: [],
    });
  }
  if (row.problem !== undefined) {
    const { code, sentence } = PROBLEMS[row.problem];
    expect(JSON.parse(shown).meta).toMatchObject({ code });
    expect(JSON.parse(shown).meta.description).toStartWith(sentence.slice(0, -1));
  }
  seen.add(`${row.operation} ${row.status}`);
  return response;
}

/** @returns the id of a rule of the list that the path names */
function ruleOf({ rules }: World, path: string): string {
  return rules[path.startsWith('/org') ? 'property' : 'installation'];
}

function headersOf(row: Row, operation: Placed['operation'], on: World): Record<string, string> {
  const [needed = {}] = operation.security;
  const portalKey = ALL_RULES.includes(row.operation) ? on.keys.admin : on.tenant.portalKey;
  const standard = 'PortalKey' in needed ? portalKey : on.tenant.verifyKey;
  const key =
    row.key === null ? undefined : (row.key?.(on) ?? (Object.keys(needed).length > 0 ? standard : undefined));
  const [type] = Object.keys(operation.requestBody?.content ?? {});
  const wanted = row.type === null ? undefined : (row.type ?? type);
  return {
    ...(key === undefined ? {} : { 'X-API-Key': key }),
    ...(wanted === undefined ? {} : { 'Content-Type': wanted }),
    ...row.headers,
  };
}

function bodyOf(row: Row, operation: Placed['operation'], on: World): { body?: Body } {
  const [media] = Object.values(operation.requestBody?.content ?? {});
  if (media === undefined) return {};
  const { body } = row;
  if (typeof body === 'function') return { body: JSON.stringify(body(on)) };
  if (body !== undefined) return { body };
  const { examples = {} } = media;
  const example = row.example === undefined ? Object.values(examples)[0] : examples[row.example];
  const value = withIdsOf(on, row.operation, example?.value);
  return { body: typeof value === 'string' ? value : JSON.stringify(value) };
}

/** Replaces the ids of examples, which are of another installation. */
function withIdsOf({ org, property }: World, operation: string, value: unknown): unknown {
  const id = operation.endsWith('Organization') ? org : property;
  const swap = (one: unknown) =>
    typeof one === 'object' && one !== null && 'id' in one ? { ...one, id } : one;
  if (operation === 'deleteProperties') return [property];
  return Array.isArray(value) ? value.map(swap) : swap(value);
}

const READS = [
  'listOrganizations',
  'listPropertyRules',
  'listProperties',
  'getProperty',
  'getPropertyStatistics',
  'getPropertyRuleStatistics',
  'getPropertyTraffic',
  'getOrganizationTraffic',
  'getTask',
];
const WRITES = [
  'createOrganization',
  'updateOrganization',
  'deleteOrganization',
  'createProperties',
  'updateProperties',
  'deleteProperties',
];
const ATTACKS = ['Property', 'Organization'].flatMap((of) => [`start${of}AttackMode`, `end${of}AttackMode`]);
/** Operations on the rules of a property, and on those of the installation. */
const ALL_RULES = [
  'listRules',
  'replaceRules',
  'addRule',
  'updateRule',
  'moveRule',
  'deleteRule',
  'testRules',
  'getRuleStatistics',
];
const PROPERTY_RULES = ALL_RULES.map((name) => name.replace('Rule', 'PropertyRule'));
const CHANGED_RULES = [...PROPERTY_RULES, ...ALL_RULES].filter((name) => !/^(?:list|test|get)/.test(name));
const NAMED_RULES = CHANGED_RULES.filter((name) => /^(?:update|move|delete)/.test(name));
const GIVEN_RULES = CHANGED_RULES.filter((name) => /^(?:replace|add|update)/.test(name));
const isOfAll = (operation: string) => ALL_RULES.includes(operation);
const BROKEN_RULE = { name: '', action: 'block', conditions: { networks: ['x'] } };

/** A member that no object of a body has. */
const UNKNOWN = 'unheard-of';
/** The headers of a tested request can have any name. */
const hasUnknownHeader = (body: unknown) =>
  typeof body === 'object' && body !== null && 'headers' in body && UNKNOWN in Object(body.headers);

/** Verifications for other vendors with bodies. */
const VENDORS = ['verifyRecaptcha', 'verifyHcaptcha', 'verifyTurnstile'];

const PLATFORM = [...READS, ...WRITES, ...ATTACKS, ...PROPERTY_RULES.filter((name) => !READS.includes(name))];
/** Operations on the API key that authenticates the request. */
const OF_KEY = ['rotateApiKey', 'endOldSecret'];
const BATCHES = ['createProperties', 'updateProperties', 'deleteProperties'];
const TOO_MUCH = 'x'.repeat(1024 * 1024 + 1);

const unknownOrg = ({ server: { app } }: World) => app.services.ids.seal('organization', 987_654 as never);
const unknownProperty = ({ server: { app } }: World) => app.services.ids.seal('property', 987_654 as never);

/** Requests that change neither the organization nor the property. */
// biome-ignore format: a table of requests
const ROWS: readonly Row[] = [
  { operation: 'listOrganizations', status: 200 },
  { operation: 'listProperties', status: 200 },
  { operation: 'listProperties', status: 200, query: '?page=7&per_page=51&sort=name_desc' },
  { operation: 'getProperty', status: 200 },
  ...['', '?range=24h', '?range=7d', '?range=30d', '?range=1y'].map((query) => ({ operation: 'getPropertyStatistics', status: 200, query }) as const),
  ...['getPropertyTraffic', 'getOrganizationTraffic'].flatMap((operation) => [
    ...['', '?range=hour', '?range=day'].map((query) => ({ operation, status: 200, query }) as const),
    ...['?range=24h', '?range=', '?range=day&range=day', '?page=1'].map((query) => ({ operation, status: 400, problem: 'query-malformed', query }) as const),
  ]),
  { operation: 'getTask', status: 200 },
  ...ATTACKS.map((operation) => ({ operation, status: 200 }) as const),
  ...READS.map((operation) => ({ operation, status: 304, headers: { 'If-None-Match': '*' } })),

  ...PLATFORM.map((operation) => ({ operation, status: 401, problem: 'key-not-accepted', key: null }) as const),
  ...PLATFORM.map((operation) => ({ operation, status: 403, problem: 'scope-not-enough', key: ({ tenant }: World) => tenant.verifyKey }) as const),
  ...[...WRITES, ...ATTACKS].map((operation) => ({ operation, status: 403, problem: 'key-read-only', key: ({ keys }: World) => keys.readOnly }) as const),
  ...WRITES.map((operation) => ({ operation, status: 415, problem: 'media-type-unsupported', type: 'text/plain' }) as const),
  ...WRITES.map((operation) => ({ operation, status: 413, problem: 'body-too-large', body: TOO_MUCH }) as const),
  ...WRITES.map((operation) => ({ operation, status: 400, problem: 'json-malformed', body: '{' }) as const),

  { operation: 'createOrganization', status: 400, problem: 'field-mistyped', body: () => ({ name: 1 }) },
  { operation: 'createOrganization', status: 400, problem: 'field-unknown', body: () => ({ name: 'A', owner: 'me' }) },
  { operation: 'createOrganization', status: 400, problem: 'organization-name-empty', body: () => ({ name: ' ' }) },
  { operation: 'createOrganization', status: 400, problem: 'organization-name-too-long', body: () => ({ name: 'x'.repeat(129) }) },
  { operation: 'createOrganization', status: 400, problem: 'organization-name-malformed', body: () => ({ name: '<b>' }) },
  { operation: 'createOrganization', status: 400, problem: 'organization-id-not-empty', body: ({ org }) => ({ id: org, name: 'A' }) },
  { operation: 'createOrganization', status: 409, problem: 'organization-name-taken', body: ({ tenant }) => ({ name: tenant.organization.name }) },
  { operation: 'createOrganization', status: 403, problem: 'key-organization-only', key: ({ keys }) => keys.limited },

  { operation: 'updateOrganization', status: 400, problem: 'organization-id-empty', body: () => ({ id: '', name: 'A' }) },
  { operation: 'updateOrganization', status: 400, problem: 'organization-id-malformed', body: () => ({ id: 'x', name: 'A' }) },
  { operation: 'updateOrganization', status: 404, problem: 'organization-unknown', body: (on) => ({ id: unknownOrg(on), name: 'A' }) },
  { operation: 'updateOrganization', status: 403, problem: 'organization-not-owned', body: ({ foreign }) => ({ id: foreign.org, name: 'A' }) },
  { operation: 'updateOrganization', status: 403, problem: 'key-organization-only', key: ({ keys }) => keys.limitedElsewhere },
  { operation: 'updateOrganization', status: 409, problem: 'organization-name-taken', body: ({ org }) => ({ id: org, name: 'second' }) },
  { operation: 'deleteOrganization', status: 400, problem: 'organization-id-empty', body: () => ({}) },
  { operation: 'deleteOrganization', status: 404, problem: 'organization-unknown', body: (on) => ({ id: unknownOrg(on) }) },
  { operation: 'deleteOrganization', status: 403, problem: 'organization-not-owned', body: ({ foreign }) => ({ id: foreign.org }) },

  ...['?page=-1', '?page=x', '?per_page=0', '?sort=size', '?page=1&page=2', '?pages=1'].map((query) => ({ operation: 'listProperties', status: 400, problem: 'query-malformed', query }) as const),
  ...['listProperties', 'getProperty', 'getPropertyStatistics', 'getPropertyTraffic', 'getOrganizationTraffic', 'createProperties', ...ATTACKS].flatMap((operation) => [
    { operation, status: 400, problem: 'organization-id-malformed', params: () => ({ org_id: 'x' }) } as const,
    { operation, status: 404, problem: 'organization-unknown', params: (on: World) => ({ org_id: unknownOrg(on) }) } as const,
    { operation, status: 403, problem: operation.endsWith('OrganizationAttackMode') ? 'organization-not-owned' : 'organization-not-yours', params: ({ foreign }: World) => ({ org_id: foreign.org }) } as const,
    { operation, status: 403, problem: 'key-organization-only', key: ({ keys }: World) => keys.limitedElsewhere } as const,
  ]),
  ...['getProperty', 'getPropertyStatistics', 'getPropertyTraffic'].flatMap((operation) => [
    { operation, status: 400, problem: 'property-id-malformed', params: () => ({ property_id: 'x' }) } as const,
    { operation, status: 400, problem: 'property-gone', params: (on: World) => ({ property_id: unknownProperty(on) }) } as const,
  ]),
  ...['?range=2h', '?range=', '?range=7d&range=7d', '?from=1'].map((query) => ({ operation: 'getPropertyStatistics', status: 400, problem: 'query-malformed', query }) as const),
  { operation: 'getTask', status: 404, problem: 'task-unknown', params: () => ({ id: 'x' }) },

  ...BATCHES.flatMap((operation) => [
    { operation, status: 400, problem: 'batch-malformed', body: () => [] } as const,
    { operation, status: 400, problem: 'batch-malformed', body: () => ({}) } as const,
    { operation, status: 400, problem: 'batch-too-large', body: () => new Array(129).fill(null) } as const,
    { operation, status: 400, problem: 'field-mistyped', body: () => [5] } as const,
  ]),
  ...([
    [{ name: 1 }, 'field-mistyped'],
    [{ title: 'A' }, 'field-unknown'],
    [{ name: '' }, 'property-name-empty'],
    [{ name: 'x'.repeat(129) }, 'property-name-too-long'],
    [{ name: 'a\nb' }, 'property-name-malformed'],
    [{ domain: '' }, 'domain-empty'],
    [{ domain: 'localhost' }, 'domain-localhost'],
    [{ domain: '[::1]' }, 'domain-is-address'],
    [{ domain: 'a..b' }, 'domain-not-valid'],
    [{ domain: 'single' }, 'domain-single-label'],
    [{ domain: 'co.uk' }, 'domain-is-suffix'],
    [{ domain: 'https://example.com/' }, 'domain-malformed'],
    [{ level: 0 }, 'level-malformed'],
    [{ growth: 'wild' }, 'growth-unknown'],
    [{ challenge: 'scrypt' }, 'challenge-unknown'],
    [{ validity_seconds: 59 }, 'validity-malformed'],
    [{ max_replay_count: 0 }, 'allowance-malformed'],
    [{ allow_subdomains: 1 }, 'allow-subdomains-malformed'],
    [{ allow_localhost: null }, 'allow-localhost-malformed'],
    [{ enabled: 0 }, 'enabled-malformed'],
  ] as const).flatMap(([setting, problem]) => [
    { operation: 'createProperties', status: 400, problem, body: () => [{ name: 'A', domain: 'example.com', ...setting }] } as const,
    { operation: 'updateProperties', status: 400, problem, body: ({ property }: World) => [{ id: property, ...setting }] } as const,
  ]),
  { operation: 'createProperties', status: 409, problem: 'property-name-taken', body: () => ['a', 'A'].map((name) => ({ name, domain: 'example.com' })) },
  { operation: 'updateProperties', status: 400, problem: 'property-id-empty', body: () => [{ level: 3 }] },
  { operation: 'updateProperties', status: 400, problem: 'property-id-malformed', body: () => [{ id: 'x' }] },
  { operation: 'updateProperties', status: 400, problem: 'property-id-repeated', body: ({ property }) => [{ id: property }, { id: property }] },
  { operation: 'updateProperties', status: 400, problem: 'sitekey-read-only', body: ({ property }) => [{ id: property, sitekey: 'none' }] },
  { operation: 'deleteProperties', status: 400, problem: 'property-id-empty', body: () => [''] },
  { operation: 'deleteProperties', status: 400, problem: 'property-id-malformed', body: () => ['x'] },
  { operation: 'deleteProperties', status: 400, problem: 'property-id-repeated', body: ({ property }) => [property, property] },

  { operation: 'listPropertyRules', status: 200 },
  ...['getPropertyRuleStatistics', 'getRuleStatistics'].flatMap((operation) => [
    { operation, status: 200, query: '?range=30d' } as const,
    { operation, status: 400, problem: 'query-malformed', query: '?range=2h' } as const,
    { operation, status: 404, problem: 'rule-unknown', params: () => ({ rule_id: '0'.repeat(16) }) } as const,
  ]),
  ...ALL_RULES.flatMap((operation) => [
    { operation, status: 401, problem: 'key-not-accepted', key: null } as const,
    { operation, status: 403, problem: 'scope-not-enough', key: ({ tenant }: World) => tenant.verifyKey } as const,
  ]),
  ...['listRules', 'testRules', 'testPropertyRules'].map((operation) => ({ operation, status: 200 }) as const),
  ...['listRules', 'getRuleStatistics'].map((operation) => ({ operation, status: 304, headers: { 'If-None-Match': '*' } })),
  { operation: 'testRules', status: 200, key: ({ keys }) => keys.adminReadOnly },
  ...ALL_RULES.map((operation) => ({ operation, status: 403, problem: 'admin-only', key: ({ tenant }: World) => tenant.portalKey }) as const),
  ...PROPERTY_RULES.flatMap((operation) => [
    { operation, status: 400, problem: 'organization-id-malformed', params: () => ({ org_id: 'x' }) } as const,
    { operation, status: 404, problem: 'organization-unknown', params: (on: World) => ({ org_id: unknownOrg(on) }) } as const,
    { operation, status: 403, problem: 'organization-not-yours', params: ({ foreign }: World) => ({ org_id: foreign.org }) } as const,
    { operation, status: 403, problem: 'key-organization-only', key: ({ keys }: World) => keys.limitedElsewhere } as const,
    { operation, status: 400, problem: 'property-id-malformed', params: () => ({ property_id: 'x' }) } as const,
    { operation, status: 400, problem: 'property-gone', params: (on: World) => ({ property_id: unknownProperty(on) }) } as const,
  ]),
  ...CHANGED_RULES.flatMap((operation) => [
    { operation, status: 403, problem: 'key-read-only', key: ({ keys }: World) => (isOfAll(operation) ? keys.adminReadOnly : keys.readOnly) } as const,
    { operation, status: 415, problem: 'media-type-unsupported', type: 'text/plain' } as const,
    { operation, status: 413, problem: 'body-too-large', body: TOO_MUCH } as const,
    { operation, status: 400, problem: 'json-malformed', body: '{' } as const,
    { operation, status: 400, problem: 'field-mistyped', body: () => [] } as const,
    { operation, status: 400, problem: 'field-unknown', body: () => ({ more: 1 }) } as const,
    { operation, status: 400, problem: 'rules-number-malformed', body: () => ({ revision: -1, ...(operation.startsWith('move') && { position: 0 }) }) } as const,
    { operation, status: 409, problem: 'rules-changed-meanwhile', body: () => ({ revision: 999, ...(operation.startsWith('move') && { position: 0 }), ...(operation.startsWith('replace') && { rules: [] }), ...(/^(?:add|update)/.test(operation) && { rule: BROKEN_RULE }) }) } as const,
  ]),
  ...GIVEN_RULES.map((operation) => ({ operation, status: 400, problem: 'rules-invalid', body: () => (operation.startsWith('replace') ? { rules: [BROKEN_RULE] } : { rule: BROKEN_RULE }) }) as const),
  ...NAMED_RULES.map((operation) => ({ operation, status: 404, problem: 'rule-unknown', params: () => ({ rule_id: '0'.repeat(16) }) }) as const),
  ...['addRule', 'moveRule', 'addPropertyRule', 'movePropertyRule'].map((operation) => ({ operation, status: 400, problem: 'rules-number-malformed', body: () => ({ position: -1 }) }) as const),
  ...['testRules', 'testPropertyRules'].flatMap((operation) => [
    { operation, status: 400, problem: 'address-malformed', body: () => ({ address: 'x' }) } as const,
    { operation, status: 400, problem: 'page-path-malformed', body: () => ({ path: 'login' }) } as const,
    { operation, status: 400, problem: 'field-mistyped', body: () => ({ asn: 0 }) } as const,
    { operation, status: 413, problem: 'body-too-large', body: TOO_MUCH } as const,
    { operation, status: 415, problem: 'media-type-unsupported', type: 'text/plain' } as const,
  ]),

  { operation: 'getApiKeyStatistics', status: 200 },
  { operation: 'getApiKeyStatistics', status: 200, key: ({ tenant }) => tenant.verifyKey },
  { operation: 'getApiKeyStatistics', status: 304, headers: { 'If-None-Match': '*' } },
  { operation: 'getApiKeyStatistics', status: 400, problem: 'query-malformed', query: '?range=2h' },
  { operation: 'getApiKeyStatistics', status: 401, problem: 'key-not-accepted', key: null },

  { operation: 'getPuzzle', status: 200, query: '?sitekey=aaaaaaaabbbbccccddddeeeeeeeeeeee' },
  { operation: 'getPuzzle', status: 400, problem: 'sitekey-malformed', query: '?sitekey=x' },
  { operation: 'getPuzzle', status: 400, problem: 'origin-missing', query: `?sitekey=${'0'.repeat(32)}` },
  { operation: 'getPuzzle', status: 403, problem: 'property-unknown', query: `?sitekey=${'0'.repeat(32)}`, headers: { Origin: 'https://example.com' } },
  { operation: 'preflightPuzzle', status: 204, headers: { Origin: 'https://example.com' } },

  { operation: 'verifySolution', status: 200 },
  { operation: 'verifySolution', status: 400, body: 'garbage' },
  { operation: 'verifySolution', status: 401, key: null },
  { operation: 'verifySolution', status: 403, key: ({ tenant }) => tenant.portalKey },
  { operation: 'verifySolution', status: 413, body: TOO_MUCH },
  { operation: 'siteverify', status: 200, body: new URLSearchParams({ secret: 'x', response: 'y' }) },
  { operation: 'siteverify', status: 200, body: '', headers: { 'X-Captcha-Compat-Version': 'rcV3' } },
  { operation: 'siteverify', status: 413, body: TOO_MUCH },
  ...VENDORS.flatMap((operation) => [
    { operation, status: 200 } as const,
    { operation, status: 413, body: TOO_MUCH } as const,
  ]),
  { operation: 'verifyRecaptchaQuery', status: 200, query: '?secret=x&response=y' },
  { operation: 'checkSitekey', status: 200, query: '?sitekey=x&host=example.com' },

  { operation: 'getWidgetScript', status: 200 },
  { operation: 'getWidgetScript', status: 304, headers: { 'If-None-Match': '*' } },
  { operation: 'getLiveness', status: 200 },
  { operation: 'getReadiness', status: 200 },
  { operation: 'getSwaggerUi', status: 200 },
  { operation: 'getOpenApiDocument', status: 200 },
  { operation: 'getOpenApiDocument', status: 304, headers: { 'If-None-Match': '*' } },
];

describe('every documented response', () => {
  test.each(ROWS.map((row) => [row.operation, row.status, row.problem ?? '', row] as const))(
    '%s %d %s',
    async (_operation, _status, _problem, row) => {
      await check(row);
    },
  );
});

/** @returns copies of the value, each with an unknown member in another object */
function withUnknownMember(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, member]) =>
    withUnknownMember(member).map((changed) =>
      Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed },
    ),
  );
  return Array.isArray(value) ? inner : [{ ...value, [UNKNOWN]: 1 }, ...inner];
}

test('an unknown member in any object of a body is rejected, and the message names it', async () => {
  const named: string[] = [];
  for (const [id, { operation }] of placed) {
    const isOwn = OF_KEY.includes(id) || operation.security.some((one) => 'PortalKey' in one);
    const examples = Object.values(operation.requestBody?.content['application/json']?.examples ?? {});
    if (!isOwn) continue;
    for (const { value } of examples) {
      for (const body of withUnknownMember(withIdsOf(world, id, value))) {
        if (hasUnknownHeader(body)) continue;
        const response = await check({ operation: id, status: 400, body: () => body });
        const { meta } = (await response.json()) as { readonly meta: { readonly description: string } };
        expect({ id, body, description: meta.description }).toEqual({
          id,
          body,
          description: expect.stringContaining(`"${UNKNOWN}"`),
        });
        named.push(id);
      }
    }
  }
  const written = [...WRITES, ...CHANGED_RULES, 'testRules', 'testPropertyRules', 'rotateApiKey'];
  const withObjects = written.filter((id) => id !== 'deleteProperties');
  expect([...new Set(named)].sort()).toEqual(withObjects.sort());
});

describe('the examples of the document', () => {
  test('a body of /verify gets code 10 with the sitekey of the example of /puzzle', async () => {
    const answer = await check({ operation: 'verifySolution', status: 200 });
    expect(await answer.json()).toMatchObject({ success: true, code: 10 });
  });

  test('a form of /siteverify succeeds with a key of this installation', async () => {
    const { operation } = placed.get('siteverify') as Placed;
    const content = operation.requestBody?.content ?? {};
    const example = Object.values(content)[0]?.examples?.test?.value as Record<string, string>;
    for (const type of Object.keys(content)) {
      const fields = { ...example, secret: world.tenant.verifyKey };
      const body = formOf(type, fields);
      const row = {
        operation: 'siteverify',
        status: 200,
        type: type.startsWith('multipart') ? null : type,
        body,
      };
      const answer = await check(row);
      expect([type, await answer.json()]).toEqual([type, examplesOf('siteverify', 200).test]);
    }
  });

  test.each(VENDORS)('a success of %s matches the document', async (operation) => {
    const { property, verifyKey } = world.tenant;
    const response = await fetchAndSolve(server.url, property.sitekey);
    const body = new URLSearchParams({ secret: verifyKey, response });
    const answer = await check({ operation, status: 200, body });
    const { valid } = examplesOf(operation, 200) as Record<string, Record<string, unknown>>;
    const shared = Object.keys(valid ?? {}).filter((name) => !['score', 'action'].includes(name));
    expect(await answer.json()).toContainKeys(shared);
  });

  test('verdicts are those of a first and a repeated verification', async () => {
    const { property, verifyKey } = world.tenant;
    const body = await fetchAndSolve(server.url, property.sitekey);
    const key = () => verifyKey;
    const verdicts = [];
    for (let i = 0; i < 2; i++) {
      const answer = await check({ operation: 'verifySolution', status: 200, key, body });
      const { success, code, origin } = (await answer.json()) as Record<string, unknown>;
      verdicts.push({ success, code, origin });
    }
    const { valid, replayed } = examplesOf('verifySolution', 200) as Record<string, Record<string, unknown>>;
    const expected = [valid, replayed].map((one) => ({
      success: one?.success,
      code: one?.code,
      origin: one?.origin,
    }));
    expect(verdicts).toEqual(expected);
  });

  test('bodies of the Platform API work', async () => {
    const own = await createWorld(server);
    const { finished } = api(server, own.tenant.portalKey);
    const entries: Entry[] = [];
    const run = async (operation: string, example?: string) => {
      const row = { operation, status: 200, ...(example === undefined ? {} : { example }) };
      const answer = await check(row, { on: own });
      const { data } = (await answer.json()) as { data: { id: string } };
      entries.push(...(await finished(data.id)));
      await check({ operation: 'getTask', status: 200, params: () => ({ id: data.id }) }, { on: own });
    };
    await run('createProperties', 'required');
    await run('createProperties', 'all');
    await run('updateProperties');
    await run('deleteProperties');
    expect(entries.map(({ code }) => code)).toEqual([1000, 1000, 1000, 1000]);
    await check({ operation: 'listProperties', status: 200 }, { on: own });
    await check({ operation: 'createOrganization', status: 200 }, { on: own });
    await check({ operation: 'updateOrganization', status: 200 }, { on: own });
    await check({ operation: 'deleteOrganization', status: 200 }, { on: own });
  });

  test('changes of rules work', async () => {
    const own = await createWorld(server);
    for (const operation of CHANGED_RULES.filter((name) => !name.startsWith('replace')))
      await check({ operation, status: 200 }, { on: own });
    for (const operation of ['replacePropertyRules', 'replaceRules'])
      await check({ operation, status: 200 }, { on: own });
    const rules = { rules: [] };
    await check({ operation: 'replaceRules', status: 200, body: () => rules }, { on: own });
  });

  test('running tasks and rejected items match the document', async () => {
    const own = await createWorld(server);
    const { post, finished } = api(server, own.tenant.portalKey);
    const release = await blockTasks(server, own.tenant);
    const body = [{ name: own.tenant.property.name, domain: 'example.com' }];
    const { data } = await post<{ id: string }>(`/org/${own.org}/properties`, body);
    const row: Row = { operation: 'getTask', status: 200, params: () => ({ id: data.id }) };
    expect(await (await check(row, { on: own })).json()).toMatchObject({
      data: { finished: false, result: null },
    });
    await release();
    expect(await finished(data.id)).toMatchObject([{ code: 1204 }]);
    await check(row, { on: own });
  });
});

function examplesOf(operation: string, status: number): Record<string, unknown> {
  const media = placed.get(operation)?.operation.responses[status]?.content?.['application/json'];
  return Object.fromEntries(Object.entries(media?.examples ?? {}).map(([name, { value }]) => [name, value]));
}

function formOf(type: string, fields: Readonly<Record<string, string>>): Body {
  if (type === 'application/json') return JSON.stringify(fields);
  if (type === 'application/x-www-form-urlencoded') return new URLSearchParams(fields);
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

describe('documented failures', () => {
  /** Runs a failing case on its own server. */
  async function withServer(
    settings: Record<string, string>,
    work: (on: World) => Promise<void>,
  ): Promise<void> {
    const other = await startServer({ settings: { POSTERN_DNS_CHECK: 'off', ...settings } });
    try {
      await work(await createWorld(other));
    } finally {
      await other.stop();
    }
  }

  test('match the response to too many requests', () =>
    withServer(
      {
        POSTERN_VERIFY_RATE: '0.001',
        POSTERN_VERIFY_BURST: '1',
        POSTERN_PUZZLE_RATE: '0.001',
        POSTERN_PUZZLE_BURST: '1',
      },
      async (world) => {
        const { server, tenant } = world;
        // Waiting for a task takes any number of requests from the rate of the tenant's first key.
        const slow = { rate: 0.001, burst: 1 };
        const portalKey = await addKey(server.app.services, tenant.account, 'portal', slow);
        const on = { ...world, tenant: { ...tenant, portalKey } };
        const form = new URLSearchParams({ secret: tenant.verifyKey, response: 'x' });
        await api(server, portalKey).get('/orgs');
        await fetch(`${server.url}/siteverify`, { method: 'POST', body: form });
        for (const operation of [...PLATFORM, ...ALL_RULES])
          await check({ operation, status: 429, problem: 'key-rate-limited', key: () => portalKey }, { on });
        await check({ operation: 'verifySolution', status: 429 }, { on });
        for (const operation of ['siteverify', ...VENDORS])
          await check({ operation, status: 429, body: form }, { on });
        await check({ operation: 'verifyRecaptchaQuery', status: 429, query: `?${form}` }, { on });
        const query = `?sitekey=${'0'.repeat(32)}`;
        await fetch(`${on.server.url}/puzzle${query}`);
        await check({ operation: 'checkSitekey', status: 429, query }, { on });
        await check({ operation: 'getPuzzle', status: 429, problem: 'rate-limited', query }, { on });
      },
    ));

  test('match the responses about the API key of the request', () =>
    withServer({}, async (on) => {
      const { readOnly } = on.keys;
      for (const operation of OF_KEY) {
        await check({ operation, status: 401, problem: 'key-not-accepted', key: null }, { on });
        await check({ operation, status: 403, problem: 'key-read-only', key: () => readOnly }, { on });
      }
      const rotate = { operation: 'rotateApiKey' };
      await check({ ...rotate, status: 413, problem: 'body-too-large', body: 'x'.repeat(1025) }, { on });
      await check({ ...rotate, status: 415, problem: 'media-type-unsupported', type: 'text/plain' }, { on });
      const body = () => ({ keep_old_seconds: 1 });
      await check({ ...rotate, status: 400, problem: 'keep-old-malformed', body }, { on });
      await check({ operation: 'endOldSecret', status: 409, problem: 'key-old-secret-ended' }, { on });
      const rotated = await check({ ...rotate, status: 200 }, { on });
      const { data } = (await rotated.json()) as { readonly data: { readonly secret: string } };
      const key = () => data.secret;
      await check({ operation: 'endOldSecret', status: 200, key }, { on });
      const { verifyKey } = on.tenant;
      for (let n = 0; n < 10; n++)
        await check({ ...rotate, status: 400, key: () => verifyKey, body }, { on });
      for (const operation of [...OF_KEY, 'getApiKeyStatistics'])
        await check({ operation, status: 429, problem: 'key-rate-limited', key: () => verifyKey }, { on });
    }));

  test('match the response during maintenance', () =>
    withServer({}, async (on) => {
      await on.server.app.services.maintenance.set(INSTALLATION, true);
      for (const operation of [...WRITES, ...ATTACKS, ...CHANGED_RULES, ...OF_KEY])
        await check({ operation, status: 503, problem: 'maintenance' }, { on });
    }));

  test('match the response without a readable database', () =>
    withServer({}, async (on) => {
      on.server.app.services.stores.apiKeys.byKeyHash = () => Promise.reject(new Error('the disk is gone'));
      on.server.app.services.stores.properties.bySitekey = () =>
        Promise.reject(new Error('the disk is gone'));
      const key = () => 'k'.repeat(40);
      for (const operation of [...PLATFORM, ...ALL_RULES, 'getApiKeyStatistics'])
        await check({ operation, status: 503, problem: 'unavailable', key }, { on });
      await check({ operation: 'verifySolution', status: 503, key }, { on });
      const row = {
        operation: 'getPuzzle',
        query: `?sitekey=${'0'.repeat(32)}`,
        headers: { Origin: 'https://example.com' },
      };
      await check({ ...row, status: 503, problem: 'unavailable' }, { on });
    }));

  test('match the response to an internal error', () =>
    withServer({}, async (on) => {
      on.server.app.services.stores.apiKeys.byKeyHash = () =>
        ({
          keyId: 0,
          get scope() {
            throw new Error('a bug');
          },
        }) as never;
      const key = () => 'k'.repeat(40);
      for (const operation of [...PLATFORM, ...ALL_RULES, ...OF_KEY, 'getApiKeyStatistics'])
        await check({ operation, status: 500, problem: 'internal-error', key }, { on });
      await check({ operation: 'verifySolution', status: 500, key }, { on });
    }));

  test('match the response of a stopping server', () =>
    withServer({}, async (on) => {
      void on.server.app.drain();
      await check({ operation: 'getReadiness', status: 503 }, { on });
    }));
});

/** Statuses that no test can cause. */
const UNREACHED = ['getPuzzle 500', 'verifySolution 408'];

test('all statuses of the document are tested', () => {
  const documented = [...placed.values()].flatMap(({ operation: { operationId, responses } }) =>
    Object.keys(responses).map((status) => `${operationId} ${status}`),
  );
  expect(documented.filter((one) => !seen.has(one))).toEqual(UNREACHED);
});
