import type { IssuePlaygroundPuzzle } from '../../../captcha/playground.ts';
import type { Clock } from '../../../lib/time.ts';
import type { Caller } from '../../../model/caller.ts';
import type { ClientInfo, Session, SignedIn } from '../../../model/session.ts';
import type { TaskId, TaskResult } from '../../../model/task.ts';
import type { Access } from '../../../platform/access.ts';
import type { ApiKeys } from '../../../platform/apiKeys.ts';
import type { Audit } from '../../../platform/audit.ts';
import type { Authentication } from '../../../platform/authentication.ts';
import type { Invitations } from '../../../platform/invitations.ts';
import type { Maintenance } from '../../../platform/maintenance.ts';
import type { Members } from '../../../platform/members.ts';
import type { OpaqueIds } from '../../../platform/opaqueId.ts';
import type { Organizations } from '../../../platform/organizations.ts';
import type { Plans } from '../../../platform/plans.ts';
import type { Properties } from '../../../platform/properties.ts';
import type { Statistics } from '../../../platform/statistics.ts';
import type { DescribeSystem } from '../../../platform/system.ts';
import type { Tasks } from '../../../platform/tasks.ts';
import type { Users } from '../../../platform/users.ts';
import type { RequestContext } from '../../requestContext.ts';
import type { Cookies } from './cookies.ts';
import type { KeyWarning } from './keyWarnings.tsx';
import type { Once } from './singleUse.ts';

/** The use cases behind the pages. A page that needs another one adds it here; `portal.ts` hands in the whole office. */
export type PortalDeps = {
  readonly authentication: Authentication;
  readonly organizations: Organizations;
  readonly members: Members;
  readonly invitations: Invitations;
  readonly properties: Properties;
  readonly statistics: Statistics;
  readonly users: Users;
  readonly plans: Plans;
  readonly describeSystem: DescribeSystem;
  readonly explainAddress: RequestContext['explainAddress'];
  readonly once: Once;
  readonly access: Access;
  readonly apiKeys: ApiKeys;
  readonly audit: Audit;
  readonly maintenance: Maintenance;
  readonly tasks: Tasks;
  readonly ids: OpaqueIds;
  readonly cookies: Cookies;
  readonly clock: Clock;
  /** How the world reaches this server, without a slash at its end. */
  readonly baseUrl: string;
  /** The widget's script at the path that never changes, and its integrity. */
  readonly pinnedWidget: { readonly path: string; readonly integrity: string };
  /** Waits until a task is finished. @returns its results; undefined if it takes longer than a page waits */
  readonly taskFinished: (id: TaskId) => Promise<readonly TaskResult[] | undefined>;
  readonly issuePlaygroundPuzzle: IssuePlaygroundPuzzle;
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
  readonly clientInfo: ClientInfo;
  /** What every form in the answer must carry. */
  readonly formToken: string;
  /** What the page before wanted said here. */
  readonly notice: string | undefined;
  /** If true, every page shows a banner. */
  readonly isInMaintenance: boolean;
  /** Empty on public pages. */
  readonly keyWarnings: readonly KeyWarning[];
  /** Undefined on pages for everybody. */
  readonly who: SignedIn | undefined;
  /** The same user, for use cases. */
  readonly actor: Caller | undefined;
};

/** A request of somebody who is signed in. */
export type SignedInVisit = Visit & { readonly who: SignedIn; readonly actor: Caller };

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
  /** Answers in maintenance too, although it is a form. */
  readonly isAlwaysOpen: boolean;
  /** Whether the route serves users who still have to set up two-factor authentication. */
  readonly isForEnrolment: boolean;
  readonly handle: (visit: SignedInVisit, deps: PortalDeps) => Promise<Response> | Response;
};

type RouteOptions = Partial<Pick<Route, 'isSensitive' | 'isAlwaysOpen' | 'isForEnrolment'>>;

/** A row of the route table. */
export function route<For extends Guard>(
  method: Method,
  path: string,
  guard: For,
  handle: (visit: VisitOf[For], deps: PortalDeps) => Promise<Response> | Response,
  { isSensitive = false, isAlwaysOpen = false, isForEnrolment = false }: RouteOptions = {},
): Route {
  // The face calls it only with what its guard promises.
  return {
    method,
    path,
    guard,
    isSensitive,
    isAlwaysOpen,
    isForEnrolment,
    handle: handle as Route['handle'],
  };
}

/** A visit of the user who is signed in. */
export function asSignedIn<V extends Visit>(visit: V, who: SignedIn): V & SignedInVisit {
  const via = { door: 'portal', address: visit.clientInfo.address } as const;
  return {
    ...visit,
    who,
    actor: { accountId: who.account.id, organizationId: undefined, keyId: undefined, via },
  };
}

/** Whether a session is the one that asks. */
export function isOwn({ who }: SignedInVisit, { id }: Pick<Session, 'id'>): boolean {
  return who.session.id === id;
}
