import { html } from '../../../lib/html.ts';
import { card, form, type Mistake, submit } from '../components/parts.tsx';
import { PropertyHead } from '../kit/assets.tsx';
import { page } from '../kit/layout.tsx';
import { organizationTabs } from '../kit/place.tsx';
import { redirectSaying } from '../kit/responses.tsx';
import type { OrganizationVisit, PortalDeps } from '../kit/route.ts';
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
export function showNewProperty(visit: OrganizationVisit): Response {
  return newPropertyPage(visit, BLANK_PROPERTY);
}

/** `POST /portal/orgs/:org/new`. */
export async function createProperty(visit: OrganizationVisit, deps: PortalDeps): Promise<Response> {
  const typed = typedIn(visit.form);
  const read = readPropertyForm(typed);
  if ('mistakes' in read) return newPropertyPage(visit, typed, read.mistakes);
  const order = {
    kind: 'create-properties',
    organizationId: visit.organization.id,
    items: [read.site],
    skipsDnsCheck: skipsCheckOf(visit.form, read.site.domain),
  } as const;
  const ending = await changeProperty(deps, visit.actor, order);
  if (ending.kind === 'refused') {
    const unresolved = unresolvedBy(ending.problem, read.site.domain);
    const mistakes = mistakesOf(ending.problem, unresolved, ANYWAY);
    return newPropertyPage(visit, typed, mistakes, unresolved);
  }
  const { propertyId } = ending.kind === 'done' ? ending.result : {};
  if (propertyId === undefined) return redirectSaying(deps, visit.organizationPath, STILL_WAITING);
  const path = `${visit.organizationPath}/properties/${deps.ids.seal('property', propertyId)}/integration`;
  return redirectSaying(deps, path, `“${read.site.name}” was made. Here is what goes into its pages.`);
}

const ANYWAY = 'Create anyway';

function newPropertyPage(
  visit: OrganizationVisit,
  typed: TypedProperty,
  mistakes: readonly Mistake[] = [],
  unresolved?: Unresolved,
): Response {
  const content = html`${card('Site', html`${namingFields(typed, mistakes)}${placeFields(typed)}`)}${card(
    'Puzzles',
    workFields(typed, mistakes),
  )}${submit('Create the site')}${domainWarning(unresolved, ANYWAY)}`;
  const body = html`${organizationTabs(visit, '')}${form({ visit, action: `${visit.organizationPath}/new`, content })}`;
  return page(visit, { title: 'New site', content: body, head: <PropertyHead />, mistakes });
}
