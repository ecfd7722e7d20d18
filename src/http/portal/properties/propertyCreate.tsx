import { Form, SubmitButton } from '../components/form.tsx';
import { PropertyHead } from '../kit/assets.tsx';
import type { OrganizationVisit, PortalDeps } from '../kit/handler.ts';
import { redirectWithNotice } from '../kit/responses.tsx';
import { organizationPage } from '../organizations/organizationPage.tsx';
import { DomainWarning, type PropertyRejection, rejectionOf, skipsCheckOf } from './domainWarning.tsx';
import { PropertyFields } from './propertyForm.tsx';
import { BLANK_PROPERTY, readPropertyForm, type TypedProperty, typedIn } from './propertyFormData.ts';
import { changeProperty, STILL_WAITING } from './propertyTask.ts';

/** The button that creates a property although its domain does not resolve. */
export const CREATE_ANYWAY = 'Create anyway';

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
      <SubmitButton>Create property</SubmitButton>
      <DomainWarning rejection={rejection} button={CREATE_ANYWAY} />
    </Form>
  );
  return organizationPage(visit, '', { title: 'Create property', content, head: <PropertyHead />, errors });
}

export async function createProperty(visit: OrganizationVisit, deps: PortalDeps) {
  const typed = typedIn(visit.form);
  const created = await submitProperty(visit, deps, typed, (rejection) =>
    showNewProperty(visit, deps, typed, rejection),
  );
  if (created instanceof Response) return created;
  const path = `${visit.organizationPath}/properties/${created.id}/integration`;
  const notice = `“${created.name}” was created. Add the code below to its pages and its backend.`;
  return redirectWithNotice(deps, path, notice);
}

/**
 * Creates a property from a form.
 *
 * @param showForm the response to an invalid form
 * @returns the name and the opaque id of the property, or the response if it was not created or the page stopped waiting
 */
export async function submitProperty(
  visit: OrganizationVisit,
  deps: PortalDeps,
  typed: TypedProperty,
  showForm: (rejection: PropertyRejection) => Response,
): Promise<Response | { readonly name: string; readonly id: string }> {
  const read = readPropertyForm(typed);
  if ('errors' in read) return showForm(read);
  const { name, domain } = read.property;
  const ending = await changeProperty(deps, visit.actor, {
    kind: 'create-properties',
    organizationId: visit.organization.id,
    items: [read.property],
    skipsDnsCheck: skipsCheckOf(visit.form, domain),
  });
  if (ending.kind === 'rejected') return showForm(rejectionOf(ending.problem, domain, CREATE_ANYWAY));
  const { propertyId } = ending.kind === 'done' ? ending.result : {};
  if (propertyId === undefined) return redirectWithNotice(deps, visit.organizationPath, STILL_WAITING);
  return { name, id: deps.ids.seal('property', propertyId) };
}
