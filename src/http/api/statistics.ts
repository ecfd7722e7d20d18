import { Elysia } from 'elysia';
import { done, reject } from '../../lib/outcome.ts';
import { instantFromIso } from '../../lib/time.ts';
import { DAYS_RETAINED, PERIOD_MAX_DAYS, type PeriodProblem, type RangeChoice } from '../../model/period.ts';
import { parseRange, RANGES } from '../../model/statistics.ts';
import type { OpaqueIds } from '../../platform/opaqueId.ts';
import type { Statistics } from '../../platform/properties/statistics.ts';
import { OPERATIONS } from '../openapi/operations.ts';
import { toPropertyStatistics } from '../statisticsDocument.ts';
import type { Parsed } from './jsonObject.ts';
import type { Call, createOperations, OperationResult } from './operation.ts';
import { createParseOrganizationId } from './organizations.ts';
import { UNDECODED } from './properties.ts';
import { checkParameters, rejectQuery } from './queryParameters.ts';
import { createParsePropertyId } from './wire.ts';

export type StatisticsRoutesDeps = {
  readonly statistics: Statistics;
  readonly ids: OpaqueIds;
  readonly operation: ReturnType<typeof createOperations>;
};

const DEFAULT_RANGE = '24h';

/** The route of `/org/{org_id}/property/{property_id}/stats`. */
export function statisticsRoutes({ statistics, ids, operation }: StatisticsRoutesDeps) {
  const organizationIdOf = createParseOrganizationId(ids);
  const propertyIdOf = createParsePropertyId(ids);

  async function show({ actor, params, query }: Call): Promise<OperationResult> {
    const organizationId = organizationIdOf(params.org_id ?? UNDECODED);
    if (!organizationId.ok) return organizationId;
    const id = propertyIdOf(params.property_id ?? UNDECODED);
    if (!id.ok) return id;
    const range = parseQuery(query);
    if (!range.ok) return range;
    const report = await statistics.of(actor, organizationId.value, id.value, range.value);
    if (report.ok) return { ok: true, data: toPropertyStatistics(report.value) };
    const { problem } = report;
    if (!isPeriodProblem(problem)) return reject(problem);
    return { ok: false, problem: 'query-malformed', detail: PERIOD_DETAILS[problem] };
  }

  return new Elysia().get('/org/:org_id/property/:property_id/stats', operation({ access: 'read' }, show), {
    detail: OPERATIONS.getPropertyStatistics,
  });
}

/** Parses `range`, or `from` and `until`. */
function parseQuery(query: URLSearchParams): Parsed<RangeChoice> {
  const known = checkParameters(query, ['range', 'from', 'until']);
  if (!known.ok) return known;
  const [from, until] = [query.get('from'), query.get('until')];
  if (from !== null || until !== null) return parseCustomRange(query.get('range'), from, until);
  const range = parseRange(query.get('range') ?? DEFAULT_RANGE);
  return range === undefined
    ? rejectQuery(`range must be one of ${Object.keys(RANGES).join(', ')}`)
    : done(range);
}

function parseCustomRange(
  range: string | null,
  from: string | null,
  until: string | null,
): Parsed<RangeChoice> {
  if (range !== null) return rejectQuery('range cannot be combined with from and until');
  if (from === null || until === null) return rejectQuery('from and until must be given together');
  const [start, end] = [instantFromIso(from), instantFromIso(until)];
  if (start !== undefined && end !== undefined) return done({ from: start, until: end });
  const name = start === undefined ? 'from' : 'until';
  return rejectQuery(`${name} must be a date or a time such as 2026-01-31 or 2026-01-31T12:00:00Z`);
}

const PERIOD_DETAILS: Readonly<Record<PeriodProblem, string>> = {
  'period-reversed': 'from must be before until',
  'period-future': 'from must be in the past, and until must not be after the end of today (UTC)',
  'period-too-old': `from must be at most ${DAYS_RETAINED - 1} days ago; older statistics are deleted`,
  'period-too-long': `from and until must be at most ${PERIOD_MAX_DAYS} days apart`,
};

function isPeriodProblem(problem: string): problem is PeriodProblem {
  return Object.hasOwn(PERIOD_DETAILS, problem);
}
