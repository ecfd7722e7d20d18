import type { FieldErrors } from '../components/field.tsx';
import { Form, LinkButton } from '../components/form.tsx';
import { organizationCrumbs } from '../components/navigation.tsx';
import { FirstPropertyHead } from '../kit/assets.tsx';
import type { PortalDeps, PropertyVisit } from '../kit/handler.ts';
import { errorOf } from '../kit/messages.ts';
import { page } from '../kit/responses.tsx';
import { BackendCard, factsOf, PageCard } from '../properties/propertyIntegration.tsx';
import { KEY_PLACEHOLDER } from '../properties/snippets.ts';
import { FIRST_PROPERTY_TITLE, Progress, STEPS } from './firstProperty.tsx';

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
      <Progress current={state.verified > 0 ? STEPS.length + 1 : 2} />
      <PageCard title={`Page of ${visit.property.name}`} facts={facts} />
      <BackendCard title="Backend that processes the form" facts={facts}>
        {key === undefined ? (
          <Form
            visit={visit}
            action={`${path}/key`}
            oneTimeToken={deps.oneTimeTokens.issue()}
            button="Create API key"
          >
            <p>
              The backend needs an API key in place of <code>{KEY_PLACEHOLDER}</code>.
            </p>
          </Form>
        ) : (
          <p class="secret-note">
            <strong>The code below contains the API key, which is shown only once.</strong> Copy the code
            before you leave this page, and keep the key on your server. If you lose it, create a new one.
          </p>
        )}
      </BackendCard>
      <StateCard visit={visit} path={path} state={state} />
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

/** Creates an API key for the backend. Only this response shows it. */
export async function createFirstKey(visit: PropertyVisit, deps: PortalDeps) {
  if (!(await deps.oneTimeTokens.use(visit)))
    return showFirstSteps(visit, deps, undefined, [errorOf('form-sent-before')]);
  const { organization, property } = visit;
  const made = await deps.apiKeys.create(visit.actor, {
    account: visit.signedIn.account,
    name: property.name,
    scope: 'verify',
    organizationId: organization.id,
    isReadOnly: false,
    expiresAt: undefined,
  });
  if (!made.ok) return showFirstSteps(visit, deps, undefined, [errorOf(made.problem)]);
  return showFirstSteps(visit, deps, made.value.secret);
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
  const isDone = state.verified > 0;
  return (
    <section
      class={isDone ? 'card waiting done' : 'card waiting'}
      id="state"
      aria-live="polite"
      data-state={`${path}/state`}
    >
      <h2>{isDone ? 'Verified' : 'Waiting for the first verification'}</h2>
      <div hidden={isDone}>
        <p>
          Submit your form once on{' '}
          {property.allowsLocalhost ? `${property.domain} or localhost` : property.domain}. A few seconds
          later, this box turns green.
        </p>
        <p id="seen">{sentenceOf(state)}</p>
        <p id="refresh">
          <a href={path}>Check again</a>
        </p>
      </div>
      <div hidden={!isDone}>
        <p>A visitor’s solution was verified, so {property.name} is protected.</p>
        <LinkButton path={propertyPath}>Open the dashboard</LinkButton>
      </div>
    </section>
  );
}

/** The sentences are also in `static/portalFirstProperty.js`. */
function sentenceOf({ issued, failed }: State): string {
  if (failed > 0) return 'A verification was rejected. The dashboard shows the reason.';
  return issued > 0
    ? 'The widget has requested a puzzle, so the page is set up correctly.'
    : 'The widget has not requested a puzzle yet.';
}
