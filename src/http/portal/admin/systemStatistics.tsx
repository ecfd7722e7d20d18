import { INSTALLATION_FAILURE_NAMES } from '../../../captcha/verdict.ts';
import type { Report, Totals } from '../../../platform/properties/statistics.ts';
import { toStatistics } from '../../statisticsDocument.ts';
import { EmptyState } from '../components/emptyState.tsx';
import { type Figure, relativeChange } from '../components/figures.tsx';
import { grouped } from '../components/numbers.ts';
import {
  ReportContents,
  ReportHead,
  type ReportPage,
  StatisticsReport,
} from '../components/statisticsReport.tsx';
import { t } from '../i18n/t.ts';
import { fragment } from '../kit/fragment.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { csvOf, jsonOf, type ReportResult, reportFor } from '../kit/reports.ts';
import { notFound, page } from '../kit/responses.tsx';
import { SystemTabs } from './systemTabs.tsx';

const PATH = '/portal/system/statistics';

/** Statistics of requests that belong to no property. */
export async function showSystemStatistics(visit: SignedInVisit, deps: PortalDeps) {
  const result = await loadReport(visit, deps);
  return result instanceof Response ? result : showResult(visit, result);
}

function showResult(visit: SignedInVisit, result: ReportResult<Report>) {
  const content = (
    <>
      <p>{t('dashboard.system.intro')}</p>
      <StatisticsReport page={reportPage()} result={result} />
    </>
  );
  return page(visit, {
    title: t('admin.tabs.statistics'),
    object: t('admin.system'),
    views: <SystemTabs current="/statistics" />,
    content,
    head: <ReportHead />,
    errors: result.errors,
  });
}

/** The current numbers as a fragment, for the script of the page. */
export async function getLiveSystemStatistics(visit: SignedInVisit, deps: PortalDeps) {
  const result = await loadReport(visit, deps);
  if (result instanceof Response) return result;
  if (result.report === undefined) return notFound(visit);
  return fragment(visit, <ReportContents page={reportPage()} report={result.report} />);
}

export async function downloadSystemStatistics(visit: SignedInVisit, deps: PortalDeps) {
  const result = await loadReport(visit, deps);
  if (result instanceof Response) return result;
  const { report } = result;
  return report === undefined ? showResult(visit, result) : csvOf(report, 'installation');
}

export async function downloadSystemStatisticsJson(visit: SignedInVisit, deps: PortalDeps) {
  const result = await loadReport(visit, deps);
  if (result instanceof Response) return result;
  const { report } = result;
  if (report === undefined) return showResult(visit, result);
  return jsonOf(report, 'installation', toStatistics(report, INSTALLATION_FAILURE_NAMES));
}

function loadReport(visit: SignedInVisit, { statistics }: PortalDeps) {
  return reportFor<Report>(visit, (...query) => statistics.ofInstallation(visit.actor, ...query));
}

function reportPage(): ReportPage {
  return {
    path: PATH,
    filesPath: PATH,
    figures: figuresOf,
    hasSolveTimes: false,
    empty: (
      <EmptyState
        icon="chart"
        title={t('dashboard.system.emptyTitle')}
        text={t('dashboard.system.emptyText')}
      />
    ),
  };
}

function figuresOf({ totals, comparison }: Report): readonly Figure[] {
  const count = (key: keyof Totals): Figure => ({
    label: t(`dashboard.figures.${key}`),
    value: grouped(totals[key]),
    note: t(`dashboard.figures.notes.${key === 'issued' ? 'deletedProperties' : key}`),
    change: relativeChange(comparison?.current.totals[key], comparison?.previous.totals[key]),
  });
  return (['issued', 'verified', 'repeated', 'failed'] as const).map(count);
}
