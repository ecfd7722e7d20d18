import { Field, type FieldErrors } from '../components/field.tsx';
import { ActionForm, ConfirmButton, ConfirmByName, Form, LinkButton } from '../components/form.tsx';
import { Card, DescriptionList } from '../components/sections.tsx';
import { Moment, UserName } from '../components/values.tsx';
import { rich, t } from '../i18n/t.tsx';
import { FIELD_OF_PROBLEM, fieldErrorOf, fieldOf, hasTypedName } from '../kit/forms.ts';
import type { OrganizationVisit, PortalDeps } from '../kit/handler.ts';
import { accessLost, errorPage, notFound, organizationPage, redirectWithNotice } from '../kit/pages.tsx';

export function showOrganizationSettings(visit: OrganizationVisit, deps: PortalDeps) {
  return visit.isOwner ? ownerPage(visit, visit.organization.name) : memberPage(visit, deps);
}

export async function renameOrganization(visit: OrganizationVisit, deps: PortalDeps) {
  const name = fieldOf(visit.form, 'name');
  const renamed = await deps.organizations.rename(visit.actor, visit.organization.id, name);
  if (renamed.ok) {
    const notice = t('organizations.settings.renamed');
    return redirectWithNotice(deps, `${visit.organizationPath}/settings`, notice);
  }
  return FIELD_OF_PROBLEM[renamed.problem] === undefined
    ? accessLost(visit, renamed.problem)
    : ownerPage(visit, name, [fieldErrorOf(renamed.problem)]);
}

function ownerPage(visit: OrganizationVisit, typed: string, errors: FieldErrors = []) {
  const { organizationPath: path } = visit;
  const content = (
    <>
      <section class="card">
        <Form visit={visit} action={`${path}/settings`} button={t('organizations.settings.rename')}>
          <Field
            name="name"
            label={t('organizations.name')}
            value={typed}
            autocomplete="organization"
            errors={errors}
          />
        </Form>
      </section>
      <Card title={t('organizations.settings.ownership')}>
        <p>{rich('organizations.settings.ownershipText', { link: `${path}/members` })}</p>
      </Card>
      <section class="card danger-zone" aria-labelledby="danger-zone">
        <h2 id="danger-zone">{t('organizations.settings.deleteHeading')}</h2>
        <p>{t('organizations.settings.deleteText')}</p>
        <LinkButton path={`${path}/delete`} text={t('organizations.settings.delete')} tone="danger" />
      </section>
    </>
  );
  return organizationPage(visit, '/settings', { content, errors });
}

async function memberPage(visit: OrganizationVisit, deps: PortalDeps) {
  const { organization, organizationPath: path } = visit;
  const members = await deps.members.list(visit.actor, organization.id);
  if (!members.ok) return notFound(visit);
  const owner = members.value.find(({ role }) => role === 'owner');
  const own = members.value.find(({ accountId }) => accountId === visit.signedIn.account.id);
  const role =
    own === undefined
      ? t('organizations.settings.member')
      : rich('organizations.settings.memberSince', { time: <Moment instant={own.since} /> });
  const content = (
    <>
      <Card title={t('organizations.settings.details')}>
        <DescriptionList
          items={[
            [t('organizations.settings.owner'), owner !== undefined && <UserName user={owner} />],
            [t('organizations.settings.yourRole'), role],
          ]}
        />
        <p>{t('organizations.settings.ownerOnly')}</p>
      </Card>
      <Card title={t('organizations.settings.leaveHeading')}>
        <p>{t('organizations.settings.leaveText')}</p>
        <ConfirmButton
          visit={visit}
          action={`${path}/leave`}
          id="leave"
          button={t('organizations.settings.leave')}
          title={t('organizations.settings.leaveTitle', { name: organization.name })}
        >
          {t('organizations.settings.leaveText')}
        </ConfirmButton>
      </Card>
    </>
  );
  return organizationPage(visit, '/settings', { content });
}

export async function showDeleteOrganization(
  visit: OrganizationVisit,
  { organizations }: PortalDeps,
  errors: FieldErrors = [],
) {
  const { organizationPath } = visit;
  const { id, name } = visit.organization;
  const own = await organizations.overview(visit.actor);
  const { properties: count = 0 } = own.find((one) => one.id === id) ?? {};
  const rest = t('organizations.delete.rest');
  const warning =
    count === 0
      ? t('organizations.delete.empty', { rest })
      : t('organizations.delete.stops', { count, rest });
  const content = (
    <ConfirmByName
      visit={visit}
      action={`${organizationPath}/delete`}
      name={name}
      warning={warning}
      button={t('organizations.delete.button')}
      cancelPath={`${organizationPath}/settings`}
      errors={errors}
    />
  );
  return organizationPage(visit, '/settings', { title: t('organizations.delete.title'), content, errors });
}

export async function deleteOrganization(visit: OrganizationVisit, deps: PortalDeps) {
  const { id, name } = visit.organization;
  const isConfirmed = hasTypedName(visit.form, name);
  if (!isConfirmed) return showDeleteOrganization(visit, deps, [fieldErrorOf('name-not-typed')]);
  const removed = await deps.organizations.remove(visit.actor, id);
  if (!removed.ok) return accessLost(visit, removed.problem);
  return redirectWithNotice(deps, '/portal', t('organizations.delete.done', { name }));
}

/** Explains what leaving changes, for browsers that open the address of the form. */
export function showLeave(visit: OrganizationVisit) {
  if (visit.isOwner) return ownerCannotLeavePage(visit);
  const { organization, organizationPath } = visit;
  const content = (
    <ActionForm
      visit={visit}
      action={`${organizationPath}/leave`}
      button={t('organizations.settings.leave')}
      cancelPath={`${organizationPath}/settings`}
    >
      {t('organizations.settings.leaveText')}
    </ActionForm>
  );
  const title = t('organizations.settings.leaveTitle', { name: organization.name });
  return organizationPage(visit, '/settings', { title, content });
}

export async function leaveOrganization(visit: OrganizationVisit, deps: PortalDeps) {
  const { id, name } = visit.organization;
  const left = await deps.members.leave(visit.actor, id);
  if (!left.ok) return left.problem === 'member-is-owner' ? ownerCannotLeavePage(visit) : notFound(visit);
  return redirectWithNotice(deps, '/portal', t('organizations.settings.left', { name }));
}

/** Owners cannot leave. */
function ownerCannotLeavePage(visit: OrganizationVisit) {
  const title = t('organizations.settings.cannotLeave');
  return errorPage(visit, 409, title, t('organizations.settings.ownerCannotLeave'));
}
