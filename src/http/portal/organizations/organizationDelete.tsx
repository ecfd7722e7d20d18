import type { FieldError } from '../components/field.tsx';
import { ConfirmByName } from '../components/form.tsx';
import { OrganizationNavigation } from '../components/navigation.tsx';
import { hasTypedName } from '../kit/formData.ts';
import { fieldErrorOf } from '../kit/messages.ts';
import type { PortalDeps } from '../kit/portalDeps.ts';
import { accessLost, page, redirectWithNotice } from '../kit/responses.tsx';
import type { OrganizationVisit } from '../kit/visit.ts';

/** `GET /portal/orgs/:org/delete`. */
export function showDeleteOrganization(visit: OrganizationVisit, deps: PortalDeps): Promise<Response> {
  return deletionPage(visit, deps);
}

/** `POST /portal/orgs/:org/delete`. */
export async function deleteOrganization(visit: OrganizationVisit, deps: PortalDeps): Promise<Response> {
  const { id, name } = visit.organization;
  if (!hasTypedName(visit.form, name)) return deletionPage(visit, deps, [fieldErrorOf('name-not-typed')]);
  const removed = await deps.organizations.remove(visit.actor, id);
  if (!removed.ok) return accessLost(visit, removed.problem);
  return redirectWithNotice(deps, '/portal', `“${name}” and its properties were deleted.`);
}

async function deletionPage(
  visit: OrganizationVisit,
  { organizations }: PortalDeps,
  errors: readonly FieldError[] = [],
): Promise<Response> {
  const { organizationPath } = visit;
  const { id, name } = visit.organization;
  const own = await organizations.overview(visit.actor);
  const { properties = 0 } = own.find((one) => one.id === id) ?? {};
  const content = (
    <>
      <OrganizationNavigation visit={visit} current="/settings" />
      <ConfirmByName
        visit={visit}
        action={`${organizationPath}/delete`}
        name={name}
        warning={`${propertiesWarning(properties)} Members lose access, and API keys for this organization stop working. You cannot undo this.`}
        button="Delete organization"
        cancelPath={`${organizationPath}/settings`}
        errors={errors}
      />
    </>
  );
  return page(visit, { title: 'Delete this organization?', content, errors });
}

function propertiesWarning(count: number): string {
  if (count === 0) return 'The organization has no properties.';
  const subject = count === 1 ? 'Its property stops' : `Its ${count} properties stop`;
  return `${subject} immediately: widgets get no more puzzles, and solutions are rejected.`;
}
