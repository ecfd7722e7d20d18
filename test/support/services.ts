import { openServices, type Services } from '../../src/server/services.ts';
import type { StorageEngine } from '../../src/storage/storage.ts';

/** Quotas that no test meets by accident. */
export const AMPLE_PLAN = { planOrganizations: 1_000_000, planProperties: 1_000_000, invitedPlan: 'invited' };
/** As configured by default. */
const SESSIONS = { sessionIdleHours: 12, sessionMaxDays: 7, requireTwoFactor: 'off' } as const;

/** A second back office on a folder, as the commands have one. */
export function openTestServices(dataDir: string, engine?: StorageEngine): Promise<Services> {
  const rest = {
    maintenance: false,
    verifyRate: 1000,
    verifyBurst: 2000,
    portalRate: 20,
    portalBurst: 100,
    onAuditFailure: fail,
  };
  return openServices({ dataDir, engine, ...rest, ...AMPLE_PLAN, ...SESSIONS });
}

function fail(action: string, error: unknown): never {
  throw new Error(`${action} was not noted down`, { cause: error });
}
