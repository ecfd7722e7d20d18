import { html } from '../../../lib/html.ts';
import { card, form, type Mistake, submit } from '../components/parts.tsx';
import { propertyHead } from '../kit/assets.tsx';
import { page } from '../kit/layout.tsx';
import { type OrganizationPlace, organizationAt, organizationTabs } from '../kit/place.tsx';
import { notFound, redirectSaying } from '../kit/responses.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/route.ts';
import { domainWarning, mistakesOf, skipsCheckOf, type Unresolved, unresolvedBy } from './domainWarning.tsx';
import {
  BLANK_PROPERTY,
  namingFields,
  placeFields,
  readPropertyForm,
  type TypedProperty,
  typedIn,
  workFields,
} from './propertyForm.tsx';
import { changeProperty, STILL_WAITING } from './propertyTask.ts';

/** `GET /portal/orgs/:org/new`: a form with the defaults. */
export async function showNewProperty(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const place = await organizationAt(visit, deps);
  return place === undefined ? notFound(visit) : newPropertyPage(visit, place, BLANK_PROPERTY);
}

/** `POST /portal/orgs/:org/new`. */
export async function createProperty(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const place = await organizationAt(visit, deps);
  if (place === undefined) return notFound(visit);
  const typed = typedIn(visit.form);
  const read = readPropertyForm(typed);
  if ('mistakes' in read) return newPropertyPage(visit, place, typed, read.mistakes);
  const order = {
    kind: 'create-properties',
    organizationId: place.organization.id,
    items: [read.site],
    skipsDnsCheck: skipsCheckOf(visit.form, read.site.domain),
  } as const;
  const ending = await changeProperty(deps, visit.actor, order);
  if (ending.kind === 'refused') {
    const unresolved = unresolvedBy(ending.problem, read.site.domain);
    const mistakes = mistakesOf(ending.problem, unresolved, ANYWAY);
    return newPropertyPage(visit, place, typed, mistakes, unresolved);
  }
  const { propertyId } = ending.kind === 'done' ? ending.result : {};
  if (propertyId === undefined) return redirectSaying(deps, place.path, STILL_WAITING);
  const path = `${place.path}/properties/${deps.ids.seal('property', propertyId)}/integration`;
  return redirectSaying(deps, path, `“${read.site.name}” was made. Here is what goes into its pages.`);
}

const ANYWAY = 'Create anyway';

function newPropertyPage(
  visit: SignedInVisit,
  place: OrganizationPlace,
  typed: TypedProperty,
  mistakes: readonly Mistake[] = [],
  unresolved?: Unresolved,
): Response {
  const content = html`${card('Site', html`${namingFields(typed, mistakes)}${placeFields(typed)}`)}${card(
    'Puzzles',
    workFields(typed, mistakes),
  )}${submit('Create the site')}${domainWarning(unresolved, ANYWAY)}`;
  const body = html`${organizationTabs(place, '')}${form({ visit, action: `${place.path}/new`, content })}`;
  const status = mistakes.length === 0 ? 200 : 422;
  return page(visit, { title: 'New site', content: body, head: propertyHead(), status, mistakes });
}
