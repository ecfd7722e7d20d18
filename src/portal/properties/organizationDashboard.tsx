import { toStatistics } from '../../http/statisticsDocument.ts';
import type { Report } from '../../platform/properties/statistics.ts';
import { changesIn } from '../activity/changes.tsx';
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
  async show(visit, deps, result) {
    const of = { organizationId: visit.organization.id };
    const changes = result.report && (await changesIn(visit, deps, result.report, of));
    const content = <StatisticsReport page={pageOf(visit)} result={result} changes={changes} />;
    return organizationPage(visit, '/statistics', { content, head: <ReportHead />, errors: result.errors });
  },
  pageOf,
  nameOf: () => 'organization',
  documentOf: (report) => toStatistics(report),
});
