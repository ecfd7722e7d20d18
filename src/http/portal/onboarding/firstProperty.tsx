import { Form, SubmitButton } from '../components/form.tsx';
import { organizationCrumbs } from '../components/navigation.tsx';
import { rich } from '../i18n/rich.tsx';
import { t } from '../i18n/t.ts';
import { PropertyFormHead } from '../kit/assets.tsx';
import type { OrganizationVisit, PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { page, redirectTo, redirectWithNotice } from '../kit/responses.tsx';
import { organizationPath } from '../organizations/organizationLabel.ts';
import { DomainWarning, type PropertyRejection } from '../properties/domainWarning.tsx';
import { createAnyway, submitProperty } from '../properties/propertyCreate.tsx';
import { LocalhostField, NamingFields } from '../properties/propertyForm.tsx';
import { BLANK_PROPERTY, typedIn } from '../properties/propertyFormData.ts';
import { noticeFor } from '../properties/propertySettings.tsx';

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
        <p class="help">{rich('onboarding.noDomain', { code: (text) => <code>{text}</code> })}</p>
        <LocalhostField typed={typed} />
        <SubmitButton>{t('onboarding.continue')}</SubmitButton>
        <DomainWarning rejection={rejection} button={createAnyway()} />
      </Form>
      <p class="aside">
        <a href={`${organizationPath}/new`}>{t('onboarding.allSettings')}</a>
      </p>
    </>
  );
  return page(visit, {
    title: t('onboarding.title'),
    breadcrumbs: organizationCrumbs(visit),
    content,
    head: <PropertyFormHead />,
    errors,
  });
}

export async function createFirstProperty(visit: OrganizationVisit, deps: PortalDeps) {
  const { name, domain, url, allow_localhost } = typedIn(visit.form);
  const typed = { ...BLANK_PROPERTY, name, domain, url, allow_localhost };
  const created = await submitProperty(visit, deps, typed, (rejection) =>
    showFirstProperty(visit, deps, typed, rejection),
  );
  if (created instanceof Response) return created;
  const path = `${visit.organizationPath}/first-property/${created.id}`;
  return url === '' ? redirectTo(path) : redirectWithNotice(deps, path, noticeFor(typed, ''));
}

const STEPS = ['name', 'code', 'verify'] as const;

/** The number of steps. */
export const STEP_COUNT = STEPS.length;

/** @param props.current the number of the current step, from 1; a number above the last step if all are done */
export function Progress({ current }: { readonly current: number }) {
  return (
    <ol class="progress">
      {STEPS.map((step, index) => (
        <li
          aria-current={index + 1 === current ? 'step' : undefined}
          class={index + 1 < current ? 'past' : undefined}
        >
          {t(`onboarding.steps.${step}`)}
        </li>
      ))}
    </ol>
  );
}
