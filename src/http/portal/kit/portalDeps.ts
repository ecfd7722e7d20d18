import type { IssuePlaygroundPuzzle } from '../../../captcha/playground.ts';
import type { Clock } from '../../../lib/time.ts';
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
