import { type Html, html } from '../../../lib/html.ts';
import { form, type Mistake } from '../components/parts.tsx';
import { ASSET_PATHS } from './assets.tsx';
import { keyWarningBanner } from './keyWarnings.tsx';
import type { Visit } from './route.ts';

/** What a page adds to the frame around it. */
export type Page = {
  /** The heading, and the window's title. */
  readonly title: string;
  readonly content: Html;
  /** What it loads beside what every page loads. */
  readonly head?: Html;
  /** Default: 422 if there are mistakes, otherwise 200. */
  readonly status?: number;
  /** What was wrong with the form that was sent: told on top, and the browser's focus goes there. */
  readonly mistakes?: readonly Mistake[];
};

type Place = {
  readonly path: string;
  readonly label: string;
  readonly isForAdmins?: boolean;
  /** A heading that it stands under, together with its neighbours. */
  readonly group?: string;
};

/** The navigation: a line for each place. The place whose path begins the page's own is marked. */
const PLACES: readonly Place[] = [
  { path: '/portal', label: 'Organizations' },
  { path: '/portal/tasks', label: 'Tasks' },
  { path: '/portal/audit', label: 'Audit log' },
  { path: '/portal/settings/profile', label: 'Profile', group: 'Settings' },
  { path: '/portal/settings/security', label: 'Security', group: 'Settings' },
  { path: '/portal/settings/api-keys', label: 'API keys', group: 'Settings' },
  { path: '/portal/system', label: 'System', group: 'Administration', isForAdmins: true },
  { path: '/portal/system/users', label: 'Users', group: 'Administration', isForAdmins: true },
];

/** A page in its frame: with the navigation for who is signed in, without for others. */
export function page(
  visit: Visit,
  { title, content, head = html``, mistakes = [], status = mistakes.length === 0 ? 200 : 422 }: Page,
): Response {
  const isSignedIn = visit.who !== undefined;
  const frame = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${mistakes.length > 0 ? 'Error: ' : ''}${title} · Postern</title>
<link rel="icon" href="${ASSET_PATHS.mark}" type="image/svg+xml">
<link rel="stylesheet" href="${ASSET_PATHS.style}">
<script src="${ASSET_PATHS.script}" defer></script>
${head}</head>
<body class="${isSignedIn ? 'inside' : 'outside'}">
<a class="skip" href="#content">Skip to content</a>
${isSignedIn ? header(visit) : html`<header class="top">${BRAND}</header>`}
<main id="content" tabindex="-1">
${bannerOf(visit)}${noticeOf(visit)}${keyWarningBanner(visit.keyWarnings)}${summaryOf(mistakes)}<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
  return new Response(frame.markup, { status, headers: { 'Content-Type': 'text/html; charset=utf-8' } });
}

const BRAND = html`<a class="brand" href="/portal"><img src="${ASSET_PATHS.mark}" alt="" width="28" height="28">Postern</a>`;

function header(visit: Visit): Html {
  const { account } = visit.who ?? {};
  const places = PLACES.filter(({ isForAdmins = false }) => !isForAdmins || account?.isAdmin === true);
  const here = placeOf(visit.address, places);
  const linkTo = (place: Place) =>
    html`<li><a href="${place.path}"${place === here ? html` aria-current="page"` : ''}>${place.label}</a></li>
`;
  const links = Map.groupBy(places, ({ group }) => group ?? '');
  const groups = [...links].map(([group, members]) =>
    group === ''
      ? html`${members.map(linkTo)}`
      : html`<li class="group"><span>${group}</span><ul>${members.map(linkTo)}</ul></li>
`,
  );
  const signOut = html`<button type="submit" class="quiet">Sign out</button>`;
  return html`<header class="top">${BRAND}
<button type="button" class="menu quiet" popovertarget="places">Menu</button>
<nav id="places" popover aria-label="Portal">
<ul>
${groups}</ul>
<div class="account"><span class="who">${account?.name ?? ''}</span>
${form({ visit, action: '/portal/logout', content: signOut })}
</div>
</nav>
</header>`;
}

/** The longest that the address begins with. */
function placeOf(address: string, places: readonly Place[]): Place | undefined {
  const [path = ''] = address.split('?');
  const candidates = places.filter((place) => path === place.path || path.startsWith(`${place.path}/`));
  return candidates.toSorted((a, b) => b.path.length - a.path.length)[0];
}

function bannerOf({ isInMaintenance, who }: Visit): Html {
  if (!isInMaintenance) return html``;
  const more = who?.account.isAdmin
    ? html` <a href="/portal/system">Go to the maintenance switch</a>`
    : html` Try changes again later.`;
  return html`<p class="maintenance" role="status"><strong>Maintenance is on.</strong> You can read pages, but changes are rejected. Visitors'
solutions are still verified.${more}</p>
`;
}

function noticeOf({ notice }: Visit): Html {
  if (notice === undefined) return html``;
  return html`<p class="notice" role="status">${notice}</p>
`;
}

function summaryOf(mistakes: readonly Mistake[]): Html {
  if (mistakes.length === 0) return html``;
  const items = mistakes.map(({ field, text }) =>
    field === undefined ? html`<li>${text}</li>` : html`<li><a href="#${field}">${text}</a></li>`,
  );
  return html`<div class="mistakes" role="alert" tabindex="-1" autofocus>
<h2>There is a problem</h2>
<ul>${items}</ul>
</div>
`;
}
