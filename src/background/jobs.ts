import { type Clock, HOUR, secondsOf } from '../lib/time.ts';
import type { ReplayLedger } from '../model/ports.ts';
import type { Job } from './schedule.ts';

/** A clock that was set back by less than this brings no spent puzzle back to life. */
const CLAIM_GRACE = HOUR;

export type JobDeps = {
  readonly ledger: ReplayLedger;
  readonly pruneSigningKeys: () => Promise<number>;
  readonly clock: Clock;
};

/** The cron table. */
export function jobsOf({ ledger, pruneSigningKeys, clock }: JobDeps): readonly Job[] {
  return [
    { name: 'purge-claims', pattern: '17 * * * * *', run: () => purgeClaims(ledger, clock) },
    { name: 'prune-signing-keys', pattern: '0 7 * * * *', run: pruneSigningKeys },
  ];
}

/** In portions, between which verifications get their turn. */
async function purgeClaims(ledger: ReplayLedger, clock: Clock): Promise<number> {
  const before = secondsOf(clock()) - CLAIM_GRACE / 1000;
  let total = 0;
  for (;;) {
    const purged = await ledger.purge(before);
    total += purged;
    if (purged === 0) return total;
  }
}
