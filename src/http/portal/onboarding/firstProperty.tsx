import { Form, SubmitButton } from '../components/form.tsx';
import { organizationCrumbs } from '../components/navigation.tsx';
import { FirstPropertyHead } from '../kit/assets.tsx';
import type { OrganizationVisit, PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { page, redirectTo } from '../kit/responses.tsx';
import { organizationPath } from '../organizations/organizationLabel.ts';
import { DomainWarning, type PropertyRejection } from '../properties/domainWarning.tsx';
import { CREATE_ANYWAY, submitProperty } from '../properties/propertyCreate.tsx';
import { LocalhostField, NamingFields } from '../properties/propertyForm.tsx';
import { BLANK_PROPERTY, typedIn } from '../properties/propertyFormData.ts';

/** Redirects to the user's oldest organization. */
export async function chooseFirstProperty(visit: SignedInVisit, deps: PortalDeps) {
  const [first] = await deps.organizations.list(visit.actor);
  if (first === undefined) return redirectTo('/portal');
  return redirectTo(`${organizationPath(deps, first.id)}/first-property`);
}

/** The first step, which asks for a name and a domain. */
export function showFirstProperty(
  visit: OrganizationVisit,
  _: PortalDeps,
  typed = { ...BLANK_PROPERTY, allow_localhost: true },
  rejection: PropertyRejection = { errors: [] },
) {
  const { organizationPath } = visit;
  const { errors } = rejection;
  const content = (
    <>
      <Progress current={1} />
      <Form visit={visit} action={`${organizationPath}/first-property`}>
        <NamingFields typed={typed} errors={errors} />
        <p class="help">
          If you have no domain yet, enter <code>example.com</code> and try the widget on localhost. You can
          change the domain later.
        </p>
        <LocalhostField typed={typed} />
        <SubmitButton>Continue</SubmitButton>
        <DomainWarning rejection={rejection} button={CREATE_ANYWAY} />
      </Form>
      <p class="aside">
        <a href={`${organizationPath}/new`}>All settings</a>
      </p>
    </>
  );
  return page(visit, {
    title: FIRST_PROPERTY_TITLE,
    breadcrumbs: organizationCrumbs(visit),
    content,
    head: <FirstPropertyHead />,
    errors,
  });
}

export async function createFirstProperty(visit: OrganizationVisit, deps: PortalDeps) {
  const { name, domain, allow_localhost } = typedIn(visit.form);
  const typed = { ...BLANK_PROPERTY, name, domain, allow_localhost };
  const created = await submitProperty(visit, deps, typed, (rejection) =>
    showFirstProperty(visit, deps, typed, rejection),
  );
  if (created instanceof Response) return created;
  return redirectTo(`${visit.organizationPath}/first-property/${created.id}`);
}

export const FIRST_PROPERTY_TITLE = 'Protect your first property';

export const STEPS = ['Name the property', 'Add the code', 'Verify a solution'] as const;

/** @param props.current the number of the current step, from 1; a number above the last step if all are done */
export function Progress({ current }: { readonly current: number }) {
  return (
    <ol class="progress">
      {STEPS.map((step, index) => (
        <li
          aria-current={index + 1 === current ? 'step' : undefined}
          class={index + 1 < current ? 'past' : undefined}
        >
          {step}
        </li>
      ))}
    </ol>
  );
}
