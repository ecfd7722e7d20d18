import type { Plan } from '../../../model/plan.ts';
import type { Children } from '../../jsx/elements.ts';
import { Card } from '../components/card.tsx';
import { ConfirmButton } from '../components/confirm.tsx';
import { DescriptionList } from '../components/descriptionList.tsx';
import { type FieldErrors, Select } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { grouped } from '../components/numbers.ts';
import { Moment } from '../components/time.tsx';
import { rich } from '../i18n/rich.tsx';
import { t } from '../i18n/t.ts';
import type { PortalDeps, UserVisit } from '../kit/handler.ts';
import { page } from '../kit/responses.tsx';
import { userCrumbs } from './systemTabs.tsx';
import { organizationCount, UserStatus, userPath } from './userList.tsx';

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
      <Card title={t('admin.user.disable.title')}>
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
    plans.map(({ name, organizations, properties }) => [
      name,
      t('admin.user.plan.option', {
        name,
        organizations: grouped(organizations),
        properties: grouped(properties),
      }),
    ]),
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
  return (
    <Action text={`${reason} ${t('admin.user.signIn.linkLimits')}`}>
      <Form
        visit={visit}
        action={`${path}/password-link`}
        button={t('admin.user.signIn.createLink')}
        tone="quiet"
      />
    </Action>
  );
}

function EndSessions({ visit, path }: FormProps) {
  return (
    <Action text={t('admin.user.signIn.sessions')}>
      <ConfirmButton
        visit={visit}
        action={`${path}/end-sessions`}
        id="end-sessions"
        button={t('admin.user.signIn.endSessions')}
        title={t('admin.user.signIn.endSessionsTitle')}
      >
        <p>{t('admin.user.signIn.endSessionsText', { email: visit.user.email })}</p>
      </ConfirmButton>
    </Action>
  );
}

function ResetTwoFactor({ visit, path }: FormProps) {
  return (
    <Action text={t('admin.user.signIn.lostPhone')}>
      <ConfirmButton
        visit={visit}
        action={`${path}/reset-two-factor`}
        id="reset-two-factor"
        button={t('admin.user.signIn.resetTwoFactor')}
        title={t('admin.user.signIn.resetTwoFactorTitle')}
      >
        <p>{t('admin.user.signIn.resetTwoFactorText', { email: visit.user.email })}</p>
      </ConfirmButton>
    </Action>
  );
}

function AdministratorForm({ visit, path }: FormProps) {
  const { email, isAdmin } = visit.user;
  if (isAdmin)
    return (
      <Action text={t('admin.user.role.isAdmin')}>
        <ConfirmButton
          visit={visit}
          action={`${path}/unmake-admin`}
          id="role"
          button={t('admin.user.role.remove')}
          title={t('admin.user.role.removeTitle')}
        >
          <p>{t('admin.user.role.removeText', { email })}</p>
        </ConfirmButton>
      </Action>
    );
  return (
    <Action text={t('admin.user.role.isNotAdmin')}>
      <ConfirmButton
        visit={visit}
        action={`${path}/make-admin`}
        id="role"
        button={t('admin.user.role.grant')}
        title={t('admin.user.role.grantTitle')}
        tone="main"
      >
        <p>{t('admin.user.role.grantText', { email })}</p>
      </ConfirmButton>
    </Action>
  );
}

function DisableForm({ visit, path }: FormProps) {
  const { disabledAt, email } = visit.user;
  if (disabledAt !== undefined)
    return (
      <Action text={rich('admin.user.disable.since', { time: <Moment instant={disabledAt} /> })}>
        <Form visit={visit} action={`${path}/enable`} button={t('admin.user.disable.enable')} />
      </Action>
    );
  return (
    <Action text={t('admin.user.disable.text')}>
      <ConfirmButton
        visit={visit}
        action={`${path}/disable`}
        id="disable"
        button={t('admin.user.disable.button')}
        title={t('admin.user.disable.question')}
      >
        <p>{t('admin.user.disable.consequence', { email })}</p>
      </ConfirmButton>
    </Action>
  );
}
