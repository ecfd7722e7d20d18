import { VERDICTS } from '../../captcha/verdict.ts';
import { done } from '../../lib/outcome.ts';
import { toIso } from '../../lib/time.ts';
import type { OrganizationId } from '../../model/organization.ts';
import type { PropertyId } from '../../model/property.ts';
import {
  DIMENSION_NAMES,
  DIMENSIONS,
  type FrequentValues,
  PUZZLE_REJECTIONS,
  parseTrafficRange,
  TRAFFIC_DETAILS,
  TRAFFIC_RANGE_NAMES,
  type TrafficEvent,
  type TrafficRange,
} from '../../model/traffic.ts';
import type { OpaqueIds } from '../../platform/opaqueId.ts';
import type { Traffic, TrafficReport } from '../../platform/traffic/traffic.ts';
import { type Schema, schema } from '../operationDocs.ts';
import type { Route } from '../router.ts';
import { type Call, type CreateHandler, type OperationResult, operationRoutes } from './operation.ts';
import { EXAMPLE_IDS, IN_ORGANIZATION, IN_PROPERTY, type PlatformOperation, read } from './operationDocs.ts';
import { checkParameters, createIdParsers, type Parsed, rejectQuery } from './parsing.ts';
import { count, envelope, ID, type Members, response, text, time } from './schemas.ts';

export type TrafficRoutesDeps = {
  readonly recentTraffic: Traffic;
  readonly ids: OpaqueIds;
  readonly operation: CreateHandler;
};

const known = (what: string): Schema => ({ ...text(`${what}; null if unknown.`), nullable: true });

// biome-ignore format: a table of schemas
export const TRAFFIC_SCHEMAS: Members = {
  Traffic: response({
    range: { type: 'string', enum: [...TRAFFIC_RANGE_NAMES] },
    details: { type: 'string', enum: [...TRAFFIC_DETAILS], description: 'The setting `POSTERN_TRAFFIC_DETAILS`.' },
    is_of_one_node: { type: 'boolean', description: 'Whether other nodes may have processed further requests.' },
    since: time('Start of the range; the data starts no earlier than the server.'),
    requests: count('Requests for puzzles in the range.'),
    top: response(Object.fromEntries(DIMENSION_NAMES.map((name) => [name, schema('FrequentValues')])), 'Frequent values of requests for puzzles.'),
    rejections: { type: 'array', items: schema('Rejection'), description: 'At most 200, newest first, regardless of the range.' },
  }, 'Recent requests, from the memory of the server.'),
  FrequentValues: response({
    items: {
      type: 'array',
      description: 'The most frequent ones first.',
      items: response({ value: text('The value.'), requests: count('At least so many requests.'), rejected: count('At least so many of them were rejected.') }),
    },
    max_error: count('Every number of requests is too low by at most this number.'),
  }),
  Rejection: response({
    at: time('Time of the request.'),
    kind: { type: 'string', enum: ['puzzle', 'verification'], description: 'The rejected request.' },
    reason: { type: 'string', enum: [...PUZZLE_REJECTIONS, ...Object.keys(VERDICTS)], description: 'The reason; for verifications, the name of their code.' },
    host: known('The host of the page'),
    browser: known('The family of the browser or program'),
    country: known('The country of the client address'),
    network: known('The /24 (IPv4) or /48 (IPv6) network of the client address'),
    property_id: ID,
  }),
  TrafficEnvelope: envelope(schema('Traffic')),
};

const NONE = { items: [], max_error: 0 };
const NETWORK = '198.51.100.0/24';
const LISTED = { items: [{ value: NETWORK, requests: 40, rejected: 38 }], max_error: 0 };
const FACTS = { host: 'example.com', browser: 'curl', country: 'DE', network: NETWORK };
// biome-ignore format: an example
const EXAMPLE = {
  ...{ range: 'hour', details: 'on', is_of_one_node: false, since: '2026-01-31T12:00:00.000Z', requests: 41 },
  top: { networks: LISTED, hosts: NONE, browsers: NONE, countries: NONE },
  rejections: [{ at: '2026-01-31T13:12:04.250Z', kind: 'puzzle', reason: 'rate-limited', ...FACTS, property_id: EXAMPLE_IDS.property_id }],
};

