import type { FieldError } from '../components/field.tsx';
import { Form, SubmitButton } from '../components/form.tsx';
import { OrganizationNavigation } from '../components/navigation.tsx';
import { PropertyHead } from '../kit/assets.tsx';
import type { PortalDeps } from '../kit/portalDeps.ts';
import { page, redirectWithNotice } from '../kit/responses.tsx';
import type { OrganizationVisit } from '../kit/visit.ts';
import { DomainWarning, errorsOf, skipsCheckOf, type Unresolved, unresolvedBy } from './domainWarning.tsx';
import {
  BLANK_PROPERTY,
  PropertyFields,
  readPropertyForm,
  type TypedProperty,
  typedIn,
} from './propertyForm.tsx';
import { changeProperty, STILL_WAITING } from './propertyTask.ts';

/** `GET /portal/orgs/:org/new`: the form with the default settings. */
export function showNewProperty(visit: OrganizationVisit): Response {
  return newPropertyPage(visit, BLANK_PROPERTY);
}

/** `POST /portal/orgs/:org/new`. */
export async function createProperty(visit: OrganizationVisit, deps: PortalDeps): Promise<Response> {
  const typed = typedIn(visit.form);
  const read = readPropertyForm(typed);
  if ('errors' in read) return newPropertyPage(visit, typed, read.errors);
  const order = {
    kind: 'create-properties',
    organizationId: visit.organization.id,
    items: [read.property],
    skipsDnsCheck: skipsCheckOf(visit.form, read.property.domain),
  } as const;
  const ending = await changeProperty(deps, visit.actor, order);
  if (ending.kind === 'rejected') {
    const unresolved = unresolvedBy(ending.problem, read.property.domain);
    const errors = errorsOf(ending.problem, unresolved, ANYWAY);
    return newPropertyPage(visit, typed, errors, unresolved);
  }
  const { propertyId } = ending.kind === 'done' ? ending.result : {};
  if (propertyId === undefined) return redirectWithNotice(deps, visit.organizationPath, STILL_WAITING);
  const path = `${visit.organizationPath}/properties/${deps.ids.seal('property', propertyId)}/integration`;
  return redirectWithNotice(
    deps,
    path,
    `“${read.property.name}” was created. Add the code below to its pages and its backend.`,
  );
}

const ANYWAY = 'Create anyway';

function newPropertyPage(
  visit: OrganizationVisit,
  typed: TypedProperty,
  errors: readonly FieldError[] = [],
  unresolved?: Unresolved,
): Response {
  const content = (
    <>
      <OrganizationNavigation visit={visit} current="" />
      <Form visit={visit} action={`${visit.organizationPath}/new`}>
        <PropertyFields typed={typed} errors={errors} />
        <SubmitButton>Create property</SubmitButton>
        {unresolved !== undefined && <DomainWarning unresolved={unresolved} button={ANYWAY} />}
      </Form>
    </>
  );
  return page(visit, { title: 'Create property', content, head: <PropertyHead />, errors });
}
