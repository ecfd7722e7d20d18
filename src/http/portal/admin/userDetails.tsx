import type { Plan } from '../../../model/plan.ts';
import { Card } from '../components/card.tsx';
import { DescriptionList } from '../components/descriptionList.tsx';
import { type FieldErrors, Select } from '../components/field.tsx';
import { ActionForm, Form } from '../components/form.tsx';
import { Breadcrumbs } from '../components/navigation.tsx';
import { Moment } from '../components/time.tsx';
import type { PortalDeps, UserVisit } from '../kit/handler.ts';
import { page } from '../kit/responses.tsx';
import { organizationCount, USERS_PATH, UserStatus, userPath } from './userList.tsx';

export async function showUser(visit: UserVisit, deps: PortalDeps, errors: FieldErrors = []) {
  const { user } = visit;
  const { isOn } = await deps.authentication.twoFactor.stateOf(user);
  const form = { visit, path: userPath(deps, user.id) } as const;
  const content = (
    <>
      <Breadcrumbs links={[[USERS_PATH, 'Users']]} />
      <Card title="About">
        <DescriptionList items={await factsOf(visit, deps, isOn)} />
      </Card>
      <Card title="Plan">
        <PlanForm {...form} plans={await deps.plans.list(visit.actor)} />
      </Card>
      <Card title="Sign-in">
        <SignInForms {...form} hasTwoFactor={isOn} />
      </Card>
      <Card title="Administrator">
        <AdministratorForm {...form} />
      </Card>
      <Card title="Disable">
        <DisableForm {...form} />
      </Card>
    </>
  );
  return page(visit, { title: user.email, content, errors });
}

async function factsOf({ user, actor }: UserVisit, deps: PortalDeps, hasTwoFactor: boolean) {
  const keys = (await deps.apiKeys.list(actor, user)).filter(({ revokedAt }) => revokedAt === undefined);
  const sessions = await deps.authentication.sessions.list(user);
  return [
    ['Name', user.name],
    ['Status', <UserStatus user={user} />],
    ['Owns', organizationCount(user.organizations)],
    ['API keys', keys.length],
    ['Signed in', sessions.length === 1 ? 'in 1 browser' : `in ${sessions.length} browsers`],
    ['Two-factor authentication', hasTwoFactor ? 'On' : 'Off'],
    ['Created', <Moment instant={user.createdAt} />],
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
      `${name}: ${organizations} organizations, ${properties} properties`,
    ]),
  );
  return (
    <Form visit={visit} action={`${path}/plan`} button="Save plan">
      <Select name="plan" label="Plan and quotas" options={options} value={visit.user.plan} />
    </Form>
  );
}

function SignInForms({ visit, path, hasTwoFactor }: FormProps & { readonly hasTwoFactor: boolean }) {
  return (
    <>
      <ActionForm visit={visit} action={`${path}/password-link`} button="Create password link" tone="quiet">
        {visit.user.hasPassword
          ? 'If the user forgot the password, create a link that lets the user choose a new one.'
          : 'The user has no password yet. Create a link that lets the user choose one.'}{' '}
        The link works once and expires after three days.
      </ActionForm>
      <ActionForm visit={visit} action={`${path}/end-sessions`} button="End all sessions">
        This signs the user out in all browsers. API keys keep working.
      </ActionForm>
      {hasTwoFactor && (
        <ActionForm
          visit={visit}
          action={`${path}/reset-two-factor`}
          button="Turn off two-factor authentication"
        >
          If the user lost the phone and the recovery codes, turn off two-factor authentication. The password
          alone is then enough to sign in. All sessions of the user end.
        </ActionForm>
      )}
    </>
  );
}

function AdministratorForm({ visit, path }: FormProps) {
  if (visit.user.isAdmin)
    return (
      <ActionForm visit={visit} action={`${path}/unmake-admin`} button="Remove administrator role">
        This user is an administrator and can see and change everything in this installation.
      </ActionForm>
    );
  return (
    <ActionForm visit={visit} action={`${path}/make-admin`} button="Make administrator">
      Administrators can see and change everything in this installation, including users and their passwords.
    </ActionForm>
  );
}

function DisableForm({ visit, path }: FormProps) {
  const { disabledAt } = visit.user;
  if (disabledAt !== undefined)
    return (
      <ActionForm visit={visit} action={`${path}/enable`} button="Enable user" tone="main">
        Disabled since <Moment instant={disabledAt} />.
      </ActionForm>
    );
  return (
    <ActionForm visit={visit} action={`${path}/disable`} button="Disable user">
      A disabled user cannot sign in, and all of their API keys are rejected, including those that backends
      use to verify. The user’s organizations and properties keep working.
    </ActionForm>
  );
}
