import type { VerdictName } from '../../captcha/verdict.ts';
import { RANGES } from '../../model/statistics.ts';
import { IF_NONE_MATCH, type Operation, type Schema, schema } from './builders.ts';
import { errorResponses } from './errorResponses.ts';
import { PLATFORM_PROBLEMS, PORTAL_KEY, read } from './platform.ts';
import { IN_ORGANIZATION, ORG_ID, PROPERTY_ID } from './properties.ts';

/** Verdicts that count as failed verifications of a property. Invalid payloads and foreign signatures have no property. */
export const FAILURES = [
  'error-other',
  'solution-duplicates',
  'solution-invalid',
  'puzzle-expired',
  'property-invalid',
  'property-owner-mismatch',
  'solution-verified-before',
  'org-scope-error',
] as const satisfies readonly VerdictName[];

const COUNT: Schema = { type: 'integer', minimum: 0 };
const TIME: Schema = { type: 'string', format: 'date-time' };

const TOTALS: Readonly<Record<string, Schema>> = {
  issued: { ...COUNT, description: 'Issued puzzles.' },
  verified: { ...COUNT, description: 'Accepted solutions, each counted once.' },
  repeated: { ...COUNT, description: 'Accepted repeated verifications.' },
  failed: { ...COUNT, description: 'Rejected verifications.' },
};

function object(properties: Readonly<Record<string, Schema>>, description: string): Schema {
  return { type: 'object', description, required: Object.keys(properties), properties };
}

/** A percentile in whole milliseconds, or null. */
function percentile(share: number): Schema {
  const description = `The ${share}th percentile; null if no times were reported.`;
  return { type: 'integer', minimum: 0, nullable: true, description };
}

const LEVEL: Schema = { type: 'integer', minimum: 1, maximum: 255 };

/** The 95th percentile at another level, or null. */
function otherLevel(description: string): Schema {
  const noLevel = 'Null if there are too few solve times, or if no such level has puzzles of the same kind.';
  return {
    ...object({ level: LEVEL, p95_ms: COUNT }, `${description} ${noLevel}`),
    nullable: true,
  };
}

/** Schemas by name. */
export const STATISTICS_SCHEMAS: Readonly<Record<string, Schema>> = {
  StatisticsTotals: object(TOTALS, 'Totals.'),
  PropertyStatistics: object(
    {
      range: {
        type: 'string',
        enum: [...Object.keys(RANGES), 'custom'],
        description: '`custom` if the request has `from` and `until`.',
      },
      step: { type: 'string', enum: ['hour', 'day'], description: 'Length of a step of `series`, in UTC.' },
      from: { ...TIME, description: 'Start of the first step.' },
      until: {
        ...TIME,
        description: 'End of the last step. It is in the future if the last step is the current one.',
      },
      difficulty: {
        type: 'integer',
        minimum: 1,
        maximum: 255,
        description: 'Current difficulty of a puzzle for a new visitor.',
      },
      totals: schema('StatisticsTotals'),
      failures: object(
        Object.fromEntries(FAILURES.map((name) => [name, COUNT])),
        'Rejected verifications by the name of their code.',
      ),
      solve_time_ms: object(
        {
          p50: percentile(50),
          p75: percentile(75),
          p90: percentile(90),
          p95: percentile(95),
          p99: percentile(99),
        },
        'Solve times of accepted solutions, as reported by the widgets, which can report false values. The error is at most 12.5%. `solvers` has the number of times; with few times, the high percentiles are not reliable.',
      ),
      solvers: object(
        {
          told: { ...COUNT, description: 'Number of accepted solutions whose widget reported its solver.' },
          used_wasm: { ...COUNT, description: 'Number of these solutions that were found with WebAssembly.' },
        },
        'Solvers, as reported by the widgets.',
      ),
      series: {
        type: 'array',
        description: 'All steps, oldest first, including those without events.',
        items: object({ from: { ...TIME, description: 'Start of the step.' }, ...TOTALS }, 'One step.'),
      },
      level_advice: schema('LevelAdvice'),
    },
    'Statistics of a property.',
  ),
  LevelAdvice: object(
    {
      level: {
        ...LEVEL,
        description: 'The level of the property, to which all of these solve times belong.',
      },
      samples: { ...COUNT, description: 'Number of solve times.' },
      min_samples: { ...COUNT, description: 'Number of solve times that the advice requires.' },
      p95_ms: {
        ...COUNT,
        nullable: true,
        description:
          '95% of the solve times are less than this many milliseconds; null if there are too few solve times.',
      },
      assessment: {
        type: 'string',
        enum: ['fast', 'fits', 'slow', null],
        nullable: true,
        description:
          '`fast` if `higher.p95_ms` is at most 1,000, `slow` if `p95_ms` is more than 2,000, otherwise `fits`; null if there are too few solve times.',
      },
      higher: otherLevel(
        'The level that doubles the work. 95% of the solve times would be less than its `p95_ms`.',
      ),
      lower: otherLevel(
        'The highest level below, in steps of 8, whose `p95_ms` is at most 2,000; if there is none, the lowest one. Its `p95_ms` is an estimate.',
      ),
    },
    'Advice on the level from the solve times of the last 28 days. It includes only hours in which the property had its current level and challenge throughout, regardless of the range of the request.',
  ),
};

