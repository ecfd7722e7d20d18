import { type Html, html } from '../../../lib/html.ts';
import { form, type Mistake, submit } from '../components/parts.tsx';
import { FirstPropertyHead } from '../kit/assets.tsx';
import { page } from '../kit/layout.tsx';
import { mistakeOf } from '../kit/messages.ts';
import { crumbs } from '../kit/place.tsx';
import { redirectSaying, redirectTo } from '../kit/responses.tsx';
import type { OrganizationVisit, PortalDeps, PropertyVisit, SignedInVisit } from '../kit/route.ts';
import { ONCE_FIELD } from '../kit/singleUse.ts';
import {
  domainWarning,
  mistakesOf,
  skipsCheckOf,
  type Unresolved,
  unresolvedBy,
} from '../properties/domainWarning.tsx';
import {
  BLANK_PROPERTY,
  localhostField,
  namingFields,
  readPropertyForm,
  type TypedProperty,
  typedIn,
} from '../properties/propertyForm.tsx';
import { backendCard, factsOf, pageCard } from '../properties/propertyIntegration.tsx';
import { changeProperty, STILL_WAITING } from '../properties/propertyTask.ts';
import { KEY_PLACEHOLDER } from '../properties/snippets.ts';

const TITLE = 'Protect your first site';
const ANYWAY = 'Create anyway';

/** `GET /portal/first-site`: in the organization that has been there longest. */
export async function chooseFirstProperty(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const [first] = await deps.organizations.listFor(visit.actor);
  if (first === undefined) return redirectTo('/portal');
  return redirectTo(`/portal/orgs/${deps.ids.seal('organization', first.id)}/first-site`);
}

/** `GET /portal/orgs/:org/first-site`: the first step, a name and a domain. */
export function showFirstProperty(visit: OrganizationVisit): Response {
  return namingPage(visit, { ...BLANK_PROPERTY, allow_localhost: true });
}

/** `POST /portal/orgs/:org/first-site`. */
export async function createFirstProperty(visit: OrganizationVisit, deps: PortalDeps): Promise<Response> {
  const { name, domain, allow_localhost } = typedIn(visit.form);
  const typed = { ...BLANK_PROPERTY, name, domain, allow_localhost };
  const read = readPropertyForm(typed);
  if ('mistakes' in read) return namingPage(visit, typed, read.mistakes);
  const order = {
    kind: 'create-properties',
    organizationId: visit.organization.id,
    items: [read.site],
    skipsDnsCheck: skipsCheckOf(visit.form, read.site.domain),
  } as const;
  const ending = await changeProperty(deps, visit.actor, order);
  if (ending.kind === 'refused') {
    const unresolved = unresolvedBy(ending.problem, read.site.domain);
    const mistakes = mistakesOf(ending.problem, unresolved, ANYWAY);
    return namingPage(visit, typed, mistakes, unresolved);
  }
  const { propertyId } = ending.kind === 'done' ? ending.result : {};
  if (propertyId === undefined) return redirectSaying(deps, visit.organizationPath, STILL_WAITING);
  return redirectTo(`${visit.organizationPath}/first-site/${deps.ids.seal('property', propertyId)}`);
}

/** `GET /portal/orgs/:org/first-site/:property`: the steps after that. */
export function showFirstSteps(visit: PropertyVisit, deps: PortalDeps): Promise<Response> {
  return stepsPage(visit, deps, undefined);
}

/** `POST /portal/orgs/:org/first-site/:property/key`: an API key for the backend, shown in this answer alone. */
export async function makeFirstKey(visit: PropertyVisit, deps: PortalDeps): Promise<Response> {
  if (!deps.once.take(visit)) return stepsPage(visit, deps, undefined, [mistakeOf('form-sent-before')]);
  const { organization, property } = visit;
  const made = await deps.apiKeys.createOf({
    account: visit.who.account,
    name: property.name,
    scope: 'verify',
    organizationId: organization.id,
    isReadOnly: false,
    expiresAt: undefined,
  });
  if (!made.ok) return stepsPage(visit, deps, undefined, [mistakeOf(made.problem)]);
  const subject = `${property.name} of ${visit.who.account.email}`;
  const act = { action: 'key-created', organizationId: organization.id, subject } as const;
  await deps.audit.recordAct(visit.actor, act);
  return stepsPage(visit, deps, made.value.secret);
}

