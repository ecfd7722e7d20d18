import type { Account } from '../../model/account.ts';
import { Dialog, DialogButton } from '../components/dialog.tsx';
import { LITERAL } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { Icon, type IconName } from '../components/icon.tsx';
import { UserItem } from '../components/values.tsx';
import type { Catalog } from '../i18n/catalog.ts';
import { pageContext } from '../i18n/pageContext.ts';
import { t } from '../i18n/t.tsx';
import { ASSET_PATHS } from './assets.tsx';
import type { Visit } from './handler.ts';
import { Palette } from './palette.tsx';
import { withQuery } from './paths.ts';

/** Keys that open pages or move the focus, on every page for signed-in users. A sequence is two keys in a row: `g h`. */

/** The page that lists the shortcuts; its key opens the list as a dialog. */
const SHORTCUTS_PATH = '/portal/shortcuts';

export const LIST_KEY = '?';

/** The key that moves the focus to the search field. */
export const SEARCH_KEY = '/';

type NavigationLink = {
  readonly path: string;
  readonly text: Exclude<keyof Catalog['kit']['navigation'], 'label' | Group>;
  readonly icon: IconName;
  readonly group?: Group;
  /** The keys that open the page. */
  readonly keys?: string;
};

type Group = 'account' | 'administration' | 'help';

const LINKS: readonly NavigationLink[] = [
  { path: '/portal', text: 'home', icon: 'home', keys: 'g h' },
  { path: '/portal/orgs', text: 'organizations', icon: 'organization', keys: 'g o' },
  { path: '/portal/activity', text: 'activity', icon: 'activity', keys: 'g a' },
  { path: '/portal/settings/api-keys', text: 'apiKeys', icon: 'apiKey', group: 'account', keys: 'g k' },
  { path: '/portal/settings/profile', text: 'profile', icon: 'user', group: 'account', keys: 'g p' },
  { path: '/portal/settings/security', text: 'security', icon: 'security', group: 'account', keys: 'g s' },
  { path: '/portal/system', text: 'system', icon: 'system', group: 'administration', keys: 'g y' },
  { path: '/portal/system/users', text: 'users', icon: 'users', group: 'administration', keys: 'g u' },
  { path: '/docs', text: 'docs', icon: 'docs', group: 'help', keys: 'g d' },
  { path: '/swagger', text: 'apiReference', icon: 'code', group: 'help', keys: 'g r' },
  { path: '/demo', text: 'demo', icon: 'protected', group: 'help', keys: 'g e' },
  { path: SHORTCUTS_PATH, text: 'shortcuts', icon: 'keyboard', group: 'help', keys: LIST_KEY },
];

/** The product's name, which links to the first page. */
export function Brand() {
  return (
    <a class="brand" href="/portal">
      <img src={ASSET_PATHS.mark} alt="" width="28" height="28" />
      Postern
    </a>
  );
}

/** The header of pages for signed-in users, with search and the navigation. The link of the current page is marked. */
export function Header({ visit, account }: { readonly visit: Visit; readonly account: Account }) {
  const links = linksFor(account);
  const current = currentLink(visit.address, links);
  const groups = [...Map.groupBy(links, ({ group }) => group)];
  const listOf = (wanted: typeof groups) => (
    <ul>
      {wanted.map(([group, members]) => {
        const items = members.map((link) => <li>{navigationItem(link, link === current)}</li>);
        if (group === undefined) return <>{items}</>;
        return (
          <li class="group">
            <span>{t(`kit.navigation.${group}`)}</span>
            <ul>{items}</ul>
          </li>
        );
      })}
    </ul>
  );
  return (
    <header class="top">
      <Brand />
      <SearchBox visit={visit} findsUsers={account.isAdmin} />
      <button type="button" class="menu quiet" popovertarget="navigation">
        <Icon name="menu" />
        {t('kit.menu')}
      </button>
      <nav id="navigation" popover="auto" aria-label={t('kit.navigation.label')}>
        {listOf(groups.filter(([group]) => group !== 'help'))}
        {listOf(groups.filter(([group]) => group === 'help'))}
        <div class="account">
          <span class="user-name">
            <UserItem user={account} />
          </span>
          <div class="account-actions">
            <Form visit={visit} action="/portal/logout" button={t('kit.navigation.signOut')} tone="quiet" />
            <PreferencesLink visit={visit} />
          </div>
        </div>
      </nav>
      <ShortcutsDialog />
      <Palette />
    </header>
  );
}

