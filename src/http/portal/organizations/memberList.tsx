import type { Invitation } from '../../../model/invitation.ts';
import type { Member } from '../../../model/organization.ts';
import type { Children } from '../../jsx/elements.ts';
import { Card } from '../components/card.tsx';
import { ConfirmButton } from '../components/confirm.tsx';
import { Table } from '../components/table.tsx';
import { Moment } from '../components/time.tsx';
import { UserItem } from '../components/userName.tsx';
import { t } from '../i18n/t.ts';
import type { OrganizationVisit, PortalDeps } from '../kit/handler.ts';
import { notFound } from '../kit/responses.tsx';
import { organizationPage } from './organizationPage.tsx';

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
