import { readConfig } from '../../src/config.ts';
import { openServices, type Services } from '../../src/server/services.ts';
import type { StorageEngine } from '../../src/storage/storage.ts';
import { storageSettings } from './testStorage.ts';

/** Quotas that no test reaches. */
export const AMPLE_PLAN = { planOrganizations: 1_000_000, planProperties: 1_000_000, invitedPlan: 'invited' };
/** The defaults of the settings. */
const SESSIONS = { sessionIdleHours: 12, sessionMaxDays: 7, requireTwoFactor: 'off' } as const;

/** The options of services that do not matter to most tests. */
export const TEST_SERVICE_OPTIONS = {
  maintenance: false,
  verifyRate: 1000,
  verifyBurst: 2000,
  portalRate: 20,
  portalBurst: 100,
  onAuditFailure: fail,
  ...SESSIONS,
};

/** Opens the services on a data folder, as a command does. A server can use the folder at the same time. */
export async function openTestServices(dataDir: string, engine?: StorageEngine): Promise<Services> {
  const { database } = readConfig({}, await storageSettings(dataDir)).config ?? {};
  return openServices({ dataDir, engine, database, ...TEST_SERVICE_OPTIONS, ...AMPLE_PLAN });
}

function fail(action: string, error: unknown): never {
  throw new Error(`${action} is missing in the audit log`, { cause: error });
}
