import type { Children } from '../../jsx/elements.ts';
import type { Outcome } from '../../lib/outcome.ts';
import type { Plan } from '../../model/plan.ts';
import { type FieldErrors, Select } from '../components/field.tsx';
import { ConfirmButton, Form } from '../components/form.tsx';
import { Card, DescriptionList } from '../components/sections.tsx';
import { grouped, Moment } from '../components/values.tsx';
import { rich, t } from '../i18n/t.tsx';
import { errorOf, fieldOf, type PageProblem } from '../kit/forms.ts';
import type { Handler, PortalDeps, UserVisit } from '../kit/handler.ts';
import { page, redirectWithNotice, userCrumbs } from '../kit/pages.tsx';
import { userPath } from '../kit/paths.ts';
import { granted } from './granted.ts';
import { newPasswordLinkPage, organizationCount, UserStatus } from './userList.tsx';

export async function showUser(visit: UserVisit, deps: PortalDeps, errors: FieldErrors = []) {
  const { user } = visit;
  const { isOn } = await deps.authentication.twoFactor.stateOf(user);
  const form = { visit, path: userPath(deps, user.id) } as const;
  const content = (
    <>
      <div class="side-by-side">
        <Card title={t('admin.user.about')}>
          <DescriptionList items={await factsOf(visit, deps, isOn)} />
        </Card>
        <Card title={t('admin.user.plan.title')}>
          <PlanForm {...form} plans={await deps.plans.list(visit.actor)} />
        </Card>
      </div>
      <Card title={t('admin.user.signIn.title')}>
        <PasswordLinkForm {...form} />
        <EndSessions {...form} />
        {isOn && <ResetTwoFactor {...form} />}
      </Card>
      <Card title={t('admin.user.role.title')}>
        <AdministratorForm {...form} />
      </Card>
      <Card title={t('admin.user.disable.title')} isDanger>
        <DisableForm {...form} />
      </Card>
    </>
  );
  return page(visit, { title: user.email, breadcrumbs: userCrumbs(), content, errors });
}

async function factsOf({ user, actor }: UserVisit, deps: PortalDeps, hasTwoFactor: boolean) {
  const keys = (await deps.apiKeys.list(actor, user)).filter(({ revokedAt }) => revokedAt === undefined);
  const sessions = await deps.authentication.sessions.list(user);
  return [
    [t('admin.user.name'), <bdi>{user.name}</bdi>],
    [t('admin.user.status'), <UserStatus user={user} />],
    [t('admin.user.owns'), organizationCount(user.organizations)],
    [t('admin.user.apiKeys'), grouped(keys.length)],
    [t('admin.user.signedIn'), t('admin.user.browsers', { count: sessions.length })],
    [t('admin.user.twoFactor'), t(hasTwoFactor ? 'admin.user.on' : 'admin.user.off')],
    [t('admin.user.created'), <Moment instant={user.createdAt} />],
  ] as const;
}

type FormProps = {
  readonly visit: UserVisit;
  /** The path of the user's page. */
  readonly path: string;
};

function PlanForm({ visit, path, plans }: FormProps & { readonly plans: readonly Plan[] }) {
  const options = Object.fromEntries(
    plans.map((plan) => {
      const [organizations, properties] = [grouped(plan.organizations), grouped(plan.properties)];
      return [plan.name, t('admin.user.plan.option', { name: plan.name, organizations, properties })];
    }),
  );
  return (
    <Form visit={visit} action={`${path}/plan`} button={t('admin.user.plan.save')} tone="quiet">
      <Select name="plan" label={t('admin.user.plan.label')} options={options} value={visit.user.plan} />
    </Form>
  );
}

/** A paragraph with the button that it explains. */
function Action(props: { readonly text: Children; readonly children?: Children }) {
  return (
    <div class="action">
      <p>{props.text}</p>
      {props.children}
    </div>
  );
}

function PasswordLinkForm({ visit, path }: FormProps) {
  const reason = t(visit.user.hasPassword ? 'admin.user.signIn.forgot' : 'admin.user.signIn.noPassword');
  const button = t('admin.user.signIn.createLink');
  return (
    <Action text={`${reason} ${t('admin.user.signIn.linkLimits')}`}>
      <Form visit={visit} action={`${path}/password-link`} button={button} tone="quiet" />
    </Action>
  );
}

