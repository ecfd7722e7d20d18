import { html } from '../../lib/html.ts';
import type { Property } from '../../model/property.ts';
import type { PropertyChange, PropertyCreation } from '../../model/task.ts';
import { notFound, redirectSaying } from './answers.ts';
import { siteHead } from './assets.ts';
import { domainWarning, mistakesOf, skipsCheckOf, type Unresolved, unresolvedBy } from './domainWarning.ts';
import { page } from './layout.ts';
import { card, copyable, form, type Mistake, submit } from './parts.ts';
import { type PropertyPlace, propertyAt, propertyTabs } from './place.ts';
import { stateCard } from './propertyState.ts';
import { callerOf, type PortalDeps, type SignedInVisit } from './route.ts';
import {
  namingFields,
  placeFields,
  readSite,
  type TypedSite,
  typedIn,
  typedOf,
  workFields,
} from './siteForm.ts';
import { changeSite, STILL_WAITING } from './siteTask.ts';

/** `GET /portal/orgs/:org/properties/:property/settings`. */
export async function showSiteSettings(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const place = await propertyAt(visit, deps);
  return place === undefined ? notFound(visit) : settingsPage(visit, place, typedOf(place.property));
}

/** `POST /portal/orgs/:org/properties/:property/settings`: what is different is changed. */
export async function changeSiteSettings(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const place = await propertyAt(visit, deps);
  if (place === undefined) return notFound(visit);
  const typed = typedIn(visit.form);
  const read = readSite(typed, place.property.isEnabled);
  if ('mistakes' in read) return settingsPage(visit, place, typed, read.mistakes);
  const path = `${place.propertyPath}/settings`;
  const change = differenceOf(place.property, read.site);
  if (Object.keys(change).length === 0) return redirectSaying(deps, path, 'Nothing was different.');
  const items = [{ id: place.property.id, change }];
  const skipsDnsCheck = skipsCheckOf(visit.form, read.site.domain);
  const order = { kind: 'update-properties', items, skipsDnsCheck } as const;
  const ending = await changeSite(deps, callerOf(visit), order);
  if (ending.kind === 'refused') {
    const unresolved = unresolvedBy(ending.problem, read.site.domain);
    const mistakes = mistakesOf(ending.problem, unresolved, ANYWAY);
    return settingsPage(visit, place, typed, mistakes, unresolved);
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
  visit: SignedInVisit,
  place: PropertyPlace,
  typed: TypedSite,
  mistakes: readonly Mistake[] = [],
  unresolved?: Unresolved,
): Response {
  const { property, propertyPath } = place;
  const fields = html`${card('Site', html`${namingFields(typed, mistakes)}${placeFields(typed)}`)}${card(
    'Puzzles',
    workFields(typed, mistakes),
  )}${submit('Save')}${domainWarning(unresolved, ANYWAY)}`;
  const sitekey = html`<p>Public: it stands in your pages. It never changes.</p>
${copyable('sitekey', property.sitekey, 'Copy')}`;
  const deletion = html`<p>Its widget and its verifications stop at once.</p>
<p><a href="${propertyPath}/delete">Delete this site</a></p>`;
  const content = html`${propertyTabs(place, '/settings')}${form({ visit, action: `${propertyPath}/settings`, content: fields })}
${card('Sitekey', sitekey)}${stateCard(visit, place)}${card('Delete', deletion)}`;
  const status = mistakes.length === 0 ? 200 : 422;
  return page(visit, { title: property.name, content, head: siteHead(), status, mistakes });
}
