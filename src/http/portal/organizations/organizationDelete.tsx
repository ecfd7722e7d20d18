import type { FieldErrors } from '../components/field.tsx';
import { ConfirmByName } from '../components/form.tsx';
import { hasTypedName } from '../kit/formData.ts';
import type { OrganizationVisit, PortalDeps } from '../kit/handler.ts';
import { fieldErrorOf } from '../kit/messages.ts';
import { accessLost, redirectWithNotice } from '../kit/responses.tsx';
import { organizationPage } from './organizationPage.tsx';

export async function showDeleteOrganization(
  visit: OrganizationVisit,
  { organizations }: PortalDeps,
  errors: FieldErrors = [],
) {
  const { organizationPath } = visit;
  const { id, name } = visit.organization;
  const own = await organizations.overview(visit.actor);
  const { properties = 0 } = own.find((one) => one.id === id) ?? {};
  const content = (
    <ConfirmByName
      visit={visit}
      action={`${organizationPath}/delete`}
      name={name}
      warning={`${propertiesWarning(properties)} Members lose access, and API keys for this organization stop working. You cannot undo this.`}
      button="Delete organization"
      cancelPath={`${organizationPath}/settings`}
      errors={errors}
    />
  );
  return organizationPage(visit, '/settings', { title: 'Delete this organization?', content, errors });
}

function propertiesWarning(count: number): string {
  if (count === 0) return 'The organization has no properties.';
  const subject = count === 1 ? 'Its property stops' : `Its ${count} properties stop`;
  return `${subject} immediately: widgets get no more puzzles, and solutions are rejected.`;
}

export async function deleteOrganization(visit: OrganizationVisit, deps: PortalDeps) {
  const { id, name } = visit.organization;
  const isConfirmed = hasTypedName(visit.form, name);
  if (!isConfirmed) return showDeleteOrganization(visit, deps, [fieldErrorOf('name-not-typed')]);
  const removed = await deps.organizations.remove(visit.actor, id);
  if (!removed.ok) return accessLost(visit, removed.problem);
  return redirectWithNotice(deps, '/portal', `“${name}” and its properties were deleted.`);
}
