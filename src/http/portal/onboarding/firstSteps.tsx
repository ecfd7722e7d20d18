import type { FieldErrors } from '../components/field.tsx';
import { LinkButton } from '../components/form.tsx';
import { organizationCrumbs } from '../components/navigation.tsx';
import { rich } from '../i18n/rich.tsx';
import { t } from '../i18n/t.ts';
import { FirstPropertyHead } from '../kit/assets.tsx';
import type { PortalDeps, PropertyVisit } from '../kit/handler.ts';
import { page } from '../kit/responses.tsx';
import {
  BackendCard,
  createVerifyKey,
  factsOf,
  KeyPart,
  PageCard,
} from '../properties/propertyIntegration.tsx';
import { KEY_PLACEHOLDER } from '../properties/snippets.ts';
import { Progress, STEP_COUNT } from './firstProperty.tsx';

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
