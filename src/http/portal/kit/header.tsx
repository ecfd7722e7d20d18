import type { Account } from '../../../model/account.ts';
import type { Element } from '../../jsx/elements.ts';
import { Form } from '../components/form.tsx';
import { Icon, type IconName } from '../components/icon.tsx';
import type { Catalog } from '../i18n/catalog.ts';
import { pageContext } from '../i18n/pageContext.ts';
import { t } from '../i18n/t.ts';
import { ASSET_PATHS } from './assets.tsx';
import type { Visit } from './handler.ts';
import { PreferencesLink } from './preferencesLink.tsx';
import { keysOf, LIST_KEY, SEARCH_KEY, SHORTCUTS_PATH } from './shortcuts.ts';

type NavigationLink = {
  readonly path: string;
  readonly text: Exclude<keyof Catalog['kit']['navigation'], 'label' | Group>;
  readonly icon: IconName;
  readonly group?: Group;
};

type Group = 'account' | 'administration' | 'help';

const LINKS: readonly NavigationLink[] = [
  { path: '/portal', text: 'home', icon: 'home' },
  { path: '/portal/orgs', text: 'organizations', icon: 'organization' },
  { path: '/portal/activity', text: 'activity', icon: 'activity' },
  { path: '/portal/settings/api-keys', text: 'apiKeys', icon: 'apiKey', group: 'account' },
  { path: '/portal/settings/profile', text: 'profile', icon: 'user', group: 'account' },
  { path: '/portal/settings/security', text: 'security', icon: 'security', group: 'account' },
  { path: '/portal/system', text: 'system', icon: 'system', group: 'administration' },
  { path: '/portal/system/users', text: 'users', icon: 'users', group: 'administration' },
  { path: '/docs', text: 'docs', icon: 'docs', group: 'help' },
  { path: '/swagger', text: 'apiReference', icon: 'code', group: 'help' },
  { path: '/demo', text: 'demo', icon: 'protected', group: 'help' },
  { path: SHORTCUTS_PATH, text: 'shortcuts', icon: 'keyboard', group: 'help' },
];

/** The product's name, which links to the first page. */
export function Brand(): Element {
  return (
    <a class="brand" href="/portal">
      <img src={ASSET_PATHS.mark} alt="" width="28" height="28" />
      Postern
    </a>
  );
}

/** The header of pages for signed-in users, with search and the navigation. The link of the current page is marked. */
export function Header({ visit, account }: { readonly visit: Visit; readonly account: Account }): Element {
  const links = linksFor(account);
  const current = currentLink(visit.address, links);
  const groups = Map.groupBy(links, ({ group }) => group);
  return (
    <header class="top">
      <Brand />
      <SearchBox query={visit.address.startsWith('/portal/search') ? (visit.query.get('q') ?? '') : ''} />
      <button type="button" class="menu quiet" popovertarget="navigation">
        <Icon name="menu" />
        {t('kit.menu')}
      </button>
      <nav id="navigation" popover="auto" aria-label={t('kit.navigation.label')}>
        <ul>
          {[...groups].map(([group, members]) => {
            const items = members.map((link) => <NavigationItem link={link} isCurrent={link === current} />);
            if (group === undefined) return <>{items}</>;
            return (
              <li class="group">
                <span>{t(`kit.navigation.${group}`)}</span>
                <ul>{items}</ul>
              </li>
            );
          })}
        </ul>
        <div class="account">
          <span class="user-name">
            <bdi>{account.name}</bdi>
            {account.name !== account.email && <span class="soft">{account.email}</span>}
          </span>
          <div class="account-actions">
            <Form visit={visit} action="/portal/logout" button={t('kit.navigation.signOut')} tone="quiet" />
            <PreferencesLink visit={visit} />
          </div>
        </div>
      </nav>
    </header>
  );
}

/** The pages in the navigation of a user, with their names in the language of the page. */
export function navigationLinks(
  account: Account,
): readonly { readonly path: string; readonly label: string }[] {
  return linksFor(account).map(({ path, text }) => ({ path, label: t(`kit.navigation.${text}`) }));
}

function linksFor(account: Account): readonly NavigationLink[] {
  return LINKS.filter((link) => isShown(link, account));
}

function SearchBox({ query }: { readonly query: string }): Element {
  return (
    <search class="search">
      <form method="get" action="/portal/search">
        <Icon name="search" />
        <input
          type="search"
          name="q"
          value={query}
          aria-label={t('kit.search.label')}
          placeholder={t('kit.search.placeholder')}
          maxlength={253}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
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

function NavigationItem(props: { readonly link: NavigationLink; readonly isCurrent: boolean }): Element {
  const { path, icon, text } = props.link;
  const isList = path === SHORTCUTS_PATH;
  return (
    <li>
      <a
        href={path}
        aria-current={props.isCurrent ? 'page' : undefined}
        data-shortcut={isList ? LIST_KEY : keysOf(path)}
        data-shortcut-list={isList ? '' : undefined}
      >
        <Icon name={icon} />
        {t(`kit.navigation.${text}`)}
      </a>
    </li>
  );
}

function isShown({ group, path }: NavigationLink, { isAdmin }: Account): boolean {
  const { hasDemo, hasSwagger } = pageContext().publicPages;
  if (path === '/swagger') return hasSwagger;
  if (path === '/demo') return hasDemo;
  return group !== 'administration' || isAdmin;
}

/** @returns the link with the longest path that the current path starts with */
function currentLink(address: string, links: readonly NavigationLink[]): NavigationLink | undefined {
  const [path = ''] = address.split('?');
  const candidates = links.filter((link) => path === link.path || path.startsWith(`${link.path}/`));
  return candidates.toSorted((a, b) => b.path.length - a.path.length)[0];
}
