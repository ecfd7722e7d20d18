import { Form, LinkButton, SubmitButton } from '../components/form.tsx';
import { t } from '../i18n/t.ts';
import { PropertyFormHead } from '../kit/assets.tsx';
import { organizationPage, propertyPage } from '../kit/frames.tsx';
import type { OrganizationVisit, PortalDeps, PropertyVisit } from '../kit/handler.ts';
import { redirectWithNotice } from '../kit/responses.tsx';
import { PropertyFields } from './propertyForm.tsx';
import {
  BLANK_PROPERTY,
  readPropertyForm,
  type TypedProperty,
  typedIn,
  typedOf,
} from './propertyFormData.ts';
import {
  changeProperty,
  DomainWarning,
  noticeFor,
  type PropertyRejection,
  rejectionOf,
  skipsCheckOf,
} from './propertyTask.tsx';

export function showNewProperty(
  visit: OrganizationVisit,
  _: PortalDeps,
  typed = BLANK_PROPERTY,
  rejection: PropertyRejection = { errors: [] },
) {
  const { errors } = rejection;
  const content = (
    <Form visit={visit} action={`${visit.organizationPath}/new`}>
      <PropertyFields typed={typed} errors={errors} />
      <SubmitButton>{t('properties.create.button')}</SubmitButton>
      <DomainWarning rejection={rejection} button={t('properties.create.anyway')} />
    </Form>
  );
  const actions = (
    <LinkButton path={`${visit.organizationPath}/import`} tone="quiet">
      {t('properties.transfer.link')}
    </LinkButton>
  );
  const title = t('properties.create.title');
  return organizationPage(visit, '', { title, content, actions, head: <PropertyFormHead />, errors });
}

export async function createProperty(visit: OrganizationVisit, deps: PortalDeps) {
  const typed = typedIn(visit.form);
  const created = await submitProperty(visit, deps, typed, (rejection) =>
    showNewProperty(visit, deps, typed, rejection),
  );
  if (created instanceof Response) return created;
  const { name, id } = created;
  const path = `${visit.organizationPath}/properties/${id}/integration`;
  return redirectWithNotice(deps, path, noticeFor(typed, t('properties.create.done', { name })));
}

/**
 * Creates a property from a form.
 *
 * @param showForm the response to an invalid form
 * @param isEnabled not a field of the form
 * @returns the name and the opaque id of the property, or the response if it was not created or the page stopped waiting
 */
export async function submitProperty(
  visit: OrganizationVisit,
  deps: PortalDeps,
  typed: TypedProperty,
  showForm: (rejection: PropertyRejection) => Response,
  isEnabled?: boolean,
): Promise<Response | { readonly name: string; readonly id: string }> {
  const read = readPropertyForm(typed, isEnabled);
  if ('errors' in read) return showForm(read);
  const { name, domain } = read.property;
  const ending = await changeProperty(deps, visit.actor, {
    kind: 'create-properties',
    organizationId: visit.organization.id,
    items: [read.property],
    skipsDnsCheck: skipsCheckOf(visit.form, domain),
  });
  if (ending.kind === 'rejected')
    return showForm(rejectionOf(ending.problem, domain, t('properties.create.anyway')));
  const { propertyId } = ending.kind === 'done' ? ending.result : {};
  if (propertyId === undefined)
    return redirectWithNotice(deps, visit.organizationPath, t('properties.waiting'));
  return { name, id: deps.ids.seal('property', propertyId) };
}

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
        <DomainWarning rejection={rejection} button={t('properties.create.anyway')} />
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
