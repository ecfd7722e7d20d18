import { Form, LinkButton, SubmitButton } from '../components/form.tsx';
import { t } from '../i18n/t.ts';
import { PropertyFormHead } from '../kit/assets.tsx';
import type { OrganizationVisit, PortalDeps } from '../kit/handler.ts';
import { redirectWithNotice } from '../kit/responses.tsx';
import { organizationPage } from '../organizations/organizationPage.tsx';
import { DomainWarning, type PropertyRejection, rejectionOf, skipsCheckOf } from './domainWarning.tsx';
import { PropertyFields } from './propertyForm.tsx';
import { BLANK_PROPERTY, readPropertyForm, type TypedProperty, typedIn } from './propertyFormData.ts';
import { noticeFor } from './propertySettings.tsx';
import { changeProperty, stillWaiting } from './propertyTask.ts';

/** The text of the button that creates a property although its domain does not resolve. */
export function createAnyway(): string {
  return t('properties.create.anyway');
}

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
      <DomainWarning rejection={rejection} button={createAnyway()} />
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
  if (ending.kind === 'rejected') return showForm(rejectionOf(ending.problem, domain, createAnyway()));
  const { propertyId } = ending.kind === 'done' ? ending.result : {};
  if (propertyId === undefined) return redirectWithNotice(deps, visit.organizationPath, stillWaiting());
  return { name, id: deps.ids.seal('property', propertyId) };
}
