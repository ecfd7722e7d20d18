import { Elysia } from 'elysia';
import { ORIGIN_MAX_LENGTH } from '../../../captcha/origin.ts';
import { html } from '../../../lib/html.ts';
import type { WaitForTick } from '../../../lib/tickLimiter.ts';
import { isFresh, type SignedIn } from '../../../model/session.ts';
import { type AcceptsHost, isHost } from '../../allowedHosts.ts';
import { HIDDEN } from '../../assets.ts';
import { type Bodies, type BodyProblem, endSlow } from '../../body.ts';
import { PAGE_SECURITY_POLICY } from '../../commonHeaders.ts';
import type { RequestContext } from '../../requestContext.ts';
import type { SecurityLog } from '../../securityLog.ts';
import { FACTOR_PATH } from '../account/security.tsx';
import { PORTAL_ROUTES } from '../routes.ts';
import { type FormTokens, isFromUs, TOKEN_FIELD } from './csrf.ts';
import { type FormReading, fieldOf, readForm, returnPathOf, withQuery } from './formData.ts';
import { keyWarningsOf } from './keyWarnings.tsx';
import { maintenancePage } from './maintenancePage.tsx';
import { notFound, redirectTo, refused } from './responses.tsx';
import { asSignedIn, type Guard, type PortalDeps, type Route, route, type Visit } from './route.ts';

export type PortalRoutesDeps = PortalDeps & {
  readonly requestContext: RequestContext;
  readonly tokens: FormTokens;
  readonly noteSecurity: SecurityLog['note'];
  readonly acceptsHost: AcceptsHost;
  readonly bodies: Bodies;
  /** Keeps many of these requests at once from delaying puzzles and verifications. */
  readonly waitForTick: WaitForTick;
  /** A new name for a browser in which nobody is signed in. */
  readonly newVisitor: () => string;
  /** Whether `GET /` leads to the portal. */
  readonly hasRoot: boolean;
};

type Params = Readonly<Record<string, string>>;

/** The portal's pages. Each request passes the same guard before its page sees it. */
export function portalRoutes(deps: PortalRoutesDeps) {
  const guard = createGuard(deps);
  const face = new Elysia();
  for (const one of [...PORTAL_ROUTES, ELSEWHERE]) {
    const handle = async ({ request, params }: { readonly request: Request; readonly params: Params }) => {
      await deps.waitForTick();
      return guard(one, request, params);
    };
    if (one.method === 'GET') face.get(one.path, handle, HIDDEN);
    else face.post(one.path, handle, { ...HIDDEN, parse: 'none' });
  }
  if (deps.hasRoot) {
    face.get('/', () => new Response(null, { status: 302, headers: { Location: '/portal' } }), HIDDEN);
  }
  return face;
}

/** Every other address below the portal's. */
const ELSEWHERE: Route = route('GET', '/portal/*', 'public', notFound);

/** What a page is sent with. The referrer stays on this host: without any, browsers hide the origin of forms too. */
const PAGE_HEADERS = {
  'Content-Security-Policy': PAGE_SECURITY_POLICY,
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'same-origin',
} as const;

function createGuard(deps: PortalRoutesDeps) {
  const { authentication, cookies, tokens } = deps;

  async function whoComes(guard: Guard, visit: Visit): Promise<SignedIn | undefined> {
    if (guard === 'public') return undefined;
    const { session } = cookies.read(visit.request);
    return session === undefined ? undefined : authentication.sessions.open(session, visit.clientInfo);
  }

  /** The way in: where nobody has an account yet, making the first one. */
  async function wayIn({ request, address }: Visit): Promise<Response> {
    if (await authentication.setup.isOpen()) return redirectTo('/portal/setup');
    const isPlain = request.method === 'POST' || address === '/portal';
    return redirectTo(isPlain ? '/portal/login' : withQuery('/portal/login', { return: address }));
  }

  async function open(one: Route, visit: Visit, bearer: string): Promise<Response> {
    if (one.method === 'GET') return admit(one, visit);
    const read = await readForm(visit.request, deps.bodies, visit.who !== undefined);
    if ('status' in read) return notRead(visit, read);
    // The form may have taken its time: who was thrown out meanwhile does nothing any more.
    const who = await whoComes(one.guard, visit);
    if (one.guard !== 'public' && who === undefined) return wayIn(visit);
    if (!tokens.isTokenOf(bearer, fieldOf(read.fields, TOKEN_FIELD))) {
      deps.noteSecurity('form-rejected', visit.request, 'token');
      return refused(visit, 403, 'Not accepted', STALE);
    }
    return admit(one, { ...visitBy(who, visit), form: read.fields });
  }

  async function admit(one: Route, visit: Visit): Promise<Response> {
    const { who } = visit;
    if (who !== undefined) return (await turnAway(one, visit, who)) ?? show(one, visit, who);
    if (isShut(one)) return maintenancePage(visit);
    return one.handle(visit as Parameters<Route['handle']>[0], deps);
  }

  async function show(one: Route, visit: Visit, who: SignedIn): Promise<Response> {
    const keyWarnings = await keyWarningsOf(who.account, deps);
    return one.handle({ ...asSignedIn(visit, who), keyWarnings }, deps);
  }

  /** @returns the response instead of the page; undefined if the page may respond */
  async function turnAway(one: Route, visit: Visit, { account, session }: SignedIn) {
    const mustEnrol = !one.isForEnrolment && (await authentication.twoFactor.isMissing(account));
    if (mustEnrol) return redirectTo(FACTOR_PATH);
    if (one.guard === 'admin' && !account.isAdmin) return refused(visit, 403, 'Not for you', NO_ADMIN);
    if (isShut(one)) return maintenancePage(visit);
    return one.isSensitive && !isFresh(session, deps.clock()) ? askPassword(visit) : undefined;
  }

  /** In maintenance pages can be read, and nothing is changed. */
  function isShut({ method, isAlwaysOpen }: Route): boolean {
    return method === 'POST' && !isAlwaysOpen && deps.maintenance.isOn();
  }

  async function answer(one: Route, visit: Visit, visitor: string): Promise<Response> {
    if (one.method === 'POST' && !isFromUs(visit.request, deps.baseUrl)) {
      deps.noteSecurity('form-rejected', visit.request, 'origin');
      return refused(visit, 403, 'Not accepted', FOREIGN);
    }
    const who = await whoComes(one.guard, visit);
    if (one.guard !== 'public' && who === undefined) return wayIn(visit);
    const bearer = who === undefined ? visitor : (cookies.read(visit.request).session ?? '');
    return open(one, { ...visitBy(who, visit), formToken: tokens.tokenFor(bearer) }, bearer);
  }

  return async (one: Route, request: Request, params: Params): Promise<Response> => {
    const url = urlOf(request, deps);
    if (url instanceof Response) return url;
    const carried = cookies.read(request);
    const visitor = carried.visitor ?? deps.newVisitor();
    const response = await answer(
      one,
      visitOf(request, { url, params, notice: carried.notice }, deps),
      visitor,
    );
    // Of the portal's forms, only those that ask for a password or a code answer 429.
    if (response.status === 429) deps.noteSecurity('sign-in-throttled', request, one.path);
    for (const [name, value] of Object.entries(PAGE_HEADERS)) response.headers.set(name, value);
    const isNew = one.guard === 'public' && carried.visitor === undefined;
    if (isNew) response.headers.append('Set-Cookie', cookies.write('visitor', visitor));
    // A page said it; a redirect leaves it to the page behind.
    const isSaid = carried.notice !== undefined && response.status !== 303;
    if (isSaid) response.headers.append('Set-Cookie', cookies.clear('notice'));
    return response;
  };
}

