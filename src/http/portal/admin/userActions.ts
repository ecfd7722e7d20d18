import type { Outcome } from '../../../lib/outcome.ts';
import { newPasswordLinkPage } from '../account/passwordLink.tsx';
import { t } from '../i18n/t.ts';
import { fieldOf } from '../kit/formData.ts';
import type { Handler, PortalDeps, UserVisit } from '../kit/handler.ts';
import { errorOf, type PageProblem } from '../kit/messages.ts';
import { redirectWithNotice } from '../kit/responses.tsx';
import { granted } from './systemTabs.tsx';
import { showUser } from './userDetails.tsx';
import { userPath } from './userList.tsx';

/** The user cannot sign in, and their API keys are rejected. Their organizations keep working. */
export const disableUser = changing(
  ({ users }, { actor, user: { id } }) => users.disable(actor, id),
  'admin.user.disable.disabled',
);

export const enableUser = changing(
  ({ users }, { actor, user: { id } }) => users.enable(actor, id),
  'admin.user.disable.enabled',
);

export const makeAdmin = changing(
  ({ users }, { actor, user: { id } }) => users.setAdmin(actor, id, true),
  'admin.user.role.granted',
);

export const unmakeAdmin = changing(
  ({ users }, { actor, user: { id } }) => users.setAdmin(actor, id, false),
  'admin.user.role.removed',
);

export const choosePlan = changing(
  ({ users }, { actor, user: { id }, form: fields }) => users.setPlan(actor, id, fieldOf(fields, 'plan')),
  'admin.user.plan.saved',
);

export const endUserSessions: Handler<UserVisit> = changing(
  ({ users }, { actor, user: { id } }) => users.endSessions(actor, id),
  'admin.user.signIn.sessionsEnded',
);

/** For a user who lost the phone and the recovery codes. */
export const resetTwoFactor: Handler<UserVisit> = async (visit, deps) => {
  const { user } = visit;
  const wasOn = granted(await deps.authentication.twoFactor.reset(visit.actor, user));
  const notice = t(wasOn ? 'admin.user.signIn.wasReset' : 'admin.user.signIn.wasOff');
  return redirectWithNotice(deps, userPath(deps, user.id), notice);
};

export const makePasswordLink: Handler<UserVisit> = (visit, deps) =>
  newPasswordLinkPage(visit, deps, visit.user, t('account.passwordLink.created.title'));

type Notice =
  | 'admin.user.disable.disabled'
  | 'admin.user.disable.enabled'
  | 'admin.user.role.granted'
  | 'admin.user.role.removed'
  | 'admin.user.plan.saved'
  | 'admin.user.signIn.sessionsEnded';

/** Handles a form that changes a user: shows a notice, or the problem, on the user's page. */
function changing(
  change: (deps: PortalDeps, visit: UserVisit) => Promise<Outcome<unknown, PageProblem>>,
  notice: Notice,
): Handler<UserVisit> {
  return async (visit, deps) => {
    const changed = await change(deps, visit);
    if (!changed.ok) return showUser(visit, deps, [errorOf(changed.problem)]);
    return redirectWithNotice(deps, userPath(deps, visit.user.id), t(notice));
  };
}
