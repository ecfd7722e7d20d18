import type { Children } from '../../jsx/elements.ts';
import type { Account, AccountSummary } from '../../model/account.ts';
import { ACCOUNT_ORDERS } from '../../model/ports/account.ts';
import { EmailField } from '../components/accountFields.tsx';
import { Copyable } from '../components/copyable.tsx';
import { Checkbox, Field, fieldsFor, formState } from '../components/field.tsx';
import { ConfirmButton, FilterField, Form, LinkButton, SearchForm } from '../components/form.tsx';
import { Card, isShort, Pager, Results, Table } from '../components/sections.tsx';
import { Moment } from '../components/values.tsx';
import { rich, t, texts } from '../i18n/t.tsx';
import { fieldErrorOf, fieldOf, pageNumberOf } from '../kit/forms.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { notFound, page, redirectWithNotice, systemPage, userCrumbs } from '../kit/pages.tsx';
import { linkTo, USERS_PATH, userPath, withQuery } from '../kit/paths.ts';
import { orderIn, unknownOrder } from '../kit/sorting.ts';
import { granted } from './granted.ts';

const PAGE_SIZE = 50;

/** The users whose email address or name contains the text. The query can have `q`, `sort`, and `page`. */
export async function showUsers(visit: SignedInVisit, deps: PortalDeps) {
  const text = fieldOf(visit.query, 'q').trim();
  const at = pageNumberOf(visit.query);
  const order = orderIn(visit.query, ACCOUNT_ORDERS);
  if (order === undefined) return unknownOrder(visit);
  const wanted = { text, order, offset: at * PAGE_SIZE, limit: PAGE_SIZE };
  const { items: users, hasMore } = granted(await deps.users.search(visit.actor, wanted));
  const pathOf = (n: number, sort: string = order) =>
    withQuery(USERS_PATH, { ...(text !== '' && { q: text }), sort, page: String(n) });
  const shown = { page: at, size: PAGE_SIZE, count: users.length, hasMore, isFiltered: text !== '' };
  const content = (
    <>
      <section class="card">
        <div class="list-heading">
          <h2>{t('admin.users.title')}</h2>
          {!isShort(shown) && (
            <SearchForm action={USERS_PATH} button={t('admin.users.search')} order={order} isLive>
              <FilterField label={t('admin.users.searchField')} text={text} isLiteral />
            </SearchForm>
          )}
        </div>
        <Results of={shown}>
          <Table
            hiddenCaption={t('admin.users.title')}
            head={texts('admin.users', 'user', 'status', 'plan', 'owns', 'created')}
            sorting={{ columns: SORTED, order, pathOf: (sort) => pathOf(0, sort) }}
            rows={users.map((user) => rowOf(user, deps))}
            empty={t(text === '' ? 'admin.users.none' : 'admin.users.noMatch')}
          />
          <Pager page={at} hasMore={hasMore} pathOf={(n) => pathOf(n)} />
        </Results>
      </section>
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
  return systemPage(visit, '/users', {
    title: t('admin.users.title'),
    actions: <LinkButton path={`${USERS_PATH}/new`} text={t('admin.users.create')} />,
    content,
  });
}

/** The columns by which the list can be sorted. */
const SORTED = { 0: ['email', 'asc'], 4: ['created', 'asc'] } as const;

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
  const count = granted(await deps.users.endAllSessions(visit.actor, visit.signedIn.session.id));
  return redirectWithNotice(deps, USERS_PATH, t('admin.users.endAll.ended', { count }));
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

const NEW_USER_PATH = `${USERS_PATH}/new`;

const BLANK_USER = { email: '', name: '', isAdmin: false };

/** Creates a user without a password, and shows the link that lets the user choose a password. */
export async function createUser(visit: SignedInVisit, deps: PortalDeps) {
  const typed = {
    email: fieldOf(visit.form, 'email'),
    name: fieldOf(visit.form, 'name').trim(),
    isAdmin: fieldOf(visit.form, 'admin') === 'on',
  };
  const name = typed.name === '' ? undefined : typed.name;
  const draft = { ...typed, name, password: undefined };
  const created = await deps.users.create(visit.actor, draft);
  if (!created.ok) return showNewUser(visit, deps, formState(typed, [fieldErrorOf(created.problem)]));
  return newPasswordLinkPage(visit, deps, created.value, t('admin.newUser.created'));
}

export function showNewUser(visit: SignedInVisit, _: PortalDeps, form = formState(BLANK_USER)) {
  const { typed, errors } = form;
  const field = fieldsFor('admin.newUser', form);
  const content = (
    <Form visit={visit} action={NEW_USER_PATH} button={t('admin.newUser.button')} cancelPath={USERS_PATH}>
      <p>{t('admin.newUser.intro')}</p>
      <EmailField value={typed.email} autocomplete="off" errors={errors} />
      <Field {...field('name')} isOptional autocomplete="off" />
      <Checkbox
        name="admin"
        label={t('admin.newUser.administrator')}
        help={t('admin.newUser.administratorHelp')}
        value={typed.isAdmin}
      />
    </Form>
  );
  return page(visit, { title: t('admin.newUser.title'), breadcrumbs: userCrumbs(), content, errors });
}

/** Creates a password link for a user, and shows it to the administrator. */
export async function newPasswordLinkPage(
  visit: SignedInVisit,
  deps: PortalDeps,
  { id, email }: Account,
  title: string,
) {
  const issued = await deps.authentication.passwordLinks.issue(visit.actor, id);
  if (!issued.ok) return notFound(visit);
  const content = (
    <section class="card">
      <p>
        {rich('account.passwordLink.created.send', {
          email,
          strong: (text) => (
            <strong>
              <bdi>{text}</bdi>
            </strong>
          ),
        })}
      </p>
      <p>{t('account.passwordLink.created.limits')}</p>
      <Copyable
        id="link"
        text={linkTo(deps.baseUrl, 'password', issued.value)}
        label={t('account.passwordLink.created.copy')}
      />
      <LinkButton path={userPath(deps, id)} text={t('account.passwordLink.created.toUser')} />
    </section>
  );
  return page(visit, { title, content });
}
