import type { Quotas } from '../../model/plan.ts';
import { createAccountStore } from './accounts.ts';
import { createApiKeyStore } from './apiKeys.ts';
import { createInstallationStore } from './installation.ts';
import type { MainDatabase } from './open.ts';
import { createOrganizationStore } from './organizations.ts';
import { createPropertyStore } from './properties.ts';
import { createPlanStore, createRoom } from './quotas.ts';
import { createSigningKeyStore } from './signingKeys.ts';
import { createTaskStore } from './tasks.ts';

/** Every port that the main database keeps. @param defaults the default plan's quotas, until they are set */
export function createStores(database: MainDatabase, defaults: Quotas) {
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
  };
}
