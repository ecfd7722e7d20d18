import type { Outcome } from '../../lib/outcome.ts';
import { DAY, type Instant, later } from '../../lib/time.ts';
import type { PeriodProblem, RangeChoice } from '../../model/period.ts';
import { parseRange, RANGES, type Range } from '../../model/statistics.ts';
import type { Report, ReportOptions } from '../../platform/properties/statistics.ts';
import type { FieldError, FieldErrors } from '../components/field.tsx';
import { t } from '../i18n/t.ts';
import { dayIn, fieldOf } from '../kit/formData.ts';
import type { Visit } from '../kit/handler.ts';
import { errorOf } from '../kit/messages.ts';
import { withQuery } from '../kit/paths.ts';
import { errorPage, notFound } from '../kit/responses.tsx';

/** The names of the ranges, in their order. */
export const RANGE_NAMES = Object.keys(RANGES) as readonly Range[];

/** The range that the query of a page selects. */
export type ReportQuery = {
  readonly range: Range | 'custom';
  /** The first and the last day of a custom range in UTC, as entered: `2026-01-31`. */
  readonly from: string;
  readonly to: string;
  readonly isComparing: boolean;
};

/** A report, or the errors of the custom range. */
export type ReportResult<R extends Report> = {
  readonly query: ReportQuery;
  readonly report?: R;
  readonly errors: FieldErrors;
};

type Load<R extends Report> = (
  range: RangeChoice,
  options: ReportOptions,
) => Promise<Outcome<R, string | PeriodProblem>>;

/**
 * Loads the report of the range in the query, 24 hours by default, with the previous period unless the query has `compare=off`.
 *
 * @returns the page for an unknown range (400) or a lost object (404)
 */
export async function reportFor<R extends Report>(
  visit: Visit,
  load: Load<R>,
): Promise<ReportResult<R> | Response> {
  const query = queryOf(visit.query);
  if (query === undefined)
    return errorPage(visit, 400, t('dashboard.unknownRange.title'), t('dashboard.unknownRange.text'));
  const choice = choiceOf(query);
  if (isErrors(choice)) return { query, errors: choice };
  const report = await load(choice, { compares: query.isComparing });
  if (report.ok) return { query, report: report.value, errors: [] };
  return isPeriodProblem(report.problem)
    ? { query, errors: [errorOf(report.problem, FIELD_OF_PERIOD[report.problem])] }
    : notFound(visit);
}

/** @returns the path of the page with a range */
export function reportPath(path: string, query: ReportQuery, change: Partial<ReportQuery> = {}): string {
  const { range, from, to, isComparing } = { ...query, ...change };
  const span: Readonly<Record<string, string>> = range === 'custom' ? { from, to } : { range };
  return withQuery(path, { ...span, ...(!isComparing && { compare: 'off' }) });
}

function queryOf(query: URLSearchParams): ReportQuery | undefined {
  const [from, to] = [fieldOf(query, 'from').trim(), fieldOf(query, 'to').trim()];
  const isCustom = query.has('from') || query.has('to');
  const range = isCustom ? 'custom' : parseRange(query.get('range') ?? '24h');
  return range && { range, from, to, isComparing: query.get('compare') !== 'off' };
}

/** The last day of a custom range is part of it. */
function choiceOf({ range, from, to }: ReportQuery): RangeChoice | FieldErrors {
  if (range !== 'custom') return range;
  const [start, end] = [dayIn(from), dayIn(to)];
  if (start !== undefined && end !== undefined) return { from: start, until: later(end, DAY) };
  const error = (day: Instant | undefined, field: string): FieldErrors =>
    day === undefined ? [errorOf('day-malformed', field)] : [];
  return [...error(start, 'from'), ...error(end, 'to')];
}

function isErrors(choice: RangeChoice | FieldErrors): choice is readonly FieldError[] {
  return Array.isArray(choice);
}

const FIELD_OF_PERIOD: Readonly<Record<PeriodProblem, string>> = {
  'period-reversed': 'to',
  'period-future': 'to',
  'period-too-old': 'from',
  'period-too-long': 'from',
};

function isPeriodProblem(problem: string): problem is PeriodProblem {
  return Object.hasOwn(FIELD_OF_PERIOD, problem);
}
