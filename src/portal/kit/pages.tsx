import { PAGE_SECURITY_POLICY } from '../../http/commonHeaders.ts';
import { isKnownTag, weakTagOf } from '../../http/etag.ts';
import type { Element } from '../../jsx/elements.ts';
import { render, renderPage } from '../../jsx/runtime.ts';
import type { OwnedOrganization } from '../../model/organization.ts';
import type { Problem } from '../../model/problems.ts';
import { AttackBanner } from '../components/attackMode.tsx';
import { type Link, Tabs } from '../components/navigation.tsx';
import { type Language, negotiateLanguage } from '../i18n/languages.ts';
import { pageContext, withPageContext } from '../i18n/pageContext.ts';
import { rich, type TextKey, t, textAt } from '../i18n/t.tsx';
import { ASSET_PATHS } from './assets.tsx';
import { WARNING_MARK } from './cookies.ts';
import { sentenceFor } from './forms.ts';
import type { OrganizationVisit, PortalDeps, PropertyVisit, SignedInVisit, Visit } from './handler.ts';
import { Layout, type Page } from './layout.tsx';
import { SYSTEM_PATH } from './paths.ts';

/** A page in the layout of the portal. */
export function page(visit: Visit, contents: Page): Response {
  const { errors = [], status = errors.length === 0 ? 200 : 422, retryAfter } = contents;
  const headers = new Headers({ 'Content-Type': 'text/html; charset=utf-8' });
  if (retryAfter !== undefined) headers.set('Retry-After', String(retryAfter));
  return new Response(renderPage(<Layout visit={visit} page={contents} />), { status, headers });
}

/** Redirects to another page after a form was processed (303). */
export function redirectTo(path: string, headers: Headers = new Headers()): Response {
  headers.set('Location', path);
  return new Response(null, { status: 303, headers });
}

/** Redirects (303) and shows a notice on the next page, once. */
export function redirectWithNotice({ cookies }: Pick<PortalDeps, 'cookies'>, path: string, notice: string) {
  return redirectTo(path, new Headers({ 'Set-Cookie': cookies.write('notice', notice) }));
}

/** Like `redirectWithNotice`, if the user's action was not performed. */
export function redirectWithWarning(deps: Pick<PortalDeps, 'cookies'>, path: string, warning: string) {
  return redirectWithNotice(deps, path, `${WARNING_MARK}${warning}`);
}

/** The page for objects that do not exist or that the user may not see (404). */
export function notFound(visit: Visit): Response {
  return errorPage(visit, 404, t('kit.notFound.title'), t('kit.notFound.text'));
}

/** The page for a request that is rejected. @param reason a sentence about the problem and what to do */
export function errorPage(visit: Visit, status: number, title: string, reason: string): Response {
  const content = (
    <section class="card">
      <p>{reason}</p>
      <p>
        <a href="/portal">{t('kit.startPage')}</a>
      </p>
    </section>
  );
  return page(visit, { title, content, status });
}

/** The response if the user lost access to the organization between the guard and the change: 403 for members, 404 for others. */
export function accessLost(visit: Visit, problem: Problem): Response {
  if (problem !== 'organization-not-owned') return notFound(visit);
  return errorPage(visit, 403, t('kit.notAllowed.title'), sentenceFor(problem));
}

/** A part of a page, which a script requests. If the browser already has the same markup, the response is 304. */
export function fragment(visit: Visit, element: Element): Response {
  const markup = render(element);
  const tag = weakTagOf(markup);
  const isKnown = isKnownTag(visit.request.headers.get('if-none-match') ?? '', tag);
  const headers = { ETag: tag, 'Content-Type': 'text/html; charset=utf-8' };
  return new Response(isKnown ? null : markup, { status: isKnown ? 304 : 200, headers });
}

