import type { Invitation } from '../../../model/invitation.ts';
import type { Member } from '../../../model/organization.ts';
import { Card } from '../components/card.tsx';
import { Form, LinkButton, SubmitButton } from '../components/form.tsx';
import { ItemList } from '../components/itemList.tsx';
import { Moment } from '../components/time.tsx';
import { UserItem } from '../components/userName.tsx';
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
      <Card title="Members">
        <MemberList visit={visit} ids={ids} members={members.value} />
      </Card>
      {open !== undefined && <InvitationCard visit={visit} ids={ids} open={open.ok ? open.value : []} />}
    </>
  );
  return organizationPage(visit, '/members', { title: 'Members', content });
}

type ListProps = { readonly visit: OrganizationVisit; readonly ids: PortalDeps['ids'] };

function MemberList({ visit, ids, members }: ListProps & { readonly members: readonly Member[] }) {
  return (
    <ItemList
      items={members.map((member) => ({
        name: (
          <UserItem
            user={member}
            note={member.accountId === visit.signedIn.account.id ? '(you)' : undefined}
          />
        ),
        facts: [
          member.role === 'owner' ? 'Owner' : 'Member',
          <>
            since <Moment instant={member.since} />
          </>,
        ],
        actions: visit.isOwner && member.role !== 'owner' && (
          <MemberActions
            name={member.name}
            path={`${visit.organizationPath}/members/${ids.seal('account', member.accountId)}`}
          />
        ),
      }))}
      empty=""
    />
  );
}

function MemberActions({ name, path }: { readonly name: string; readonly path: string }) {
  return (
    <>
      <a href={`${path}/transfer`} aria-label={`Make owner: ${name}`}>
        Make owner
      </a>
      <a href={`${path}/remove`} aria-label={`Remove member: ${name}`}>
        Remove member
      </a>
    </>
  );
}

function InvitationCard({ visit, ids, open }: ListProps & { readonly open: readonly Invitation[] }) {
  const path = visit.organizationPath;
  return (
    <Card title="Open invitations">
      <ItemList
        items={open.map(({ id, email, expiresAt }) => ({
          name: email,
          facts: [
            <>
              expires <Moment instant={expiresAt} />
            </>,
          ],
          actions: (
            <Form visit={visit} action={`${path}/invitations/${ids.seal('invitation', id)}/withdraw`}>
              <SubmitButton tone="quiet" label={`Withdraw invitation: ${email}`}>
                Withdraw invitation
              </SubmitButton>
            </Form>
          ),
        }))}
        empty="There are no open invitations."
      />
      <LinkButton path={`${path}/members/invite`}>Invite member</LinkButton>
    </Card>
  );
}
