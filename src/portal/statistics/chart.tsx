import type { Report, Totals } from '../../platform/properties/statistics.ts';
import { daySpan, grouped } from '../components/values.tsx';
import { pageContext } from '../i18n/pageContext.ts';
import { t } from '../i18n/t.tsx';

const CHARTED = ['issued', 'verified', 'failed'] as const satisfies readonly (keyof Totals)[];

/** The chart, which a script draws. The table of the report shows the same numbers without scripts. */
export function ChartCard({ report }: { readonly report: Report }) {
  const { step, from, until, series, totals, isUnfinished, comparison } = report;
  const data = Object.fromEntries(
    CHARTED.map((name) => [`data-${name}`, series.map((one) => one[name]).join(',')]),
  );
  const before = comparison?.series.map(({ issued }) => issued);
  return (
    <section class="card chart-card">
      <h2 class="visually-hidden">{t('dashboard.chart.title')}</h2>
      <figure
        class="chart"
        hidden
        data-part="chart"
        data-from={from}
        data-step={step}
        data-zone={pageContext().timeZone}
        data-unfinished={isUnfinished ? t('dashboard.numbers.unfinished') : undefined}
        data-previous={before?.join(',')}
        {...data}
      >
        <figcaption>
          {CHARTED.map((name) => seriesKey(name, totals[name]))}
          {before !== undefined &&
            seriesKey(
              'previous',
              before.reduce((sum, count) => sum + count, 0),
            )}
          <span class="when">{daySpan(from, until)}</span>
        </figcaption>
        <div class="plot" data-label={t('dashboard.chart.plot')} />
        <div class="chart-tools">
          <button type="button" class="quiet small log" aria-pressed="false">
            {t('dashboard.chart.log')}
          </button>
          <button type="button" class="quiet small zoom-out" hidden>
            {t('dashboard.chart.zoomOut')}
          </button>
          <span class="help">{t('dashboard.chart.help')}</span>
        </div>
      </figure>
      {chartNotes(report)}
    </section>
  );
}

/** A button that hides a line or shows it, with the count under the pointer, or the total. */
function seriesKey(name: (typeof CHARTED)[number] | 'previous', total: number) {
  return (
    <button type="button" class={`key ${name}`} data-series={name} aria-pressed="true">
      {t(`dashboard.chart.${name}`)} <b data-value={name}>{grouped(total)}</b>
    </button>
  );
}

/** What the lines mean. */
function chartNotes({ step, isUnfinished, comparison }: Report) {
  const unit = step === 'hour' ? 'Hour' : 'Day';
  return (
    <p class="help">
      {isUnfinished && t(`dashboard.chart.unfinished${unit}`)}{' '}
      {comparison !== undefined && t(`dashboard.change.note${isUnfinished ? unit : ''}`)}
    </p>
  );
}
