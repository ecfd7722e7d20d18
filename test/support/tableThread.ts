/** A thread that uses the tables of a server in shared memory; see tableThreads.ts. */
import { createLoadMeter } from '../../src/captcha/load.ts';
import { createReplayGuard } from '../../src/captcha/replay.ts';
import { createRateLimit } from '../../src/http/rateLimit.ts';
import {
  openRegion,
  openSharedMemory,
  type SharedBuffers,
  type SharedMemory,
} from '../../src/lib/sharedMemory.ts';
import type { Instant } from '../../src/lib/time.ts';
import type { PropertyId } from '../../src/model/property.ts';
import type { SharedCounts } from '../../src/model/sharedCounts.ts';

declare const self: Worker;

export const RATE = { rate: 10, burst: 20, capacity: 64 } as const;
const CLIENTS = 512;
const PROPERTIES = 64;

/** One operation on the tables. The thread answers with its result. */
export type TableStep =
  | 'acquire'
  | { readonly increment: number }
  | { readonly take: number; readonly at: number; readonly times?: number }
  | {
      readonly observe: number;
      readonly property: number;
      readonly at: number;
      readonly times?: number;
    }
  | {
      readonly visit: readonly number[];
      readonly property: number;
      readonly at: number;
      readonly times: number;
    }
  | { readonly verify: number; readonly difficulty: number; readonly at: number }
  | { readonly claim: number; readonly stored: number; readonly maxCount: number }
  | { readonly add: readonly (readonly [key: number, amount: number])[]; readonly at: number }
  | 'tally';

/** Opens the tables. @returns a function that runs a step */
export function openTables(memory: SharedMemory) {
  let now = 0 as Instant;
  const counts: SharedCounts[] = [];
  const limit = createRateLimit({
    ...RATE,
    clock: () => now,
    allocate: memory.allocate('rates'),
    share: (shared) => void counts.push(shared),
  });
  const meter = createLoadMeter(CLIENTS, PROPERTIES, { allocate: memory.allocate('load') });
  const stored: number[] = [];
  const ledger = {
    claim: async () => stored.shift() ?? Number.NaN,
    claimOnce: async () => Number.NaN,
    recall: async () => undefined,
    purge: async () => 0,
    purgedBefore: async () => 0,
    isHealthy: () => true,
    hasLostClaims: () => false,
    close: async () => {},
  };
  const guard = createReplayGuard(ledger, 16, memory.allocate('replay'));
  const { acquire, release, cells } = openRegion(memory.allocate('counter'), 1);

  function increment(times: number): void {
    for (let i = 0; i < times; i++) {
      acquire();
      cells[0] = (cells[0] as number) + 1;
      release();
    }
  }

  function visit(clients: readonly number[], property: PropertyId, times: number): void {
    for (let i = 0; i < times; i++) for (const client of clients) meter.observe(client, property, now);
  }

  return async (step: TableStep): Promise<unknown> => {
    if (step === 'acquire') return acquire();
    if (step === 'tally') return counts.flatMap(({ take }) => [...take(100)]);
    if ('increment' in step) return increment(step.increment);
    if ('claim' in step) {
      stored.push(step.stored);
      const puzzleId = Uint8Array.of(step.claim, step.claim >> 8, 0, 0, 0, 0, 0, 1);
      const claim = { puzzleId, expiresAtSeconds: 100 + (step.claim % 50), keyFingerprint: 1 };
      const result = await guard.claim(claim, step.maxCount);
      stored.length = 0;
      return result;
    }
    now = step.at as Instant;
    if ('add' in step) return counts[0]?.add(new Map(step.add), now);
    if ('visit' in step) return visit(step.visit, step.property as PropertyId, step.times);
    if ('verify' in step) return meter.verified(step.verify, step.difficulty, now);
    const repeat = <T>(run: () => T) => Array.from({ length: step.times ?? 1 }, run);
    if ('take' in step) return repeat(() => limit.take(step.take));
    return repeat(() => meter.observe(step.observe, step.property as PropertyId, now));
  };
}

if (!Bun.isMainThread) {
  let run: ReturnType<typeof openTables> | undefined;
  self.onmessage = async ({ data }: MessageEvent<SharedBuffers | TableStep>) => {
    if (data instanceof Map) run = openTables(openSharedMemory(data));
    else self.postMessage(await run?.(data as TableStep));
    if (data instanceof Map) self.postMessage('open');
  };
}
