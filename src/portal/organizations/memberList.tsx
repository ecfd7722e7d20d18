import type { Children } from '../../jsx/elements.ts';
import type { Invitation, Member } from '../../model/organization.ts';
import type { Problem } from '../../model/problems.ts';
import { Card } from '../components/card.tsx';
import type { FieldErrors } from '../components/field.tsx';
import { ActionForm, ConfirmButton, Form } from '../components/form.tsx';
import { UserItem, UserName } from '../components/names.tsx';
import { Table } from '../components/table.tsx';
import { Moment } from '../components/time.tsx';
import type { Catalog } from '../i18n/catalog.ts';
import { rich } from '../i18n/rich.tsx';
import { hasText, t } from '../i18n/t.ts';
import { organizationPage } from '../kit/frames.tsx';
import type { MemberVisit, OrganizationVisit, PortalDeps } from '../kit/handler.ts';
import { accessLost, notFound, redirectWithNotice } from '../kit/responses.tsx';

/** The members, and for the owner the open invitations. */
export async function showMembers(visit: OrganizationVisit, deps: PortalDeps) {
  const { ids } = deps;
  const members = await deps.members.list(visit.actor, visit.organization.id);
  if (!members.ok) return notFound(visit);
  const open = visit.isOwner ? await deps.invitations.list(visit.actor, visit.organization.id) : undefined;
  const content = (
    <>
      <Card title={t('organizations.members.title')}>
        <MemberList visit={visit} ids={ids} members={members.value} />
      </Card>
      {open !== undefined && <InvitationCard visit={visit} ids={ids} open={open.ok ? open.value : []} />}
    </>
  );
  const actions = visit.isOwner && (
    <a class="button" href={`${visit.organizationPath}/members/invite`}>
      {t('organizations.invitations.invite')}
    </a>
  );
  return organizationPage(visit, '/members', { content, actions });
}

type ListProps = { readonly visit: OrganizationVisit; readonly ids: PortalDeps['ids'] };

function MemberList({ visit, ids, members }: ListProps & { readonly members: readonly Member[] }) {
  const head = [
    t('organizations.members.member'),
    t('organizations.members.role'),
    t('organizations.members.since'),
    ...(visit.isOwner ? [t('organizations.members.actions')] : []),
  ];
  return (
    <Table
      caption={t('organizations.members.title')}
      isCaptionHidden
      head={head}
      rows={members.map((member): readonly Children[] => [
        <div class="object">
          <UserItem
            user={member}
            note={member.accountId === visit.signedIn.account.id ? t('organizations.members.you') : undefined}
          />
        </div>,
        member.role === 'owner' ? t('organizations.members.owner') : t('organizations.members.member'),
        <Moment instant={member.since} />,
        ...(visit.isOwner
          ? [member.role !== 'owner' && <MemberActions visit={visit} ids={ids} member={member} />]
          : []),
      ])}
      empty=""
    />
  );
}

function MemberActions({ visit, ids, member }: ListProps & { readonly member: Member }) {
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

function InvitationCard({ visit, ids, open }: ListProps & { readonly open: readonly Invitation[] }) {
  const path = visit.organizationPath;
  return (
    <Card title={t('organizations.invitations.heading')}>
      <Table
        caption={t('organizations.invitations.heading')}
        isCaptionHidden
        head={[
          t('organizations.invitations.address'),
          t('organizations.invitations.expires'),
          t('organizations.members.actions'),
        ]}
        rows={open.map(({ id, email, expiresAt }) => {
          const name = ids.seal('invitation', id);
          return [
            <bdi>{email}</bdi>,
            <Moment instant={expiresAt} />,
            <ConfirmButton
              visit={visit}
              action={`${path}/invitations/${name}/withdraw`}
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
  return organizationPage(visit, '/members', {
    title: t('organizations.members.removeTitle', { name }),
    content,
  });
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
  const content = (
    <Form
      visit={visit}
      action={`${visit.memberPath}/transfer`}
      button={t('organizations.transfer.button')}
      tone="danger"
      cancelPath={`${visit.organizationPath}/members`}
    >
      <p>
        {rich('organizations.transfer.question', {
          organization: <bdi>{visit.organization.name}</bdi>,
          user: <UserName user={visit.member} />,
        })}
      </p>
      <ul>
        <li>{t('organizations.transfer.consequences.owner')}</li>
        <li>{t('organizations.transfer.consequences.member')}</li>
        <li>{t('organizations.transfer.consequences.plan')}</li>
        <li>{t('organizations.transfer.consequences.rest')}</li>
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
