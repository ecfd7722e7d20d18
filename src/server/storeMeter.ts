import { attempt } from '../lib/awaitable.ts';
import { createHistogram, type HistogramReading } from '../lib/counters.ts';
import { type MethodKind, mapMethods, type StoreMethod } from '../storage/methods.ts';
import type { Stores } from '../storage/storage.ts';

/** Whether a call only reads. */
export type CallKind = 'read' | 'write';

type OnSlowCall = (call: Pick<StoreMethod, 'store' | 'name'>, milliseconds: number) => void;

const SLOW_MS = 1000;
/** Upper bounds in seconds. A lookup in SQLite takes 0.01 ms, and a query of PostgreSQL 0.5 ms or more. */
const CALL_BOUNDS = [
  0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 40,
];

const kindOf = (kind: MethodKind): CallKind => (kind === 'read' ? 'read' : 'write');

/** Counts and measures the calls of all stores, by kind. @param now a monotonic time in milliseconds */
export function createStoreMeter(now = () => performance.now()) {
  const meters = {
    read: { running: 0, seconds: createHistogram(CALL_BOUNDS) },
    write: { running: 0, seconds: createHistogram(CALL_BOUNDS) },
  };
  return {
    /** Number of calls that have not ended. */
    running: (): ReadonlyMap<CallKind, number> =>
      new Map([['read', meters.read.running] as const, ['write', meters.write.running] as const]),
    /** Durations in seconds. */
    seconds: (): ReadonlyMap<CallKind, HistogramReading> =>
      new Map([
        ['read', meters.read.seconds.read()] as const,
        ['write', meters.write.seconds.read()] as const,
      ]),
    /** @returns stores whose calls are measured @param onSlow called after a call that took longer than SLOW_MS, except exports and imports */
    measure: (stores: Stores, onSlow: OnSlowCall): Stores =>
      mapMethods(stores, ({ store, name, kind, method }) => {
        const meter = meters[kindOf(kind)];
        function end(startedAt: number): void {
          const milliseconds = now() - startedAt;
          meter.running--;
          meter.seconds.observe(milliseconds / 1000);
          // The duration of an export or an import depends on the amount of data.
          if (milliseconds > SLOW_MS && store !== 'exports') onSlow({ store, name }, milliseconds);
        }
        return (...args) => {
          const startedAt = now();
          meter.running++;
          return attempt(
            () => method(...args),
            (result) => {
              end(startedAt);
              return result;
            },
            (error) => {
              end(startedAt);
              throw error;
            },
          );
        };
      }),
  };
}