/** Headers of every page. Without a referrer on the same host, browsers hide the origin of forms too. */
export const PAGE_HEADERS = {
  'Content-Security-Policy': PAGE_SECURITY_POLICY,
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'same-origin',
} as const;

/** Headers of pages that share links show. */
export const SHARED_HEADERS = {
  ...PAGE_HEADERS,
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex, nofollow',
} as const;

const FAILURES = { 400: 'invalid', 503: 'unavailable' } as const;

/** Without a link, because the request may come through a malicious host name. */
export function wrongHostPage(baseUrl: string, request: Request): Response {
  return plainPage(421, preferredLanguage(request), () => ({
    title: t('kit.failure.wrongHost.title'),
    text: t('kit.failure.wrongHost.text', { url: `${baseUrl}/portal` }),
  }));
}

/** The page for a failed request, without details of the failure. */
export function portalFailure(status: number, request: Request): Response {
  const name = status === 400 || status === 503 ? FAILURES[status] : 'failed';
  return plainPage(status, preferredLanguage(request), () => ({
    title: t(`kit.failure.${name}.title`),
    text: t(`kit.failure.${name}.text`),
  }));
}

/** The page for a request over the rate limit, in the user's language. @param seconds until the next request is allowed */
export function tooManyRequestsPage(seconds: number): Response {
  const textsOf = () => ({ title: t('kit.failure.tooMany.title'), text: t('kit.failure.tooMany.text') });
  const response = plainPage(429, pageContext().language, textsOf);
  response.headers.set('Retry-After', String(seconds));
  return response;
}

type Texts = { readonly title: string; readonly text: string };

/** The language that the browser prefers: a failure may happen before the user's choice is read. */
function preferredLanguage(request: Request): Language {
  return negotiateLanguage(request.headers.get('accept-language'));
}

