import { difficultyOf } from '../captcha/difficulty.ts';
import { createLoadMeter, type LoadMeter } from '../captcha/load.ts';
import { createUsage, type Usage, type UsageCounter } from '../captcha/usage.ts';
import { startUsageFlush, type UsageFlush } from '../jobs/usageFlush.ts';
import type { Log } from '../lib/log.ts';
import { type Clock, SECOND } from '../lib/time.ts';
import type { UsageRecord } from '../model/statistics.ts';
import { createStatistics, type Statistics } from '../platform/statistics.ts';
import { PROPERTY_CAPACITY } from './caches.ts';
import type { Services } from './services.ts';

/** What a running server measures of its own work: how hard it is pressed, and what it did. */
export type UsageRecording = {
  readonly load: LoadMeter;
  readonly usage: UsageCounter;
  readonly statistics: Statistics;
  /** Writes down now what was counted; never throws. */
  readonly flush: UsageFlush['flush'];
  /** Writes down what was counted, and ends. */
  readonly stop: UsageFlush['stop'];
};

export type UsageRecordingOptions = {
  readonly services: Services;
  readonly log: Log;
  readonly clock: Clock;
  /** Clients whose load is remembered at most. */
  readonly clientCapacity: number;
  /** How often what was counted is written down; what a killed process loses at most. */
  readonly flushEveryMs?: number | undefined;
  /** Another one to count with: the bench has one that does nothing. */
  readonly usage?: Usage | undefined;
};

/** How often what was counted is written down. */
const FLUSH_MS = 5 * SECOND;
/**
 * Properties that can be counted in one interval at most, a quarter of them with solve times, before it is written early:
 * 14 MB of numbers, and some 10 MB for finding them. As many again may wait to be written. The room is taken when it is needed.
 */
const USAGE_CAPACITY = 65_536;

/** @see UsageRecording */
export function createUsageRecording({
  services,
  log,
  clock,
  clientCapacity,
  ...options
}: UsageRecordingOptions): UsageRecording {
  const { statistics: store } = services.stores;
  const load = createLoadMeter(clientCapacity, PROPERTY_CAPACITY);
  const usage = options.usage ?? createUsage(USAGE_CAPACITY, () => usageFlush.flushSoon());
  const usageFlush = startUsageFlush({
    flush: () => usage.flush(write),
    pending: usage.pending,
    takeLost: usage.takeLost,
    isPaused: services.maintenance.hasFailed,
    everyMs: options.flushEveryMs ?? FLUSH_MS,
    log,
  });

  /** Between two portions requests get their turn. */
  async function write(records: readonly UsageRecord[]): Promise<void> {
    await store.add(records);
    await new Promise(setImmediate);
  }

  const statistics = createStatistics({
    store,
    properties: services.properties,
    difficultyOf: ({ level, growth, sitekey }) => difficultyOf(level, growth, load.peek(sitekey, clock())),
    clock,
  });
  return { load, usage, statistics, flush: usageFlush.flush, stop: usageFlush.stop };
}
