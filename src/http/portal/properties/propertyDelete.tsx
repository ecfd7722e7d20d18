import type { FieldErrors } from '../components/field.tsx';
import { ConfirmByName } from '../components/form.tsx';
import { hasTypedName } from '../kit/formData.ts';
import type { PortalDeps, PropertyVisit } from '../kit/handler.ts';
import { errorOf, fieldErrorOf } from '../kit/messages.ts';
import { redirectWithNotice } from '../kit/responses.tsx';
import { propertyPage } from './propertyPage.tsx';
import { changeProperty, STILL_WAITING } from './propertyTask.ts';

export async function deleteProperty(visit: PropertyVisit, deps: PortalDeps) {
  const { property, organizationPath } = visit;
  if (!hasTypedName(visit.form, property.name))
    return showPropertyDeletion(visit, deps, [fieldErrorOf('name-not-typed')]);
  const order = { kind: 'delete-properties', items: [property.id] } as const;
  const ending = await changeProperty(deps, visit.actor, order);
  if (ending.kind === 'rejected') return showPropertyDeletion(visit, deps, [errorOf(ending.problem)]);
  return redirectWithNotice(
    deps,
    organizationPath,
    ending.kind === 'done' ? `“${property.name}” was deleted.` : STILL_WAITING,
  );
}

export function showPropertyDeletion(visit: PropertyVisit, _: PortalDeps, errors: FieldErrors = []) {
  const { property, propertyPath } = visit;
  const content = (
    <ConfirmByName
      visit={visit}
      action={`${propertyPath}/delete`}
      name={property.name}
      warning={`The widget on ${property.domain} stops immediately: it gets no more puzzles, and solutions are rejected. The statistics of the property are deleted. You cannot undo this.`}
      button="Delete property"
      cancelPath={`${propertyPath}/settings`}
      errors={errors}
    />
  );
  return propertyPage(visit, '/settings', { title: 'Delete this property?', content, errors });
}
