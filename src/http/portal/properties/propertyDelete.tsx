import { html } from '../../../lib/html.ts';
import { confirmByName, type Mistake } from '../components/parts.tsx';
import { hasTypedName } from '../kit/formData.ts';
import { page } from '../kit/layout.tsx';
import { mistakeOf } from '../kit/messages.ts';
import { type PropertyPlace, propertyAt, propertyTabs } from '../kit/place.tsx';
import { notFound, redirectSaying } from '../kit/responses.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/route.ts';
import { changeProperty, STILL_WAITING } from './propertyTask.ts';

/** `GET /portal/orgs/:org/properties/:property/delete`. */
export async function showPropertyDeletion(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const place = await propertyAt(visit, deps);
  return place === undefined ? notFound(visit) : deletionPage(visit, place);
}

/** `POST /portal/orgs/:org/properties/:property/delete`. */
export async function deleteProperty(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const place = await propertyAt(visit, deps);
  if (place === undefined) return notFound(visit);
  const { property, path } = place;
  if (!hasTypedName(visit.form, property.name))
    return deletionPage(visit, place, [mistakeOf('name-not-typed', 'typed_name')]);
  const order = { kind: 'delete-properties', items: [property.id] } as const;
  const ending = await changeProperty(deps, visit.actor, order);
  if (ending.kind === 'refused') return deletionPage(visit, place, [mistakeOf(ending.problem)]);
  return redirectSaying(
    deps,
    path,
    ending.kind === 'done' ? `“${property.name}” was deleted.` : STILL_WAITING,
  );
}

function deletionPage(
  visit: SignedInVisit,
  place: PropertyPlace,
  mistakes: readonly Mistake[] = [],
): Response {
  const { property, propertyPath } = place;
  const body = confirmByName({
    visit,
    action: `${propertyPath}/delete`,
    name: property.name,
    warning: `Pages with the widget of ${property.domain} get no puzzles any more, and its solutions are refused, at once. Its statistics go with it. This cannot be undone here.`,
    button: 'Delete the site',
    back: `${propertyPath}/settings`,
    mistakes,
  });
  const status = mistakes.length === 0 ? 200 : 422;
  const content = html`${propertyTabs(place, '/settings')}${body}`;
  return page(visit, { title: 'Delete this site?', content, status, mistakes });
}
