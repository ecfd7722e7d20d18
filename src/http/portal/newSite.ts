import { html } from '../../lib/html.ts';
import { notFound, redirectSaying } from './answers.ts';
import { siteHead } from './assets.ts';
import { domainWarning, mistakesOf, skipsCheckOf, type Unresolved, unresolvedBy } from './domainWarning.ts';
import { page } from './layout.ts';
import { card, form, type Mistake, submit } from './parts.ts';
import { type OrganizationPlace, organizationAt, organizationTabs } from './place.ts';
import { callerOf, type PortalDeps, type SignedInVisit } from './route.ts';
import {
  BLANK_SITE,
  namingFields,
  placeFields,
  readSite,
  type TypedSite,
  typedIn,
  workFields,
} from './siteForm.ts';
import { changeSite, STILL_WAITING } from './siteTask.ts';

/** `GET /portal/orgs/:org/new`: a form with the defaults. */
export async function showNewSite(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const place = await organizationAt(visit, deps);
  return place === undefined ? notFound(visit) : newSitePage(visit, place, BLANK_SITE);
}

/** `POST /portal/orgs/:org/new`. */
export async function createSite(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const place = await organizationAt(visit, deps);
  if (place === undefined) return notFound(visit);
  const typed = typedIn(visit.form);
  const read = readSite(typed);
  if ('mistakes' in read) return newSitePage(visit, place, typed, read.mistakes);
  const order = {
    kind: 'create-properties',
    organizationId: place.organization.id,
    items: [read.site],
    skipsDnsCheck: skipsCheckOf(visit.form, read.site.domain),
  } as const;
  const ending = await changeSite(deps, callerOf(visit), order);
  if (ending.kind === 'refused') {
    const unresolved = unresolvedBy(ending.problem, read.site.domain);
    const mistakes = mistakesOf(ending.problem, unresolved, ANYWAY);
    return newSitePage(visit, place, typed, mistakes, unresolved);
  }
  const { propertyId } = ending.kind === 'done' ? ending.result : {};
  if (propertyId === undefined) return redirectSaying(deps, place.path, STILL_WAITING);
  const path = `${place.path}/properties/${deps.ids.seal('property', propertyId)}/integration`;
  return redirectSaying(deps, path, `“${read.site.name}” was made. Here is what goes into its pages.`);
}

const ANYWAY = 'Create anyway';

function newSitePage(
  visit: SignedInVisit,
  place: OrganizationPlace,
  typed: TypedSite,
  mistakes: readonly Mistake[] = [],
  unresolved?: Unresolved,
): Response {
  const content = html`${card('Site', html`${namingFields(typed, mistakes)}${placeFields(typed)}`)}${card(
    'Puzzles',
    workFields(typed, mistakes),
  )}${submit('Create the site')}${domainWarning(unresolved, ANYWAY)}`;
  const body = html`${organizationTabs(place, '')}${form({ visit, action: `${place.path}/new`, content })}`;
  const status = mistakes.length === 0 ? 200 : 422;
  return page(visit, { title: 'New site', content: body, head: siteHead(), status, mistakes });
}