/** The script shows the list of shortcuts in it. */
function ShortcutsDialog() {
  const id = 'shortcuts-dialog';
  const close = (
    <DialogButton of={id} does="close" class="quiet icon-button" label={t('components.close')}>
      <Icon name="close" />
    </DialogButton>
  );
  return <Dialog id={id} title={t('account.shortcuts.title')} actions={close} class="shortcuts-dialog" />;
}

/** The paths, the keys, and the names of the pages in the navigation of a user, in the language of the page. */
export function navigationLinks(
  account: Account,
): readonly { readonly path: string; readonly keys: string | undefined; readonly label: string }[] {
  return linksFor(account).map(({ path, keys, text }) => ({
    path,
    keys,
    label: t(`kit.navigation.${text}`),
  }));
}

function linksFor({ isAdmin }: Account): readonly NavigationLink[] {
  const { hasDemo, hasSwagger } = pageContext().publicPages;
  return LINKS.filter(({ path, group }) => {
    if (path === '/swagger') return hasSwagger;
    if (path === '/demo') return hasDemo;
    return group !== 'administration' || isAdmin;
  });
}

function SearchBox({ visit, findsUsers }: { readonly visit: Visit; readonly findsUsers: boolean }) {
  const query = visit.address.startsWith('/portal/search') ? (visit.query.get('q') ?? '') : '';
  return (
    <search class="search">
      <form method="get" action="/portal/search">
        <Icon name="search" />
        <input
          type="search"
          name="q"
          value={query}
          aria-label={t(findsUsers ? 'kit.search.labelOfAdministrator' : 'kit.search.label')}
          placeholder={t('kit.search.placeholder')}
          maxlength={253}
          autocomplete="off"
          {...LITERAL}
          aria-keyshortcuts={SEARCH_KEY}
          data-shortcut={SEARCH_KEY}
        />
        <span class="shortcut" aria-hidden="true">
          {SEARCH_KEY}
        </span>
      </form>
    </search>
  );
}

function navigationItem({ path, icon, text, keys }: NavigationLink, isCurrent: boolean) {
  return (
    <a
      href={path}
      aria-current={isCurrent ? 'page' : undefined}
      data-shortcut={keys}
      data-shortcut-list={path === SHORTCUTS_PATH ? '' : undefined}
    >
      <Icon name={icon} />
      {t(`kit.navigation.${text}`)}
    </a>
  );
}

/** @returns the link with the longest path that the current path starts with */
function currentLink(address: string, links: readonly NavigationLink[]): NavigationLink | undefined {
  const [path = ''] = address.split('?');
  const candidates = links.filter((link) => path === link.path || path.startsWith(`${link.path}/`));
  return candidates.toSorted((a, b) => b.path.length - a.path.length)[0];
}

/** The path of the preferences, which then return to the current page. */
export function preferencesPath(visit: Visit): string {
  // Without the query, which can contain a token that the user pasted into the address.
  const [back = '/portal'] = visit.request.method === 'GET' ? visit.address.split('?') : [];
  return withQuery('/portal/preferences', { return: back });
}

/** A link to the choice of language, theme, and time zone. */
export function PreferencesLink({ visit }: { readonly visit: Visit }) {
  return (
    <a class="preferences" href={preferencesPath(visit)}>
      <Icon name="preferences" />
      <span>{t('kit.preferences.title')}</span>
    </a>
  );
}
