import { createRuleHits } from '../../captcha/rules/ruleHits.ts';
import type { CountHit } from '../../captcha/rules/rulings.ts';
import { createUsage, type UsageCounter } from '../../captcha/usage.ts';
import { startPeriodic } from '../../lib/periodic.ts';
import { type Clock, SECOND } from '../../lib/time.ts';
import { createKeyUses, type KeyUses } from '../../platform/apiKeys/keyUses.ts';
import { KEY_USES_CAPACITY, RULE_HITS_CAPACITY, USAGE_CAPACITY } from '../context.ts';
import type { HandedOver } from './threadMethods.ts';

/** What a request thread counts for the statistics. */
export type CountsToHandOver = {
  readonly usage: UsageCounter;
  readonly countHit: CountHit;
  readonly recordKeyUse: KeyUses['record'];
  /** Sends everything that was counted before the call. */
  readonly handOver: () => Promise<void>;
};

const HAND_OVER_MS = SECOND;
/** Key uses are sent only in one of this many runs, because their times are rounded to a minute. */
const KEY_USES_EVERY = 10;

/**
 * Counts on a request thread, and sends the counts to the management thread every second. Only one message at a time waits for an
 * answer, so a management thread that is busy does not accumulate them.
 */
export function createThreadCounts(
  send: (counts: HandedOver) => Promise<void>,
  clock: Clock,
): CountsToHandOver {
  const usage = createUsage(USAGE_CAPACITY, () => void periodic.run());
  const ruleHits = createRuleHits(RULE_HITS_CAPACITY);
  const keyUses = createKeyUses({
    store: { recordUses: (uses) => send({ keyUses: uses }) },
    clock,
    capacity: KEY_USES_CAPACITY,
  });
  let runs = 0;

  async function sendLost(): Promise<void> {
    const [lostEvents, lostHits] = [usage.takeLost(), ruleHits.takeLost()];
    if (lostEvents + lostHits > 0) await send({ lostEvents, lostHits });
  }

  async function sendKeyUses(): Promise<void> {
    while (await keyUses.flush());
  }

  let isComplete = false;

  async function sendAll(): Promise<void> {
    await usage.flush((records) => send({ usage: records }));
    await ruleHits.flush((records) => send({ hits: records }));
    await sendLost();
    runs++;
    if (isComplete || runs % KEY_USES_EVERY === 0) await sendKeyUses();
  }

  // After the management thread has ended, nothing can be sent, and this thread ends too.
  const periodic = startPeriodic({ work: () => sendAll().catch(() => {}), everyMs: HAND_OVER_MS });
  return {
    usage,
    countHit: ruleHits.count,
    recordKeyUse: keyUses.record,
    handOver() {
      isComplete = true;
      return periodic.run();
    },
  };
}
