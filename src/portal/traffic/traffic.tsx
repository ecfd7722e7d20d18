import type { Property, PropertyId } from '../../model/property.ts';
import {
  DIMENSION_NAMES,
  parseTrafficRange,
  type TrafficEvent,
  type TrafficRange,
} from '../../model/traffic.ts';
import type { TrafficReport } from '../../platform/traffic/traffic.ts';
import { ButtonLink } from '../components/form.tsx';
import { Tabs } from '../components/navigation.tsx';
import { Card, EmptyState, Pager } from '../components/sections.tsx';
import { options, rich, t } from '../i18n/t.tsx';
import { ASSET_PATHS } from '../kit/assets.tsx';
import { fieldOf, pageNumberOf } from '../kit/forms.ts';
import type { OrganizationVisit, PortalDeps, PropertyVisit } from '../kit/handler.ts';
import { accessLost, fragment, organizationPage, propertyPage } from '../kit/pages.tsx';
import { propertyPath, withQuery } from '../kit/paths.ts';
import { liveState } from '../statistics/reports.tsx';
import { LIVE_SECONDS, sessionEnded } from '../statistics/statisticsReport.tsx';
import { PAGE_SIZE, rejectionTable } from './rejections.tsx';
import { topCard } from './topValues.tsx';

type TrafficVisit = OrganizationVisit | PropertyVisit;

function propertyOf(visit: TrafficVisit): Property | undefined {
  return 'property' in visit ? visit.property : undefined;
}

function pathOf(visit: TrafficVisit): string {
  return `${'property' in visit ? visit.propertyPath : visit.organizationPath}/traffic`;
}

/** The path of a page with the same range. @param page of the rejections, starting at 0 */
function pathTo(visit: TrafficVisit, rest = '', page = pageNumberOf(visit.query)): string {
  return withQuery(`${pathOf(visit)}${rest}`, { range: rangeIn(visit.query), page: String(page) });
}

function rangeIn(query: URLSearchParams): TrafficRange {
  return parseTrafficRange(fieldOf(query, 'range')) ?? 'hour';
}

function load(visit: TrafficVisit, deps: PortalDeps) {
  const { actor, organization, query } = visit;
  return deps.recentTraffic.of(actor, organization.id, propertyOf(visit)?.id, rangeIn(query));
}

/** The page of a property or an organization, which a script updates. */
export async function showTraffic(visit: TrafficVisit, deps: PortalDeps): Promise<Response> {
  const found = await load(visit, deps);
  if (!found.ok) return accessLost(visit, found.problem);
  const off = <EmptyState icon="activity" title={t('traffic.off.title')} text={rich('traffic.off.text')} />;
  const content = (
    <>
      {toolbar(visit)}
      {sessionEnded(pathTo(visit))}
      <div class="report" data-live={pathTo(visit, '/live')} data-seconds={LIVE_SECONDS}>
        {await contents(visit, deps, found.value)}
      </div>
    </>
  );
  const head = (
    <>
      <link rel="stylesheet" href={ASSET_PATHS.chartStyle} />
      <link rel="stylesheet" href={ASSET_PATHS.trafficStyle} />
      <script src={ASSET_PATHS.liveScript} type="module" />
    </>
  );
  const shown = found.value.details === 'off' ? { content: off } : { content, head };
  return 'property' in visit
    ? propertyPage(visit, '/traffic', shown)
    : organizationPage(visit, '/traffic', shown);
}

/** The part of the page that the script replaces. */
export async function updateTraffic(visit: TrafficVisit, deps: PortalDeps): Promise<Response> {
  const found = await load(visit, deps);
  if (!found.ok) return accessLost(visit, found.problem);
  return fragment(visit, await contents(visit, deps, found.value));
}

function toolbar(visit: TrafficVisit) {
  const { hour, day } = options('traffic.ranges', ['hour', 'day']);
  return (
    <div class="report-toolbar">
      <Tabs
        path={pathOf(visit)}
        class="segments"
        label={t('dashboard.ranges.label')}
        tabs={{ '?range=hour': hour, '?range=day': day }}
        current={`?range=${rangeIn(visit.query)}`}
      />
      {liveState()}
      <div class="report-links">
        <ButtonLink path={pathTo(visit)} text={t('traffic.refresh')} tone="quiet" />
      </div>
    </div>
  );
}

async function contents(visit: TrafficVisit, deps: PortalDeps, report: TrafficReport) {
  const property = propertyOf(visit);
  const hasNetworks = report.details === 'on';
  const isRecorded = { networks: hasNetworks, countries: deps.rules.geoip().hasCountries };
  const shown = DIMENSION_NAMES.filter((name) => ({ hosts: true, browsers: true, ...isRecorded })[name]);
  const page = pageNumberOf(visit.query);
  const rejections = report.rejections.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE);
  const rulePathOf = (id: PropertyId) =>
    `${propertyPath(deps, { id, organizationId: visit.organization.id })}/rules/new`;
  return (
    <div class="traffic" data-part="traffic">
      <p class="intro">
        {t('traffic.intro')} {report.isOfOneNode && t('traffic.oneNode')}{' '}
        {!hasNetworks && t('traffic.withoutNetworks')}
      </p>
      <div class="report-cards">
        {shown.map((name) => topCard(name, report, property && rulePathOf(property.id)))}
      </div>
      <Card title={t('traffic.rejections.title')}>
        {rejectionTable(rejections, { shown, names: await namesOf(visit, deps, rejections), rulePathOf })}
        <p class="help">{t('traffic.rejections.note')}</p>
        <Pager
          page={page}
          hasMore={(page + 1) * PAGE_SIZE < report.rejections.length}
          pathOf={(at) => pathTo(visit, '', at)}
        />
      </Card>
    </div>
  );
}

/** @returns the names of the properties of an organization, without those that were deleted; undefined on the page of a property */
async function namesOf(visit: TrafficVisit, deps: PortalDeps, rejections: readonly TrafficEvent[]) {
  if ('property' in visit) return undefined;
  const names = new Map<PropertyId, string>();
  for (const id of new Set(rejections.map(({ propertyId }) => propertyId))) {
    const found = await deps.properties.byId(visit.actor, visit.organization.id, id);
    if (found.ok) names.set(id, found.value.name);
  }
  return names;
}
