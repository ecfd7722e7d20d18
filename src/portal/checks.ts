import { type Bodies, bodyOwnerOf } from '../http/body.ts';
import type { BodyProblem } from '../http/bodyArrival.ts';
import { type RateLimitState, type TakePage, writeRateLimitHeaders } from '../http/rateLimit.ts';
import type { SecurityLog } from '../http/securityLog.ts';
import { closeConnection } from '../http/unreadBody.ts';
import { DAY } from '../lib/time.ts';
import type { UserActor } from '../model/actor.ts';
import { isFresh, type SignedIn } from '../model/session.ts';
import { TOKEN_FIELD } from './components/form.tsx';
import { t } from './i18n/t.tsx';
import {
  createContinueForm,
  createPasswordRequests,
  keptFormPage,
  type PasswordRequests,
} from './interruptedForms.tsx';
import { type FormReading, fieldOf, readForm } from './kit/forms.ts';
import { ADMIN_GUARDS, requireAdmin } from './kit/guards.ts';
import {
  asSignedIn,
  type KeyWarning,
  type PortalDeps,
  type SignedInVisit,
  type Visit,
} from './kit/handler.ts';
import { HELD_FIELD } from './kit/heldForms.ts';
import { errorPage, redirectTo, redirectWithWarning, tooManyRequestsPage } from './kit/pages.tsx';
import { keyPath, TWO_FACTOR_PATH } from './kit/paths.ts';
import type { Route } from './kit/route.ts';
import { type FormTokens, isFromUs, type PageSession } from './kit/tokens.ts';

export type ChecksDeps = Omit<PortalDeps, 'continueForm'> & {
  readonly routes: readonly Route[];
  readonly tokens: FormTokens;
  readonly recordSecurityEvent: SecurityLog['record'];
  readonly bodies: Bodies;
  readonly takePage: TakePage;
};

/** Checks in this order: origin, rate, session, form token, two-factor enrollment, administrator, maintenance, fresh password. */
export function createChecks(allDeps: ChecksDeps) {
  const { tokens } = allDeps;
  const withSession = createWithSession(tokens);
  const requests = createPasswordRequests(allDeps);
  const deps = { ...allDeps, continueForm: createContinueForm({ ...allDeps, admit }) };

  async function checkForm(route: Route, visit: Visit, visitor: string): Promise<Response> {
    const { signedIn } = visit;
    const owner = signedIn && bodyOwnerOf({ accountId: signedIn.account.id, organizationId: undefined });
    const read = await readForm(visit.request, deps.bodies, owner, route.acceptsFile);
    if (route.guard !== 'public') return checkSessionForm(route, visit, visitor, read);
    if ('status' in read) return formErrorPage(visit, read);
    const sent = { ...visit, form: read.fields };
    return tokens.isOfVisitor(visitor, fieldOf(read.fields, TOKEN_FIELD))
      ? admit(route, sent)
      : rejectToken(sent, deps);
  }

  async function checkSessionForm(
    route: Route,
    visit: Visit,
    visitor: string,
    read: FormReading,
  ): Promise<Response> {
    // The session may have ended while the form arrived.
    const signedIn = await readSession(route, visit, deps);
    const now = withSession(signedIn, visit, visitor);
    if ('status' in read)
      return signedIn === undefined
        ? unread(read, await requests.toSignInWithoutForm(now))
        : formErrorPage(now, read);
    const sent = { ...now, form: read.fields, file: read.file };
    const sender = tokens.sessionOf(fieldOf(read.fields, TOKEN_FIELD));
    if (signedIn === undefined) return endedSession(route, sent, sender);
    if (sender?.accountId !== signedIn.account.id) return rejectToken(sent, deps);
    return sender.id === signedIn.session.id ? admit(route, sent) : keptFormPage(sent, 'earlierSession');
  }

  function endedSession(route: Route, sent: Visit, sender: PageSession | undefined): Promise<Response> {
    const isHeld = route.isHeld || sent.form.has(HELD_FIELD);
    return sender !== undefined && isHeld
      ? requests.toSignInFor(route, sent, sender.accountId)
      : requests.toSignIn(sent);
  }

  async function admit(route: Route, visit: Visit): Promise<Response> {
    if (route.guard === 'public')
      return isClosedByMaintenance(route, deps)
        ? keptFormPage(visit, 'maintenance')
        : route.respond(visit, deps);
    if (visit.signedIn === undefined) return requests.toSignIn(visit);
    const userVisit = asSignedIn(visit, visit.signedIn);
    const rejection = await checkUser(route, userVisit, deps, requests);
    if (rejection !== undefined) return rejection;
    return route.respond({ ...userVisit, keyWarnings: await keyWarningsOf(userVisit.actor, deps) }, deps);
  }

  return async (route: Route, visit: Visit, visitor: string): Promise<Response> => {
    // Not counted, because nothing is read for it, and another website must not use up the visitor's limit.
    if (route.method === 'POST' && !isFromUs(visit.request, deps.baseUrl)) return rejectOrigin(visit, deps);
    const signedIn = await readSession(route, visit, deps);
    const rateLimit = deps.takePage(signedIn?.account.id, visit.clientInfo.client);
    if (!rateLimit.isAllowed) return overLimit(route, rateLimit);
    const known = withSession(signedIn, visit, visitor);
    if (route.method === 'POST') return checkForm(route, known, visitor);
    if (route.guard === 'public' || known.signedIn !== undefined) return admit(route, known);
    return route.isBackground ? new Response(null, { status: 401 }) : requests.toSignIn(known);
  };
}

