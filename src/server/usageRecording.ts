import { type CaptchaTotals, createCaptchaTotals, sumTotals } from '../captcha/captchaTotals.ts';
import { difficultyOf } from '../captcha/difficulty.ts';
import { createRuleHits } from '../captcha/rules/ruleHits.ts';
import { workOf } from '../captcha/solveCosts.ts';
import { createUsage, type Usage } from '../captcha/usage.ts';
import { createUsageWriter, startUsageFlush } from '../jobs/usageFlush.ts';
import { systemRandom } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import type { SharedMemory } from '../lib/sharedMemory.ts';
import { type Clock, SECOND } from '../lib/time.ts';
import { withAttackMode } from '../model/attackMode.ts';
import type { RuleHitRecord } from '../model/ports/rules.ts';
import type { Property } from '../model/property.ts';
import type { UsageRecord } from '../model/statistics.ts';
import { createReadLastDays } from '../platform/overview/lastDay.ts';
import { createOverview } from '../platform/overview/overview.ts';
import { createUseOverTime } from '../platform/overview/useOverTime.ts';
import { createStatistics } from '../platform/properties/statistics.ts';
import type { Rules } from '../platform/rules/rules.ts';
import type { DifficultyOf } from '../platform/rules/ruleTest.ts';
import { RULE_HITS_CAPACITY, USAGE_CAPACITY } from './context.ts';
import type { CountSharing } from './countSharing.ts';
import { openLoadMeter } from './loadMeter.ts';
import type { Services } from './services.ts';

/** @see createUsageRecording */
export type UsageRecording = ReturnType<typeof createUsageRecording>;

/** Counts of another request thread. */
export type OtherCounts = {
  readonly usage?: readonly UsageRecord[];
  readonly hits?: readonly RuleHitRecord[];
  readonly lostEvents?: number;
  readonly lostHits?: number;
};

export type UsageRecordingOptions = {
  /** The totals of the other request threads. */
  readonly others: readonly { readonly totals: () => CaptchaTotals }[];
  readonly services: Services;
  readonly log: Log;
  readonly clock: Clock;
  readonly memory: SharedMemory;
  readonly countSharing: Pick<CountSharing, 'share'>;
  /** Interval at which the counts are written. A killed process loses the counts since the last write. */
  readonly flushEveryMs?: number | undefined;
  /** Replaces the counters, for benchmarks. */
  readonly usage?: Usage | undefined;
};

const FLUSH_MS = 5 * SECOND;

/** Measures the load of a running server, counts its puzzles and verifications, and creates the use cases that read both. */
export function createUsageRecording({
  services,
  log,
  clock,
  memory,
  countSharing: { share },
  ...options
}: UsageRecordingOptions) {
  const { statistics: store } = services.stores;
  const load = openLoadMeter(memory, share);
  const usage = options.usage ?? createUsage(USAGE_CAPACITY, () => usageFlush.flushSoon());
  const writeUsage = createUsageWriter({ add: store.add, random: systemRandom });
  const ruleHits = createRuleHits(RULE_HITS_CAPACITY);
  const writeHits = createUsageWriter({ add: services.stores.rules.addHits, random: systemRandom });
  const totals = createCaptchaTotals(usage);
  let lost = 0;
  const pending = () => usage.pending() + ruleHits.pending();
  const usageFlush = startUsageFlush({
    async flush() {
      await usage.flush(writeUsage);
      await ruleHits.flush(writeHits);
    },
    pending,
    takeLost() {
      const taken = usage.takeLost() + ruleHits.takeLost();
      lost += taken;
      return taken;
    },
    isPaused: services.maintenance.hasFailed,
    everyMs: options.flushEveryMs ?? FLUSH_MS,
    log,
  });

  /** The difficulty of a puzzle for a new client at the current load of a property. */
  const difficultyNow: DifficultyOf = ({ level, growth, id }) =>
    difficultyOf(level, growth, load.peek(id, clock()));
  const difficultyOfStored = (property: Property) => difficultyNow(withAttackMode(property, clock()));
  const statistics = createStatistics({
    store,
    properties: services.properties,
    access: services.access,
    difficultyOf: difficultyOfStored,
    isComparable: ({ level, challenge }, other) =>
      workOf(level, challenge).challenge === workOf(other, challenge).challenge,
    clock,
  });
  const overview = createOverview({
    store: services.stores.overview,
    users: services.users,
    readLastDays: createReadLastDays(store, clock),
    difficultyOf: difficultyOfStored,
    clock,
  });
  const useOverTime = createUseOverTime({ ...services, store, clock });
  /** The use cases for rules, whose tests take the current load into account. */
  const rules: Rules = {
    ...services.rules,
    test: (actor, scope, request) => services.rules.test(actor, scope, request, difficultyNow),
  };
  return {
    load,
    usage: totals,
    countHit: ruleHits.count,
    countKey: usage.countKey,
    statistics,
    overview,
    useOverTime,
    rules,
    /** Adds what other request threads have counted. */
    merge({ usage: records = [], hits = [], lostEvents = 0, lostHits = 0 }: OtherCounts) {
      usage.merge(records);
      ruleHits.merge(hits);
      usage.addLost(lostEvents);
      ruleHits.addLost(lostHits);
    },
    /** All puzzles and verdicts since the start of the process. */
    totals: () => sumTotals([totals.read(), ...options.others.map((other) => other.totals())]),
    /** The counted events that are not written yet, and those that were lost since the start of the process. */
    events: () => ({ pending: pending(), lost }),
    /** Writes the counts now; never rejects. */
    flush: usageFlush.flush,
    /** Writes the counts one last time. */
    stop: usageFlush.stop,
  };
}
