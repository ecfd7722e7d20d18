import type { Report } from '../../../platform/properties/statistics.ts';
import type { Element } from '../../jsx/elements.ts';
import { Card } from '../components/card.tsx';
import { grouped } from '../components/numbers.ts';
import { RejectionsCard } from '../components/rejectionsCard.tsx';
import {
  ChartCard,
  csvOf,
  isEmpty,
  NumbersCard,
  noSuchRange,
  RANGE_NAMES,
  RangeLinks,
  ReportHead,
  rangeOf,
  Tiles,
} from '../components/statisticsReport.tsx';
import type { PortalDeps } from '../kit/portalDeps.ts';
import { page } from '../kit/responses.tsx';
import type { SignedInVisit } from '../kit/visit.ts';
import { granted, SystemTabs } from './systemTabs.tsx';

const PATH = '/portal/system/statistics';

/** `GET /portal/system/statistics?range=`: statistics of requests that belong to no property. */
export async function showSystemStatistics(
  visit: SignedInVisit,
  { statistics }: PortalDeps,
): Promise<Response> {
  const range = rangeOf(visit);
  if (range === undefined) return noSuchRange(visit);
  const report = granted(await statistics.ofInstallation(visit.actor, range));
  const content = (
    <>
      <SystemTabs current="/statistics" />
      <p>
        These statistics count requests that belong to no property: fields without a solution, puzzles of
        other servers, and requests of deleted properties. The statistics of a property are on its dashboard.
      </p>
      <RangeLinks path={PATH} current={range} />
      {isEmpty(report) ? (
        <Card title="No requests">
          <p class="empty">There were no such requests in the last {RANGE_NAMES[range]}.</p>
        </Card>
      ) : (
        <Numbers report={report} />
      )}
    </>
  );
  return page(visit, { title: 'System', content, head: <ReportHead report={report} /> });
}

/** `GET /portal/system/statistics.csv?range=`: the same as a CSV file. */
export async function downloadSystemStatistics(
  visit: SignedInVisit,
  { statistics }: PortalDeps,
): Promise<Response> {
  const range = rangeOf(visit);
  return range === undefined
    ? noSuchRange(visit)
    : csvOf(granted(await statistics.ofInstallation(visit.actor, range)), 'installation');
}

function Numbers({ report }: { readonly report: Report }): Element {
  const { issued, verified, failed, repeated } = report.totals;
  return (
    <>
      <Tiles
        tiles={[
          ['Puzzles issued', grouped(issued), 'of deleted properties'],
          ['Verified', grouped(verified)],
          ['Rejected', grouped(failed)],
          ['Accepted repeats', grouped(repeated)],
        ]}
      />
      <ChartCard report={report} />
      <RejectionsCard report={report} />
      <NumbersCard report={report} csvPath={`${PATH}.csv`} />
    </>
  );
}
