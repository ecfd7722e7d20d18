import { html } from '../../../lib/html.ts';
import { confirmByName, type Mistake } from '../components/parts.tsx';
import { hasTypedName } from '../kit/formData.ts';
import { page } from '../kit/layout.tsx';
import { mistakeOf } from '../kit/messages.ts';
import { propertyTabs } from '../kit/place.tsx';
import { redirectSaying } from '../kit/responses.tsx';
import type { PortalDeps, PropertyVisit } from '../kit/route.ts';
import { changeProperty, STILL_WAITING } from './propertyTask.ts';

/** `GET /portal/orgs/:org/properties/:property/delete`. */
export function showPropertyDeletion(visit: PropertyVisit): Response {
  return deletionPage(visit);
}

/** `POST /portal/orgs/:org/properties/:property/delete`. */
export async function deleteProperty(visit: PropertyVisit, deps: PortalDeps): Promise<Response> {
  const { property, organizationPath } = visit;
  if (!hasTypedName(visit.form, property.name))
    return deletionPage(visit, [mistakeOf('name-not-typed', 'typed_name')]);
  const order = { kind: 'delete-properties', items: [property.id] } as const;
  const ending = await changeProperty(deps, visit.actor, order);
  if (ending.kind === 'refused') return deletionPage(visit, [mistakeOf(ending.problem)]);
  return redirectSaying(
    deps,
    organizationPath,
    ending.kind === 'done' ? `“${property.name}” was deleted.` : STILL_WAITING,
  );
}

function deletionPage(visit: PropertyVisit, mistakes: readonly Mistake[] = []): Response {
  const { property, propertyPath } = visit;
  const body = confirmByName({
    visit,
    action: `${propertyPath}/delete`,
    name: property.name,
    warning: `Pages with the widget of ${property.domain} get no puzzles any more, and its solutions are refused, at once. Its statistics go with it. This cannot be undone here.`,
    button: 'Delete the site',
    back: `${propertyPath}/settings`,
    mistakes,
  });
  const content = html`${propertyTabs(visit, '/settings')}${body}`;
  return page(visit, { title: 'Delete this site?', content, mistakes });
}
