import type { Clock } from '../../lib/time.ts';
import type { DirectRoute, Handle } from '../dispatcher.ts';
import type { RequestContext } from '../requestContext.ts';
import { SITEKEY_CHECK_PATH } from './sitekeyCheck.ts';
import { type SiteverifyRoute, siteverifyErrorResponse, siteverifyPaths } from './siteverify/siteverify.ts';
import { createVerifyResponses } from './verify.ts';

/** The handlers of the routes for puzzles and verifications. */
export type CaptchaHandlers = {
  readonly puzzle: { readonly handle: Handle; readonly preflight: Handle };
  readonly verify: Handle;
  readonly siteverify: readonly SiteverifyRoute[];
  readonly sitekeyCheck: Handle;
};

/** The routes for puzzles and verifications, in the order of `toDirectRoutes`. */
export const HOT_ROUTES: readonly Pick<DirectRoute, 'method' | 'path'>[] = [
  { method: 'GET', path: '/puzzle' },
  { method: 'POST', path: '/verify' },
  { method: 'OPTIONS', path: '/puzzle' },
  ...siteverifyPaths(),
  { method: 'POST', path: SITEKEY_CHECK_PATH },
];

/** Returns the routes for puzzles and verifications, the busiest ones first. */
export function toDirectRoutes({
  puzzle,
  verify,
  siteverify,
  sitekeyCheck,
}: CaptchaHandlers): readonly DirectRoute[] {
  const routes = [
    { method: 'GET', path: '/puzzle', handle: puzzle.handle, setsHeaders: true },
    { method: 'POST', path: '/verify', handle: verify, setsHeaders: true },
    { method: 'OPTIONS', path: '/puzzle', handle: puzzle.preflight, setsHeaders: false },
    ...siteverify.map((route) => ({ ...route, setsHeaders: false })),
    { method: 'POST', path: SITEKEY_CHECK_PATH, handle: sitekeyCheck, setsHeaders: false },
  ] as const;
  return routes.map((route) => ({ ...route, isApi: true }));
}

/** Creates the responses to failures on these paths; see FailureDeps. */
export function createCaptchaFailureOf(deps: {
  readonly requestContext: RequestContext;
  readonly clock: Clock;
  readonly commonHeaders: Readonly<Record<string, string>>;
}) {
  const verifyResponses = createVerifyResponses(deps);
  return (path: string, status: number, request: Request): Response | undefined =>
    path === '/verify' ? verifyResponses.reject(status, request) : siteverifyErrorResponse(path, request);
}
