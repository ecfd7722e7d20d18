import type { Outcome } from '../../lib/outcome.ts';
import { DAY, HOUR, type Instant, later } from '../../lib/time.ts';
import { dayOf } from '../../lib/timeZone.ts';
import { DAYS_RETAINED, type PeriodProblem, periodOf, type RangeChoice } from '../../model/period.ts';
import { parseRange, RANGES, type Range, toDay } from '../../model/statistics.ts';
import type { Report, ReportOptions } from '../../platform/properties/statistics.ts';
import { Field, type FieldError, type FieldErrors, fieldsFor, formState } from '../components/field.tsx';
import { SearchForm } from '../components/form.tsx';
import { Icon } from '../components/icon.tsx';
import { daySpan } from '../components/values.tsx';
import { pageContext, withPageContext } from '../i18n/pageContext.ts';
import { t } from '../i18n/t.tsx';
import { dayIn, errorOf, fieldOf } from '../kit/forms.ts';
import type { Visit } from '../kit/handler.ts';
import { errorPage, notFound } from '../kit/pages.tsx';
import { withQuery } from '../kit/paths.ts';

/** The names of the ranges, in their order. */
const RANGE_NAMES = Object.keys(RANGES) as readonly Range[];

/** The range that the query of a page selects. */
export type ReportQuery = {
  readonly range: Range | 'custom';
  /** The first and the last day of a custom range, as entered: `2026-01-31`. */
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

/**
 * Runs the handler of a report in the time zone of its page. With a step for each day, this is UTC, because counts by day are stored for
 * days in UTC.
 */
export function inReportZone<T>(query: URLSearchParams, run: () => T): T {
  const context = pageContext();
  return isByDay(queryOf(query), context.now) ? withPageContext({ ...context, timeZone: 'UTC' }, run) : run();
}

function isByDay(query: ReportQuery | undefined, now: Instant): boolean {
  const choice = query && choiceOf(query);
  if (choice === undefined || isErrors(choice)) return false;
  const period = periodOf(choice, now);
  return !period.ok || period.value.step === 'day';
}

/** The last day of a custom range is part of it. Where midnight is not a whole hour in UTC, the range begins and ends at the nearest one. */
function choiceOf({ range, from, to }: ReportQuery): RangeChoice | FieldErrors {
  if (range !== 'custom') return range;
  const [first, last] = [dayIn(from), dayIn(to)];
  if (first !== undefined && last !== undefined) {
    const { now, ownTimeZone } = pageContext();
    const wholeHour = (instant: Instant) => (Math.round(instant / HOUR) * HOUR) as Instant;
    const until = wholeHour(last.until);
    // Today can end after the last hour for which there can be counts: the end of the day in UTC.
    const latest = to <= dayOf(now, ownTimeZone) ? (toDay(now) + 1) * DAY : until;
    return { from: wholeHour(first.from), until: Math.min(until, latest) as Instant };
  }
  const error = (day: unknown, field: string): FieldErrors =>
    day === undefined ? [errorOf('day-malformed', field)] : [];
  return [...error(first, 'from'), ...error(last, 'to')];
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

/**
 * The choice of the range, the comparison, and the files with the numbers.
 *
 * @param filesPath the path of the files, without `.csv` or `.json`
 */
export function reportToolbar(
  path: string,
  filesPath: string,
  { query, errors, report }: ReportResult<Report>,
) {
  return (
    <div class="report-toolbar">
      <nav class="ranges" aria-label={t('dashboard.ranges.label')}>
        <ul>
          {RANGE_NAMES.map((range) => (
            <li>
              <a
                href={reportPath(path, query, { range })}
                aria-current={range === query.range ? 'true' : undefined}
              >
                {t(`dashboard.ranges.${range}`)}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {customRange(path, query, report, errors)}
      {report?.isUnfinished && liveState()}
      <div class="report-links">
        <a href={reportPath(path, query, { isComparing: !query.isComparing })}>
          {t(query.isComparing ? 'dashboard.compare.off' : 'dashboard.compare.on')}
        </a>
        {report !== undefined && downloads(filesPath, query)}
      </div>
    </div>
  );
}

/** Shows that the numbers update automatically, with a button that pauses the updates. The script shows both. */
export function liveState() {
  return (
    <>
      <span class="live" hidden data-offline={t('dashboard.live.offline')}>
        {t('dashboard.live.on')}
      </span>
      <button type="button" class="quiet small pause" data-other={t('dashboard.live.resume')} hidden>
        {t('dashboard.live.pause')}
      </button>
    </>
  );
}

function customRange(path: string, query: ReportQuery, report: Report | undefined, errors: FieldErrors) {
  const isCurrent = query.range === 'custom';
  const { now, ownTimeZone } = pageContext();
  const oldest = dayOf(later(now, (1 - DAYS_RETAINED) * DAY), 'UTC');
  const range = { min: oldest, max: dayOf(now, ownTimeZone) };
  const field = fieldsFor('dashboard.ranges', formState(query, errors));
  return (
    <details class="custom-range" open={errors.length > 0}>
      <summary aria-current={isCurrent ? 'true' : undefined}>
        {isCurrent && report !== undefined
          ? daySpan(report.from, report.until)
          : t('dashboard.ranges.custom')}
      </summary>
      <div class="custom-form">
        <SearchForm action={path} button={t('dashboard.ranges.show')}>
          <Field {...field('from')} type="date" range={range} />
          <Field {...field('to')} type="date" range={range} />
          {!query.isComparing && <input type="hidden" name="compare" value="off" />}
        </SearchForm>
        <p class="help">{t('dashboard.ranges.help')}</p>
      </div>
    </details>
  );
}

function downloads(path: string, query: ReportQuery) {
  const file = (extension: string) => reportPath(`${path}.${extension}`, { ...query, isComparing: true });
  return (
    <span class="downloads">
      <Icon name="download" />
      <a href={file('csv')} download aria-label={t('dashboard.download.csvLabel')}>
        {t('dashboard.download.csv')}
      </a>
      <a href={file('json')} download aria-label={t('dashboard.download.jsonLabel')}>
        {t('dashboard.download.json')}
      </a>
    </span>
  );
}
