import { ORIGIN_MAX_LENGTH } from '../../../captcha/origin.ts';
import { isFresh, type SignedIn } from '../../../model/session.ts';
import { type Bodies, type BodyProblem, closeConnection } from '../../body.ts';
import type { SecurityLog } from '../../securityLog.ts';
import { TWO_FACTOR_PATH } from '../account/security.tsx';
import { type FormTokens, isFromUs, TOKEN_FIELD } from './csrf.ts';
import { type FormReading, fieldOf, readForm, returnPathOf, withQuery } from './formData.ts';
import { ADMIN_GUARDS, type Guard, requireAdmin } from './guards.ts';
import { asSignedIn, type PortalDeps, type SignedInVisit, type Visit } from './handler.ts';
import { keyWarningsOf } from './keyWarnings.tsx';
import { maintenancePage } from './maintenancePage.tsx';
import { errorPage, redirectTo } from './responses.tsx';
import type { Route } from './route.ts';

export type ChecksDeps = PortalDeps & {
  readonly tokens: FormTokens;
  readonly recordSecurityEvent: SecurityLog['record'];
  readonly bodies: Bodies;
};

/** Checks in this order: origin, session, form token, two-factor enrollment, administrator, maintenance, fresh password. */
export function createChecks(deps: ChecksDeps) {
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
    const isSignedIn = visit.signedIn !== undefined;
    const read = await readForm(visit.request, deps.bodies, isSignedIn, route.acceptsFile);
    if ('status' in read) return formErrorPage(visit, read);
    // The session may have ended while the form arrived.
    const signedIn = await readSession(route.guard, visit);
    if (route.guard !== 'public' && signedIn === undefined) return toSignIn(visit);
    if (!tokens.isTokenOf(bearer, fieldOf(read.fields, TOKEN_FIELD))) {
      deps.recordSecurityEvent('form-rejected', visit.request, 'token');
      return errorPage(visit, 403, 'Not accepted', INVALID_TOKEN);
    }
    return admit(route, { ...withSession(signedIn, visit), form: read.fields, file: read.file });
  }

  async function admit(route: Route, visit: Visit): Promise<Response> {
    if (route.guard === 'public')
      return isClosedByMaintenance(route, deps) ? maintenancePage(visit) : route.respond(visit, deps);
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
    if (isClosedByMaintenance(route, deps)) return maintenancePage(visit);
    return route.isSensitive && !isFresh(session, deps.clock()) ? redirectToPasswordPage(visit) : undefined;
  }

  return async (route: Route, visit: Visit, visitor: string): Promise<Response> => {
    if (route.method === 'POST' && !isFromUs(visit.request, deps.baseUrl)) {
      deps.recordSecurityEvent('form-rejected', visit.request, 'origin');
      return errorPage(visit, 403, 'Not accepted', OTHER_ORIGIN);
    }
    const signedIn = await readSession(route.guard, visit);
    if (route.guard !== 'public' && signedIn === undefined) return toSignIn(visit);
    const bearer = signedIn === undefined ? visitor : (cookies.read(visit.request).session ?? '');
    const known = { ...withSession(signedIn, visit), formToken: tokens.tokenFor(bearer) };
    return route.method === 'GET' ? admit(route, known) : checkForm(route, known, bearer);
  };
}

/** Whether maintenance closes a route: pages can be read, but forms are rejected. */
function isClosedByMaintenance({ method, isAlwaysOpen }: Route, { maintenance }: PortalDeps): boolean {
  return method === 'POST' && !isAlwaysOpen && maintenance.isOn();
}

/** Redirects to the password confirmation, which then returns to the page, or to the page with the form. */
function redirectToPasswordPage({ request, address }: Visit): Response {
  const referer = request.headers.get('referer') ?? '';
  const referrer = referer.length > ORIGIN_MAX_LENGTH ? null : URL.parse(referer);
  const before = referrer === null ? '' : `${referrer.pathname}${referrer.search}`;
  const back = returnPathOf(request.method === 'GET' ? address : before);
  return redirectTo(withQuery('/portal/confirm', { return: back }));
}

function withSession(signedIn: SignedIn | undefined, visit: Visit): Visit {
  return signedIn === undefined ? { ...visit, signedIn, actor: undefined } : asSignedIn(visit, signedIn);
}

const OTHER_ORIGIN = 'A page of another server sent this form. Open the page on this server and try again.';
const INVALID_TOKEN = 'This form belongs to an earlier session. Go back, reload the page, and try again.';
const NOT_A_FORM = 'The request is not a form of this server, or it is too large.';
const BODY_SENTENCES: Readonly<Record<BodyProblem, string>> = {
  'body-too-large': NOT_A_FORM,
  'body-too-slow': 'The form took too long to arrive. Go back and send it again.',
  'bodies-too-many': 'The server is busy. Go back and send the form again in a moment.',
};

function formErrorPage(
  visit: Visit,
  { status, problem }: Extract<FormReading, { readonly status: number }>,
): Response {
  const reason = problem === undefined ? NOT_A_FORM : BODY_SENTENCES[problem];
  const response = errorPage(visit, status, 'Not accepted', reason);
  return problem === undefined ? response : closeConnection(response);
}
