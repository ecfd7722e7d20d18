import type { Range } from '../../../model/statistics.ts';
import { Card } from '../components/card.tsx';
import { grouped } from '../components/numbers.ts';
import { ReportHead, StatisticsReport } from '../components/statisticsReport.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { csvOf, RANGE_NAMES, reportFor } from '../kit/reports.ts';
import { page } from '../kit/responses.tsx';
import { SystemTabs } from './systemTabs.tsx';

const PATH = '/portal/system/statistics';

/** Statistics of requests that belong to no property. */
export async function showSystemStatistics(visit: SignedInVisit, deps: PortalDeps) {
  const report = await reportFor(visit, (range) => deps.statistics.ofInstallation(visit.actor, range));
  if (report instanceof Response) return report;
  const { issued, verified, failed, repeated } = report.totals;
  const content = (
    <>
      <SystemTabs current="/statistics" />
      <p>
        These statistics count requests that belong to no property: forms without a solution, puzzles from
        other servers, and requests for deleted properties. The statistics of a property are on its dashboard.
      </p>
      <StatisticsReport
        report={report}
        path={PATH}
        csvPath={`${PATH}.csv`}
        tiles={[
          ['Puzzles issued', grouped(issued), 'of deleted properties'],
          ['Verified', grouped(verified)],
          ['Rejected', grouped(failed)],
          ['Accepted repeats', grouped(repeated)],
        ]}
        hasSolveTimes={false}
        empty={<NoRequests range={report.range} />}
      />
    </>
  );
  return page(visit, { title: 'System', content, head: <ReportHead report={report} /> });
}

function NoRequests({ range }: { readonly range: Range }) {
  return (
    <Card title="No requests">
      <p class="empty">There were no such requests in the last {RANGE_NAMES[range]}.</p>
    </Card>
  );
}

export async function downloadSystemStatistics(visit: SignedInVisit, deps: PortalDeps) {
  const report = await reportFor(visit, (range) => deps.statistics.ofInstallation(visit.actor, range));
  return report instanceof Response ? report : csvOf(report, 'installation');
}
