import type { Property } from '../../../model/property.ts';
import type { Range } from '../../../model/statistics.ts';
import type { PropertyReport } from '../../../platform/properties/statistics.ts';
import { Card } from '../components/card.tsx';
import { duration, grouped, percent } from '../components/numbers.ts';
import { isEmpty, ReportHead, StatisticsReport, type Tile } from '../components/statisticsReport.tsx';
import type { PortalDeps, PropertyVisit } from '../kit/handler.ts';
import { csvOf, RANGE_NAMES, reportFor } from '../kit/reports.ts';
import { propertyPage } from './propertyPage.tsx';

/** The statistics of a property. */
export async function showDashboard(visit: PropertyVisit, deps: PortalDeps) {
  const { property, propertyPath } = visit;
  const report = await reportFor(visit, (range) => reportOn(visit, deps, range));
  if (report instanceof Response) return report;
  const hadVisitors = isEmpty(report) && (await hasNumbers(visit, deps));
  const content = (
    <StatisticsReport
      report={report}
      path={propertyPath}
      csvPath={`${propertyPath}/statistics.csv`}
      tiles={tilesOf(property, report)}
      hasSolveTimes
      empty={<NoNumbers range={report.range} hadVisitors={hadVisitors} propertyPath={propertyPath} />}
    />
  );
  return propertyPage(visit, '', { content, head: <ReportHead report={report} /> });
}

export async function downloadDashboard(visit: PropertyVisit, deps: PortalDeps) {
  const report = await reportFor(visit, (range) => reportOn(visit, deps, range));
  return report instanceof Response ? report : csvOf(report, visit.property.domain);
}

function reportOn({ actor, organization, property }: PropertyVisit, deps: PortalDeps, range: Range) {
  return deps.statistics.of(actor, organization.id, property.id, range);
}

function tilesOf(property: Property, { totals, solveTimes, difficulty }: PropertyReport): readonly Tile[] {
  const { issued, verified, failed, repeated } = totals;
  const accepted = verified + repeated;
  return [
    ['Puzzles issued', grouped(issued)],
    ['Verified', grouped(verified), 'solutions, each counted once'],
    ['Rejected', grouped(failed), 'verifications'],
    ['Accepted repeats', grouped(repeated)],
    ['Accepted', percent(accepted, accepted + failed), 'of all verifications'],
    ['Median solve time', duration(solveTimes.p50), 'as reported by browsers'],
    difficultyTile(property, difficulty),
  ];
}

/** Eight levels double the work: docs/reference/protocol.md#work. */
function difficultyTile({ level }: Property, difficulty: number): Tile {
  const factor = 2 ** ((difficulty - level) / 8);
  const note =
    difficulty === level ? 'equal to the level' : `${factor.toFixed(1)} times the work of level ${level}`;
  return ['Current difficulty', `${difficulty}`, note];
}

/** Whether the property has numbers in the last year, the longest range. */
async function hasNumbers(visit: PropertyVisit, deps: PortalDeps): Promise<boolean> {
  const year = await reportOn(visit, deps, '1y');
  return year.ok && !isEmpty(year.value);
}

function NoNumbers(props: {
  readonly range: Range;
  readonly hadVisitors: boolean;
  readonly propertyPath: string;
}) {
  if (props.hadVisitors)
    return (
      <Card title="No visitors">
        <p class="empty">This property had no visitors in the last {RANGE_NAMES[props.range]}.</p>
      </Card>
    );
  return (
    <Card title="No visitors yet">
      <p>
        No browser has requested a puzzle for this property yet. The numbers appear a few seconds after the
        first visitor.
      </p>
      <p>
        <a href={`${props.propertyPath}/integration`}>Add the widget to your page</a>
      </p>
    </Card>
  );
}
