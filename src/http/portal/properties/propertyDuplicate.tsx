import { Form, SubmitButton } from '../components/form.tsx';
import { t } from '../i18n/t.ts';
import { PropertyFormHead } from '../kit/assets.tsx';
import type { PortalDeps, PropertyVisit } from '../kit/handler.ts';
import { redirectWithNotice } from '../kit/responses.tsx';
import { DomainWarning, type PropertyRejection } from './domainWarning.tsx';
import { createAnyway, submitProperty } from './propertyCreate.tsx';
import { PropertyFields } from './propertyForm.tsx';
import { typedIn, typedOf } from './propertyFormData.ts';
import { propertyPage } from './propertyPage.tsx';
import { noticeFor } from './propertySettings.tsx';

/** The form for a new property with the settings of an existing one. */
export function showPropertyCopy(
  visit: PropertyVisit,
  _: PortalDeps,
  typed = copyOf(visit),
  rejection: PropertyRejection = { errors: [] },
) {
  const { property, propertyPath } = visit;
  const { errors } = rejection;
  const content = (
    <>
      <p>{t('properties.duplicate.text', { name: property.name })}</p>
      <Form visit={visit} action={`${propertyPath}/duplicate`}>
        <PropertyFields typed={typed} errors={errors} />
        <SubmitButton>{t('properties.duplicate.button')}</SubmitButton>
        <DomainWarning rejection={rejection} button={createAnyway()} />
      </Form>
    </>
  );
  const title = t('properties.duplicate.title');
  return propertyPage(visit, '/settings', { title, content, head: <PropertyFormHead />, errors });
}

function copyOf({ property }: PropertyVisit) {
  return { ...typedOf(property), name: t('properties.duplicate.name', { name: property.name }) };
}

/** Creates the copy. It is disabled if the property is disabled. */
export async function duplicateProperty(visit: PropertyVisit, deps: PortalDeps) {
  const typed = typedIn(visit.form);
  const showForm = (rejection: PropertyRejection) => showPropertyCopy(visit, deps, typed, rejection);
  const created = await submitProperty(visit, deps, typed, showForm, visit.property.isEnabled);
  if (created instanceof Response) return created;
  const { name, id } = created;
  const path = `${visit.organizationPath}/properties/${id}/integration`;
  return redirectWithNotice(deps, path, noticeFor(typed, t('properties.duplicate.done', { name })));
}
