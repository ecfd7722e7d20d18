import { html } from '../../../lib/html.ts';
import type { Report } from '../../../platform/statistics.ts';
import { grouped } from '../components/numbers.ts';
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
  tiles,
} from '../components/statisticsReport.tsx';
import { page } from '../kit/layout.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/route.ts';
import { systemTabs } from './systemTabs.tsx';

const PATH = '/portal/system/statistics';

/** `GET /portal/system/statistics?range=`: what was counted and belongs to no site. */
export async function showSystemStatistics(
  visit: SignedInVisit,
  { statistics }: PortalDeps,
): Promise<Response> {
  const range = rangeOf(visit);
  if (range === undefined) return noSuchRange(visit);
  const report = await statistics.ofInstallation(range);
  const nothing = html`<p class="empty">Nothing of this kind in the last ${RANGE_NAMES[range]}.</p>`;
  const content = html`${systemTabs('/statistics')}<p>Statistics of what came to this server and is no site’s: fields that hold no solution, puzzles of
other servers, and what is left of sites that are gone. The numbers of a site are on its own page.</p>
${rangeLinks(PATH, range)}${isEmpty(report) ? card('Nothing', nothing) : numbersOf(report)}`;
  return page(visit, { title: 'System', content, head: headOf(report) });
}

/** `GET /portal/system/statistics.csv?range=`: every step of it, as a file. */
export async function downloadSystemStatistics(
  visit: SignedInVisit,
  { statistics }: PortalDeps,
): Promise<Response> {
  const range = rangeOf(visit);
  return range === undefined
    ? noSuchRange(visit)
    : csvOf(await statistics.ofInstallation(range), 'installation');
}

function numbersOf(report: Report) {
  const { issued, verified, failed, repeated } = report.totals;
  return html`${tiles([
    ['Puzzles issued', grouped(issued), 'of sites that are gone'],
    ['Verified', grouped(verified)],
    ['Refused', grouped(failed)],
    ['Permitted repeats', grouped(repeated)],
  ])}${chartCard(report)}${refusalCard(report)}${numbersCard(report, `${PATH}.csv`)}`;
}
