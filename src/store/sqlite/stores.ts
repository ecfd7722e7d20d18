import type { Quotas } from '../../model/plan.ts';
import { createAccountStore } from './accounts.ts';
import { createApiKeyStore } from './apiKeys.ts';
import { createAuditStore } from './audit.ts';
import { createCredentialStore } from './credentials.ts';
import { tellingFailures } from './failures.ts';
import { createInstallationStore } from './installation.ts';
import { createInvitationStore } from './invitations.ts';
import type { MainDatabase } from './open.ts';
import { createOrganizationStore } from './organizations.ts';
import { createPropertyStore } from './properties.ts';
import { createPlanStore, createRoom } from './quotas.ts';
import { createSecondFactorStore } from './secondFactors.ts';
import { createSessionStore } from './sessions.ts';
import { createSigningKeyStore } from './signingKeys.ts';
import { createStatisticsStore } from './statistics.ts';
import { createTaskStore } from './tasks.ts';

/** Every port that the main database keeps. @param defaults the default plan's quotas, until they are set */
export function createStores(database: MainDatabase, defaults: Quotas) {
  const room = createRoom(database, defaults);
  return {
    accounts: tellingFailures(createAccountStore(database)),
    organizations: tellingFailures(createOrganizationStore(database, room)),
    properties: tellingFailures(createPropertyStore(database, room)),
    apiKeys: tellingFailures(createApiKeyStore(database)),
    signingKeys: tellingFailures(createSigningKeyStore(database)),
    installation: tellingFailures(createInstallationStore(database)),
    plans: tellingFailures(createPlanStore(database, defaults)),
    tasks: tellingFailures(createTaskStore(database, room)),
    statistics: tellingFailures(createStatisticsStore(database)),
    audit: tellingFailures(createAuditStore(database)),
    invitations: tellingFailures(createInvitationStore(database)),
    credentials: tellingFailures(createCredentialStore(database)),
    sessions: tellingFailures(createSessionStore(database)),
    secondFactors: tellingFailures(createSecondFactorStore(database)),
  };
}
