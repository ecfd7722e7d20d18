import type { Element } from '../../jsx/elements.ts';
import { DAY, type Instant, later, toIso } from '../../lib/time.ts';
import { DAYS_RETAINED } from '../../model/period.ts';
import type { Report } from '../../platform/properties/statistics.ts';
import { Field, type FieldErrors } from '../components/field.tsx';
import { SearchForm } from '../components/form.tsx';
import { Icon } from '../components/icon.tsx';
import { daySpan } from '../components/time.tsx';
import { pageContext } from '../i18n/pageContext.ts';
import { t } from '../i18n/t.ts';
import { RANGE_NAMES, type ReportQuery, type ReportResult, reportPath } from './reports.ts';

/** The choice of the range, the comparison, and the files with the numbers. */
export function ReportToolbar(props: {
  readonly path: string;
  /** The path of the files with the numbers, without `.csv` or `.json`. */
  readonly filesPath: string;
  readonly result: ReportResult<Report>;
  /** Whether a script updates the numbers. */
  readonly isLive: boolean;
}): Element {
  const { path, filesPath, result, isLive } = props;
  const { query, errors, report } = result;
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
      <CustomRange path={path} query={query} report={report} errors={errors} />
      {isLive && <LiveIndicator />}
      <div class="report-links">
        <a href={reportPath(path, query, { isComparing: !query.isComparing })}>
          {t(query.isComparing ? 'dashboard.compare.off' : 'dashboard.compare.on')}
        </a>
        {report !== undefined && <Downloads path={filesPath} query={query} />}
      </div>
    </div>
  );
}

function CustomRange(props: {
  readonly path: string;
  readonly query: ReportQuery;
  readonly report: Report | undefined;
  readonly errors: FieldErrors;
}): Element {
  const { path, query, report, errors } = props;
  const isCurrent = query.range === 'custom';
  const { now } = pageContext();
  const dayOf = (instant: Instant) => toIso(instant).slice(0, 10);
  const days = { min: dayOf(later(now, (1 - DAYS_RETAINED) * DAY)), max: dayOf(now) };
  return (
    <details class="custom-range" open={errors.length > 0}>
      <summary aria-current={isCurrent ? 'true' : undefined}>
        {isCurrent && report !== undefined
          ? daySpan(report.from, report.until)
          : t('dashboard.ranges.custom')}
      </summary>
      <div class="custom-form">
        <SearchForm action={path} button={t('dashboard.ranges.show')}>
          {(['from', 'to'] as const).map((name) => (
            <Field
              name={name}
              label={t(`dashboard.ranges.${name}`)}
              type="date"
              value={query[name]}
              range={days}
              errors={errors}
            />
          ))}
          {!query.isComparing && <input type="hidden" name="compare" value="off" />}
        </SearchForm>
        <p class="help">{t('dashboard.ranges.help')}</p>
      </div>
    </details>
  );
}

function Downloads({ path, query }: { readonly path: string; readonly query: ReportQuery }): Element {
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

/** Shown by the script while it updates the numbers. */
function LiveIndicator(): Element {
  return (
    <span class="live" hidden data-offline={t('dashboard.live.offline')}>
      {t('dashboard.live.on')}
    </span>
  );
}
