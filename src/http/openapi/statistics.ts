import type { VerdictName } from '../../captcha/verdict.ts';
import { RANGES } from '../../model/statistics.ts';
import { IF_NONE_MATCH, type Operation, type Schema, schema } from './parts.ts';
import { PLATFORM_PROBLEMS, PORTAL_KEY, platformRefusals, read } from './platform.ts';
import { IN_ORGANIZATION, ORG_ID, PROPERTY_ID } from './properties.ts';

/** How a presentation of a property's puzzle may be refused. What is no payload, or not signed here, has no property. */
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
  issued: { ...COUNT, description: 'Puzzles that were issued.' },
  verified: { ...COUNT, description: 'Solutions that were accepted, each once.' },
  repeated: { ...COUNT, description: 'Further verifications that `max_replay_count` allows.' },
  failed: { ...COUNT, description: 'Verifications that were refused.' },
};

function object(properties: Readonly<Record<string, Schema>>, description: string): Schema {
  return { type: 'object', description, required: Object.keys(properties), properties };
}

/** Whole milliseconds, or null. */
function milliseconds(share: number): Schema {
  const description = `${share} % of the visitors were not slower; null where none told.`;
  return { type: 'integer', minimum: 0, nullable: true, description };
}

/** Shapes of answers, by name. */
export const STATISTICS_SCHEMAS: Readonly<Record<string, Schema>> = {
  StatisticsTotals: object(TOTALS, 'What was counted.'),
  PropertyStatistics: object(
    {
      range: { type: 'string', enum: Object.keys(RANGES) },
      step: { type: 'string', enum: ['hour', 'day'], description: 'What an entry of `series` is, UTC.' },
      from: { ...TIME, description: 'When the first step began.' },
      until: { ...TIME, description: 'When the last step ends; it is not over yet.' },
      difficulty: {
        type: 'integer',
        minimum: 1,
        maximum: 255,
        description: 'What a visitor who comes now would have to solve.',
      },
      totals: schema('StatisticsTotals'),
      failures: object(
        Object.fromEntries(FAILURES.map((name) => [name, COUNT])),
        'Refused verifications, by the name of their code.',
      ),
      solve_time_ms: object(
        { p50: milliseconds(50), p75: milliseconds(75), p95: milliseconds(95), p99: milliseconds(99) },
        'How long accepted solutions took, as the widgets say; at most 12.5 % off.',
      ),
      solvers: object(
        {
          told: { ...COUNT, description: 'Accepted solutions whose widget says how it solved.' },
          used_wasm: { ...COUNT, description: 'Those of them that WebAssembly solved.' },
        },
        'What did the work, as the widgets say.',
      ),
      series: {
        type: 'array',
        description: 'Every step, oldest first, those without events too.',
        items: object({ from: { ...TIME, description: 'When the step began.' }, ...TOTALS }, 'One step.'),
      },
    },
    'What was counted of a property.',
  ),
};

const NOTHING = { issued: 0, verified: 0, repeated: 0, failed: 0 };
const SEEN = { issued: 240, verified: 181, repeated: 0, failed: 4 };

const EXAMPLE = {
  range: '24h',
  step: 'hour',
  from: '2026-01-30T13:00:00.000Z',
  until: '2026-01-31T13:00:00.000Z',
  difficulty: 130,
  totals: SEEN,
  failures: {
    ...Object.fromEntries(FAILURES.map((name) => [name, 0])),
    'puzzle-expired': 3,
    'solution-verified-before': 1,
  },
  solve_time_ms: { p50: 415, p75: 703, p95: 1919, p99: 3327 },
  solvers: { told: 181, used_wasm: 178 },
  series: Array.from({ length: RANGES['24h'].count }, (_, hour) => ({
    from: new Date(Date.UTC(2026, 0, 30, 13 + hour)).toISOString(),
    ...(hour === 23 ? SEEN : NOTHING),
  })),
};

export const STATISTICS_OPERATIONS = {
  getPropertyStatistics: {
    operationId: 'getPropertyStatistics',
    tags: ['Properties'],
    summary: 'Get the statistics of a property',
    description:
      'Puzzles, verifications, solve times and the present difficulty. Some seconds behind; kept by hour for 30 days, then by day for two years.',
    security: PORTAL_KEY,
    parameters: [
      ORG_ID,
      PROPERTY_ID,
      {
        name: 'range',
        in: 'query',
        description: 'How far back: by hour for `24h` and `7d`, by day for `30d` and `1y`.',
        schema: { type: 'string', enum: Object.keys(RANGES), default: '24h' },
      },
      IF_NONE_MATCH,
    ],
    responses: {
      ...read('What was counted.', 'PropertyStatisticsEnvelope', { statistics: { data: EXAMPLE } }),
      ...platformRefusals([
        ...PLATFORM_PROBLEMS,
        ...IN_ORGANIZATION,
        'property-id-malformed',
        'property-gone',
        'query-malformed',
      ]),
    },
  },
} satisfies Record<string, Operation>;
