import { type CaptchaTotals, createCaptchaTotals, sumTotals } from '../captcha/captchaTotals.ts';
import { difficultyOf } from '../captcha/difficulty.ts';
import { createLoadMeter, type LoadMeter } from '../captcha/load.ts';
import { createRuleHits } from '../captcha/rules/ruleHits.ts';
import type { CountHit } from '../captcha/rules/rulings.ts';
import { workOf } from '../captcha/solveCosts.ts';
import { createUsage, type Usage, type UsageCounter } from '../captcha/usage.ts';
import { startUsageFlush, type UsageFlush } from '../jobs/usageFlush.ts';
import { createUsageWriter } from '../jobs/usageWriter.ts';
import { systemRandom } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import type { SharedMemory } from '../lib/sharedMemory.ts';
import { type Clock, SECOND } from '../lib/time.ts';
import type { RuleHitRecord } from '../model/ports/rules.ts';
import type { Property } from '../model/property.ts';
import type { UsageRecord } from '../model/statistics.ts';
import { createReadLastDays } from '../platform/overview/lastDay.ts';
import { createOverview, type Overview } from '../platform/overview/overview.ts';
import { createStatistics, type Statistics } from '../platform/properties/statistics.ts';
import { RULE_HITS_CAPACITY, USAGE_CAPACITY } from './capacities.ts';
import type { CountSharing } from './countSharing.ts';
import { PROPERTY_CAPACITY } from './hotCaches.ts';
import type { Services } from './services.ts';

/** Measures the load of a running server, and counts its puzzles and verifications. */
export type UsageRecording = {
  readonly load: LoadMeter;
  readonly usage: UsageCounter;
  /** Counts a hit of a rule. */
  readonly countHit: CountHit;
  /** Adds what other request threads have counted. */
  readonly merge: (counts: OtherCounts) => void;
  /** All puzzles and verdicts since the start of the process. */
  readonly totals: () => CaptchaTotals;
  /** The counted events that are not written yet, and those that were lost since the start of the process. */
  readonly events: () => { readonly pending: number; readonly lost: number };
  readonly statistics: Statistics;
  /** The difficulty of a puzzle for a new client at the current load of a property. */
  readonly difficultyNow: (property: Pick<Property, 'id' | 'level' | 'growth'>) => number;
  readonly overview: Overview;
  /** Writes the counts now; never rejects. */
  readonly flush: UsageFlush['flush'];
  /** Writes the counts one last time. */
  readonly stop: UsageFlush['stop'];
};

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
  /** Maximum number of client addresses whose load is measured. */
  readonly clientCapacity: number;
  /** @see CountSharing */
  readonly share: CountSharing['share'];
  /** Interval at which the counts are written. A killed process loses the counts since the last write. */
  readonly flushEveryMs?: number | undefined;
  /** Replaces the counters, for benchmarks. */
  readonly usage?: Usage | undefined;
};

const FLUSH_MS = 5 * SECOND;

/** @see UsageRecording */
export function createUsageRecording({
  services,
  log,
  clock,
  memory,
  clientCapacity,
  ...options
}: UsageRecordingOptions): UsageRecording {
  const { statistics: store } = services.stores;
  const load = createLoadMeter(clientCapacity, PROPERTY_CAPACITY, {
    allocate: memory.allocate('load'),
    clients: options.share('clientLoad'),
    verified: options.share('clientVerified'),
    properties: options.share('propertyLoad'),
  });
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

  const difficultyNow: UsageRecording['difficultyNow'] = ({ level, growth, id }) =>
    difficultyOf(level, growth, load.peek(id, clock()));
  const statistics = createStatistics({
    store,
    properties: services.properties,
    difficultyOf: difficultyNow,
    isComparable: ({ level, challenge }, other) =>
      workOf(level, challenge).challenge === workOf(other, challenge).challenge,
    clock,
  });
  const overview = createOverview({
    store: services.stores.overview,
    users: services.users,
    readLastDays: createReadLastDays(store, clock),
    difficultyOf: difficultyNow,
    clock,
  });
  return {
    load,
    usage: totals,
    countHit: ruleHits.count,
    merge({ usage: records = [], hits = [], lostEvents = 0, lostHits = 0 }) {
      usage.merge(records);
      ruleHits.merge(hits);
      usage.addLost(lostEvents);
      ruleHits.addLost(lostHits);
    },
    totals: () => sumTotals([totals.read(), ...options.others.map((other) => other.totals())]),
    events: () => ({ pending: pending(), lost }),
    statistics,
    difficultyNow,
    overview,
    flush: usageFlush.flush,
    stop: usageFlush.stop,
  };
}
