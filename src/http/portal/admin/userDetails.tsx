import { type Html, html } from '../../../lib/html.ts';
import { done, type Outcome } from '../../../lib/outcome.ts';
import type { Account } from '../../../model/account.ts';
import type { AuditAction } from '../../../model/audit.ts';
import { newPasswordLinkPage } from '../account/passwordLink.tsx';
import { select } from '../components/choices.tsx';
import { card, form, type Mistake, moment, submit } from '../components/parts.tsx';
import { fieldOf } from '../kit/formData.ts';
import { page } from '../kit/layout.tsx';
import { mistakeOf, type PageProblem } from '../kit/messages.ts';
import { crumbs } from '../kit/place.tsx';
import { redirectSaying } from '../kit/responses.tsx';
import type { PortalDeps, UserVisit } from '../kit/route.ts';
import { organizationCount, standingOf, USERS_PATH, userPath } from './userList.tsx';

type Handler = (visit: UserVisit, deps: PortalDeps) => Promise<Response>;

/** `GET /portal/system/users/:user`. */
export const showUser: Handler = (visit, deps) => userPage(visit, deps);

/** `POST …/:user/disable`: no signing in, and no key of theirs works; what they own goes on. */
export const disableUser = changing(
  ({ users }, { actor, user: { id } }) => users.disable(actor, id),
  'user-disabled',
  'The user was disabled.',
);

/** `POST …/:user/enable`. */
export const enableUser = changing(
  ({ users }, { actor, user: { id } }) => users.enable(actor, id),
  'user-enabled',
  'The user was enabled.',
);

/** `POST …/:user/make-admin`. */
export const makeAdmin = changing(
  ({ users }, { actor, user: { id } }) => users.setAdmin(actor, id, true),
  'admin-added',
  'The user is an administrator now.',
);

/** `POST …/:user/unmake-admin`. */
export const unmakeAdmin = changing(
  ({ users }, { actor, user: { id } }) => users.setAdmin(actor, id, false),
  'admin-removed',
  'The user is no administrator any more.',
);

/** `POST …/:user/plan`. */
export const choosePlan = changing(
  ({ users }, { actor, user: { id }, form: fields }) => users.setPlan(actor, id, fieldOf(fields, 'plan')),
  'user-plan-set',
  'The plan was changed.',
  ({ email, plan }) => `${email}: ${plan}`,
);

/** `POST …/:user/end-sessions`: signs the user out in every browser. */
export const endUserSessions = changing(
  async ({ users }, { actor, user: { id } }) => {
    const ended = await users.endSessions(actor, id);
    return ended.ok ? done(ended.value.account) : ended;
  },
  'sessions-ended',
  'All sessions of the user were ended.',
);

/** `POST …/:user/reset-second-step`: for somebody who lost the phone and the recovery codes. */
export const resetSecondStep: Handler = async (visit, deps) => {
  const { user } = visit;
  const hadOne = await deps.authentication.secondFactors.reset(user);
  if (hadOne) await note(visit, deps, 'second-factor-disabled', user.email);
  const said = hadOne
    ? 'Two-factor authentication was turned off, and'
    : 'Two-factor authentication was not on;';
  return redirectSaying(deps, userPath(deps, user.id), `${said} every session of the user was ended.`);
};

/** `POST …/:user/password-link`: shows a link with which the user chooses a password. */
export const makePasswordLink: Handler = (visit, deps) =>
  newPasswordLinkPage(visit, deps, visit.user, 'A link to choose a password');

/** A form that changes a user, says so, and notes it down; a refusal is told on the user's page. */
function changing<Problem extends PageProblem>(
  change: (deps: PortalDeps, visit: UserVisit) => Promise<Outcome<Account, Problem>>,
  action: AuditAction,
  notice: string,
  subjectOf: (account: Account) => string = ({ email }) => email,
): Handler {
  return async (visit, deps) => {
    const changed = await change(deps, visit);
    if (!changed.ok) return userPage(visit, deps, [mistakeOf(changed.problem)]);
    await note(visit, deps, action, subjectOf(changed.value));
    return redirectSaying(deps, userPath(deps, visit.user.id), notice);
  };
}

function note(visit: UserVisit, { audit }: PortalDeps, action: AuditAction, subject: string) {
  return audit.recordAct(visit.actor, { action, organizationId: undefined, subject });
}