function plainPage(status: number, language: Language, textsOf: () => Texts): Response {
  const { title, text } = withPageContext({ ...pageContext(), language }, textsOf);
  const markup = renderPage(
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · Postern`}</title>
        <link rel="icon" href={ASSET_PATHS.mark} />
        <link rel="stylesheet" href={ASSET_PATHS.style} />
      </head>
      <body class="outside">
        <main>
          <div class="heading">
            <h1>{title}</h1>
          </div>
          <section class="card">
            <p>{text}</p>
          </section>
        </main>
      </body>
    </html>,
  );
  const headers = { 'Content-Type': 'text/html; charset=utf-8', ...PAGE_HEADERS };
  return new Response(markup, { status, headers });
}

/** The name of an organization. If another user owns it, the owner's email address distinguishes it from others. */
export function organizationLabel(
  { signedIn }: Pick<SignedInVisit, 'signedIn'>,
  { name, ownerId, ownerEmail }: OwnedOrganization,
): string {
  return ownerId === signedIn.account.id ? name : `${name} (${ownerEmail})`;
}

/** @returns the path to an organization, and to another object of it */
export function organizationCrumbs(
  visit: { readonly organization: { readonly name: string }; readonly organizationPath: string },
  more: readonly Link[] = [],
): readonly Link[] {
  const { organization, organizationPath } = visit;
  return [
    ['/portal/orgs', t('kit.navigation.organizations')],
    [organizationPath, organization.name],
    ...more,
  ];
}

/** The contents of a page with tabs. The default title is the name of the current tab. */
export type TabPage = Omit<Page, 'title'> & { readonly title?: string };

/** Names of texts by the rest of a path. */
type TabNames<Rest extends string = string> = Readonly<Record<Rest, TextKey>>;

const ORGANIZATION_TABS = {
  '': 'organizations.tabs.properties',
  '/statistics': 'dashboard.title',
  '/traffic': 'traffic.title',
  '/api-keys': 'organizations.tabs.apiKeys',
  '/members': 'organizations.tabs.members',
  '/activity': 'organizations.tabs.activity',
  '/settings': 'organizations.tabs.settings',
} as const satisfies TabNames;

const PROPERTY_TABS = {
  '': 'properties.tabs.dashboard',
  '/traffic': 'traffic.title',
  '/integration': 'properties.tabs.integration',
  '/playground': 'properties.tabs.playground',
  '/rules': 'properties.tabs.rules',
  '/settings': 'properties.tabs.settings',
} as const satisfies TabNames;

const SYSTEM_TABS = {
  '': 'admin.tabs.overview',
  '/users': 'admin.tabs.users',
  '/plans': 'admin.tabs.plans',
  '/rules': 'rules.title',
  '/statistics': 'dashboard.title',
  '/settings': 'admin.tabs.settings',
} as const satisfies TabNames;

/** The default title of a page, and the links to all tabs. */
function tabsOf<Rest extends string>(path: string, names: TabNames<Rest>, current: Rest) {
  const tabs = Object.entries<TextKey>(names).map(([rest, name]) => [rest, textAt(name)]);
  const views = <Tabs path={path} tabs={Object.fromEntries(tabs)} current={current} />;
  return { title: textAt(names[current]), views };
}

/** A page of an organization, with its breadcrumbs and tabs. */
export function organizationPage(
  visit: OrganizationVisit,
  tab: keyof typeof ORGANIZATION_TABS,
  contents: TabPage,
): Response {
  const { organization, organizationPath, isOwner } = visit;
  const attacked = { visit, of: organization, path: organizationPath, text: 'organization' } as const;
  const content = (
    <>
      <AttackBanner {...attacked} mayEnd={isOwner} />
      {contents.content}
    </>
  );
  return page(visit, {
    ...tabsOf(organizationPath, ORGANIZATION_TABS, tab),
    object: organization.name,
    breadcrumbs: organizationCrumbs(visit).slice(0, tab === '' && contents.title === undefined ? 1 : 2),
    ...contents,
    content,
  });
}

/** A page of a property, with its breadcrumbs and tabs, and a warning if the property is disabled. */
export function propertyPage(visit: PropertyVisit, tab: keyof typeof PROPERTY_TABS, contents: TabPage) {
  const { organization, property, propertyPath } = visit;
  const isInherited = property.attackUntil === organization.attackUntil;
  const attacked = { visit, of: property, path: propertyPath, mayEnd: !isInherited } as const;
  const advice = property.challenge !== 'hashwx' && (
    <p>{rich('kit.attackMode.advice', { link: `${propertyPath}/settings#challenge` })}</p>
  );
  const content = (
    <>
      <AttackBanner {...attacked} text={isInherited ? 'inherited' : 'property'} advice={advice} />
      {!property.isEnabled && (
        <p class="warning">{rich('properties.disabled', { link: `${propertyPath}/settings#state` })}</p>
      )}
      {contents.content}
    </>
  );
  return page(visit, {
    ...tabsOf(propertyPath, PROPERTY_TABS, tab),
    object: property.name,
    breadcrumbs: organizationCrumbs(visit, tab === '' ? [] : [[propertyPath, property.name]]),
    ...contents,
    content,
  });
}

/** A page about the installation, with its tabs. */
export function systemPage(visit: SignedInVisit, tab: keyof typeof SYSTEM_TABS, contents: TabPage): Response {
  return page(visit, { ...tabsOf(SYSTEM_PATH, SYSTEM_TABS, tab), object: t('admin.system'), ...contents });
}

/** The paths and the names of the pages about the installation. */
export function systemTabs(): readonly Link[] {
  return Object.entries(SYSTEM_TABS).map(([rest, name]) => [`${SYSTEM_PATH}${rest}`, textAt(name)]);
}

/** The breadcrumbs of the pages below the list of users. */
export function userCrumbs(): readonly Link[] {
  return [
    [SYSTEM_PATH, t('admin.system')],
    [`${SYSTEM_PATH}/users`, t('admin.tabs.users')],
  ];
}
