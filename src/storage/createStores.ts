import type { Quotas } from '../model/plan.ts';
import type { StoreDatabase } from './executor.ts';
import { createChanges } from './recordedChange.ts';
import type { OnAuditFailure, Stores } from './storage.ts';
import { createAccountStore } from './stores/accounts.ts';
import { createApiKeyStore, createPrincipalLookup } from './stores/apiKeys.ts';
import { createAuditStore } from './stores/audit.ts';
import { createCredentialStore } from './stores/credentials.ts';
import { createExportStore } from './stores/exports.ts';
import {
  createInstallationStore,
  createSigningKeyStore,
  createWidgetBuildStore,
} from './stores/installation.ts';
import { createInvitationStore } from './stores/invitations.ts';
import { createOrganizationStore } from './stores/organizations.ts';
import { createOverviewStore } from './stores/overview.ts';
import { createPlanStore, createRemainingQuotas } from './stores/plans.ts';
import { createPropertyLookup, createPropertyStore } from './stores/properties.ts';
import { createRuleStore } from './stores/rules.ts';
import { createSessionStore } from './stores/sessions.ts';
import { createShareLinkStore } from './stores/shareLinks.ts';
import { createStatisticsStore } from './stores/statistics.ts';
import { createTaskStore } from './stores/tasks.ts';
import { createTwoFactorStore } from './stores/twoFactor.ts';

/**
 * Creates all stores. The methods throw the errors of the engine.
 *
 * @param defaults the quotas of the default plan until an administrator sets it
 * @param onAuditFailure see StorageOptions
 * @param lookups the connections for the lookups of the hot path, so that puzzles and verifications do not wait for management data
 */
export function createStores(
  database: StoreDatabase,
  defaults: Quotas,
  onAuditFailure: OnAuditFailure = () => {},
  lookups = database,
): Stores {
  const changes = createChanges(database, onAuditFailure);
  const remaining = createRemainingQuotas(defaults);
  return {
    accounts: createAccountStore(database, changes),
    organizations: createOrganizationStore(database, remaining, changes),
    properties: { ...createPropertyStore(database, remaining, changes), ...createPropertyLookup(lookups) },
    apiKeys: { ...createApiKeyStore(database, changes), ...createPrincipalLookup(lookups) },
    tasks: createTaskStore(database, remaining),
    audit: createAuditStore(database),
    signingKeys: createSigningKeyStore(database, changes),
    shareLinks: createShareLinkStore(database, changes),
    statistics: createStatisticsStore(database),
    installation: createInstallationStore(database, changes),
    plans: createPlanStore(database, defaults, changes),
    invitations: createInvitationStore(database, changes),
    credentials: createCredentialStore(database, changes),
    sessions: createSessionStore(database, changes),
    twoFactor: createTwoFactorStore(database, changes),
    widgetBuilds: createWidgetBuildStore(database),
    exports: createExportStore(database, remaining, changes),
    overview: createOverviewStore(database),
    rules: createRuleStore(database, changes),
  };
}