const NOTHING = { issued: 0, verified: 0, repeated: 0, failed: 0 };
const COUNTED = { issued: 240, verified: 181, repeated: 0, failed: 4 };

const EXAMPLE = {
  range: '24h',
  step: 'hour',
  from: '2026-01-30T13:00:00.000Z',
  until: '2026-01-31T13:00:00.000Z',
  difficulty: 130,
  totals: COUNTED,
  failures: {
    ...Object.fromEntries(FAILURES.map((name) => [name, 0])),
    'puzzle-expired': 3,
    'solution-verified-before': 1,
  },
  solve_time_ms: { p50: 207, p75: 287, p90: 351, p95: 415, p99: 831 },
  solvers: { told: 181, used_wasm: 178 },
  series: [
    { from: '2026-01-31T11:00:00.000Z', ...NOTHING },
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

export const STATISTICS_OPERATIONS = {
  getPropertyStatistics: {
    operationId: 'getPropertyStatistics',
    tags: ['Properties'],
    summary: 'Get the statistics of a property',
    description:
      'Returns puzzles, verifications, solve times, and the current difficulty. The numbers are a few seconds old. They are stored by hour for 30 days, then by day for two years.',
    security: PORTAL_KEY,
    parameters: [
      ORG_ID,
      PROPERTY_ID,
      {
        name: 'range',
        in: 'query',
        description: 'The time range; by hour for `24h` and `7d`, by day for `30d` and `1y`.',
        schema: { type: 'string', enum: Object.keys(RANGES), default: '24h' },
      },
      {
        name: 'from',
        in: 'query',
        description:
          'Start of a custom range, together with `until` and without `range`: a date or a time in ISO 8601, in UTC if it has no offset. At most 730 days ago. The range is extended to whole steps: hours if it is at most 7 days long and starts in the last 30 days, otherwise days.',
        schema: { type: 'string' },
        example: '2026-01-01',
      },
      {
        name: 'until',
        in: 'query',
        description:
          'End of a custom range, exclusive: after `from`, at most 366 days later, and no later than the end of today. The range contains no steps in the future.',
        schema: { type: 'string' },
        example: '2026-02-01',
      },
      IF_NONE_MATCH,
    ],
    responses: {
      ...read('The statistics. The example shows two of the 24 steps.', 'PropertyStatisticsEnvelope', {
        statistics: { data: EXAMPLE },
      }),
      ...errorResponses([
        ...PLATFORM_PROBLEMS,
        ...IN_ORGANIZATION,
        'property-id-malformed',
        'property-gone',
        'query-malformed',
      ]),
    },
  },
} satisfies Record<string, Operation>;
