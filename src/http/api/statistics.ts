import { FAILURE_NAMES } from '../../captcha/verdict.ts';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { instantFromIso } from '../../lib/time.ts';
import { DAYS_RETAINED, PERIOD_MAX_DAYS, type PeriodProblem, type RangeChoice } from '../../model/period.ts';
import type { Problem } from '../../model/problems.ts';
import { SETTING_FIELDS } from '../../model/propertyFields.ts';
import { parseRange, RANGES } from '../../model/statistics.ts';
import type { OpaqueIds } from '../../platform/opaqueId.ts';
import type { Statistics } from '../../platform/properties/statistics.ts';
import { type Parameter, type Schema, schema } from '../operationDocs.ts';
import type { Route } from '../router.ts';
import { toPropertyStatistics } from '../statisticsDocument.ts';
import { type CreateHandler, type OperationResult, operationRoutes } from './operation.ts';
import { IN_PROPERTY, type PlatformOperation, read } from './operationDocs.ts';
import { checkParameters, createIdParsers, type Parsed, rejectQuery } from './parsing.ts';
import { count, envelope, type Members, response, schemaOf, time } from './schemas.ts';

export type StatisticsRoutesDeps = {
  readonly statistics: Statistics;
  readonly ids: OpaqueIds;
  readonly operation: CreateHandler;
};

const DEFAULT_RANGE = '24h';

const level = (description: string) => schemaOf(SETTING_FIELDS.level, description);

/** The values at another level, or null. */
function otherLevel(description: string): Schema {
  const noLevel = 'Null if there are too few solve times, or if no such level has puzzles of the same kind.';
  const members = { level: level(''), p95_ms: count() };
  return { ...response(members, `${description} ${noLevel}`), nullable: true };
}

/** Percentiles in whole milliseconds, or null. */
const PERCENTILES = Object.fromEntries(
  [50, 75, 90, 95, 99].map((share) => {
    const description = `The ${share}th percentile; null if no times were reported.`;
    return [`p${share}`, { ...count(description), nullable: true }];
  }),
);

const TOTALS: Members = {
  issued: count('Issued puzzles.'),
  verified: count('Accepted solutions, each counted once.'),
  repeated: count('Accepted repeated verifications.'),
  failed: count('Rejected verifications.'),
};

const rate = (description: string): Schema => ({
  type: 'number',
  minimum: 0,
  maximum: 1,
  nullable: true,
  description,
});

/** The members of all reports that describe their range. */
export const PERIOD_SCHEMAS: Members = {
  range: schema('StatisticsRange'),
  step: schema('StatisticsStep'),
  from: time('Start of the first step.'),
  until: time('End of the last step. It is in the future if the last step is the current one.'),
};

/** @returns the schema of the steps of a report, whose totals describe the counts */
export function seriesOf(counts: Members): Schema {
  const description = 'All steps, oldest first, including those without events.';
  const own = Object.fromEntries(Object.keys(counts).map((name) => [name, count()]));
  const items = response(
    { from: time('Start of the step.'), ...own },
    'One step, with the counts of `totals`.',
  );
  return { type: 'array', description, items };
}

// biome-ignore format: a table of schemas
export const STATISTICS_SCHEMAS: Members = {
  StatisticsRange: { type: 'string', enum: [...Object.keys(RANGES), 'custom'], description: '`custom` if the request has `from` and `until`.' },
  StatisticsStep: { type: 'string', enum: ['hour', 'day'], description: 'Length of a step of `series`, in UTC.' },
  StatisticsTotals: response(TOTALS, 'Totals.'),
  PropertyStatistics: response({
    ...PERIOD_SCHEMAS,
    difficulty: level('Current difficulty of a puzzle for a new visitor.'),
    totals: schema('StatisticsTotals'),
    rates: response({
      solved: rate('`verified` divided by `issued`, at most 1; null if nothing was issued. Puzzles that were issued shortly before the end of the range can still be solved.'),
      accepted: rate('`verified` and `repeated` divided by all verifications; null if there were none.'),
    }, 'Shares of the totals, rounded down to four decimals.'),
    failures: response(Object.fromEntries(FAILURE_NAMES.map((name) => [name, count()])), 'Rejected verifications by the name of their code.'),
    solve_time_ms: response(PERCENTILES, 'Solve times of accepted solutions, as reported by the widgets, which can report false values. The error is at most 12.5%. `solvers` has the number of times; with few times, the high percentiles are not reliable.'),
    solvers: response({
      reported: count('Number of accepted solutions whose widget reported its solver.'),
      used_wasm: count('Number of these solutions that were found with WebAssembly.'),
    }, 'Solvers, as reported by the widgets.'),
    series: seriesOf(TOTALS),
    level_advice: schema('LevelAdvice'),
  }, 'Statistics of a property.'),
  LevelAdvice: response({
    level: level('The level of the property, to which all of these solve times belong.'),
    samples: count('Number of solve times.'),
    min_samples: count('Number of solve times that the advice requires.'),
    p95_ms: { ...count('95% of the solve times are less than this many milliseconds; null if there are too few solve times.'), nullable: true },
    assessment: {
      type: 'string',
      enum: ['fast', 'fits', 'slow', null],
      nullable: true,
      description: '`fast` if `higher.p95_ms` is at most 1,000, `slow` if `p95_ms` is more than 2,000, otherwise `fits`; null if there are too few solve times.',
    },
    higher: otherLevel('The level that doubles the work. 95% of the solve times would be less than its `p95_ms`.'),
    lower: otherLevel('The highest level below, in steps of 8, whose `p95_ms` is at most 2,000; if there is none, the lowest one. Its `p95_ms` is an estimate.'),
  }, 'Advice on the level from the solve times of the last 28 days. It includes only hours in which the property had its current level and challenge throughout, regardless of the range of the request.'),
  PropertyStatisticsEnvelope: envelope(schema('PropertyStatistics')),
};

