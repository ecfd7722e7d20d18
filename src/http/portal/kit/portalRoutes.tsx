import { Elysia } from 'elysia';
import { ORIGIN_MAX_LENGTH } from '../../../captcha/origin.ts';
import type { WaitForTick } from '../../../lib/tickLimiter.ts';
import { isFresh, type SignedIn } from '../../../model/session.ts';
import { type AcceptsHost, isHost } from '../../allowedHosts.ts';
import { HIDDEN } from '../../assets.ts';
import { type Bodies, type BodyProblem, closeIfTooSlow } from '../../body.ts';
import { PAGE_SECURITY_POLICY } from '../../commonHeaders.ts';
import { renderPage } from '../../jsx/runtime.ts';
import type { RequestContext } from '../../requestContext.ts';
import type { SecurityLog } from '../../securityLog.ts';
import { TWO_FACTOR_PATH } from '../account/security.tsx';
import { PORTAL_ROUTES } from '../routes.ts';
import { type FormTokens, isFromUs, TOKEN_FIELD } from './csrf.ts';
import { type FormReading, fieldOf, readForm, returnPathOf, withQuery } from './formData.ts';
import { ADMIN_GUARDS, type Guard, requireAdmin } from './guards.ts';
import { keyWarningsOf } from './keyWarnings.tsx';
import { maintenancePage } from './maintenancePage.tsx';
import type { PortalDeps } from './portalDeps.ts';
import { errorPage, notFound, redirectTo } from './responses.tsx';
import { publicRoute, type Route } from './route.ts';
import { asSignedIn, type SignedInVisit, type Visit } from './visit.ts';

export type PortalRoutesDeps = PortalDeps & {
  readonly requestContext: RequestContext;
  readonly tokens: FormTokens;
  readonly recordSecurityEvent: SecurityLog['record'];
  readonly acceptsHost: AcceptsHost;
  readonly bodies: Bodies;
  /** Keeps many of these requests at once from delaying puzzles and verifications. */
  readonly waitForTick: WaitForTick;
  /** @returns a new name for a browser in which no user is signed in */
  readonly newVisitor: () => string;
  /** Whether `GET /` redirects to the portal. */
  readonly hasRoot: boolean;
};

type Params = Readonly<Record<string, string>>;

/** The portal's pages. Every request passes the same checks before its page responds. */
export function portalRoutes(deps: PortalRoutesDeps) {
  const respond = createResponder(deps);
  const pages = new Elysia();
  for (const route of [...PORTAL_ROUTES, UNKNOWN_PATH]) {
    const handle = async ({ request, params }: { readonly request: Request; readonly params: Params }) => {
      await deps.waitForTick();
      return respond(route, request, params);
    };
    if (route.method === 'GET') pages.get(route.path, handle, HIDDEN);
    else pages.post(route.path, handle, { ...HIDDEN, parse: 'none' });
  }
  if (deps.hasRoot) {
    pages.get('/', () => new Response(null, { status: 302, headers: { Location: '/portal' } }), HIDDEN);
  }
  return pages;
}

const UNKNOWN_PATH: Route = publicRoute('GET', '/portal/*', notFound);

/** Headers of every page. Without a referrer on the same host, browsers hide the origin of forms too. */
const PAGE_HEADERS = {
  'Content-Security-Policy': PAGE_SECURITY_POLICY,
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'same-origin',
} as const;

/** Checks the host, and adds headers and cookies to the response. */
function createResponder(deps: PortalRoutesDeps) {
  const { cookies, recordSecurityEvent } = deps;
  const respond = createChecks(deps);
  return async (route: Route, request: Request, params: Params): Promise<Response> => {
    const url = urlOf(request, deps);
    if (url instanceof Response) return url;
    const { visitor: knownVisitor, notice } = cookies.read(request);
    const visitor = knownVisitor ?? deps.newVisitor();
    const response = await respond(route, visitOf(request, { url, params, notice }, deps), visitor);
    // Of the portal's forms, only those that ask for a password or a code return 429.
    if (response.status === 429) recordSecurityEvent('sign-in-throttled', request, route.path);
    for (const [name, value] of Object.entries(PAGE_HEADERS)) response.headers.set(name, value);
    const isNewVisitor = route.guard === 'public' && knownVisitor === undefined;
    if (isNewVisitor) response.headers.append('Set-Cookie', cookies.write('visitor', visitor));
    // A redirect leaves the notice to the page that it leads to.
    const hasShownNotice = notice !== undefined && response.status !== 303;
    if (hasShownNotice) response.headers.append('Set-Cookie', cookies.clear('notice'));
    return response;
  };
}

