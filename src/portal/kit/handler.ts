import type { IssuePuzzle } from '../../captcha/issue.ts';
import type { IssuePlaygroundPuzzle } from '../../captcha/unsignedPuzzles.ts';
import type { VerifySolution } from '../../captcha/verify.ts';
import type { RateLimitState } from '../../http/rateLimit.ts';
import type { RequestContext } from '../../http/requestContext.ts';
import type { Clock, Instant } from '../../lib/time.ts';
import type { AccountSummary } from '../../model/account.ts';
import type { ApiKey } from '../../model/apiKey.ts';
import type { InvitationId, Member, OwnedOrganization } from '../../model/organization.ts';
import type { Property, Sitekey } from '../../model/property.ts';
import {
  type ClientInfo,
  type Session,
  type SessionActor,
  type SessionId,
  type SignedIn,
  sessionActor,
} from '../../model/session.ts';
import type { ShareLinkId } from '../../model/shareLink.ts';
import type { Task, TaskId, TaskResult } from '../../model/task.ts';
import type { ApiKeys } from '../../platform/apiKeys/apiKeys.ts';
import type { AttackMode } from '../../platform/attackMode.ts';
import type { Audit } from '../../platform/audit.ts';
import type { Authentication } from '../../platform/authentication/authentication.ts';
import type { DescribeBackground } from '../../platform/installation/background.ts';
import type { DescribeSystem, Maintenance } from '../../platform/installation/maintenance.ts';
import type { OpaqueIds } from '../../platform/opaqueId.ts';
import type { Access } from '../../platform/organizations/access.ts';
import type { Invitations } from '../../platform/organizations/invitations.ts';
import type { Members } from '../../platform/organizations/members.ts';
import type { Organizations } from '../../platform/organizations/organizations.ts';
import type { Overview } from '../../platform/overview/overview.ts';
import type { UseOverTime } from '../../platform/overview/useOverTime.ts';
import type { Properties } from '../../platform/properties/properties.ts';
import type { PropertyTransfer } from '../../platform/properties/propertyTransfer.ts';
import type { ShareLinks } from '../../platform/properties/shareLinks.ts';
import type { Statistics } from '../../platform/properties/statistics.ts';
import type { Tasks } from '../../platform/properties/tasks.ts';
import type { CountedRule, CountedRules, Rules } from '../../platform/rules/rules.ts';
import type { Traffic } from '../../platform/traffic/traffic.ts';
import type { Plans } from '../../platform/users/plans.ts';
import type { Users } from '../../platform/users/users.ts';
import type { Cookies, Theme } from './cookies.ts';
import type { Exports } from './download.ts';
import type { ContinueForm, HeldForms } from './heldForms.ts';
import type { OneTimeTokens, TrialTokens } from './tokens.ts';

/** Responds to a request that has passed the checks of its route. */
export type Handler<V extends Visit> = (visit: V, deps: PortalDeps) => Promise<Response> | Response;

/** The use cases and values that pages need. If a page needs another use case, add it here; `server/portal.ts` passes all services. */
export type PortalDeps = {
  readonly authentication: Authentication;
  readonly organizations: Organizations;
  readonly members: Members;
  readonly invitations: Invitations;
  readonly properties: Properties;
  readonly attackMode: AttackMode;
  readonly shareLinks: ShareLinks;
  readonly rules: Rules;
  readonly statistics: Statistics;
  readonly overview: Overview;
  readonly useOverTime: UseOverTime;
  readonly recentTraffic: Traffic;
  readonly users: Users;
  readonly plans: Plans;
  readonly describeSystem: DescribeSystem;
  readonly describeBackground: DescribeBackground;
  readonly explainAddress: RequestContext['explainAddress'];
  readonly oneTimeTokens: OneTimeTokens;
  readonly access: Access;
  readonly apiKeys: ApiKeys;
  /** Returns the secret with which a backend verifies the challenges of a property without this server. */
  readonly offlineSecretOf: (sitekey: string, rotations: number) => string;
  /** Handlers only read it: use cases write the entries. */
  readonly audit: Pick<Audit, 'list' | 'actorNames'>;
  readonly maintenance: Maintenance;
  readonly tasks: Tasks;
  readonly propertyTransfer: PropertyTransfer;
  readonly ids: OpaqueIds;
  readonly cookies: Cookies;
  readonly exports: Exports;
  readonly heldForms: HeldForms;
  readonly continueForm: ContinueForm;
  readonly clock: Clock;
  /** The public URL, without a trailing slash. */
  readonly baseUrl: string;
  /** The path of the widget's script that contains its hash, and its integrity. */
  readonly pinnedWidget: { readonly path: string; readonly integrity: string };
  /** The names of the widget's languages, without English, by their tags. */
  readonly widgetLanguages: Readonly<Record<string, string>>;
  /** Waits until a task is finished. @returns its results; undefined if it takes longer than a page waits */
  readonly taskFinished: (id: TaskId) => Promise<readonly TaskResult[] | undefined>;
  readonly issuePlaygroundPuzzle: IssuePlaygroundPuzzle;
  /** Issues and verifies puzzles for tests, which are not counted. */
  readonly verificationTest: {
    readonly issue: IssuePuzzle;
    readonly verify: VerifySolution;
    /** The rate limit of a property's tests. */
    readonly limit: (sitekey: Sitekey) => Pick<RateLimitState, 'isAllowed' | 'retryAfterSeconds'>;
  };
  readonly trialTokens: TrialTokens;
  /** Finds sections of the documentation: their headings, the titles of their pages, and their paths. */
  readonly findInDocs: (
    text: string,
    limit: number,
  ) => Promise<readonly { readonly text: string; readonly detail: string; readonly path: string }[]>;
};

