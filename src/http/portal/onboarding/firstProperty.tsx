import type { Element } from '../../jsx/elements.ts';
import type { FieldError } from '../components/field.tsx';
import { Form, LinkButton, SubmitButton } from '../components/form.tsx';
import { Breadcrumbs } from '../components/navigation.tsx';
import { FirstPropertyHead } from '../kit/assets.tsx';
import { errorOf } from '../kit/messages.ts';
import { ONE_TIME_TOKEN_FIELD } from '../kit/oneTimeTokens.ts';
import type { PortalDeps } from '../kit/portalDeps.ts';
import { page, redirectTo, redirectWithNotice } from '../kit/responses.tsx';
import type { OrganizationVisit, PropertyVisit, SignedInVisit } from '../kit/visit.ts';
import {
  DomainWarning,
  errorsOf,
  skipsCheckOf,
  type Unresolved,
  unresolvedBy,
} from '../properties/domainWarning.tsx';
import {
  BLANK_PROPERTY,
  LocalhostField,
  NamingFields,
  readPropertyForm,
  type TypedProperty,
  typedIn,
} from '../properties/propertyForm.tsx';
import { BackendCard, factsOf, PageCard } from '../properties/propertyIntegration.tsx';
import { changeProperty, STILL_WAITING } from '../properties/propertyTask.ts';
import { KEY_PLACEHOLDER } from '../properties/snippets.ts';

const TITLE = 'Protect your first property';
const ANYWAY = 'Create anyway';

/** `GET /portal/first-property`: redirects to the user's oldest organization. */
export async function chooseFirstProperty(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const [first] = await deps.organizations.list(visit.actor);
  if (first === undefined) return redirectTo('/portal');
  return redirectTo(`/portal/orgs/${deps.ids.seal('organization', first.id)}/first-property`);
}

/** `GET /portal/orgs/:org/first-property`: the first step, which asks for a name and a domain. */
export function showFirstProperty(visit: OrganizationVisit): Response {
  return namingPage(visit, { ...BLANK_PROPERTY, allow_localhost: true });
}

/** `POST /portal/orgs/:org/first-property`. */
export async function createFirstProperty(visit: OrganizationVisit, deps: PortalDeps): Promise<Response> {
  const { name, domain, allow_localhost } = typedIn(visit.form);
  const typed = { ...BLANK_PROPERTY, name, domain, allow_localhost };
  const read = readPropertyForm(typed);
  if ('errors' in read) return namingPage(visit, typed, read.errors);
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
    return namingPage(visit, typed, errors, unresolved);
  }
  const { propertyId } = ending.kind === 'done' ? ending.result : {};
  if (propertyId === undefined) return redirectWithNotice(deps, visit.organizationPath, STILL_WAITING);
  return redirectTo(`${visit.organizationPath}/first-property/${deps.ids.seal('property', propertyId)}`);
}

/** `GET /portal/orgs/:org/first-property/:property`: the other steps. */
export function showFirstSteps(visit: PropertyVisit, deps: PortalDeps): Promise<Response> {
  return stepsPage(visit, deps, undefined);
}

/** `POST /portal/orgs/:org/first-property/:property/key`: creates an API key for the backend. Only this response shows it. */
export async function createFirstKey(visit: PropertyVisit, deps: PortalDeps): Promise<Response> {
  if (!deps.oneTimeTokens.use(visit)) return stepsPage(visit, deps, undefined, [errorOf('form-sent-before')]);
  const { organization, property } = visit;
  const made = await deps.apiKeys.create(visit.actor, {
    account: visit.signedIn.account,
    name: property.name,
    scope: 'verify',
    organizationId: organization.id,
    isReadOnly: false,
    expiresAt: undefined,
  });
  if (!made.ok) return stepsPage(visit, deps, undefined, [errorOf(made.problem)]);
  return stepsPage(visit, deps, made.value.secret);
}

/** `GET /portal/orgs/:org/first-property/:property/state`: the state as JSON, for the page's script. */
export async function getFirstPropertyState(visit: PropertyVisit, deps: PortalDeps): Promise<Response> {
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

function namingPage(
  visit: OrganizationVisit,
  typed: TypedProperty,
  errors: readonly FieldError[] = [],
  unresolved?: Unresolved,
): Response {
  const { organizationPath } = visit;
  const content = (
    <>
      <OrganizationBreadcrumbs visit={visit} />
      <Progress current={1} />
      <Form visit={visit} action={`${organizationPath}/first-property`}>
        <NamingFields typed={typed} errors={errors} />
        <p class="help">
          If you have no domain yet, enter <code>example.com</code> and try the widget on localhost. You can
          change the domain later.
        </p>
        <LocalhostField typed={typed} />
        <SubmitButton>Continue</SubmitButton>
        {unresolved !== undefined && <DomainWarning unresolved={unresolved} button={ANYWAY} />}
      </Form>
      <p class="aside">
        <a href={`${organizationPath}/new`}>All settings</a>
      </p>
    </>
  );
  return page(visit, { title: TITLE, content, head: <FirstPropertyHead />, errors });
}

async function stepsPage(
  visit: PropertyVisit,
  deps: PortalDeps,
  key: string | undefined,
  errors: readonly FieldError[] = [],
): Promise<Response> {
  const facts = factsOf(deps, visit, key ?? KEY_PLACEHOLDER);
  const path = `${visit.organizationPath}/first-property/${visit.params.property}`;
  const state = await stateOf(visit, deps);
  const content = (
    <>
      <OrganizationBreadcrumbs visit={visit} />
      <Progress current={state.verified > 0 ? STEPS.length + 1 : 2} />
      <PageCard title={`Page of ${visit.property.name}`} facts={facts} />
      <BackendCard title="Backend that processes the form" facts={facts}>
        {key === undefined ? (
          <KeyForm visit={visit} token={deps.oneTimeTokens.issue()} action={`${path}/key`} />
        ) : (
          <p class="once">
            <strong>The code below contains the API key, which is shown only once.</strong> Copy the code
            before you leave this page, and keep the key on your server. If you lose it, create a new one.
          </p>
        )}
      </BackendCard>
      <StateCard visit={visit} path={path} state={state} />
    </>
  );
  return page(visit, { title: TITLE, content, head: <FirstPropertyHead />, errors });
}

function OrganizationBreadcrumbs({ visit }: { readonly visit: OrganizationVisit }): Element {
  return (
    <Breadcrumbs
      links={[
        ['/portal', 'Organizations'],
        [visit.organizationPath, visit.organization.name],
      ]}
    />
  );
}

function KeyForm(props: {
  readonly visit: SignedInVisit;
  /** The one-time token. */
  readonly token: string;
  readonly action: string;
}): Element {
  return (
    <Form visit={props.visit} action={props.action} button="Create API key">
      <input type="hidden" name={ONE_TIME_TOKEN_FIELD} value={props.token} />
      <p>
        The backend needs an API key in place of <code>{KEY_PLACEHOLDER}</code>.
      </p>
    </Form>
  );
}

/** Whether a solution was verified. A script updates the card. */
function StateCard(props: {
  readonly visit: PropertyVisit;
  readonly path: string;
  readonly state: State;
}): Element {
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

const STEPS = ['Name the property', 'Add the code', 'Verify a solution'] as const;

/** @param props.current the number of the current step, from 1; a number above the last step if all are done */
function Progress({ current }: { readonly current: number }): Element {
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
