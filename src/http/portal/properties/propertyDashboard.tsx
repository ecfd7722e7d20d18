import { type Html, html } from '../../../lib/html.ts';
import type { Property } from '../../../model/property.ts';
import type { Range } from '../../../model/statistics.ts';
import type { PropertyReport } from '../../../platform/statistics.ts';
import { duration, grouped, percent } from '../components/numbers.ts';
import { card } from '../components/parts.tsx';
import { refusalCard } from '../components/rejectionsCard.tsx';
import {
  chartCard,
  csvOf,
  headOf,
  isEmpty,
  noSuchRange,
  numbersCard,
  RANGE_NAMES,
  rangeLinks,
  rangeOf,
  solveTimeCard,
  type Tile,
  tiles,
} from '../components/statisticsReport.tsx';
import { page } from '../kit/layout.tsx';
import { propertyTabs } from '../kit/place.tsx';
import { notFound } from '../kit/responses.tsx';
import type { PortalDeps, PropertyVisit } from '../kit/route.ts';

/** `GET /portal/orgs/:org/properties/:property?range=`: what was counted of a property. */
export async function showDashboard(visit: PropertyVisit, deps: PortalDeps): Promise<Response> {
  const asked = await askedFor(visit, deps);
  if ('response' in asked) return asked.response;
  const { report } = asked;
  const content = html`${propertyTabs(visit, '')}${rangeLinks(visit.propertyPath, report.range)}${
    isEmpty(report) ? await nothingYet(visit, deps, report) : numbersOf(visit, report)
  }`;
  return page(visit, { title: visit.property.name, content, head: headOf(report) });
}

/** `GET /portal/orgs/:org/properties/:property/statistics.csv?range=`: every step of it, as a file. */
export async function downloadDashboard(visit: PropertyVisit, deps: PortalDeps): Promise<Response> {
  const asked = await askedFor(visit, deps);
  return 'response' in asked ? asked.response : csvOf(asked.report, visit.property.domain);
}

type Asked = { readonly report: PropertyReport } | { readonly response: Response };

async function askedFor(visit: PropertyVisit, deps: PortalDeps): Promise<Asked> {
  const range = rangeOf(visit);
  if (range === undefined) return { response: noSuchRange(visit) };
  const report = await reportOn(visit, deps, range);
  return report === undefined ? { response: notFound(visit) } : { report };
}

/** @returns undefined where the property was deleted a moment ago */
async function reportOn(
  { actor, organization, property }: PropertyVisit,
  { statistics }: PortalDeps,
  range: Range,
): Promise<PropertyReport | undefined> {
  const report = await statistics.of(actor, organization.id, property.id, range);
  return report.ok ? report.value : undefined;
}

function numbersOf({ property, propertyPath }: PropertyVisit, report: PropertyReport): Html {
  return html`${tiles(tilesOf(property, report))}${chartCard(report)}${refusalCard(report)}${solveTimeCard(
    report,
  )}${numbersCard(report, `${propertyPath}/statistics.csv`)}`;
}

function tilesOf(property: Property, { totals, solveTimes, difficulty }: PropertyReport): readonly Tile[] {
  const { issued, verified, failed, repeated } = totals;
  const accepted = verified + repeated;
  return [
    ['Puzzles issued', grouped(issued)],
    ['Verified', grouped(verified), 'solutions, each once'],
    ['Refused', grouped(failed), 'verifications'],
    ['Permitted repeats', grouped(repeated)],
    ['Accepted', percent(accepted, accepted + failed), 'of all verifications'],
    ['Median solve time', duration(solveTimes.p50), 'as browsers tell it'],
    difficultyTile(property, difficulty),
  ];
}

/** Eight levels double the work: docs/reference/protocol.md#work. */
function difficultyTile({ level }: Property, difficulty: number): Tile {
  const factor = 2 ** ((difficulty - level) / 8);
  const note = difficulty === level ? 'its level' : `level ${level}: ${factor.toFixed(1)} times its work`;
  return ['Difficulty now', `${difficulty}`, note];
}

/** Nothing in this range, or nothing ever: as far back as is kept. */
async function nothingYet(visit: PropertyVisit, deps: PortalDeps, { range }: PropertyReport): Promise<Html> {
  const year = range === '1y' ? undefined : await reportOn(visit, deps, '1y');
  if (year !== undefined && !isEmpty(year)) {
    const text = html`<p class="empty">Nobody came in the last ${RANGE_NAMES[range]}.</p>`;
    return card('Nothing in this time', text);
  }
  return card(
    'Nothing yet',
    html`<p>Nobody has asked for a puzzle of this site yet. Numbers show some seconds after the first visitor.</p>
<p><a href="${visit.propertyPath}/integration">Put the widget on your page</a></p>`,
  );
}
