import { type Clock, MINUTE } from '../lib/time.ts';
import type { ClientInfo } from '../model/session.ts';
import type { Audit } from './audit.ts';

/** Maximum number of individual entries per minute, and therefore 43,200 per day. */
const RECORDED_PER_MINUTE = 30;

/**
 * Returns a function that records a failed sign-in in the audit log. Rejections above 30 per minute become one entry with
 * their number, which is written with the first rejection of a later minute. The number is lost when the process ends.
 */
export function createRecordRejection({
  audit,
  clock,
}: {
  readonly audit: Pick<Audit, 'record'>;
  readonly clock: Clock;
}) {
  let minute = Number.NaN;
  let count = 0;

  /** @param email the address that was entered; empty if it is invalid */
  return async ({ address }: ClientInfo, email: string): Promise<void> => {
    const entry = { accountId: undefined, organizationId: undefined, source: 'portal' } as const;
    const rejected = { ...entry, action: 'session-rejected' } as const;
    const now = Math.floor(clock() / MINUTE);
    const more = now === minute ? 0 : count - RECORDED_PER_MINUTE;
    if (now !== minute) count = 0;
    minute = now;
    count++;
    if (more > 0) await audit.record({ ...rejected, actor: '', address: undefined, object: `${more} more` });
    if (count <= RECORDED_PER_MINUTE) await audit.record({ ...rejected, actor: email, address, object: '' });
  };
}
