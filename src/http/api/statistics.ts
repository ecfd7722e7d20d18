import { Elysia } from 'elysia';
import { VERDICT_CODES, type VerdictName } from '../../captcha/verdict.ts';
import { done } from '../../lib/outcome.ts';
import { toIso } from '../../lib/time.ts';
import { parseRange, RANGES, type Range } from '../../model/statistics.ts';
import type { OpaqueIds } from '../../platform/opaqueId.ts';
import type { PropertyReport, Statistics, Totals } from '../../platform/properties/statistics.ts';
import { OPERATIONS } from '../openapi/operations.ts';
import { FAILURES } from '../openapi/statistics.ts';
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
    return report.ok ? { ok: true, data: toWire(report.value) } : report;
  }

  return new Elysia().get('/org/:org_id/property/:property_id/stats', operation({ access: 'read' }, show), {
    detail: OPERATIONS.getPropertyStatistics,
  });
}

/** Parses `range`. */
function parseQuery(query: URLSearchParams): Parsed<Range> {
  const known = checkParameters(query, ['range']);
  if (!known.ok) return known;
  const range = parseRange(query.get('range') ?? DEFAULT_RANGE);
  return range === undefined
    ? rejectQuery(`range must be one of ${Object.keys(RANGES).join(', ')}`)
    : done(range);
}

function toWire({
  range,
  step,
  from,
  until,
  totals,
  failures,
  solveTimes,
  series,
  difficulty,
}: PropertyReport) {
  const countOf = (name: VerdictName) => failures.get(VERDICT_CODES[name]) ?? 0;
  const { reported, usedWasm, p50, p75, p95, p99 } = solveTimes;
  return {
    range,
    step,
    from: toIso(from),
    until: toIso(until),
    difficulty,
    totals: toTotals(totals),
    failures: Object.fromEntries(FAILURES.map((name) => [name, countOf(name)])),
    solve_time_ms: { p50: p50 ?? null, p75: p75 ?? null, p95: p95 ?? null, p99: p99 ?? null },
    solvers: { told: reported, used_wasm: usedWasm },
    series: series.map((one) => ({ from: toIso(one.at), ...toTotals(one) })),
  };
}

function toTotals({ issued, verified, repeated, failed }: Totals): Totals {
  return { issued, verified, repeated, failed };
}