/** The component of the document that both operations refer to. */
export const TRAFFIC_RESPONSES = {
  Traffic: read('The recent requests.', 'TrafficEnvelope', { traffic: { data: EXAMPLE } }),
} as const;

const DESCRIPTION =
  'Returns the newest rejections, and frequent networks, hosts, browsers, and countries of requests for puzzles. The server keeps them only in memory.';
const RANGE = 'This and the previous hour, or today and yesterday, in UTC.';
const RANGE_SCHEMA: Schema = { type: 'string', enum: [...TRAFFIC_RANGE_NAMES], default: 'hour' };
const OPERATION = {
  method: 'GET',
  access: 'read',
  description: DESCRIPTION,
  query: [{ name: 'range', in: 'query', description: RANGE, schema: RANGE_SCHEMA }],
  response: 'Traffic',
} satisfies Partial<PlatformOperation>;

// biome-ignore format: a table
const OPERATIONS = {
  getOrganizationTraffic: { ...OPERATION, path: '/org/:org_id/traffic', tag: 'Organizations', summary: 'Get the recent requests of an organization', problems: [...IN_ORGANIZATION, 'query-malformed'] },
  getPropertyTraffic: { ...OPERATION, path: '/org/:org_id/property/:property_id/traffic', tag: 'Properties', summary: 'Get the recent requests of a property', problems: [...IN_PROPERTY, 'query-malformed'] },
} satisfies Record<string, PlatformOperation>;

/** The routes of the recent requests. */
export function trafficRoutes({ recentTraffic, ids, operation }: TrafficRoutesDeps): readonly Route[] {
  const { organizationIn, propertyIn } = createIdParsers(ids);

  async function report(
    { actor, query }: Call,
    organization: OrganizationId,
    property?: PropertyId,
  ): Promise<OperationResult> {
    const range = parseQuery(query);
    if (!range.ok) return range;
    const found = await recentTraffic.of(actor, organization, property, range.value);
    return found.ok ? { ok: true, data: toDocument(found.value, ids) } : found;
  }

  return operationRoutes(operation, OPERATIONS, {
    async getOrganizationTraffic(call) {
      const organization = organizationIn(call.params);
      return organization.ok ? report(call, organization.value) : organization;
    },
    async getPropertyTraffic(call) {
      const named = propertyIn(call.params);
      return named.ok ? report(call, named.value.organization, named.value.property) : named;
    },
  });
}

function parseQuery(query: URLSearchParams): Parsed<TrafficRange> {
  const checked = checkParameters(query, ['range']);
  if (!checked.ok) return checked;
  const range = parseTrafficRange(query.get('range') ?? 'hour');
  return range === undefined
    ? rejectQuery(`range must be one of ${TRAFFIC_RANGE_NAMES.join(', ')}`)
    : done(range);
}

function toDocument({ isOfOneNode, since, top, rejections, ...report }: TrafficReport, ids: OpaqueIds) {
  const toTop = ({ items, maxError }: FrequentValues) => ({ items, max_error: maxError });
  return {
    ...report,
    is_of_one_node: isOfOneNode,
    since: toIso(since),
    top: Object.fromEntries(DIMENSION_NAMES.map((name) => [name, toTop(top[name])])),
    rejections: rejections.map((event) => toRejection(event, ids)),
  };
}

function toRejection(event: TrafficEvent, ids: OpaqueIds) {
  const facts = Object.values(DIMENSIONS).map((name) => [name, event[name] ?? null]);
  return {
    at: toIso(event.at),
    kind: event.kind === 'verification' ? event.kind : 'puzzle',
    reason: event.reason,
    ...Object.fromEntries(facts),
    property_id: ids.seal('property', event.propertyId),
  };
}
