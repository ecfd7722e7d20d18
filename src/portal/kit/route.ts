import { type Guard, type GuardFor, LOADERS, loadShared, type VisitOf } from './guards.ts';
import type { Handler, SharedVisit, SignedInVisit, Visit } from './handler.ts';

export type Method = 'GET' | 'POST';

/** What differs from an ordinary page or form. */
type RouteFlags = {
  /** Requires that the user entered the password within the last 15 minutes. */
  readonly isSensitive: boolean;
  /** Responds during maintenance, although it is a form. */
  readonly isAlwaysOpen: boolean;
  /** Serves users who still have to set up two-factor authentication. */
  readonly isForEnrollment: boolean;
  /** Accepts a form with a file of up to 1 MiB. */
  readonly acceptsFile: boolean;
  /** A form that arrives after its session has ended continues after the user has signed in again. */
  readonly isHeld: boolean;
  /** Removes something, ends access, or affects others. Pages ask for a confirmation that names the consequence. */
  readonly isDestructive: boolean;
  /** Shown to anyone who has a share link: without cookies, and neither indexed nor named to other websites. */
  readonly isShared: boolean;
  /** A script requests it without the user, so it does not extend the session, and returns 401 instead of the sign-in page. */
  readonly isBackground: boolean;
  /** A public page that shows the navigation to a user who is signed in. */
  readonly showsUser: boolean;
};

export type Route = RouteFlags & {
  readonly method: Method;
  /** With `:name` for each object that the path names; test/portal/kit/examples.ts has an example of each. */
  readonly path: string;
} & (
    | { readonly guard: 'public'; readonly respond: Handler<Visit> }
    | { readonly guard: Exclude<Guard, 'public'>; readonly respond: Handler<SignedInVisit> }
  );

export const SENSITIVE = { isSensitive: true };
export const ALWAYS = { isAlwaysOpen: true };
export const ENROLLMENT = { isForEnrollment: true };
export const WITH_FILE = { acceptsFile: true };
export const NOT_HELD = { isHeld: false };
export const DESTRUCTIVE = { isDestructive: true };
export const BACKGROUND = { isBackground: true };

const DEFAULTS: RouteFlags = {
  isSensitive: false,
  isAlwaysOpen: false,
  isForEnrollment: false,
  acceptsFile: false,
  isHeld: true,
  isDestructive: false,
  isBackground: false,
  isShared: false,
  showsUser: false,
};

/** @returns a route for everyone */
export function publicRoute<Path extends string>(
  method: Method,
  path: 'public' extends GuardFor<Path> ? Path : never,
  respond: Handler<Visit>,
  options: Partial<RouteFlags> = {},
): Route {
  return { ...DEFAULTS, ...options, method, path, guard: 'public', respond };
}

/** @returns a route for everyone who has the share link whose token the path names */
export function sharedRoute(
  path: `/portal/shared/:token${string}`,
  handle: Handler<SharedVisit>,
  options: Partial<RouteFlags> = {},
): Route {
  return {
    ...DEFAULTS,
    ...options,
    isShared: true,
    method: 'GET',
    path,
    guard: 'public',
    async respond(visit, deps) {
      const loaded = await loadShared(visit, deps);
      return loaded instanceof Response ? loaded : handle(loaded, deps);
    },
  };
}

/**
 * @param guard loads the objects that the path names and checks the user's role
 * @param handle receives only requests that passed the guard
 */
export function route<Path extends string, Name extends Exclude<GuardFor<Path>, 'public'>>(
  method: Method,
  path: Path,
  guard: Name,
  handle: Handler<VisitOf<Name>>,
  options: Partial<RouteFlags> = {},
): Route {
  const load = LOADERS[guard];
  return {
    ...DEFAULTS,
    ...options,
    method,
    path,
    guard,
    async respond(visit, deps) {
      const loaded = await load(visit, deps);
      return loaded instanceof Response ? loaded : handle(loaded, deps);
    },
  };
}
