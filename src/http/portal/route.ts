import type { Clock } from '../../lib/time.ts';
import type { Caller } from '../../model/caller.ts';
import type { Session, SignedIn, Whence } from '../../model/session.ts';
import type { Access } from '../../platform/access.ts';
import type { OpaqueIds } from '../../platform/opaqueId.ts';
import type { Organizations } from '../../platform/organizations.ts';
import type { People } from '../../platform/people.ts';
import type { Properties } from '../../platform/properties.ts';
import type { Cookies } from './cookies.ts';

/** The use cases behind the pages. A page that needs another one adds it here; `portal.ts` hands in the whole office. */
export type PortalDeps = {
  readonly people: People;
  readonly organizations: Organizations;
  readonly properties: Properties;
  readonly access: Access;
  readonly ids: OpaqueIds;
  readonly cookies: Cookies;
  readonly clock: Clock;
};

/** One request to a page, past its guard. */
export type Visit = {
  readonly request: Request;
  /** Path and query, as the address bar has them. */
  readonly address: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Empty for GET. */
  readonly form: URLSearchParams;
  readonly whence: Whence;
  /** What every form in the answer must carry. */
  readonly formToken: string;
  /** What the page before wanted said here. */
  readonly notice: string | undefined;
  /** Undefined on pages for everybody. */
  readonly who: SignedIn | undefined;
};

/** A request of somebody who is signed in. */
export type SignedInVisit = Visit & { readonly who: SignedIn };

/** Whom a page is for. */
export type Guard = 'public' | 'session' | 'admin';

type VisitOf = { readonly public: Visit; readonly session: SignedInVisit; readonly admin: SignedInVisit };

export type Method = 'GET' | 'POST';

export type Route = {
  readonly method: Method;
  /** With `:name` for what is named in the path; each name has an example in test/http/portal/examples.ts. */
  readonly path: string;
  readonly guard: Guard;
  /** Wants the password to have been given within the last quarter of an hour. */
  readonly isSensitive: boolean;
  readonly handle: (visit: SignedInVisit, deps: PortalDeps) => Promise<Response> | Response;
};

/** A row of the route table. */
export function route<For extends Guard>(
  method: Method,
  path: string,
  guard: For,
  handle: (visit: VisitOf[For], deps: PortalDeps) => Promise<Response> | Response,
  { isSensitive = false }: { readonly isSensitive?: boolean } = {},
): Route {
  // The face calls it only with what its guard promises.
  return { method, path, guard, isSensitive, handle: handle as Route['handle'] };
}

/** Who is signed in, as use cases want to know it. */
export function callerOf({ who, whence }: SignedInVisit): Caller {
  const via = { door: 'portal', address: whence.address } as const;
  return { accountId: who.account.id, organizationId: undefined, keyId: undefined, via };
}

/** Whether a session is the one that asks. */
export function isOwn({ who }: SignedInVisit, { id }: Pick<Session, 'id'>): boolean {
  return who.session.id === id;
}