/** The URL of a request to one of our hosts, or the response that rejects it before anything else is read. */
function urlOf(request: Request, { acceptsHost, baseUrl }: PortalRoutesDeps): URL | Response {
  const host = request.headers.get('host');
  if (!acceptsHost(host)) return isHost(host) ? misdirected(baseUrl) : portalFailure(400);
  return URL.parse(request.url) ?? portalFailure(400);
}

const FOREIGN = 'This form was not sent by a page of this server. Open the page here and try again.';
const STALE = 'This form is from an earlier session. Go back, load the page anew and try again.';
const NO_FORM = 'What was sent is no form of this server, or larger than any of them.';
const NOT_READ: Readonly<Record<BodyProblem, string>> = {
  'body-too-large': NO_FORM,
  'body-too-slow': 'The form took too long to arrive. Go back and send it again.',
  'bodies-too-many': 'The server is busy. Go back and send the form again in a moment.',
};
const NO_ADMIN = 'This page is for administrators of this installation.';

function notRead(
  visit: Visit,
  { status, problem }: Extract<FormReading, { readonly status: number }>,
): Response {
  const reason = problem === undefined ? NO_FORM : NOT_READ[problem];
  const response = refused(visit, status, 'Not accepted', reason);
  return problem === undefined ? response : endSlow(problem, response);
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
    who: undefined,
    actor: undefined,
  };
}

/** The password again, and then back: to the page itself, or to the one whose form it was. */
function askPassword({ request, address }: Visit): Response {
  const referer = request.headers.get('referer') ?? '';
  const referrer = referer.length > ORIGIN_MAX_LENGTH ? null : URL.parse(referer);
  const before = referrer === null ? '' : `${referrer.pathname}${referrer.search}`;
  const back = returnPathOf(request.method === 'GET' ? address : before);
  return redirectTo(withQuery('/portal/confirm', { return: back }));
}

function visitBy(who: SignedIn | undefined, visit: Visit): Visit {
  return who === undefined ? { ...visit, who, actor: undefined } : asSignedIn(visit, who);
}

type Failure = { readonly title: string; readonly text: string };

const FAILURE: Failure = { title: 'Something went wrong', text: 'The log of the server has more.' };
const FAILURES: Readonly<Record<number, Failure>> = {
  400: { title: 'Not understood', text: 'The request could not be read. Open the page anew.' },
  503: { title: 'Not available', text: 'The server cannot answer right now; try again shortly.' },
};

/** Without a link: a page of another site must not lead users on. */
function misdirected(baseUrl: string): Response {
  const text = `The portal is not available under this host name. Open ${baseUrl}/portal. To use this name too, the operator sets POSTERN_BASE_URL, or adds the name to POSTERN_ALLOWED_HOSTS.`;
  return plainPage(421, { title: 'Wrong host name', text });
}

/** Where there is no page to be shown, or it broke down: the same words for every reason. */
export function portalFailure(status: number): Response {
  return plainPage(status, FAILURES[status] ?? FAILURE);
}

function plainPage(status: number, { title, text }: Failure): Response {
  const frame = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title} · Postern</title></head>
<body><main><h1>${title}</h1><p>${text}</p></main></body></html>
`;
  const headers = { 'Content-Type': 'text/html; charset=utf-8', ...PAGE_HEADERS };
  return new Response(frame.markup, { status, headers });
}