function createWithSession(tokens: FormTokens) {
  return (signedIn: SignedIn | undefined, visit: Visit, visitor: string): Visit => {
    if (signedIn === undefined)
      return { ...visit, signedIn, actor: undefined, formToken: tokens.forVisitor(visitor) };
    return { ...asSignedIn(visit, signedIn), formToken: tokens.forSession(signedIn.session) };
  };
}

function rejectToken(visit: Visit, deps: ChecksDeps): Response {
  deps.recordSecurityEvent('form-rejected', visit.request, 'token');
  const url = `${deps.baseUrl}/portal`;
  return cannotHaveCookies(visit.request, deps)
    ? errorPage(visit, 403, t('kit.checks.overHttpTitle'), t('kit.checks.overHttp', { url }))
    : errorPage(visit, 403, t('kit.checks.notAccepted'), t('kit.checks.invalidToken'));
}

/** Whether the form has no cookies because its page was opened over http, for which browsers do not store the cookies of https. */
function cannotHaveCookies(request: Request, { baseUrl, cookies }: Pick<ChecksDeps, 'baseUrl' | 'cookies'>) {
  const isOverHttp = request.headers.get('origin')?.startsWith('http:') === true;
  return isOverHttp && baseUrl.startsWith('https:') && cookies.read(request).visitor === undefined;
}

function rejectOrigin(visit: Visit, { recordSecurityEvent }: Pick<ChecksDeps, 'recordSecurityEvent'>) {
  recordSecurityEvent('form-rejected', visit.request, 'origin');
  return errorPage(visit, 403, t('kit.checks.notAccepted'), t('kit.checks.otherOrigin'));
}

function overLimit({ isBackground }: Route, rateLimit: RateLimitState): Response {
  const { retryAfterSeconds } = rateLimit;
  const response = isBackground
    ? new Response(null, { status: 429, headers: { 'Retry-After': String(retryAfterSeconds) } })
    : tooManyRequestsPage(retryAfterSeconds);
  writeRateLimitHeaders(response.headers, rateLimit);
  return response;
}

async function readSession(
  { guard, isBackground, showsUser }: Route,
  { request, clientInfo }: Visit,
  { cookies, authentication }: Pick<PortalDeps, 'cookies' | 'authentication'>,
): Promise<SignedIn | undefined> {
  const session = guard === 'public' && !showsUser ? undefined : cookies.read(request).session;
  if (session === undefined) return undefined;
  const { sessions } = authentication;
  return isBackground ? sessions.peek(session) : sessions.open(session, clientInfo);
}

/** @returns the response instead of the page; undefined if the page may respond */
async function checkUser(
  route: Route,
  visit: SignedInVisit,
  deps: Pick<PortalDeps, 'authentication' | 'cookies' | 'maintenance' | 'clock'>,
  requests: PasswordRequests,
): Promise<Response | undefined> {
  const { account, session } = visit.signedIn;
  const mustEnroll = !route.isForEnrollment && (await deps.authentication.twoFactor.isMissing(account));
  if (mustEnroll && route.method === 'POST')
    return redirectWithWarning(deps, TWO_FACTOR_PATH, t('kit.checks.enrollFirst'));
  if (mustEnroll) return redirectTo(TWO_FACTOR_PATH);
  const admitted = ADMIN_GUARDS.includes(route.guard) ? requireAdmin(visit) : visit;
  if (admitted instanceof Response) return admitted;
  if (isClosedByMaintenance(route, deps)) return keptFormPage(visit, 'maintenance');
  return route.isSensitive && !isFresh(session, deps.clock()) ? requests.toConfirm(route, visit) : undefined;
}

/** Whether maintenance closes a route: pages can be read, but forms are rejected. */
function isClosedByMaintenance({ method, isAlwaysOpen }: Route, deps: Pick<PortalDeps, 'maintenance'>) {
  return method === 'POST' && !isAlwaysOpen && deps.maintenance.isOn();
}

type UnreadForm = Extract<FormReading, { readonly status: number }>;

function formErrorPage(visit: Visit, read: UnreadForm): Response {
  const response = errorPage(visit, read.status, t('kit.checks.notAccepted'), sentenceOf(read.problem));
  return unread(read, response);
}

function sentenceOf(problem: BodyProblem | undefined): string {
  if (problem === 'body-too-slow') return t('kit.checks.tooSlow');
  return problem === 'bodies-too-many' ? t('kit.checks.busy') : t('kit.checks.notAForm');
}

/** Closes the connection unless the body was read. */
function unread({ problem }: UnreadForm, response: Response): Response {
  return problem === undefined ? response : closeConnection(response);
}

/** @returns the keys of a user that expire within two weeks, soonest first */
async function keyWarningsOf(actor: UserActor, deps: PortalDeps): Promise<readonly KeyWarning[]> {
  const now = deps.clock();
  const expiring = await deps.apiKeys.expiring(actor);
  return expiring.flatMap((key) => {
    const { name, expiresAt } = key;
    if (expiresAt === undefined) return [];
    return [{ name, path: keyPath(deps, key), expiresAt, daysLeft: Math.ceil((expiresAt - now) / DAY) }];
  });
}