/** A button that asks for a confirmation. @param props.action the rest of the path */
function ConfirmedAction(
  props: FormProps & {
    readonly action: string;
    readonly id?: string;
    readonly text: string;
    readonly button: string;
    readonly title: string;
    readonly consequence: string;
    readonly tone?: 'main' | 'danger';
  },
) {
  const { path, action, text, consequence } = props;
  return (
    <Action text={text}>
      <ConfirmButton id={action} {...props} action={`${path}/${action}`}>
        <p>{consequence}</p>
      </ConfirmButton>
    </Action>
  );
}

function EndSessions(form: FormProps) {
  return (
    <ConfirmedAction
      {...form}
      action="end-sessions"
      text={t('admin.user.signIn.sessions')}
      button={t('admin.user.signIn.endSessions')}
      title={t('admin.user.signIn.endSessionsTitle')}
      consequence={t('admin.user.signIn.endSessionsText', { email: form.visit.user.email })}
    />
  );
}

function ResetTwoFactor(form: FormProps) {
  return (
    <ConfirmedAction
      {...form}
      action="reset-two-factor"
      text={t('admin.user.signIn.lostPhone')}
      button={t('admin.user.signIn.resetTwoFactor')}
      title={t('admin.user.signIn.resetTwoFactorTitle')}
      consequence={t('admin.user.signIn.resetTwoFactorText', { email: form.visit.user.email })}
    />
  );
}

function AdministratorForm(form: FormProps) {
  const { email, isAdmin } = form.visit.user;
  const change = isAdmin ? 'remove' : 'grant';
  return (
    <ConfirmedAction
      {...form}
      action={isAdmin ? 'unmake-admin' : 'make-admin'}
      id="role"
      text={t(isAdmin ? 'admin.user.role.isAdmin' : 'admin.user.role.isNotAdmin')}
      button={t(`admin.user.role.${change}`)}
      title={t(`admin.user.role.${change}Title`)}
      consequence={t(`admin.user.role.${change}Text`, { email })}
      tone={isAdmin ? 'danger' : 'main'}
    />
  );
}

function DisableForm(form: FormProps) {
  const { visit, path } = form;
  const { disabledAt, email } = visit.user;
  if (disabledAt !== undefined)
    return (
      <Action text={rich('admin.user.disable.since', { time: <Moment instant={disabledAt} /> })}>
        <Form visit={visit} action={`${path}/enable`} button={t('admin.user.disable.enable')} />
      </Action>
    );
  return (
    <ConfirmedAction
      {...form}
      action="disable"
      text={t('admin.user.disable.text')}
      button={t('admin.user.disable.button')}
      title={t('admin.user.disable.question')}
      consequence={t('admin.user.disable.consequence', { email })}
    />
  );
}

/** The user cannot sign in, and their API keys are rejected. Their organizations keep working. */
export const disableUser = changing('disable.disabled', (users, id, { actor }) => users.disable(actor, id));
export const enableUser = changing('disable.enabled', (users, id, { actor }) => users.enable(actor, id));
export const makeAdmin = changing('role.granted', (users, id, { actor }) => users.setAdmin(actor, id, true));
export const unmakeAdmin = changing('role.removed', (users, id, { actor }) =>
  users.setAdmin(actor, id, false),
);
export const choosePlan = changing('plan.saved', (users, id, { actor, form }) =>
  users.setPlan(actor, id, fieldOf(form, 'plan')),
);
export const endUserSessions = changing('signIn.sessionsEnded', (users, id, { actor }) =>
  users.endSessions(actor, id),
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
  | `disable.${'disabled' | 'enabled'}`
  | `role.${'granted' | 'removed'}`
  | 'plan.saved'
  | 'signIn.sessionsEnded';

/** Handles a form that changes a user: shows a notice, or the problem, on the user's page. */
function changing(
  notice: Notice,
  change: (
    users: PortalDeps['users'],
    id: UserVisit['user']['id'],
    visit: UserVisit,
  ) => Promise<Outcome<unknown, PageProblem>>,
): Handler<UserVisit> {
  return async (visit, deps) => {
    const { id } = visit.user;
    const changed = await change(deps.users, id, visit);
    if (!changed.ok) return showUser(visit, deps, [errorOf(changed.problem)]);
    return redirectWithNotice(deps, userPath(deps, id), t(`admin.user.${notice}`));
  };
}