/** Checks in this order: origin, session, form token, two-factor enrollment, administrator, maintenance, fresh password. */
function createChecks(deps: PortalRoutesDeps) {
  const { authentication, cookies, tokens } = deps;

  async function readSession(guard: Guard, visit: Visit): Promise<SignedIn | undefined> {
    if (guard === 'public') return undefined;
    const { session } = cookies.read(visit.request);
    return session === undefined ? undefined : authentication.sessions.open(session, visit.clientInfo);
  }

  /** Redirects to the sign-in page, or to the setup if no user can sign in yet. */
  async function toSignIn({ request, address }: Visit): Promise<Response> {
    if (await authentication.setup.isOpen()) return redirectTo('/portal/setup');
    const isPlain = request.method === 'POST' || address === '/portal';
    return redirectTo(isPlain ? '/portal/login' : withQuery('/portal/login', { return: address }));
  }

  async function checkForm(route: Route, visit: Visit, bearer: string): Promise<Response> {
    const read = await readForm(visit.request, deps.bodies, visit.signedIn !== undefined);
    if ('status' in read) return notRead(visit, read);
    // The session may have ended while the form arrived.
    const signedIn = await readSession(route.guard, visit);
    if (route.guard !== 'public' && signedIn === undefined) return toSignIn(visit);
    if (!tokens.isTokenOf(bearer, fieldOf(read.fields, TOKEN_FIELD))) {
      deps.recordSecurityEvent('form-rejected', visit.request, 'token');
      return errorPage(visit, 403, 'Not accepted', STALE);
    }
    return admit(route, { ...visitBy(signedIn, visit), form: read.fields });
  }

  async function admit(route: Route, visit: Visit): Promise<Response> {
    if (route.guard === 'public')
      return isShut(route, deps) ? maintenancePage(visit) : route.respond(visit, deps);
    if (visit.signedIn === undefined) return toSignIn(visit);
    const userVisit = asSignedIn(visit, visit.signedIn);
    const rejection = await checkUser(route, userVisit);
    if (rejection !== undefined) return rejection;
    return route.respond({ ...userVisit, keyWarnings: await keyWarningsOf(userVisit.actor, deps) }, deps);
  }

  /** @returns the response instead of the page; undefined if the page may respond */
  async function checkUser(route: Route, visit: SignedInVisit): Promise<Response | undefined> {
    const { account, session } = visit.signedIn;
    const mustEnroll = !route.isForEnrollment && (await authentication.twoFactor.isMissing(account));
    if (mustEnroll) return redirectTo(TWO_FACTOR_PATH);
    const admitted = ADMIN_GUARDS.includes(route.guard) ? requireAdmin(visit) : visit;
    if (admitted instanceof Response) return admitted;
    if (isShut(route, deps)) return maintenancePage(visit);
    return route.isSensitive && !isFresh(session, deps.clock()) ? askPassword(visit) : undefined;
  }

  return async (route: Route, visit: Visit, visitor: string): Promise<Response> => {
    if (route.method === 'POST' && !isFromUs(visit.request, deps.baseUrl)) {
      deps.recordSecurityEvent('form-rejected', visit.request, 'origin');
      return errorPage(visit, 403, 'Not accepted', FOREIGN);
    }
    const signedIn = await readSession(route.guard, visit);
    if (route.guard !== 'public' && signedIn === undefined) return toSignIn(visit);
    const bearer = signedIn === undefined ? visitor : (cookies.read(visit.request).session ?? '');
    const known = { ...visitBy(signedIn, visit), formToken: tokens.tokenFor(bearer) };
    return route.method === 'GET' ? admit(route, known) : checkForm(route, known, bearer);
  };
}

