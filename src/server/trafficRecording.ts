import { createTrafficObserver } from '../captcha/traffic/observeTraffic.ts';
import { createTrafficMemory } from '../captcha/traffic/recentTraffic.ts';
import type { Config } from '../config.ts';
import { startPeriodic } from '../lib/periodic.ts';
import { type Clock, MINUTE } from '../lib/time.ts';
import type { TrafficEvent } from '../model/traffic.ts';
import { createTraffic } from '../platform/traffic/traffic.ts';
import type { CountSharing } from './countSharing.ts';
import type { Services } from './services.ts';

/** @see createTrafficRecording */
export type TrafficRecording = ReturnType<typeof createTrafficRecording>;

/** Keeps recent requests in memory, and creates the use cases that read them. */
export function createTrafficRecording({
  services,
  clock,
  config: { trafficDetails: details },
  countSharing,
}: {
  readonly services: Services;
  readonly clock: Clock;
  readonly config: Pick<Config, 'trafficDetails'>;
  readonly countSharing: Pick<CountSharing, 'isClustered'>;
}) {
  const memory = createTrafficMemory();
  const periodic = startPeriodic({ work: async () => memory.expire(clock()), everyMs: MINUTE });
  return {
    observer: createTrafficObserver({
      details,
      geoip: services.geoip.find,
      record: memory.add,
      random: Math.random,
    }),
    recentTraffic: createTraffic({
      ...services,
      read: memory.read,
      details,
      isOfOneNode: countSharing.isClustered,
      clock,
    }),
    /** Adds what another thread has recorded. */
    merge(events: readonly TrafficEvent[]): void {
      for (const event of events) memory.add(event);
    },
    stop: periodic.stop,
  };
}
