import type { FieldErrors } from '../components/field.tsx';
import { ConfirmByName } from '../components/form.tsx';
import { t } from '../i18n/t.ts';
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
      warning={warningOf(properties)}
      button={t('organizations.delete.button')}
      cancelPath={`${organizationPath}/settings`}
      errors={errors}
    />
  );
  return organizationPage(visit, '/settings', { title: t('organizations.delete.title'), content, errors });
}

function warningOf(count: number): string {
  const rest = t('organizations.delete.rest');
  return count === 0
    ? t('organizations.delete.empty', { rest })
    : t('organizations.delete.stops', { count, rest });
}

export async function deleteOrganization(visit: OrganizationVisit, deps: PortalDeps) {
  const { id, name } = visit.organization;
  const isConfirmed = hasTypedName(visit.form, name);
  if (!isConfirmed) return showDeleteOrganization(visit, deps, [fieldErrorOf('name-not-typed')]);
  const removed = await deps.organizations.remove(visit.actor, id);
  if (!removed.ok) return accessLost(visit, removed.problem);
  return redirectWithNotice(deps, '/portal', t('organizations.delete.done', { name }));
}