/** `GET /portal/orgs/:org/first-site/:property/state`: for the page's script. */
export async function tellFirstState(visit: PropertyVisit, deps: PortalDeps): Promise<Response> {
  return Response.json(await stateOf(visit, deps));
}

type State = { readonly issued: number; readonly verified: number; readonly failed: number };

/** Some seconds old, as all statistics. */
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
  mistakes: readonly Mistake[] = [],
  unresolved?: Unresolved,
): Response {
  const content = html`${namingFields(typed, mistakes)}<p class="help">No domain yet? Write <code>example.com</code>, and try it on localhost; the
domain can be changed later.</p>
${localhostField(typed)}${submit('Continue')}${domainWarning(unresolved, ANYWAY)}`;
  const body = html`${wayBack(visit)}${progress(1)}${form({ visit, action: `${visit.organizationPath}/first-site`, content })}
<p class="aside"><a href="${visit.organizationPath}/new">All settings</a></p>`;
  return page(visit, { title: TITLE, content: body, head: <FirstPropertyHead />, mistakes });
}

function wayBack({ organization, organizationPath }: OrganizationVisit): Html {
  return crumbs([
    ['/portal', 'Organizations'],
    [organizationPath, organization.name],
  ]);
}

async function stepsPage(
  visit: PropertyVisit,
  deps: PortalDeps,
  key: string | undefined,
  mistakes: readonly Mistake[] = [],
): Promise<Response> {
  const facts = factsOf(deps, visit, key ?? KEY_PLACEHOLDER);
  const path = `${visit.organizationPath}/first-site/${visit.params.property}`;
  const state = await stateOf(visit, deps);
  const content = html`${wayBack(visit)}${progress(state.verified > 0 ? 4 : 2)}${pageCard(facts, `The page of ${visit.property.name}`)}${backendCard(
    facts,
    'The backend that takes the form',
    keyNote(visit, deps, path, key),
  )}${waiting(visit, path, state)}`;
  return page(visit, { title: TITLE, content, head: <FirstPropertyHead />, mistakes });
}

function keyNote(visit: SignedInVisit, { once }: PortalDeps, path: string, key: string | undefined): Html {
  if (key !== undefined)
    return html`<p class="once"><strong>The API key is in these lines now, and shown only this once.</strong> Copy them before you leave this
page, and keep the key where pages cannot see it. Who lost it makes another.</p>
`;
  const content = html`<input type="hidden" name="${ONCE_FIELD}" value="${once.issue()}">
<p>The backend needs an API key: it stands where <code>${KEY_PLACEHOLDER}</code> is.</p>
${submit('Make an API key')}`;
  return html`${form({ visit, action: `${path}/key`, content })}
`;
}

function waiting({ property, propertyPath }: PropertyVisit, path: string, state: State): Html {
  const isDone = state.verified > 0;
  const hosts = property.allowsLocalhost ? `${property.domain} or localhost` : property.domain;
  const seen = html`<p>Send your form once, on ${hosts}. This turns green some seconds later.</p>
<p id="seen">${seenSentence(state)}</p>
<p id="refresh"><a href="${path}">Look again</a></p>`;
  const done = html`<p>It works: a visitor's solution was verified. ${property.name} is protected.</p>
<p><a class="button" href="${propertyPath}">To its dashboard</a></p>`;
  return html`<section class="card waiting${isDone ? ' done' : ''}" id="state" aria-live="polite" data-state="${path}/state">
<h2>${isDone ? 'Verified' : 'Waiting for the first verification'}</h2>
<div${isDone ? html` hidden` : ''}>${seen}</div>
<div${isDone ? '' : html` hidden`}>${done}</div>
</section>
`;
}

function seenSentence({ issued, failed }: State): string {
  if (failed > 0) return `A verification came and was refused. The dashboard tells why.`;
  return issued > 0 ? 'The widget has fetched a puzzle: the page is right.' : 'Nothing has come yet.';
}

const STEPS = ['Name it', 'Put it into page and backend', 'See it verified'] as const;

/** @param at the step that one is at, from 1; more than there are: all are done */
function progress(at: number): Html {
  const items = STEPS.map(
    (step, index) =>
      html`<li${index + 1 === at ? html` aria-current="step"` : ''}${index + 1 < at ? html` class="past"` : ''}>${step}</li>`,
  );
  return html`<ol class="progress">${items}</ol>
`;
}
