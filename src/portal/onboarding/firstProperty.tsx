import type { FieldErrors } from '../components/field.tsx';
import { Form, LinkButton, SubmitButton } from '../components/form.tsx';
import { rich } from '../i18n/rich.tsx';
import { t } from '../i18n/t.ts';
import { FirstPropertyHead, PropertyFormHead } from '../kit/assets.tsx';
import { organizationCrumbs } from '../kit/frames.tsx';
import type { OrganizationVisit, PortalDeps, PropertyVisit, SignedInVisit } from '../kit/handler.ts';
import { organizationPath } from '../kit/paths.ts';
import { page, redirectTo, redirectWithNotice } from '../kit/responses.tsx';
import { submitProperty } from '../properties/propertyCreate.tsx';
import { LocalhostField, NamingFields } from '../properties/propertyForm.tsx';
import { BLANK_PROPERTY, typedIn } from '../properties/propertyFormData.ts';
import {
  BackendCard,
  createVerifyKey,
  factsOf,
  KeyPart,
  PageCard,
} from '../properties/propertyIntegration.tsx';
import { DomainWarning, noticeFor, type PropertyRejection } from '../properties/propertyTask.tsx';
import { KEY_PLACEHOLDER } from '../properties/snippets.ts';

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
        <DomainWarning rejection={rejection} button={t('properties.create.anyway')} />
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
const STEP_COUNT = STEPS.length;

/** @param props.current the number of the current step, from 1; a number above the last step if all are done */
function Progress({ current }: { readonly current: number }) {
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

/** The steps after the property was created. @param key the secret of a new API key */
export async function showFirstSteps(
  visit: PropertyVisit,
  deps: PortalDeps,
  key?: string,
  errors: FieldErrors = [],
) {
  const facts = factsOf(deps, visit, key ?? KEY_PLACEHOLDER);
  const path = `${visit.organizationPath}/first-property/${visit.params.property}`;
  const state = await stateOf(visit, deps);
  const content = (
    <>
      <Progress current={state.verified > 0 ? STEP_COUNT + 1 : 2} />
      <PageCard facts={facts} />
      <BackendCard facts={facts}>
        <KeyPart visit={visit} deps={deps} action={`${path}/key`} secret={key} />
      </BackendCard>
      <StateCard visit={visit} path={path} state={state} />
    </>
  );
  return page(visit, {
    title: t('onboarding.title'),
    object: visit.property.name,
    breadcrumbs: organizationCrumbs(visit),
    content,
    head: <FirstPropertyHead />,
    errors,
  });
}

/** Creates an API key for the backend. Only this response shows it. */
export async function createFirstKey(visit: PropertyVisit, deps: PortalDeps) {
  const created = await createVerifyKey(visit, deps);
  return typeof created === 'string'
    ? showFirstSteps(visit, deps, created)
    : showFirstSteps(visit, deps, undefined, created);
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
  const { issued, verified, failed } = report.ok
    ? report.value.totals
    : { issued: 0, verified: 0, failed: 0 };
  return { issued, verified, failed };
}

/** Whether a solution was verified. A script updates the card. */
function StateCard(props: { readonly visit: PropertyVisit; readonly path: string; readonly state: State }) {
  const { path, state } = props;
  const { property, propertyPath } = props.visit;
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
        <p class="help">
          {rich('onboarding.trouble', {
            link: (text) => <a href={`${propertyPath}/integration/test`}>{text}</a>,
          })}
        </p>
        <p id="refresh">
          <a href={path}>{t('onboarding.checkAgain')}</a>
        </p>
      </div>
      <div hidden={!isDone}>
        <p>{t('onboarding.protected', { name })}</p>
        <LinkButton path={propertyPath}>{t('onboarding.dashboard')}</LinkButton>
      </div>
    </section>
  );
}

/** `static/portalFirstProperty.js` has the same rule. */
function progressOf({ issued, failed }: State) {
  if (failed > 0) return 'failed';
  return issued > 0 ? 'issued' : 'none';
}
