import type { PublicPages } from '../http/publicPage.tsx';
import type { AcceptsHost, RequestContext } from '../http/requestContext.ts';
import type { Route as ServerRoute } from '../http/router.ts';
import { exactPathOf, isHost, queryOf, searchOf } from '../lib/target.ts';
import type { WaitForTick } from '../lib/tickLimiter.ts';
import { parseTimeZone } from '../lib/timeZone.ts';
import { ACCOUNT_ROUTES } from './account/routes.ts';
import { ACTIVITY_ROUTES } from './activity/routes.ts';
import { ADMIN_ROUTES } from './admin/routes.ts';
import { API_KEY_ROUTES } from './apiKeys/routes.ts';
import { type ChecksDeps, createChecks } from './checks.ts';
import { HOME_ROUTES } from './home/routes.ts';
import { type PageContext, type ServerFacts, withPageContext } from './i18n/pageContext.ts';
import { type Preferences, preferencesFrom, type Theme } from './kit/cookies.ts';
import type { Visit } from './kit/handler.ts';
import { notFound, PAGE_HEADERS, portalFailure, SHARED_HEADERS, wrongHostPage } from './kit/pages.tsx';
import { publicRoute, type Route } from './kit/route.ts';
import { ONBOARDING_ROUTES } from './onboarding/routes.ts';
import { ORGANIZATION_ROUTES } from './organizations/routes.ts';
import { PROPERTY_ROUTES } from './properties/routes.ts';
import { RULE_ROUTES } from './rules/routes.ts';
import { TRAFFIC_ROUTES } from './traffic/routes.ts';

/** Every page and every form of the portal. */
export const PORTAL_ROUTES: readonly Route[] = [
  ...ONBOARDING_ROUTES,
  ...ACCOUNT_ROUTES,
  ...HOME_ROUTES,
  ...ORGANIZATION_ROUTES,
  ...PROPERTY_ROUTES,
  ...RULE_ROUTES,
  ...TRAFFIC_ROUTES,
  ...API_KEY_ROUTES,
  ...ACTIVITY_ROUTES,
  ...ADMIN_ROUTES,
];

export type PortalRoutesDeps = Omit<ChecksDeps, 'routes'> & {
  readonly requestContext: RequestContext;
  readonly acceptsHost: AcceptsHost;
  /** Prevents many of these requests from delaying puzzles and verifications. */
  readonly waitForTick: WaitForTick;
  /** @returns a new name for a browser in which no user is signed in */
  readonly newVisitor: () => string;
  /** The other pages of this server. Without the demo, `GET /` redirects to the portal. */
  readonly publicPages: PublicPages;
  readonly facts: ServerFacts;
};

type Params = Readonly<Record<string, string>>;

/** The portal's pages. Every request passes the same checks before its page responds. */
export function portalRoutes(deps: PortalRoutesDeps): readonly ServerRoute[] {
  const respond = createResponder(deps);
  const pages = [...PORTAL_ROUTES, UNKNOWN_PATH].map((route) => ({
    method: route.method,
    path: route.path,
    async handle(request: Request, params: Params) {
      await deps.waitForTick();
      return respond(route, request, params);
    },
  }));
  if (deps.publicPages.hasDemo) return pages;
  const redirect = () => new Response(null, { status: 302, headers: { Location: '/portal' } });
  return [...pages, { method: 'GET', path: '/', handle: redirect }];
}

const UNKNOWN_PATH: Route = publicRoute('GET', '/portal/*', notFound, { showsUser: true });

/** Checks the host, and adds headers and cookies to the response. */
function createResponder(deps: PortalRoutesDeps) {
  const { cookies, recordSecurityEvent } = deps;
  const respond = createChecks({ ...deps, routes: PORTAL_ROUTES });
  return async (route: Route, request: Request, params: Params): Promise<Response> => {
    const rejection = checkHost(request, deps);
    if (rejection !== undefined) return rejection;
    const { visitor: knownVisitor, preferences: stored, zone: browserZone, ...read } = cookies.read(request);
    // The notice is for the signed-in user.
    const notice = route.isShared ? undefined : read.notice;
    const { theme, ...preferences } = preferencesFrom(stored, request.headers.get('accept-language'));
    const visitor = knownVisitor ?? deps.newVisitor();
    const visit = visitOf(request, { params, notice, theme }, deps);
    const context = contextOf(preferences, browserZone, deps);
    const response = await withPageContext(context, () => respond(route, visit, visitor));
    if (isThrottled(route, response)) recordSecurityEvent('sign-in-throttled', request, route.path);
    for (const [name, value] of Object.entries(headersOf(route))) response.headers.set(name, value);
    if (needsVisitor(route) && knownVisitor === undefined)
      response.headers.append('Set-Cookie', cookies.write('visitor', visitor));
    // A redirect does not clear the notice, because the next page shows it. A request by a script shows no notice.
    const hasShownNotice = notice !== undefined && response.status !== 303 && !route.isBackground;
    if (hasShownNotice) response.headers.append('Set-Cookie', cookies.clear('notice'));
    return response;
  };
}

function headersOf({ isShared }: Route) {
  return isShared ? SHARED_HEADERS : PAGE_HEADERS;
}

/** A form whose session has ended may be answered with the sign-in page. */
function needsVisitor({ guard, method, isShared }: Route): boolean {
  return method === 'POST' || (guard === 'public' && !isShared);
}

/** @param browserZone unknown without JavaScript, and on the first page */
function contextOf(
  { language, zone }: Pick<Preferences, 'language' | 'zone'>,
  browserZone: string | undefined,
  { clock, publicPages, facts }: PortalRoutesDeps,
): PageContext {
  const known = zone === 'browser' && browserZone !== undefined ? parseTimeZone(browserZone) : undefined;
  const timeZone = known ?? 'UTC';
  return { language, timeZone, ownTimeZone: timeZone, zoneChoice: zone, now: clock(), publicPages, facts };
}

/** Apart from the rate limit of all pages, which has its own headers, only forms that ask for a password or a code return 429. */
function isThrottled({ method }: Route, { status, headers }: Response): boolean {
  return method === 'POST' && status === 429 && !headers.has('X-RateLimit-Limit');
}

/** The response to a request that is not for one of our hosts, before anything else is read; undefined for all others. */
function checkHost(request: Request, { acceptsHost, baseUrl }: PortalRoutesDeps): Response | undefined {
  const host = request.headers.get('host');
  if (acceptsHost(host)) return undefined;
  return isHost(host) ? wrongHostPage(baseUrl, request) : portalFailure(400, request);
}

type Facts = {
  readonly params: Params;
  readonly notice: string | undefined;
  readonly theme: Theme;
};

function visitOf(request: Request, { params, notice, theme }: Facts, deps: PortalRoutesDeps): Visit {
  const browser = request.headers.get('user-agent') ?? '';
  return {
    request,
    address: `${exactPathOf(request)}${searchOf(request)}`,
    params,
    query: queryOf(request),
    form: new URLSearchParams(),
    clientInfo: {
      address: deps.requestContext.addressOf(request),
      client: deps.requestContext.clientOf(request),
      browser,
    },
    formToken: '',
    notice,
    theme,
    isInMaintenance: deps.maintenance.isOn(),
    keyWarnings: [],
    signedIn: undefined,
    actor: undefined,
  };
}