/** An API key of the user that is about to expire. */
export type KeyWarning = {
  readonly name: string;
  /** Of the key's page. */
  readonly path: string;
  readonly expiresAt: Instant;
  /** Rounded up, at least 1. */
  readonly daysLeft: number;
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
  /** The contents of the form's file; undefined if it has none, or if its route accepts none. */
  readonly file?: Uint8Array | undefined;
  readonly clientInfo: ClientInfo;
  /** The token that every form on the page must contain. */
  readonly formToken: string;
  /** A sentence from the previous page, shown once. */
  readonly notice: string | undefined;
  readonly theme: Theme;
  /** If true, every page shows a banner. */
  readonly isInMaintenance: boolean;
  /** Empty on public pages. */
  readonly keyWarnings: readonly KeyWarning[];
  /** Undefined on public pages. */
  readonly signedIn: SignedIn | undefined;
  /** The same user, for use cases. */
  readonly actor: SessionActor | undefined;
};

/** A request of a user who is signed in. */
export type SignedInVisit = Visit & { readonly signedIn: SignedIn; readonly actor: SessionActor };

/** A request for a page of an organization that the user owns or belongs to. The path names it as `:org`. */
export type OrganizationVisit = SignedInVisit & {
  readonly organization: OwnedOrganization;
  /** The path of the organization's first page. */
  readonly organizationPath: string;
  readonly isOwner: boolean;
};

/** A request for the dashboard of a property by anyone who has a share link. */
export type SharedVisit = Visit & { readonly property: Property; readonly sharedPath: string };

/** A request that names a share link of a property as `:link`. */
export type ShareLinkVisit = PropertyVisit & { readonly shareLinkId: ShareLinkId };

/** A request for a page of a property: `:property`, of the organization `:org`. */
export type PropertyVisit = OrganizationVisit & {
  readonly property: Property;
  /** The path of the property's first page. */
  readonly propertyPath: string;
};

/** A rule that the path names, and the list that it belongs to. */
export type NamedRule = {
  readonly list: CountedRules;
  readonly rule: CountedRule;
  /** The index of the rule in the list. */
  readonly index: number;
};

/** A request for a page of a rule of a property: `:rule`, of the property `:property`. */
export type RuleVisit = PropertyVisit & { readonly named: NamedRule };

/** A request of an administrator for a page of a rule of the installation: `:systemRule`. */
export type SystemRuleVisit = SignedInVisit & { readonly named: NamedRule };

/** A request of an organization's owner about another member: `:member`. */
export type MemberVisit = OrganizationVisit & { readonly member: Member; readonly memberPath: string };

/** A request of an organization's owner about an invitation: `:invitation`. The use case checks that it exists. */
export type InvitationVisit = OrganizationVisit & { readonly invitationId: InvitationId };

/** A request about one of the user's API keys that has not been revoked: `:key`. */
export type KeyVisit = SignedInVisit & {
  readonly key: ApiKey;
  /** The path of the key's page. */
  readonly keyPath: string;
  /** Whether the user may change, rotate, and revoke the key. */
  readonly mayManage: boolean;
};

/** A request about an API key that belongs to the organization `:org` and has not been revoked: `:key`. */
export type OrganizationKeyVisit = OrganizationVisit & KeyVisit;

/** A request about one of the user's tasks: `:task`. */
export type TaskVisit = SignedInVisit & { readonly task: Task };

/** A request about a task of an organization: `:org` and `:task`. */
export type OrganizationTaskVisit = OrganizationVisit & { readonly task: Task };

/** A request about a session: `:session`. The use case ends only sessions of the user. */
export type SessionVisit = SignedInVisit & { readonly sessionId: SessionId };

/** A request of an administrator about a user: `:user`. */
export type UserVisit = SignedInVisit & { readonly user: AccountSummary };

/** A request for a page that the user and each organization have. */
export type UserOrOrganizationVisit = SignedInVisit | OrganizationVisit;

/** @returns the visit if it is for a page of an organization */
export function organizationOf(visit: UserOrOrganizationVisit): OrganizationVisit | undefined {
  return 'organization' in visit ? visit : undefined;
}

/** A visit of the user who is signed in. */
export function asSignedIn<V extends Visit>(visit: V, signedIn: SignedIn): V & SignedInVisit {
  return { ...visit, signedIn, actor: sessionActor(signedIn, visit.clientInfo) };
}

/** Whether a session is the session of this request. */
export function isOwn({ signedIn }: SignedInVisit, { id }: Pick<Session, 'id'>): boolean {
  return signedIn.session.id === id;
}
