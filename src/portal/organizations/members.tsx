import type { Children } from '../../jsx/elements.ts';
import type { Invitation, Member } from '../../model/organization.ts';
import type { Problem } from '../../model/problems.ts';
import type { RevealedInvitation } from '../../platform/organizations/invitations.ts';
import { EmailField } from '../components/accountFields.tsx';
import { Copyable } from '../components/copyable.tsx';
import { type FieldError, type FieldErrors, formState } from '../components/field.tsx';
import { ActionForm, ButtonLink, ConfirmButton, Form, LinkButton } from '../components/form.tsx';
import { Card, Table } from '../components/sections.tsx';
import { Moment, UserItem, UserName } from '../components/values.tsx';
import type { Catalog } from '../i18n/catalog.ts';
import { hasText, rich, t, texts } from '../i18n/t.tsx';
import { errorOf, FIELD_OF_PROBLEM, fieldErrorOf, fieldOf } from '../kit/forms.ts';
import type { InvitationVisit, MemberVisit, OrganizationVisit, PortalDeps } from '../kit/handler.ts';
import { accessLost, notFound, organizationPage, redirectWithNotice } from '../kit/pages.tsx';
import { linkTo } from '../kit/paths.ts';

/** The members, and for the owner the open invitations. */
export async function showMembers(visit: OrganizationVisit, deps: PortalDeps) {
  const members = await deps.members.list(visit.actor, visit.organization.id);
  if (!members.ok) return notFound(visit);
  const open = visit.isOwner ? await deps.invitations.list(visit.actor, visit.organization.id) : undefined;
  const content = (
    <>
      <Card title={t('organizations.members.title')}>{memberTable(visit, deps, members.value)}</Card>
      {open !== undefined && invitationCard(visit, deps, open.ok ? open.value : [])}
    </>
  );
  const actions = visit.isOwner && (
    <ButtonLink
      path={`${visit.organizationPath}/members/invite`}
      text={t('organizations.invitations.invite')}
    />
  );
  return organizationPage(visit, '/members', { content, actions });
}

function memberTable(visit: OrganizationVisit, deps: PortalDeps, members: readonly Member[]) {
  const { isOwner, signedIn } = visit;
  const noteOf = ({ accountId }: Member) =>
    accountId === signedIn.account.id ? t('organizations.members.you') : undefined;
  return (
    <Table
      hiddenCaption={t('organizations.members.title')}
      head={texts(
        'organizations.members',
        'member',
        'role',
        'since',
        ...(isOwner ? (['actions'] as const) : []),
      )}
      rows={members.map((member): readonly Children[] => [
        <div class="object">
          <UserItem user={member} note={noteOf(member)} />
        </div>,
        t(`organizations.members.${member.role}`),
        <Moment instant={member.since} />,
        ...(isOwner ? [member.role !== 'owner' && memberActions(visit, deps, member)] : []),
      ])}
    />
  );
}

function memberActions(visit: OrganizationVisit, { ids }: PortalDeps, member: Member) {
  const { name } = member;
  const id = ids.seal('account', member.accountId);
  const path = `${visit.organizationPath}/members/${id}`;
  return (
    <div class="actions">
      <a
        class="button quiet small"
        href={`${path}/transfer`}
        aria-label={t('organizations.members.transferLabel', { name })}
      >
        {t('organizations.members.transfer')}
      </a>
      <ConfirmButton
        visit={visit}
        action={`${path}/remove`}
        id={`remove-${id}`}
        button={t('organizations.members.remove')}
        label={t('organizations.members.removeLabel', { name })}
        title={t('organizations.members.removeTitle', { name })}
        isSmall
      >
        {t('organizations.members.removeText', { name })}
      </ConfirmButton>
    </div>
  );
}

function invitationCard(visit: OrganizationVisit, { ids }: PortalDeps, open: readonly Invitation[]) {
  return (
    <Card title={t('organizations.invitations.heading')}>
      <Table
        hiddenCaption={t('organizations.invitations.heading')}
        head={[
          ...texts('organizations.invitations', 'address', 'expires'),
          t('organizations.members.actions'),
        ]}
        rows={open.map(({ id, email, expiresAt }) => {
          const name = ids.seal('invitation', id);
          return [
            <bdi>{email}</bdi>,
            <Moment instant={expiresAt} />,
            <ConfirmButton
              visit={visit}
              action={`${visit.organizationPath}/invitations/${name}/withdraw`}
              id={`withdraw-${name}`}
              button={t('organizations.invitations.withdraw')}
              label={t('organizations.invitations.withdrawLabel', { email })}
              title={t('organizations.invitations.withdrawTitle', { email })}
              isSmall
            >
              {t('organizations.invitations.withdrawText')}
            </ConfirmButton>,
          ];
        })}
        empty={t('organizations.invitations.none')}
      />
    </Card>
  );
}

/** Explains what the removal changes, for browsers that open the address of the form. */
export function showMemberRemoval(visit: MemberVisit) {
  const { name } = visit.member;
  const content = (
    <ActionForm
      visit={visit}
      action={`${visit.memberPath}/remove`}
      button={t('organizations.members.remove')}
      cancelPath={`${visit.organizationPath}/members`}
    >
      {t('organizations.members.removeText', { name })}
    </ActionForm>
  );
  const title = t('organizations.members.removeTitle', { name });
  return organizationPage(visit, '/members', { title, content });
}

