import { formState } from '../components/field.tsx';
import { Form, LinkButton, SubmitButton } from '../components/form.tsx';
import { rich, t } from '../i18n/t.tsx';
import { Head } from '../kit/assets.tsx';
import type { OrganizationVisit, PortalDeps, PropertyVisit, SignedInVisit } from '../kit/handler.ts';
import { organizationCrumbs, page, redirectTo, redirectWithNotice } from '../kit/pages.tsx';
import { organizationPath } from '../kit/paths.ts';
import { submitProperty } from '../properties/propertyCreate.tsx';
import { LocalhostField, NamingFields } from '../properties/propertyForm.tsx';
import { BLANK_PROPERTY, typedIn } from '../properties/propertyFormData.ts';
import {
  BackendCard,
  type CreatedKey,
  createVerifyKey,
  factsOf,
  keyPart,
  PageCard,
} from '../properties/propertyIntegration.tsx';
import { DomainWarning, noticeFor, type PropertyForm } from '../properties/propertyTask.tsx';

/** Redirects to the user's oldest organization. */
export async function chooseFirstProperty(visit: SignedInVisit, deps: PortalDeps) {
  const [first] = await deps.organizations.list(visit.actor);
  if (first === undefined) return redirectTo('/portal');
  return redirectTo(`${organizationPath(deps, first.id)}/first-property`);
}

/** The first step, which asks for a name and a domain. */
export function showFirstProperty(visit: OrganizationVisit, _: PortalDeps, form = FIRST_FORM) {
  const { organizationPath } = visit;
  const { typed, errors } = form;
  const content = (
    <>
      <Progress current={0} />
      <Form visit={visit} action={`${organizationPath}/first-property`}>
        <NamingFields form={form} />
        <p class="help">{rich('onboarding.noDomain')}</p>
        <LocalhostField typed={typed} />
        <SubmitButton>{t('onboarding.continue')}</SubmitButton>
        <DomainWarning form={form} button={t('properties.create.anyway')} />
      </Form>
      <p class="aside">
        <a href={`${organizationPath}/new`}>{t('onboarding.allSettings')}</a>
      </p>
    </>
  );
  const title = t('onboarding.title');
  const breadcrumbs = organizationCrumbs(visit);
  return page(visit, { title, breadcrumbs, content, head: <Head of="propertyForm" />, errors });
}

const FIRST_FORM: PropertyForm = formState(BLANK_PROPERTY);

export async function createFirstProperty(visit: OrganizationVisit, deps: PortalDeps) {
  const { name, domain, url, allow_localhost } = typedIn(visit.form);
  const typed = { ...BLANK_PROPERTY, name, domain, url, allow_localhost };
  const created = await submitProperty(visit, deps, typed, (form) => showFirstProperty(visit, deps, form));
  if (created instanceof Response) return created;
  const path = `${visit.organizationPath}/first-property/${created.id}`;
  return url === '' ? redirectTo(path) : redirectWithNotice(deps, path, noticeFor(typed, ''));
}

const STEPS = ['name', 'code', 'verify'] as const;

/** @param props.current the index of the current step; the number of steps if all are done */
function Progress({ current }: { readonly current: number }) {
  return (
    <ol class="progress">
      {STEPS.map((step, index) => (
        <li
          aria-current={index === current ? 'step' : undefined}
          class={index < current ? 'past' : undefined}
        >
          {t(`onboarding.steps.${step}`)}
        </li>
      ))}
    </ol>
  );
}

/** The steps after the property was created. @param created by `createVerifyKey` */
export async function showFirstSteps(visit: PropertyVisit, deps: PortalDeps, created: CreatedKey = []) {
  const facts = factsOf(deps, visit, created);
  const path = `${visit.organizationPath}/first-property/${visit.params.property}`;
  const state = await stateOf(visit, deps);
  const content = (
    <>
      <Progress current={state.verified > 0 ? STEPS.length : 1} />
      <PageCard facts={facts} />
      <BackendCard facts={facts}>{keyPart(visit, deps, `${path}/key`, created)}</BackendCard>
      {stateCard(visit, path, state)}
    </>
  );
  return page(visit, {
    title: t('onboarding.title'),
    object: visit.property.name,
    breadcrumbs: organizationCrumbs(visit),
    content,
    head: <Head of="firstProperty" />,
    errors: typeof created === 'string' ? [] : created,
  });
}

/** Creates an API key for the backend. Only this response shows it. */
export async function createFirstKey(visit: PropertyVisit, deps: PortalDeps) {
  return showFirstSteps(visit, deps, await createVerifyKey(visit, deps));
}

/** The state as JSON, for the page's script. */
export async function getFirstPropertyState(visit: PropertyVisit, deps: PortalDeps) {
  return Response.json(await stateOf(visit, deps));
}

type State = { readonly issued: number; readonly verified: number; readonly failed: number };

/** A few seconds old, like all statistics. */
async function stateOf(visit: PropertyVisit, deps: PortalDeps): Promise<State> {
  const { organization, property } = visit;
  const report = await deps.statistics.of(visit.actor, organization.id, property.id, '30d');
  if (!report.ok) return { issued: 0, verified: 0, failed: 0 };
  const { issued, verified, failed } = report.value.totals;
  return { issued, verified, failed };
}

/** Whether a solution was verified. A script updates the card. */
function stateCard({ property, propertyPath }: PropertyVisit, path: string, state: State) {
  const { name, domain, allowsLocalhost } = property;
  const isDone = state.verified > 0;
  return (
    <section
      class={isDone ? 'card waiting done' : 'card waiting'}
      id="state"
      aria-live="polite"
      data-state={`${path}/state`}
      data-verified={t('onboarding.verified')}
      data-none={t('onboarding.none')}
      data-issued={t('onboarding.issued')}
      data-failed={t('onboarding.failed')}
    >
      <h2>{t(isDone ? 'onboarding.verified' : 'onboarding.waiting')}</h2>
      <div hidden={isDone}>
        <p>{t(allowsLocalhost ? 'onboarding.submitLocalhost' : 'onboarding.submit', { domain })}</p>
        <p id="seen">{t(`onboarding.${progressOf(state)}`)}</p>
        <p class="help">{rich('onboarding.trouble', { link: `${propertyPath}/integration/test` })}</p>
        <p id="refresh">
          <a href={path}>{t('onboarding.checkAgain')}</a>
        </p>
      </div>
      <div hidden={!isDone}>
        <p>{t('onboarding.protected', { name })}</p>
        <LinkButton path={propertyPath} text={t('onboarding.dashboard')} />
      </div>
    </section>
  );
}

/** `static/portalFirstProperty.js` has the same rule. */
function progressOf({ issued, failed }: State) {
  if (failed > 0) return 'failed';
  return issued > 0 ? 'issued' : 'none';
}
