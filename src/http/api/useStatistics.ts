import { done, type Outcome } from '../../lib/outcome.ts';
import type { Problem } from '../../model/problems.ts';
import type { RuleId, RuleScope } from '../../model/rules/rule.ts';
import type { OpaqueIds } from '../../platform/opaqueId.ts';
import type { UseOverTime } from '../../platform/overview/useOverTime.ts';
import type { Properties } from '../../platform/properties/properties.ts';
import { type Schema, schema } from '../operationDocs.ts';
import type { Route } from '../router.ts';
import { toUseStatistics } from '../statisticsDocument.ts';
import { type Call, type CreateHandler, type Operation, operationRoutes } from './operation.ts';
import { IN_PROPERTY, type PlatformOperation, read } from './operationDocs.ts';
import { createIdParsers } from './parsing.ts';
import { count, envelope, type Members, response } from './schemas.ts';
import { PERIOD_SCHEMAS, RANGE_PARAMETERS, rangeIn, seriesOf, toResult } from './statistics.ts';

export type UseStatisticsRoutesDeps = {
  readonly useOverTime: Pick<UseOverTime, 'ofKey' | 'ofRule'>;
  readonly properties: Pick<Properties, 'byId'>;
  readonly ids: OpaqueIds;
  readonly operation: CreateHandler;
  /** Creates handlers that accept keys of both scopes. */
  readonly ownKeyOperation: CreateHandler;
};

function statisticsOf(counts: Members, description: string): Schema {
  return response({ ...PERIOD_SCHEMAS, totals: response(counts), series: seriesOf(counts) }, description);
}

const OF_KEY: Members = {
  accepted: count('Accepted requests and solutions.'),
  rejected: count('Requests that failed, and rejected solutions.'),
  limited: count('Requests above the rate limit.'),
};
const OF_RULE: Members = { hits: count('Requests that the rule matched.') };

export const USE_SCHEMAS: Members = {
  ApiKeyStatistics: statisticsOf(OF_KEY, 'Requests of an API key.'),
  ApiKeyStatisticsEnvelope: envelope(schema('ApiKeyStatistics')),
  RuleStatistics: statisticsOf(OF_RULE, 'Hits of a rule.'),
  RuleStatisticsEnvelope: envelope(schema('RuleStatistics')),
};

/** @returns the example of a report with one step */
function exampleOf(counts: Readonly<Record<string, number>>) {
  const [from, until] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'];
  const data = { range: 'custom', step: 'day', from, until, totals: counts, series: [{ from, ...counts }] };
  return { statistics: { data } };
}

/** The component of the document that both operations on rules refer to. */
export const USE_RESPONSES = {
  RuleStatistics: read('The statistics.', 'RuleStatisticsEnvelope', exampleOf({ hits: 7 })),
} as const;

const READ = { method: 'GET', access: 'read', query: RANGE_PARAMETERS } as const;
const OF_RULES = { ...READ, tag: 'Rules', response: 'RuleStatistics' } as const;

const OF_OWN_KEY = {
  getApiKeyStatistics: {
    ...READ,
    acceptsAnyScope: true,
    tag: 'API keys',
    path: '/apikey/stats',
    summary: 'Get the statistics of the API key',
    description:
      'Returns the requests with the API key that authenticates this request, whatever its scope. The rate limit of rotations applies.',
    response: read(
      'The statistics.',
      'ApiKeyStatisticsEnvelope',
      exampleOf({ accepted: 90, rejected: 4, limited: 0 }),
    ),
    problems: ['query-malformed'],
  },
} satisfies Record<string, PlatformOperation>;

const OPERATIONS = {
  getPropertyRuleStatistics: {
    ...OF_RULES,
    path: '/org/:org_id/property/:property_id/rule/:rule_id/stats',
    summary: 'Get the statistics of a rule of a property',
    description: 'Returns the hits of a rule over time.',
    problems: [...IN_PROPERTY, 'rule-unknown', 'query-malformed'],
  },
  getRuleStatistics: {
    ...OF_RULES,
    path: '/rule/:rule_id/stats',
    summary: 'Get the statistics of a rule of the installation',
    description: 'Returns the hits of a rule over time.',
    problems: ['admin-only', 'rule-unknown', 'query-malformed'],
  },
} satisfies Record<string, PlatformOperation>;

/** The routes of the statistics of API keys and rules. */
export function useStatisticsRoutes({
  useOverTime,
  ids,
  ...deps
}: UseStatisticsRoutesDeps): readonly Route[] {
  const { propertyIn } = createIdParsers(ids);

  function ofRule(scopeOf: (call: Call) => Promise<Outcome<RuleScope, Problem>>): Operation {
    return async (call) => {
      const scope = await scopeOf(call);
      if (!scope.ok) return scope;
      const range = rangeIn(call.query);
      if (!range.ok) return range;
      // The use case rejects a text that is not the id of a rule.
      const id = call.params.rule_id as RuleId;
      return toResult(await useOverTime.ofRule(call.actor, scope.value, id, range.value), toUseStatistics);
    };
  }

  return [
    ...operationRoutes(deps.ownKeyOperation, OF_OWN_KEY, {
      async getApiKeyStatistics({ actor, query }) {
        const range = rangeIn(query);
        if (!range.ok) return range;
        const { keyId } = actor.limits;
        if (keyId === undefined) return { ok: false, problem: 'key-unknown' };
        return toResult(await useOverTime.ofKey(actor, keyId, range.value), toUseStatistics);
      },
    }),
    ...operationRoutes(deps.operation, OPERATIONS, {
      getPropertyRuleStatistics: ofRule(async ({ actor, params }) => {
        const named = propertyIn(params);
        if (!named.ok) return named;
        const { organization, property } = named.value;
        const found = await deps.properties.byId(actor, organization, property);
        return found.ok ? done(found.value.id) : found;
      }),
      getRuleStatistics: ofRule(async () => done('installation')),
    }),
  ];
}
