import type { IssuePlaygroundPuzzle } from '../../../captcha/playground.ts';
import type { Clock } from '../../../lib/time.ts';
import type { TaskId, TaskResult } from '../../../model/task.ts';
import type { ApiKeys } from '../../../platform/apiKeys/apiKeys.ts';
import type { Audit } from '../../../platform/audit.ts';
import type { Authentication } from '../../../platform/authentication/authentication.ts';
import type { Maintenance } from '../../../platform/installation/maintenance.ts';
import type { DescribeSystem } from '../../../platform/installation/system.ts';
import type { OpaqueIds } from '../../../platform/opaqueId.ts';
import type { Access } from '../../../platform/organizations/access.ts';
import type { Invitations } from '../../../platform/organizations/invitations.ts';
import type { Members } from '../../../platform/organizations/members.ts';
import type { Organizations } from '../../../platform/organizations/organizations.ts';
import type { Properties } from '../../../platform/properties/properties.ts';
import type { Statistics } from '../../../platform/properties/statistics.ts';
import type { Tasks } from '../../../platform/properties/tasks.ts';
import type { Plans } from '../../../platform/users/plans.ts';
import type { Users } from '../../../platform/users/users.ts';
import type { RequestContext } from '../../requestContext.ts';
import type { Cookies } from './cookies.ts';
import type { OneTimeTokens } from './oneTimeTokens.ts';

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
  readonly oneTimeTokens: OneTimeTokens;
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
