import { toStatistics } from '../../http/statisticsDocument.ts';
import type { Report } from '../../platform/properties/statistics.ts';
import type { OrganizationVisit } from '../kit/handler.ts';
import { organizationPage } from '../kit/pages.tsx';
import { propertiesPage } from '../statistics/propertiesPage.tsx';
import { reportHandlers } from '../statistics/reportHandlers.tsx';
import { ReportHead, StatisticsReport } from '../statistics/statisticsReport.tsx';

const pageOf = ({ organizationPath }: OrganizationVisit) => propertiesPage(`${organizationPath}/statistics`);

/** The statistics of all properties of an organization. */
export const ORGANIZATION_DASHBOARD = reportHandlers<OrganizationVisit, Report>({
  load: ({ actor, organization }, { statistics }, ...query) =>
    statistics.ofOrganization(actor, organization.id, ...query),
  show(visit, _, result) {
    const content = <StatisticsReport page={pageOf(visit)} result={result} />;
    return organizationPage(visit, '/statistics', { content, head: <ReportHead />, errors: result.errors });
  },
  pageOf,
  nameOf: () => 'organization',
  documentOf: (report) => toStatistics(report),
});