/** Whether maintenance closes a route: pages can be read, but forms change nothing. */
function isShut({ method, isAlwaysOpen }: Route, { maintenance }: PortalDeps): boolean {
  return method === 'POST' && !isAlwaysOpen && maintenance.isOn();
}

/** The URL of a request to one of our hosts, or the response that rejects it before anything else is read. */
function urlOf(request: Request, { acceptsHost, baseUrl }: PortalRoutesDeps): URL | Response {
  const host = request.headers.get('host');
  if (!acceptsHost(host)) return isHost(host) ? misdirected(baseUrl) : portalFailure(400);
  return URL.parse(request.url) ?? portalFailure(400);
}

const FOREIGN = 'A page of another server sent this form. Open the page on this server and try again.';
const STALE = 'This form belongs to an earlier session. Go back, reload the page, and try again.';
const NO_FORM = 'The request is not a form of this server, or it is too large.';
const NOT_READ: Readonly<Record<BodyProblem, string>> = {
  'body-too-large': NO_FORM,
  'body-too-slow': 'The form took too long to arrive. Go back and send it again.',
  'bodies-too-many': 'The server is busy. Go back and send the form again in a moment.',
};

function notRead(
  visit: Visit,
  { status, problem }: Extract<FormReading, { readonly status: number }>,
): Response {
  const reason = problem === undefined ? NO_FORM : NOT_READ[problem];
  const response = errorPage(visit, status, 'Not accepted', reason);
  return problem === undefined ? response : closeIfTooSlow(problem, response);
}

type Facts = { readonly url: URL; readonly params: Params; readonly notice: string | undefined };

function visitOf(request: Request, { url, params, notice }: Facts, deps: PortalRoutesDeps): Visit {
  const { pathname, search, searchParams } = url;
  const browser = request.headers.get('user-agent') ?? '';
  return {
    request,
    address: `${pathname}${search}`,
    params,
    query: searchParams,
    form: new URLSearchParams(),
    clientInfo: {
      address: deps.requestContext.addressOf(request),
      client: deps.requestContext.clientOf(request),
      browser,
    },
    formToken: '',
    notice,
    isInMaintenance: deps.maintenance.isOn(),
    keyWarnings: [],
    signedIn: undefined,
    actor: undefined,
  };
}

/** Asks for the password again, and then leads back to the page, or to the page with the form. */
function askPassword({ request, address }: Visit): Response {
  const referer = request.headers.get('referer') ?? '';
  const referrer = referer.length > ORIGIN_MAX_LENGTH ? null : URL.parse(referer);
  const before = referrer === null ? '' : `${referrer.pathname}${referrer.search}`;
  const back = returnPathOf(request.method === 'GET' ? address : before);
  return redirectTo(withQuery('/portal/confirm', { return: back }));
}

function visitBy(signedIn: SignedIn | undefined, visit: Visit): Visit {
  return signedIn === undefined ? { ...visit, signedIn, actor: undefined } : asSignedIn(visit, signedIn);
}

type Failure = { readonly title: string; readonly text: string };

const FAILURE: Failure = { title: 'Something went wrong', text: 'The server log has details.' };
const FAILURES: Readonly<Record<number, Failure>> = {
  400: { title: 'Invalid request', text: 'The request could not be read. Open the page again.' },
  503: { title: 'Not available', text: 'The server is temporarily unavailable. Try again shortly.' },
};

/** Without a link, because the request may come through a malicious host name. */
function misdirected(baseUrl: string): Response {
  const text = `The portal is not available under this host name. Open ${baseUrl}/portal. To use this name too, the operator of this server can set POSTERN_BASE_URL or add the name to POSTERN_ALLOWED_HOSTS.`;
  return plainPage(421, { title: 'Wrong host name', text });
}

/** The page for a failed request, without details of the failure. */
export function portalFailure(status: number): Response {
  return plainPage(status, FAILURES[status] ?? FAILURE);
}

function plainPage(status: number, { title, text }: Failure): Response {
  const markup = renderPage(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>{`${title} · Postern`}</title>
      </head>
      <body>
        <main>
          <h1>{title}</h1>
          <p>{text}</p>
        </main>
      </body>
    </html>,
  );
  const headers = { 'Content-Type': 'text/html; charset=utf-8', ...PAGE_HEADERS };
  return new Response(markup, { status, headers });
}
