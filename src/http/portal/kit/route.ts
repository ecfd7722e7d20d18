import type { IssuePlaygroundPuzzle } from '../../../captcha/playground.ts';
import type { Clock } from '../../../lib/time.ts';
import type { AccountSummary } from '../../../model/account.ts';
import { portalActor, type UserActor } from '../../../model/actor.ts';
import type { ApiKey } from '../../../model/apiKey.ts';
import type { InvitationId } from '../../../model/invitation.ts';
import type { Member, OwnedOrganization } from '../../../model/organization.ts';
import type { Property } from '../../../model/property.ts';
import type { ClientInfo, Session, SessionId, SignedIn } from '../../../model/session.ts';
import type { Task, TaskId, TaskResult } from '../../../model/task.ts';
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

/** The use cases and values that pages need. A page that needs another one adds it here; `server/portal.ts` passes all services. */
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
  /** The public URL, without a trailing slash. */
  readonly baseUrl: string;
  /** The path of the widget's script that contains its hash, and its integrity. */
  readonly pinnedWidget: { readonly path: string; readonly integrity: string };
  /** Waits until a task is finished. @returns its results; undefined if it takes longer than a page waits */
  readonly taskFinished: (id: TaskId) => Promise<readonly TaskResult[] | undefined>;
  readonly issuePlaygroundPuzzle: IssuePlaygroundPuzzle;
};

/** A request for a page that has passed the checks of its route. */
export type Visit = {
  readonly request: Request;
  /** Path and query. */
  readonly address: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Empty for GET. */
  readonly form: URLSearchParams;
  readonly clientInfo: ClientInfo;
  /** The token that every form on the page must contain. */
  readonly formToken: string;
  /** A sentence from the previous page, shown once. */
  readonly notice: string | undefined;
  /** If true, every page shows a banner. */
  readonly isInMaintenance: boolean;
  /** Empty on public pages. */
  readonly keyWarnings: readonly KeyWarning[];
  /** Undefined on public pages. */
  readonly who: SignedIn | undefined;
  /** The same user, for use cases. */
  readonly actor: UserActor | undefined;
};

/** A request of a user who is signed in. */
export type SignedInVisit = Visit & { readonly who: SignedIn; readonly actor: UserActor };

/** A request for a page of an organization that the user owns or belongs to. The path names it as `:org`. */
export type OrganizationVisit = SignedInVisit & {
  readonly organization: OwnedOrganization;
  /** The path of the organization's first page. */
  readonly organizationPath: string;
  readonly isOwner: boolean;
};

/** A request for a page of a property: `:property`, of the organization `:org`. */
export type PropertyVisit = OrganizationVisit & {
  readonly property: Property;
  /** The path of the property's first page. */
  readonly propertyPath: string;
};

/** A request of an organization's owner about another member: `:member`. */
export type MemberVisit = OrganizationVisit & { readonly member: Member; readonly memberPath: string };

/** A request of an organization's owner about an invitation: `:invitation`. The use case finds it, or does not. */
export type InvitationVisit = OrganizationVisit & { readonly invitationId: InvitationId };

/** A request about one of the user's API keys that has not been revoked: `:key`. */
export type KeyVisit = SignedInVisit & { readonly key: ApiKey };

/** A request about one of the user's tasks: `:task`. */
export type TaskVisit = SignedInVisit & { readonly task: Task };

/** A request about a session: `:session`. The use case ends only sessions of the user. */
export type SessionVisit = SignedInVisit & { readonly sessionId: SessionId };

/** A request of an administrator about a user: `:user`. */
export type UserVisit = SignedInVisit & { readonly user: AccountSummary };

/** A visit of the user who is signed in. */
export function asSignedIn<V extends Visit>(visit: V, who: SignedIn): V & SignedInVisit {
  return { ...visit, who, actor: portalActor(who.account, visit.clientInfo.address) };
}

/** Whether a session is the session of this request. */
export function isOwn({ who }: SignedInVisit, { id }: Pick<Session, 'id'>): boolean {
  return who.session.id === id;
}
