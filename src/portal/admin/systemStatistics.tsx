import { INSTALLATION_FAILURE_NAMES } from '../../captcha/verdict.ts';
import { toStatistics } from '../../http/statisticsDocument.ts';
import type { Report } from '../../platform/properties/statistics.ts';
import { EmptyState } from '../components/sections.tsx';
import { t } from '../i18n/t.tsx';
import type { SignedInVisit } from '../kit/handler.ts';
import { systemPage } from '../kit/pages.tsx';
import { countFigure, type Figure } from '../statistics/figures.tsx';
import { reportHandlers } from '../statistics/reportHandlers.tsx';
import { ReportHead, type ReportPage, StatisticsReport } from '../statistics/statisticsReport.tsx';

const PATH = '/portal/system/statistics';

/** Statistics of requests that belong to no property. */
export const SYSTEM_STATISTICS = reportHandlers<SignedInVisit, Report>({
  load: ({ actor }, { statistics }, ...query) => statistics.ofInstallation(actor, ...query),
  show(visit, _, result) {
    const content = (
      <>
        <p>{t('dashboard.system.intro')}</p>
        <StatisticsReport page={reportPage()} result={result} />
      </>
    );
    return systemPage(visit, '/statistics', { content, head: <ReportHead />, errors: result.errors });
  },
  pageOf: reportPage,
  nameOf: () => 'installation',
  documentOf: (report) => toStatistics(report, INSTALLATION_FAILURE_NAMES),
});

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

function figuresOf(report: Report): readonly Figure[] {
  return [
    countFigure(report, 'issued', 'deletedProperties'),
    ...(['verified', 'repeated', 'failed'] as const).map((key) => countFigure(report, key)),
  ];
}
