import { html } from '../../../lib/html.ts';
import type { Property } from '../../../model/property.ts';
import type { PropertyChange, PropertyCreation } from '../../../model/task.ts';
import { card, copyable, form, type Mistake, submit } from '../components/parts.tsx';
import { PropertyHead } from '../kit/assets.tsx';
import { page } from '../kit/layout.tsx';
import { propertyTabs } from '../kit/place.tsx';
import { redirectSaying } from '../kit/responses.tsx';
import type { PortalDeps, PropertyVisit } from '../kit/route.ts';
import { domainWarning, mistakesOf, skipsCheckOf, type Unresolved, unresolvedBy } from './domainWarning.tsx';
import {
  namingFields,
  placeFields,
  readPropertyForm,
  type TypedProperty,
  typedIn,
  typedOf,
  workFields,
} from './propertyForm.tsx';
import { stateCard } from './propertyState.tsx';
import { changeProperty, STILL_WAITING } from './propertyTask.ts';

/** `GET /portal/orgs/:org/properties/:property/settings`. */
export function showPropertySettings(visit: PropertyVisit): Response {
  return settingsPage(visit, typedOf(visit.property));
}

/** `POST /portal/orgs/:org/properties/:property/settings`: what is different is changed. */
export async function changePropertySettings(visit: PropertyVisit, deps: PortalDeps): Promise<Response> {
  const typed = typedIn(visit.form);
  const read = readPropertyForm(typed, visit.property.isEnabled);
  if ('mistakes' in read) return settingsPage(visit, typed, read.mistakes);
  const path = `${visit.propertyPath}/settings`;
  const change = differenceOf(visit.property, read.site);
  if (Object.keys(change).length === 0) return redirectSaying(deps, path, 'Nothing was different.');
  const items = [{ id: visit.property.id, change }];
  const skipsDnsCheck = skipsCheckOf(visit.form, read.site.domain);
  const order = { kind: 'update-properties', items, skipsDnsCheck } as const;
  const ending = await changeProperty(deps, visit.actor, order);
  if (ending.kind === 'refused') {
    const unresolved = unresolvedBy(ending.problem, read.site.domain);
    const mistakes = mistakesOf(ending.problem, unresolved, ANYWAY);
    return settingsPage(visit, typed, mistakes, unresolved);
  }
  return redirectSaying(deps, path, ending.kind === 'done' ? 'The settings were changed.' : STILL_WAITING);
}

/** What is to become different: what somebody else changes meanwhile stays changed. */
function differenceOf(property: Property, site: PropertyCreation): PropertyChange {
  const changed = Object.entries(site).filter(([key, value]) => property[key as keyof Property] !== value);
  return Object.fromEntries(changed);
}

const ANYWAY = 'Save anyway';

function settingsPage(
  visit: PropertyVisit,
  typed: TypedProperty,
  mistakes: readonly Mistake[] = [],
  unresolved?: Unresolved,
): Response {
  const { property, propertyPath } = visit;
  const fields = html`${card('Site', html`${namingFields(typed, mistakes)}${placeFields(typed)}`)}${card(
    'Puzzles',
    workFields(typed, mistakes),
  )}${submit('Save')}${domainWarning(unresolved, ANYWAY)}`;
  const sitekey = html`<p>Public: it stands in your pages. It never changes.</p>
${copyable('sitekey', property.sitekey, 'Copy')}`;
  const deletion = html`<p>Its widget and its verifications stop at once.</p>
<p><a href="${propertyPath}/delete">Delete this site</a></p>`;
  const content = html`${propertyTabs(visit, '/settings')}${form({ visit, action: `${propertyPath}/settings`, content: fields })}
${card('Sitekey', sitekey)}${stateCard(visit)}${card('Delete', deletion)}`;
  return page(visit, { title: property.name, content, head: <PropertyHead />, mistakes });
}