const COUNTED = { issued: 240, verified: 181, repeated: 0, failed: 4 };

const EXAMPLE = {
  range: '24h',
  step: 'hour',
  from: '2026-01-30T13:00:00.000Z',
  until: '2026-01-31T13:00:00.000Z',
  difficulty: 130,
  totals: COUNTED,
  rates: { solved: 0.7541, accepted: 0.9783 },
  failures: {
    ...Object.fromEntries(FAILURE_NAMES.map((name) => [name, 0])),
    'puzzle-expired': 3,
    'solution-verified-before': 1,
  },
  solve_time_ms: { p50: 207, p75: 287, p90: 351, p95: 415, p99: 831 },
  solvers: { reported: 181, used_wasm: 178 },
  series: [
    { from: '2026-01-31T11:00:00.000Z', issued: 0, verified: 0, repeated: 0, failed: 0 },
    { from: '2026-01-31T12:00:00.000Z', ...COUNTED },
  ],
  level_advice: {
    level: 128,
    samples: 4021,
    min_samples: 100,
    p95_ms: 448,
    assessment: 'fast',
    higher: { level: 136, p95_ms: 896 },
    lower: { level: 120, p95_ms: 237 },
  },
};

/** The parameters of the query that `rangeIn` parses. */
// biome-ignore format: a table of parameters
export const RANGE_PARAMETERS: readonly Parameter[] = [
  { name: 'range', in: 'query', description: 'The time range; by hour for `24h` and `7d`, by day for `30d` and `1y`.', schema: { type: 'string', enum: Object.keys(RANGES), default: DEFAULT_RANGE } },
  { name: 'from', in: 'query', description: 'Start of a custom range, together with `until` and without `range`: a date or a time in ISO 8601, in UTC if it has no offset. At most 730 days ago. The range is extended to whole steps: hours if it is at most 7 days long and starts in the last 30 days, otherwise days.', schema: { type: 'string' }, example: '2026-01-01' },
  { name: 'until', in: 'query', description: 'End of a custom range, exclusive: after `from`, at most 366 days later, and no later than the end of today. The range contains no steps in the future.', schema: { type: 'string' }, example: '2026-02-01' },
];

const OPERATIONS = {
  getPropertyStatistics: {
    method: 'GET',
    path: '/org/:org_id/property/:property_id/stats',
    access: 'read',
    tag: 'Properties',
    summary: 'Get the statistics of a property',
    description:
      'Returns puzzles, verifications, solve times, and the current difficulty. The numbers are a few seconds old. They are stored by hour for 30 days, then by day for two years.',
    query: RANGE_PARAMETERS,
    response: read('The statistics. The example shows two of the 24 steps.', 'PropertyStatisticsEnvelope', {
      statistics: { data: EXAMPLE },
    }),
    problems: [...IN_PROPERTY, 'query-malformed'],
  },
} satisfies Record<string, PlatformOperation>;

/** The route of the statistics of a property. */
export function statisticsRoutes({ statistics, ids, operation }: StatisticsRoutesDeps): readonly Route[] {
  const { propertyIn } = createIdParsers(ids);
  return operationRoutes(operation, OPERATIONS, {
    async getPropertyStatistics({ actor, params, query }) {
      const named = propertyIn(params);
      if (!named.ok) return named;
      const range = rangeIn(query);
      if (!range.ok) return range;
      const { organization, property } = named.value;
      const report = await statistics.of(actor, organization, property, range.value);
      return toResult(report, toPropertyStatistics);
    },
  });
}

/** @returns the response to a request for a report, whose range can be invalid */
export function toResult<R>(
  report: Outcome<R, Problem | PeriodProblem>,
  toDocument: (report: R) => unknown,
): OperationResult {
  if (report.ok) return { ok: true, data: toDocument(report.value) };
  const { problem } = report;
  if (!isPeriodProblem(problem)) return reject(problem);
  return { ok: false, problem: 'query-malformed', detail: PERIOD_DETAILS[problem] };
}

/** Parses `range`, or `from` and `until`. */
export function rangeIn(query: URLSearchParams): Parsed<RangeChoice> {
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

function isPeriodProblem(problem: Problem | PeriodProblem): problem is PeriodProblem {
  return Object.hasOwn(PERIOD_DETAILS, problem);
}
