import type { FieldError } from '../components/field.tsx';
import { ConfirmByName } from '../components/form.tsx';
import { PropertyNavigation } from '../components/navigation.tsx';
import { hasTypedName } from '../kit/formData.ts';
import { errorOf, fieldErrorOf } from '../kit/messages.ts';
import type { PortalDeps } from '../kit/portalDeps.ts';
import { page, redirectWithNotice } from '../kit/responses.tsx';
import type { PropertyVisit } from '../kit/visit.ts';
import { changeProperty, STILL_WAITING } from './propertyTask.ts';

/** `GET /portal/orgs/:org/properties/:property/delete`. */
export function showPropertyDeletion(visit: PropertyVisit): Response {
  return deletionPage(visit);
}

/** `POST /portal/orgs/:org/properties/:property/delete`. */
export async function deleteProperty(visit: PropertyVisit, deps: PortalDeps): Promise<Response> {
  const { property, organizationPath } = visit;
  if (!hasTypedName(visit.form, property.name)) return deletionPage(visit, [fieldErrorOf('name-not-typed')]);
  const order = { kind: 'delete-properties', items: [property.id] } as const;
  const ending = await changeProperty(deps, visit.actor, order);
  if (ending.kind === 'rejected') return deletionPage(visit, [errorOf(ending.problem)]);
  return redirectWithNotice(
    deps,
    organizationPath,
    ending.kind === 'done' ? `“${property.name}” was deleted.` : STILL_WAITING,
  );
}

function deletionPage(visit: PropertyVisit, errors: readonly FieldError[] = []): Response {
  const { property, propertyPath } = visit;
  const content = (
    <>
      <PropertyNavigation visit={visit} current="/settings" />
      <ConfirmByName
        visit={visit}
        action={`${propertyPath}/delete`}
        name={property.name}
        warning={`The widget on ${property.domain} stops immediately: it gets no more puzzles, and solutions are rejected. The statistics of the property are deleted. You cannot undo this.`}
        button="Delete property"
        cancelPath={`${propertyPath}/settings`}
        errors={errors}
      />
    </>
  );
  return page(visit, { title: 'Delete this property?', content, errors });
}
