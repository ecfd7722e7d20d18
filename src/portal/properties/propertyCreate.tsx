import { formState } from '../components/field.tsx';
import { Form, LinkButton, SubmitButton } from '../components/form.tsx';
import { t } from '../i18n/t.tsx';
import { Head } from '../kit/assets.tsx';
import type { OrganizationVisit, PortalDeps, PropertyVisit } from '../kit/handler.ts';
import { organizationPage, propertyPage, redirectWithNotice } from '../kit/pages.tsx';
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
  type PropertyForm,
  rejectedForm,
  skipsCheckOf,
} from './propertyTask.tsx';

export function showNewProperty(visit: OrganizationVisit, _: PortalDeps, form = BLANK_FORM) {
  const { errors } = form;
  const content = (
    <Form visit={visit} action={`${visit.organizationPath}/new`}>
      <PropertyFields form={form} />
      <SubmitButton>{t('properties.create.button')}</SubmitButton>
      <DomainWarning form={form} button={t('properties.create.anyway')} />
    </Form>
  );
  const actions = (
    <LinkButton path={`${visit.organizationPath}/import`} text={t('properties.transfer.link')} tone="quiet" />
  );
  const title = t('properties.create.title');
  return organizationPage(visit, '', { title, content, actions, head: <Head of="propertyForm" />, errors });
}

const BLANK_FORM: PropertyForm = formState(BLANK_PROPERTY);

export async function createProperty(visit: OrganizationVisit, deps: PortalDeps) {
  const typed = typedIn(visit.form);
  const created = await submitProperty(visit, deps, typed, (form) => showNewProperty(visit, deps, form));
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
  showForm: (form: PropertyForm) => Response,
  isEnabled?: boolean,
): Promise<Response | { readonly name: string; readonly id: string }> {
  const read = readPropertyForm(typed, isEnabled);
  if ('errors' in read) return showForm(formState(typed, read.errors));
  const { name, domain } = read.property;
  const ending = await changeProperty(deps, visit.actor, {
    kind: 'create-properties',
    organizationId: visit.organization.id,
    items: [read.property],
    skipsDnsCheck: skipsCheckOf(visit.form, domain),
  });
  if (ending.kind === 'rejected')
    return showForm(rejectedForm(typed, ending.problem, domain, t('properties.create.anyway')));
  const { propertyId } = ending.kind === 'done' ? ending.result : {};
  if (propertyId === undefined)
    return redirectWithNotice(deps, visit.organizationPath, t('properties.waiting'));
  return { name, id: deps.ids.seal('property', propertyId) };
}

/** The form for a new property with the settings of an existing one. */
export function showPropertyCopy(visit: PropertyVisit, _: PortalDeps, form = copyOf(visit)) {
  const { property, propertyPath } = visit;
  const { errors } = form;
  const content = (
    <>
      <p>{t('properties.duplicate.text', { name: property.name })}</p>
      <Form visit={visit} action={`${propertyPath}/duplicate`}>
        <PropertyFields form={form} />
        <SubmitButton>{t('properties.duplicate.button')}</SubmitButton>
        <DomainWarning form={form} button={t('properties.create.anyway')} />
      </Form>
    </>
  );
  const title = t('properties.duplicate.title');
  return propertyPage(visit, '/settings', { title, content, head: <Head of="propertyForm" />, errors });
}

function copyOf({ property }: PropertyVisit): PropertyForm {
  return formState({ ...typedOf(property), name: t('properties.duplicate.name', { name: property.name }) });
}

/** Creates the copy. It is disabled if the property is disabled. */
export async function duplicateProperty(visit: PropertyVisit, deps: PortalDeps) {
  const typed = typedIn(visit.form);
  const showForm = (form: PropertyForm) => showPropertyCopy(visit, deps, form);
  const created = await submitProperty(visit, deps, typed, showForm, visit.property.isEnabled);
  if (created instanceof Response) return created;
  const { name, id } = created;
  const path = `${visit.organizationPath}/properties/${id}/integration`;
  return redirectWithNotice(deps, path, noticeFor(typed, t('properties.duplicate.done', { name })));
}
