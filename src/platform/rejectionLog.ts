import { type Clock, MINUTE } from '../lib/time.ts';
import type { RecordAudit } from '../model/audit.ts';
import type { ClientInfo } from '../model/session.ts';

/** Entries a minute: 43,200 a day at most, however many try. */
const NOTED_A_MINUTE = 30;

/**
 * Notes down wrong passwords, of which anybody can make as many as there is time for: those above 30 a minute become
 * one entry with their number, when the next one is noted after that minute. What is counted is lost with the process.
 */
export function createRecordRejection(deps: { readonly audit: RecordAudit; readonly clock: Clock }) {
  let minute = Number.NaN;
  let noted = 0;

  /** @param email as it was given; empty where it is none */
  return async ({ address }: ClientInfo, email: string): Promise<void> => {
    const entry = { accountId: undefined, organizationId: undefined, source: 'portal' } as const;
    const refused = { ...entry, action: 'session-refused' } as const;
    const now = Math.floor(deps.clock() / MINUTE);
    const more = now === minute ? 0 : noted - NOTED_A_MINUTE;
    if (now !== minute) noted = 0;
    minute = now;
    noted++;
    if (more > 0) await deps.audit({ ...refused, actor: '', address: undefined, subject: `${more} more` });
    if (noted <= NOTED_A_MINUTE) await deps.audit({ ...refused, actor: email, address, subject: '' });
  };
}
