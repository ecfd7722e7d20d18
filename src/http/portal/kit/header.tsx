import type { Account } from '../../../model/account.ts';
import type { Element } from '../../jsx/elements.ts';
import { Form } from '../components/form.tsx';
import { ASSET_PATHS } from './assets.tsx';
import type { Visit } from './handler.ts';

type NavigationLink = {
  readonly path: string;
  readonly label: string;
  readonly isForAdmins?: boolean;
  /** The heading of its group. */
  readonly group?: string;
};

const LINKS: readonly NavigationLink[] = [
  { path: '/portal', label: 'Organizations' },
  { path: '/portal/tasks', label: 'Tasks' },
  { path: '/portal/audit', label: 'Audit log' },
  { path: '/portal/settings/profile', label: 'Profile', group: 'Settings' },
  { path: '/portal/settings/security', label: 'Security', group: 'Settings' },
  { path: '/portal/settings/api-keys', label: 'API keys', group: 'Settings' },
  { path: '/portal/system', label: 'System', group: 'Administration', isForAdmins: true },
  { path: '/portal/system/users', label: 'Users', group: 'Administration', isForAdmins: true },
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

/** The header of pages for signed-in users, with the navigation. The link of the current page is marked. */
export function Header({ visit, account }: { readonly visit: Visit; readonly account: Account }): Element {
  const links = LINKS.filter(({ isForAdmins = false }) => !isForAdmins || account.isAdmin);
  const current = currentLink(visit.address, links);
  const groups = Map.groupBy(links, ({ group }) => group);
  return (
    <header class="top">
      <Brand />
      <button type="button" class="menu quiet" popovertarget="navigation">
        Menu
      </button>
      <nav id="navigation" popover="auto" aria-label="Portal">
        <ul>
          {[...groups].map(([group, members]) => {
            const items = members.map((link) => <NavigationItem link={link} isCurrent={link === current} />);
            if (group === undefined) return <>{items}</>;
            return (
              <li class="group">
                <span>{group}</span>
                <ul>{items}</ul>
              </li>
            );
          })}
        </ul>
        <div class="account">
          <span class="user-name">{account.name}</span>
          <Form visit={visit} action="/portal/logout" button="Sign out" tone="quiet" />
        </div>
      </nav>
    </header>
  );
}

function NavigationItem(props: { readonly link: NavigationLink; readonly isCurrent: boolean }): Element {
  return (
    <li>
      <a href={props.link.path} aria-current={props.isCurrent ? 'page' : undefined}>
        {props.link.label}
      </a>
    </li>
  );
}

/** @returns the link with the longest path that the current path starts with */
function currentLink(address: string, links: readonly NavigationLink[]): NavigationLink | undefined {
  const [path = ''] = address.split('?');
  const candidates = links.filter((link) => path === link.path || path.startsWith(`${link.path}/`));
  return candidates.toSorted((a, b) => b.path.length - a.path.length)[0];
}
