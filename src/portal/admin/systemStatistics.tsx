import { INSTALLATION_FAILURE_NAMES } from '../../captcha/verdict.ts';
import { toStatistics } from '../../http/statisticsDocument.ts';
import type { Report } from '../../platform/properties/statistics.ts';
import { changesIn } from '../activity/changes.tsx';
import { EmptyState } from '../components/sections.tsx';
import { rich, t } from '../i18n/t.tsx';
import type { SignedInVisit } from '../kit/handler.ts';
import { systemPage } from '../kit/pages.tsx';
import { INSTALLATION_DASHBOARD_PATH, SYSTEM_PATH } from '../kit/paths.ts';
import { countFigure } from '../statistics/figures.tsx';
import { propertiesPage } from '../statistics/propertiesPage.tsx';
import { reportHandlers } from '../statistics/reportHandlers.tsx';
import { ReportHead, type ReportPage, StatisticsReport } from '../statistics/statisticsReport.tsx';

/** Statistics of everything: all properties, and requests that belong to none. Home shows the same numbers. */
export const INSTALLATION_DASHBOARD = reportHandlers<SignedInVisit, Report>({
  load: ({ actor }, { statistics }, ...query) => statistics.ofInstallation(actor, 'all', ...query),
  async show(visit, deps, result) {
    const changes = result.report && (await changesIn(visit, deps, result.report));
    const page = propertiesPage(INSTALLATION_DASHBOARD_PATH);
    const content = (
      <>
        <p>{rich('dashboard.installation.intro', { link: UNASSIGNED_PATH })}</p>
        <StatisticsReport page={page} result={result} changes={changes} />
      </>
    );
    return systemPage(visit, '/statistics', { content, head: <ReportHead />, errors: result.errors });
  },
  pageOf: () => propertiesPage(INSTALLATION_DASHBOARD_PATH),
  nameOf: () => 'installation',
  documentOf,
});

const UNASSIGNED_PATH = `${INSTALLATION_DASHBOARD_PATH}/without-property`;

/** Statistics of requests that belong to no property. */
export const UNASSIGNED_STATISTICS = reportHandlers<SignedInVisit, Report>({
  load: ({ actor }, { statistics }, ...query) => statistics.ofInstallation(actor, 'none', ...query),
  show(visit, _, result) {
    const content = (
      <>
        <p>{t('dashboard.unassigned.intro')}</p>
        <StatisticsReport page={unassignedPage()} result={result} />
      </>
    );
    const title = t('dashboard.unassigned.title');
    const breadcrumbs = [
      [SYSTEM_PATH, t('admin.system')],
      [INSTALLATION_DASHBOARD_PATH, t('dashboard.title')],
    ] as const;
    const head = <ReportHead />;
    return systemPage(visit, '/statistics', { title, breadcrumbs, content, head, errors: result.errors });
  },
  pageOf: unassignedPage,
  nameOf: () => 'without-property',
  documentOf,
});

function documentOf(report: Report) {
  return toStatistics(report, INSTALLATION_FAILURE_NAMES);
}

function unassignedPage(): ReportPage {
  return {
    path: UNASSIGNED_PATH,
    filesPath: UNASSIGNED_PATH,
    figures: (report) => [
      countFigure(report, 'issued', 'deletedProperties'),
      ...(['verified', 'repeated', 'failed'] as const).map((key) => countFigure(report, key)),
    ],
    isOfProperties: false,
    empty: (
      <EmptyState
        icon="chart"
        title={t('dashboard.unassigned.emptyTitle')}
        text={t('dashboard.unassigned.emptyText')}
      />
    ),
  };
}
