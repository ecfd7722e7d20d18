import type { Children } from '../../jsx/elements.ts';
import type { Report } from '../../platform/properties/statistics.ts';
import { RatesHelp } from '../components/lastDay.tsx';
import { Card } from '../components/sections.tsx';
import { Day, ExactMoment, grouped } from '../components/values.tsx';
import { rich, t, texts } from '../i18n/t.tsx';
import { ASSET_PATHS } from '../kit/assets.tsx';
import { withQuery } from '../kit/paths.ts';
import { ChartCard } from './chart.tsx';
import { type Figure, Figures, RejectionsCard } from './figures.tsx';
import { type ReportResult, reportPath, reportToolbar } from './reports.tsx';
import { SolveTimesCard } from './solveTimes.tsx';

/** Seconds between two updates of the numbers. */
export const LIVE_SECONDS = 10;

/** The parts of a page with statistics that differ between properties and the installation. */
export type ReportPage<R extends Report = Report> = {
  readonly path: string;
  /** Whether a share link shows the page, so that no session can end. */
  readonly isShared?: boolean;
  /** The path of the files with the numbers, without `.csv` or `.json`; also of the fragment with new numbers, with `/live`. */
  readonly filesPath: string;
  readonly figures: (report: R) => readonly Figure[];
  /** A sentence about the current situation. */
  readonly sentence?: (report: R) => Children;
  /** Whether the counts are those of properties. Other requests have no rates and no solve times. */
  readonly isOfProperties: boolean;
  /** Shown with the solve times. */
  readonly advice?: (report: R) => Children;
  /** Replaces the numbers if all of them are zero. */
  readonly empty: Children;
};

/** The style sheet of a report's page, and the scripts of its chart. */
export function ReportHead() {
  return (
    <>
      <link rel="stylesheet" href={ASSET_PATHS.chartStyle} />
      <script src={ASSET_PATHS.plotScript} defer />
      <script src={ASSET_PATHS.chartScript} type="module" />
      <script src={ASSET_PATHS.liveScript} type="module" />
    </>
  );
}

/** The numbers of a range, with links to the other ranges. A script updates them if the range has not ended. */
export function StatisticsReport<R extends Report>(props: {
  readonly page: ReportPage<R>;
  readonly result: ReportResult<R>;
  /** Changes in the range. The chart marks their times. */
  readonly changes?: Children;
}) {
  const { page, result, changes } = props;
  const { query, report } = result;
  const isLive = report?.isUnfinished === true;
  return (
    <>
      {reportToolbar(page.path, page.filesPath, result)}
      {isLive && !page.isShared && sessionEnded(reportPath(page.path, query))}
      {report !== undefined && (
        <div
          class="report"
          data-live={isLive ? reportPath(`${page.filesPath}/live`, query) : undefined}
          data-seconds={LIVE_SECONDS}
        >
          <ReportContents page={page} report={report} />
        </div>
      )}
      {changes}
    </>
  );
}

/** The numbers, which a live update replaces. The notes are below the chart, so that a small window shows the whole chart. */
export function ReportContents<R extends Report>(props: {
  readonly page: ReportPage<R>;
  readonly report: R;
}) {
  const { page, report } = props;
  if (isEmpty(report)) return <div data-part="empty">{page.empty}</div>;
  return (
    <>
      <div data-part="figures">
        <Figures figures={page.figures(report)} />
        {page.isOfProperties && report.thisHour !== undefined && (
          <p class="sentence">{hourSentence(report.thisHour)}</p>
        )}
      </div>
      <ChartCard report={report} />
      <div data-part="notes">
        {page.sentence !== undefined && <p class="sentence">{page.sentence(report)}</p>}
        {page.isOfProperties && <RatesHelp />}
      </div>
      <div class="report-cards" data-part="details">
        <RejectionsCard report={report} />
        {page.isOfProperties && <SolveTimesCard report={report} advice={page.advice?.(report)} />}
      </div>
      {numbersCard(report)}
    </>
  );
}

function hourSentence({ issued, usual }: NonNullable<Report['thisHour']>) {
  const parts = { issued: grouped(issued) };
  if (usual === undefined) return t('dashboard.thisHour.issued', parts);
  return t('dashboard.thisHour.compared', { ...parts, usual: grouped(Math.round(usual)) });
}

/** Shown by the script after the session has ended. */
export function sessionEnded(returnPath: string) {
  return (
    <p class="warning live-ended" role="status" hidden>
      {rich('dashboard.live.ended', { link: withQuery('/portal/login', { return: returnPath }) })}
    </p>
  );
}

/** Whether all counts are zero. */
export function isEmpty({ totals }: Report): boolean {
  return Object.values(totals).every((count) => count === 0);
}

/** All numbers in a table. A script closes the table when it shows the chart. */
function numbersCard(report: Report) {
  const count = report.series.length;
  const isHourly = report.step === 'hour';
  return (
    <Card title={t('dashboard.numbers.title')}>
      <details class="numbers" open>
        <summary data-part="count">
          {t(isHourly ? 'dashboard.numbers.hours' : 'dashboard.numbers.days', { count })}
        </summary>
        <div data-part="table">{countsTable(report)}</div>
      </details>
    </Card>
  );
}

const COUNTED = ['issued', 'verified', 'repeated', 'failed'] as const;

/** A table that stays a table in a narrow window. Its cells have no attributes, because there are up to 366 rows. */
function countsTable({ step, series, isUnfinished }: Report) {
  const isHourly = step === 'hour';
  const head = [t('dashboard.numbers.from'), ...texts('dashboard.figures', ...COUNTED)];
  return (
    <table>
      <caption>{t(isHourly ? 'dashboard.numbers.captionHour' : 'dashboard.numbers.captionDay')}</caption>
      <thead>
        <tr>
          {head.map((text) => (
            <th scope="col">{text}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {series.map((counts, index) => (
          <tr>
            <td>
              {isHourly ? <ExactMoment instant={counts.at} /> : <Day instant={counts.at} />}
              {isUnfinished && index === series.length - 1 && (
                <span class="aside"> {t('dashboard.numbers.unfinished')}</span>
              )}
            </td>
            {COUNTED.map((name) => (
              <td>{grouped(counts[name])}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
