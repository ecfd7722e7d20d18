import type { Quotas } from '../../model/plan.ts';
import { mapMethods } from '../methods.ts';
import type { OnAuditFailure, Stores } from '../storage.ts';
import { reportFailures } from './failures.ts';
import type { MainDatabase } from './open.ts';
import { createChange } from './recordedChange.ts';
import { createAccountStore } from './stores/accounts.ts';
import { createApiKeyStore } from './stores/apiKeys.ts';
import { createAuditStore } from './stores/audit.ts';
import { createCredentialStore } from './stores/credentials.ts';
import { createExportStore } from './stores/exports.ts';
import { createInstallationStore } from './stores/installation.ts';
import { createInvitationStore } from './stores/invitations.ts';
import { createOrganizationStore } from './stores/organizations.ts';
import { createOverviewStore } from './stores/overview.ts';
import { createPlanStore, createRemainingQuotas } from './stores/plans.ts';
import { createPropertyStore } from './stores/properties.ts';
import { createRuleStore } from './stores/rules.ts';
import { createSessionStore } from './stores/sessions.ts';
import { createSigningKeyStore } from './stores/signingKeys.ts';
import { createStatisticsStore } from './stores/statistics.ts';
import { createTaskStore } from './stores/tasks.ts';
import { createTwoFactorStore } from './stores/twoFactor.ts';
import { createWidgetBuildStore } from './stores/widgetBuilds.ts';

/**
 * Creates all stores on one connection. Writes block the calling thread until they are on the disk.
 *
 * @param defaults the quotas of the default plan until it is set
 * @param onAuditFailure see StorageOptions
 */
export function createStores(
  database: MainDatabase,
  defaults: Quotas,
  onAuditFailure: OnAuditFailure = () => {},
): Stores {
  const stores = createRawStores(database, defaults, onAuditFailure);
  return mapMethods(stores, ({ method }) => reportFailures(method));
}

/** Like `createStores`, but the methods throw the errors of SQLite. @see reportFailures */
export function createRawStores(
  database: MainDatabase,
  defaults: Quotas,
  onAuditFailure: OnAuditFailure = () => {},
): Stores {
  const change = createChange(database, onAuditFailure);
  const remaining = createRemainingQuotas(database, defaults);
  return {
    accounts: createAccountStore(database, change),
    organizations: createOrganizationStore(database, remaining, change),
    properties: createPropertyStore(database, remaining, change),
    apiKeys: createApiKeyStore(database, change),
    signingKeys: createSigningKeyStore(database, change),
    installation: createInstallationStore(database, change),
    plans: createPlanStore(database, defaults, change),
    tasks: createTaskStore(database, remaining),
    statistics: createStatisticsStore(database),
    audit: createAuditStore(database),
    invitations: createInvitationStore(database, change),
    credentials: createCredentialStore(database, change),
    sessions: createSessionStore(database, change),
    twoFactor: createTwoFactorStore(database, change),
    widgetBuilds: createWidgetBuildStore(database),
    exports: createExportStore(database, remaining, change),
    overview: createOverviewStore(database),
    rules: createRuleStore(database, change),
  };
}
