import type { AccountId, AccountSummary } from '../../../model/account.ts';
import type { Children } from '../../jsx/elements.ts';
import { Card } from '../components/card.tsx';
import { Field } from '../components/field.tsx';
import { ActionForm, LinkButton, SearchForm } from '../components/form.tsx';
import { Pager, Table } from '../components/table.tsx';
import { Moment } from '../components/time.tsx';
import { fieldOf, pageNumberOf } from '../kit/formData.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { page, redirectWithNotice } from '../kit/responses.tsx';
import { granted, SYSTEM_PATH, SystemTabs } from './systemTabs.tsx';

export const USERS_PATH = `${SYSTEM_PATH}/users`;

const PAGE_SIZE = 50;

/** The users whose email address or name contains the text. */
export async function showUsers(visit: SignedInVisit, deps: PortalDeps) {
  const text = fieldOf(visit.query, 'q').trim();
  const at = pageNumberOf(visit.query);
  const wanted = { text, offset: at * PAGE_SIZE, limit: PAGE_SIZE };
  const { items: users, hasMore } = granted(await deps.users.search(visit.actor, wanted));
  const pathOf = (n: number) =>
    `${USERS_PATH}?${new URLSearchParams({ ...(text === '' ? {} : { q: text }), page: String(n) })}`;
  const content = (
    <>
      <SystemTabs current="/users" />
      <LinkButton path={`${USERS_PATH}/new`}>Create user</LinkButton>
      <SearchForm action={USERS_PATH} button="Search">
        <Field name="q" label="Email address or name" type="search" value={text} isOptional isLiteral />
      </SearchForm>
      <Card title="Users">
        <Table
          caption="Oldest first"
          head={['User', 'Status', 'Plan', 'Created']}
          rows={users.map((user) => rowOf(user, deps))}
          empty={
            text === ''
              ? 'There are no users.'
              : 'No user has an email address or a name that contains this text.'
          }
        />
      </Card>
      <Pager page={at} hasMore={hasMore} pathOf={pathOf} />
      <Card title="Sessions">
        <ActionForm
          visit={visit}
          action={`${USERS_PATH}/end-sessions`}
          button="End all sessions of all users"
        >
          This signs out all users in all browsers. Only your session in this browser continues. API keys keep
          working.
        </ActionForm>
      </Card>
    </>
  );
  return page(visit, { title: 'System', content });
}

function rowOf(user: AccountSummary, deps: PortalDeps): readonly Children[] {
  return [
    <>
      <a class="long" href={userPath(deps, user.id)}>
        {user.email}
      </a>
      <br />
      <span class="long aside">{user.name}</span>
    </>,
    <UserStatus user={user} />,
    <>
      <span class="long">{user.plan}</span>
      <br />
      <span class="aside">owns {organizationCount(user.organizations)}</span>
    </>,
    <Moment instant={user.createdAt} />,
  ];
}

/** Ends all sessions of all users, except for this one. */
export async function endAllSessions(visit: SignedInVisit, deps: PortalDeps) {
  const { session } = visit.signedIn;
  const ended = granted(await deps.users.endAllSessions(visit.actor, session.id));
  const count = ended === 1 ? '1 session was ended.' : `${ended} sessions were ended.`;
  return redirectWithNotice(deps, USERS_PATH, count);
}

export function userPath({ ids }: PortalDeps, id: AccountId): string {
  return `${USERS_PATH}/${ids.seal('account', id)}`;
}

/** Whether a user is an administrator, is disabled, or has no password yet; otherwise, the user is active. */
export function UserStatus({ user }: { readonly user: AccountSummary }) {
  const { isAdmin, disabledAt, hasPassword } = user;
  if (!isAdmin && disabledAt === undefined && hasPassword) return <span class="badge good">Active</span>;
  return (
    <>
      {isAdmin && <span class="badge">Administrator</span>}{' '}
      {disabledAt !== undefined && <span class="badge bad">Disabled</span>}{' '}
      {!hasPassword && <span class="badge">No password yet</span>}
    </>
  );
}

/** `1 organization`, `2 organizations`. */
export function organizationCount(count: number): string {
  return count === 1 ? '1 organization' : `${count} organizations`;
}