async function userPage(
  visit: UserVisit,
  deps: PortalDeps,
  mistakes: readonly Mistake[] = [],
): Promise<Response> {
  const { user } = visit;
  const { isOn } = await deps.authentication.secondFactors.stateOf(user);
  const keys = (await deps.apiKeys.listOf(user)).filter(({ revokedAt }) => revokedAt === undefined);
  const sessions = await deps.authentication.sessions.list(user);
  const facts = html`<dl>
<div><dt>Name</dt><dd>${user.name}</dd></div>
<div><dt>State</dt><dd>${standingOf(user, user.hasPassword)}</dd></div>
<div><dt>Owns</dt><dd>${organizationCount(user.organizations)}</dd></div>
<div><dt>API keys</dt><dd>${keys.length}</dd></div>
<div><dt>Signed in</dt><dd>${sessions.length === 1 ? 'in 1 browser' : `in ${sessions.length} browsers`}</dd></div>
<div><dt>Two-factor authentication</dt><dd>${isOn ? 'On' : 'Off'}</dd></div>
<div><dt>Since</dt><dd>${moment(user.createdAt)}</dd></div>
</dl>`;
  const content = html`${crumbs([[USERS_PATH, 'Users']])}${card('About', facts)}${card('Plan', await planForm(visit, deps))}${card(
    'Signing in',
    html`${passwordPart(visit, deps)}${sessionsPart(visit, deps)}${isOn ? secondStepPart(visit, deps) : ''}`,
  )}${card('Administrator', adminPart(visit, deps))}${card('Disable', standingPart(visit, deps))}`;
  return page(visit, { title: user.email, content, mistakes });
}

async function planForm(visit: UserVisit, deps: PortalDeps): Promise<Html> {
  const { user } = visit;
  const plans = await deps.plans.list();
  const options = Object.fromEntries(
    plans.map(({ name, organizations, properties }) => [
      name,
      `${name}: ${organizations} organizations, ${properties} sites`,
    ]),
  );
  const content = html`${select({ name: 'plan', label: 'How much the user may have', options, value: user.plan })}${submit('Save')}`;
  return form({ visit, action: `${userPath(deps, user.id)}/plan`, content });
}

function passwordPart(visit: UserVisit, deps: PortalDeps): Html {
  const { user } = visit;
  const about = user.hasPassword
    ? 'For a password that is lost: a link with which the user chooses another one.'
    : 'The user has no password yet, and chooses one with a link.';
  const content = html`<p>${about} The link works once, for three days.</p>
${submit('Make a link', 'quiet')}`;
  return form({ visit, action: `${userPath(deps, user.id)}/password-link`, content });
}

function sessionsPart(visit: UserVisit, deps: PortalDeps): Html {
  const { user } = visit;
  const content = html`<p>Sign the user out in every browser. API keys keep working.</p>
${submit('End all sessions of this user', 'danger')}`;
  return form({ visit, action: `${userPath(deps, user.id)}/end-sessions`, content });
}

function secondStepPart(visit: UserVisit, deps: PortalDeps): Html {
  const { user } = visit;
  const content = html`<p>For a user who lost the phone and the recovery codes: the password alone is then enough to sign in. Every
session of the user ends.</p>
${submit('Turn off two-factor authentication', 'danger')}`;
  return form({ visit, action: `${userPath(deps, user.id)}/reset-second-step`, content });
}

function adminPart(visit: UserVisit, deps: PortalDeps): Html {
  const { user } = visit;
  const path = userPath(deps, user.id);
  if (user.isAdmin) {
    const content = html`<p>The user is an administrator: sees and changes everything about this installation.</p>
${submit('Make a user like others', 'danger')}`;
    return form({ visit, action: `${path}/unmake-admin`, content });
  }
  const content = html`<p>Administrators see and change everything about this installation, users and their passwords too.</p>
${submit('Make an administrator', 'danger')}`;
  return form({ visit, action: `${path}/make-admin`, content });
}

function standingPart(visit: UserVisit, deps: PortalDeps): Html {
  const { user } = visit;
  const path = userPath(deps, user.id);
  if (user.disabledAt !== undefined) {
    const content = html`<p>Disabled since ${moment(user.disabledAt)}.</p>
${submit('Enable the user')}`;
    return form({ visit, action: `${path}/enable`, content });
  }
  const content = html`<p>A disabled user cannot sign in, and none of their API keys works. Their organizations and sites go on,
but backends that verify with their keys are refused.</p>
${submit('Disable the user', 'danger')}`;
  return form({ visit, action: `${path}/disable`, content });
}
