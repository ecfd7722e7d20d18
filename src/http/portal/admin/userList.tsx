import { type Html, html } from '../../../lib/html.ts';
import type { Account, AccountId } from '../../../model/account.ts';
import { card, field, form, moment, pager, submit, table } from '../components/parts.tsx';
import { fieldOf, pageNumberOf } from '../kit/formData.ts';
import { page } from '../kit/layout.tsx';
import { redirectSaying } from '../kit/responses.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/route.ts';
import { granted, SYSTEM_PATH, systemTabs } from './systemTabs.tsx';

export const USERS_PATH = `${SYSTEM_PATH}/users`;

const PAGE_SIZE = 50;

/** `GET /portal/system/users`: those whose address or name has the text. */
export async function showUsers(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const text = fieldOf(visit.query, 'q').trim();
  const at = pageNumberOf(visit.query);
  const wanted = { text, offset: at * PAGE_SIZE, limit: PAGE_SIZE };
  const { users, hasMore } = granted(await deps.users.search(visit.actor, wanted));
  const list = table({
    caption: 'Oldest first',
    head: ['User', 'State', 'Plan', 'Since'],
    rows: users.map((user) => [
      html`<a class="long" href="${userPath(deps, user.id)}">${user.email}</a><br><span class="long aside">${user.name}</span>`,
      standingOf(user, user.hasPassword),
      html`<span class="long">${user.plan}</span><br><span class="aside">owns ${organizationCount(user.organizations)}</span>`,
      moment(user.createdAt),
    ]),
    empty: text === '' ? 'There are no users.' : 'No user’s address or name has this in it.',
  });
  const pathOf = (n: number) =>
    `${USERS_PATH}?${new URLSearchParams({ ...(text === '' ? {} : { q: text }), page: String(n) })}`;
  const search = { name: 'q', label: 'E-mail address or name', type: 'search', value: text } as const;
  const content = html`${systemTabs('/users')}<p><a class="button" href="${USERS_PATH}/new">Create a user</a></p>
<form method="get" action="${USERS_PATH}" role="search" class="filter">
${field({ ...search, isOptional: true, isLiteral: true })}${submit('Show', 'quiet')}
</form>
${card('Users', list)}${pager({ page: at, hasMore, pathOf })}${endAllPart(visit)}`;
  return page(visit, { title: 'System', content });
}

/** `POST /portal/system/users/end-sessions`: signs everyone out, except for this session. */
export async function endAllSessions(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const { session } = visit.who;
  const ended = granted(await deps.users.endAllSessions(visit.actor, session.id));
  const act = { action: 'sessions-ended', organizationId: undefined, subject: 'everyone' } as const;
  await deps.audit.recordAct(visit.actor, act);
  const count = ended === 1 ? '1 session was ended.' : `${ended} sessions were ended.`;
  return redirectSaying(deps, USERS_PATH, count);
}

function endAllPart(visit: SignedInVisit): Html {
  const content = html`<p>Sign out every user in every browser, except you in this one. API keys keep working.</p>
${submit('End all sessions of everyone', 'danger')}`;
  return card('Sessions', form({ visit, action: `${USERS_PATH}/end-sessions`, content }));
}

/** Where a user has its page. */
export function userPath({ ids }: Pick<PortalDeps, 'ids'>, id: AccountId): string {
  return `${USERS_PATH}/${ids.seal('account', id)}`;
}

/** What a user is and may. */
export function standingOf({ isAdmin, disabledAt }: Account, hasPassword: boolean): Html {
  const marks = [
    ...(isAdmin ? [html`<span class="badge">Administrator</span> `] : []),
    ...(disabledAt === undefined ? [] : [html`<span class="badge bad">Disabled</span> `]),
    ...(hasPassword ? [] : [html`<span class="badge">No password yet</span> `]),
  ];
  return marks.length === 0 ? html`<span class="badge good">Active</span>` : html`${marks}`;
}

/** In words. */
export function organizationCount(count: number): string {
  return count === 1 ? '1 organization' : `${count} organizations`;
}
