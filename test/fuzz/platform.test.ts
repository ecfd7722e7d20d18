import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  array,
  asyncProperty,
  boolean,
  constant,
  constantFrom,
  dictionary,
  double,
  integer,
  jsonValue,
  nat,
  oneof,
  record,
  string,
  uint8Array,
} from 'fast-check';
import { PROBLEMS } from '../../src/model/problems.ts';
import { idsOf, SENTENCE } from '../support/platform.ts';
import { addTenant, startServer, type Tenant, type TestServer } from '../support/server.ts';
import { FUZZ_TIMEOUT_MS, holdsLater } from './runs.ts';

let server: TestServer;
let tenant: Tenant;

beforeAll(async () => {
  server = await startServer({ settings: { POSTERN_DNS_CHECK: 'off', POSTERN_PLAN_ORGS: '1000000000' } });
  tenant = await addTenant(server);
});
afterAll(() => server.stop());

// $ORG and $PROPERTY are replaced after the server starts.
const members = oneof(
  constantFrom(
    'id',
    'name',
    'domain',
    'level',
    'growth',
    'validity_seconds',
    'allow_subdomains',
    'allow_localhost',
  ),
  constantFrom('max_replay_count', 'sitekey', '__proto__', 'constructor', 'toString', ''),
  string({ unit: 'binary', maxLength: 60 }),
);
const values = oneof(
  constantFrom<unknown>(
    '$ORG',
    '$PROPERTY',
    '',
    'example.com',
    'localhost',
    '127.0.0.1',
    'slow',
    null,
    [],
    {},
  ),
  string({ unit: 'binary', maxLength: 200 }),
  string({ unit: 'grapheme', maxLength: 200 }),
  integer(),
  nat(300),
  double(),
  boolean(),
  jsonValue({ maxDepth: 3 }),
);
const ruleMembers = constantFrom(
  ...['id', 'name', 'action', 'levels', 'level', 'enabled', 'dry_run', 'conditions', 'hits', '__proto__'],
);
const conditions = dictionary(
  constantFrom(
    'networks',
    'user_agents',
    'headers',
    'countries',
    'asns',
    'paths',
    'downgrades',
    'constructor',
  ),
  oneof(values, array(values, { maxLength: 4 })),
  { maxKeys: 6 },
);
const rules = dictionary(ruleMembers, oneof(values, conditions, constantFrom('block', 'adjust')), {
  maxKeys: 8,
});
const ruleBodies = record(
  { rules: array(rules, { maxLength: 4 }), rule: rules, revision: values, position: values },
  { requiredKeys: [] },
);
const objects = dictionary(members, values, { maxKeys: 8 });
const bodies = oneof(
  objects.map((one) => JSON.stringify(one)),
  ruleBodies.map((one) => JSON.stringify(one)),
  array(objects, { maxLength: 5 }).map((many) => JSON.stringify(many)),
  array(values, { maxLength: 5 }).map((many) => JSON.stringify(many)),
  array(constant('$PROPERTY'), { maxLength: 140 }).map((many) => JSON.stringify(many)),
  jsonValue({ stringUnit: 'binary' }).map((value) => JSON.stringify(value)),
  string({ unit: 'binary', maxLength: 300 }),
  uint8Array({ maxLength: 300 }),
);
const routes = constantFrom(
  ['POST', '/org'],
  ['PUT', '/org'],
  ['DELETE', '/org'],
  ['POST', '/org/$ORG/properties'],
  ['PUT', '/properties'],
  ['DELETE', '/properties'],
  ['PUT', '/org/$ORG/property/$PROPERTY/rules'],
  ['POST', '/org/$ORG/property/$PROPERTY/rules'],
  ['POST', '/org/$ORG/property/$PROPERTY/rules/test'],
  ['PUT', '/org/$ORG/property/$PROPERTY/rule/0123456789abcdef'],
);

function fill(text: string): string {
  const { org, property } = idsOf(server, tenant);
  return text.replaceAll('$ORG', org).replaceAll('$PROPERTY', property);
}

const CODES = new Map(Object.values(PROBLEMS).map(({ code, status }) => [`${code} ${status}`, true]));

test(
  'any write has a valid envelope whose code matches the status, and no error is logged',
  async () => {
    const before = server.logged.length;
    await holdsLater(
      asyncProperty(routes, bodies, async ([method = '', path = ''], body) => {
        const response = await fetch(server.url + fill(path), {
          method,
          headers: { 'X-API-Key': tenant.portalKey, 'Content-Type': 'application/json' },
          body: typeof body === 'string' ? fill(body) : (body as Uint8Array<ArrayBuffer>),
        });
        const { status, headers } = response;
        const envelope = (await response.json()) as { meta: Record<string, unknown>; data: unknown };
        expect(status).toBeLessThan(500);
        expect(Object.keys(envelope)).toEqual(['meta', 'data']);
        const { code, description, request_id } = envelope.meta;
        expect(Object.keys(envelope.meta)).toEqual(['code', 'description', 'request_id']);
        expect(request_id).toBe(headers.get('x-request-id'));
        expect(description).toMatch(SENTENCE);
        expect(code === 1000 ? status === 200 : CODES.has(`${code} ${status}`)).toBe(true);
        // If a request deleted the organization, continues with another tenant.
        if (code === 1000 && method === 'DELETE' && path === '/org') tenant = await addTenant(server);
      }),
    );
    const failures = server.logged.slice(before).filter(({ level }) => level === 'error');
    expect(failures).toEqual([]);
  },
  FUZZ_TIMEOUT_MS,
);
