import type { AccountId, AccountSummary } from '../../../model/account.ts';
import type { Children } from '../../jsx/elements.ts';
import { Card } from '../components/card.tsx';
import { ConfirmButton } from '../components/confirm.tsx';
import { Field } from '../components/field.tsx';
import { LinkButton, SearchForm } from '../components/form.tsx';
import { Pager, Table } from '../components/table.tsx';
import { Moment } from '../components/time.tsx';
import { t } from '../i18n/t.ts';
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
      <SearchForm action={USERS_PATH} button={t('admin.users.search')}>
        <Field
          name="q"
          label={t('admin.users.searchField')}
          type="search"
          value={text}
          isOptional
          isLiteral
        />
      </SearchForm>
      <Card title={t('admin.users.title')}>
        <Table
          caption={t('admin.users.caption')}
          head={[
            t('admin.users.user'),
            t('admin.users.status'),
            t('admin.users.plan'),
            t('admin.users.owns'),
            t('admin.users.created'),
          ]}
          rows={users.map((user) => rowOf(user, deps))}
          empty={t(text === '' ? 'admin.users.none' : 'admin.users.noMatch')}
        />
      </Card>
      <Pager page={at} hasMore={hasMore} pathOf={pathOf} />
      <Card title={t('admin.users.endAll.title')}>
        <p>{t('admin.users.endAll.text')}</p>
        <ConfirmButton
          visit={visit}
          action={`${USERS_PATH}/end-sessions`}
          id="end-sessions"
          button={t('admin.users.endAll.button')}
          title={t('admin.users.endAll.question')}
        >
          <p>{t('admin.users.endAll.consequence')}</p>
        </ConfirmButton>
      </Card>
    </>
  );
  return page(visit, {
    title: t('admin.users.title'),
    object: t('admin.system'),
    views: <SystemTabs current="/users" />,
    actions: <LinkButton path={`${USERS_PATH}/new`}>{t('admin.users.create')}</LinkButton>,
    content,
  });
}

function rowOf(user: AccountSummary, deps: PortalDeps): readonly Children[] {
  return [
    <div class="long">
      <a href={userPath(deps, user.id)}>{user.email}</a>
      {user.name !== user.email && (
        <span class="aside">
          <bdi>{user.name}</bdi>
        </span>
      )}
    </div>,
    <div>
      <UserStatus user={user} />
    </div>,
    <bdi class="long">{user.plan}</bdi>,
    organizationCount(user.organizations),
    <Moment instant={user.createdAt} />,
  ];
}

/** Ends all sessions of all users, except for this one. */
export async function endAllSessions(visit: SignedInVisit, deps: PortalDeps) {
  const { session } = visit.signedIn;
  const ended = granted(await deps.users.endAllSessions(visit.actor, session.id));
  const count = t('admin.users.endAll.ended', { count: ended });
  return redirectWithNotice(deps, USERS_PATH, count);
}

export function userPath({ ids }: PortalDeps, id: AccountId): string {
  return `${USERS_PATH}/${ids.seal('account', id)}`;
}

/** Whether a user is an administrator, is disabled, or has no password yet; otherwise, the user is active. */
export function UserStatus({ user }: { readonly user: AccountSummary }) {
  const { isAdmin, disabledAt, hasPassword } = user;
  if (!isAdmin && disabledAt === undefined && hasPassword)
    return <span class="badge good">{t('admin.users.statuses.active')}</span>;
  return (
    <>
      {isAdmin && <span class="badge">{t('admin.users.statuses.administrator')}</span>}{' '}
      {disabledAt !== undefined && <span class="badge bad">{t('admin.users.statuses.disabled')}</span>}{' '}
      {!hasPassword && <span class="badge">{t('admin.users.statuses.noPassword')}</span>}
    </>
  );
}

/** `1 organization`, `2 organizations`. */
export function organizationCount(count: number): string {
  return t('admin.users.organizations', { count });
}