export async function removeMember(visit: MemberVisit, deps: PortalDeps) {
  const { organization, member, organizationPath } = visit;
  const removed = await deps.members.remove(visit.actor, organization.id, member.accountId);
  if (!removed.ok) return accessLost(visit, removed.problem);
  const notice = t('organizations.members.removed', { name: member.name });
  return redirectWithNotice(deps, `${organizationPath}/members`, notice);
}

/** Explains what a transfer to the member changes. */
export function showTransfer(visit: MemberVisit, _: PortalDeps, errors: FieldErrors = []) {
  const names = {
    organization: <bdi>{visit.organization.name}</bdi>,
    user: <UserName user={visit.member} />,
  };
  const content = (
    <Form
      visit={visit}
      action={`${visit.memberPath}/transfer`}
      button={t('organizations.transfer.button')}
      tone="danger"
      cancelPath={`${visit.organizationPath}/members`}
    >
      <p>{rich('organizations.transfer.question', names)}</p>
      <ul>
        {texts('organizations.transfer.consequences', 'owner', 'member', 'plan', 'rest').map((text) => (
          <li>{text}</li>
        ))}
      </ul>
    </Form>
  );
  return organizationPage(visit, '/members', { title: t('organizations.transfer.title'), content, errors });
}

export async function transferOrganization(visit: MemberVisit, deps: PortalDeps) {
  const { organization, member, organizationPath } = visit;
  const transferred = await deps.members.transfer(visit.actor, organization.id, member.accountId);
  if (!transferred.ok) {
    const { problem } = transferred;
    return isOfNewOwner(problem)
      ? showTransfer(visit, deps, [{ text: t(`organizations.transfer.problems.${problem}`) }])
      : accessLost(visit, problem);
  }
  const notice = t('organizations.transfer.done', { name: member.name });
  return redirectWithNotice(deps, `${organizationPath}/members`, notice);
}

/** Whether a problem is about the new owner. Its sentence here addresses the current owner, unlike the sentence of the API. */
function isOfNewOwner(problem: Problem): problem is keyof Catalog['organizations']['transfer']['problems'] {
  return hasText(`organizations.transfer.problems.${problem}`);
}

/** Creates an invitation and shows its link once. */
export async function createInvitation(visit: OrganizationVisit, deps: PortalDeps) {
  const email = fieldOf(visit.form, 'email');
  const rejected = (error: FieldError) => showInvitationForm(visit, deps, formState(email, [error]));
  if (!(await deps.oneTimeTokens.use(visit))) return rejected(errorOf('form-sent-before'));
  const invited = await deps.invitations.invite(visit.actor, visit.organization.id, email);
  if (invited.ok) return linkPage(visit, deps, invited.value);
  return FIELD_OF_PROBLEM[invited.problem] === undefined
    ? accessLost(visit, invited.problem)
    : rejected(fieldErrorOf(invited.problem));
}

export function showInvitationForm(visit: OrganizationVisit, deps: PortalDeps, form = formState('')) {
  const { organizationPath } = visit;
  const { typed: email, errors } = form;
  const help = t('organizations.invitations.emailHelp');
  const content = (
    <Form
      visit={visit}
      action={`${organizationPath}/members/invite`}
      oneTimeToken={deps.oneTimeTokens.issue()}
      button={t('organizations.invitations.create')}
      cancelPath={`${organizationPath}/members`}
    >
      <p>{t('organizations.invitations.explanation')}</p>
      <EmailField value={email} autocomplete="off" help={help} errors={errors} />
    </Form>
  );
  const title = t('organizations.invitations.invite');
  return organizationPage(visit, '/members', { title, content, errors });
}

function linkPage(visit: OrganizationVisit, deps: PortalDeps, { invitation, token }: RevealedInvitation) {
  const email = <strong>{invitation.email}</strong>;
  const time = <Moment instant={invitation.expiresAt} />;
  const link = linkTo(deps.baseUrl, 'invitation', token);
  const content = (
    <Card title={t('organizations.invitations.linkHeading')}>
      <p>{rich('organizations.invitations.linkText', { email, time })}</p>
      <Copyable id="link" text={link} label={t('organizations.invitations.copyLink')} />
      <p>{t('organizations.invitations.linkSecret')}</p>
      <LinkButton path={`${visit.organizationPath}/members`} text={t('organizations.invitations.sent')} />
    </Card>
  );
  return organizationPage(visit, '/members', { title: t('organizations.invitations.invite'), content });
}

/** The link of the invitation stops working. */
export async function withdrawInvitation(visit: InvitationVisit, deps: PortalDeps) {
  const withdrawn = await deps.invitations.revoke(visit.actor, visit.organization.id, visit.invitationId);
  if (!withdrawn.ok) return accessLost(visit, withdrawn.problem);
  const notice = t('organizations.invitations.withdrawn', { email: withdrawn.value.email });
  return redirectWithNotice(deps, `${visit.organizationPath}/members`, notice);
}
