import type { FieldErrors } from '../components/field.tsx';
import { ConfirmByName } from '../components/form.tsx';
import { t } from '../i18n/t.ts';
import { hasTypedName } from '../kit/formData.ts';
import type { PortalDeps, PropertyVisit } from '../kit/handler.ts';
import { errorOf, fieldErrorOf } from '../kit/messages.ts';
import { redirectWithNotice } from '../kit/responses.tsx';
import { propertyPage } from './propertyPage.tsx';
import { changeProperty, stillWaiting } from './propertyTask.ts';

export async function deleteProperty(visit: PropertyVisit, deps: PortalDeps) {
  const { property, organizationPath } = visit;
  const { name } = property;
  if (!hasTypedName(visit.form, name))
    return showPropertyDeletion(visit, deps, [fieldErrorOf('name-not-typed')]);
  const order = { kind: 'delete-properties', items: [property.id] } as const;
  const ending = await changeProperty(deps, visit.actor, order);
  if (ending.kind === 'rejected') return showPropertyDeletion(visit, deps, [errorOf(ending.problem)]);
  const notice = ending.kind === 'done' ? t('properties.delete.done', { name }) : stillWaiting();
  return redirectWithNotice(deps, organizationPath, notice);
}

export function showPropertyDeletion(visit: PropertyVisit, _: PortalDeps, errors: FieldErrors = []) {
  const { property, propertyPath } = visit;
  const content = (
    <ConfirmByName
      visit={visit}
      action={`${propertyPath}/delete`}
      name={property.name}
      warning={t('properties.delete.warning', { domain: property.domain })}
      button={t('properties.delete.button')}
      cancelPath={`${propertyPath}/settings`}
      errors={errors}
    />
  );
  return propertyPage(visit, '/settings', { title: t('properties.delete.title'), content, errors });
}
