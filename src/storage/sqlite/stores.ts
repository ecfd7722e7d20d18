import type { Quotas } from '../../model/plan.ts';
import { mapMethods } from '../methods.ts';
import type { Stores } from '../storage.ts';
import { createAccountStore } from './accounts.ts';
import { createApiKeyStore } from './apiKeys.ts';
import { createAuditStore } from './audit.ts';
import { createCredentialStore } from './credentials.ts';
import { reportFailures } from './failures.ts';
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

/**
 * All stores, on one connection. Writes block the calling thread until they are on the disk.
 *
 * @param defaults the quotas of the default plan until it is set
 */
export function createStores(database: MainDatabase, defaults: Quotas): Stores {
  return mapMethods(createRawStores(database, defaults), ({ method }) => reportFailures(method));
}

/** The same stores, but they throw the errors of SQLite. @see reportFailures */
export function createRawStores(database: MainDatabase, defaults: Quotas): Stores {
  const room = createRoom(database, defaults);
  return {
    accounts: createAccountStore(database),
    organizations: createOrganizationStore(database, room),
    properties: createPropertyStore(database, room),
    apiKeys: createApiKeyStore(database),
    signingKeys: createSigningKeyStore(database),
    installation: createInstallationStore(database),
    plans: createPlanStore(database, defaults),
    tasks: createTaskStore(database, room),
    statistics: createStatisticsStore(database),
    audit: createAuditStore(database),
    invitations: createInvitationStore(database),
    credentials: createCredentialStore(database),
    sessions: createSessionStore(database),
    secondFactors: createSecondFactorStore(database),
  };
}
