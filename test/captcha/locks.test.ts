import { expect, test } from 'bun:test';
import { toClient } from '../../src/captcha/clientLoad.ts';
import { createLoadMeter } from '../../src/captcha/load.ts';
import { createPuzzleFailures } from '../../src/captcha/puzzleFailures.ts';
import { createReplayCache } from '../../src/captcha/replayCache.ts';
import type { Allocate } from '../../src/lib/sharedMemory.ts';
import type { Instant } from '../../src/lib/time.ts';
import type { PropertyId } from '../../src/model/property.ts';
import type { SharedCounts } from '../../src/model/sharedCounts.ts';

/** Shared memory that begins with the state of its lock, which is 0 while it is free, and with its turn. @see createLock */
function openMemory() {
  let lock: Int32Array = new Int32Array(2);
  const allocate: Allocate = (bytes) => {
    const buffer = new SharedArrayBuffer(bytes);
    lock = new Int32Array(buffer, 0, 2);
    return buffer;
  };
  return {
    allocate,
    isFree: () => lock[0] === 0,
    /** How often the lock was acquired. */
    turns: () => lock[1] as number,
  };
}

/** Threads that do not wait for each other would lose counts, and one that keeps the lock would stop the others for a second each time. */
function expectLocked(memory: ReturnType<typeof openMemory>, work: () => unknown): void {
  const before = memory.turns();
  work();
  expect(memory.turns()).toBe(before + 1);
  expect(memory.isFree()).toBe(true);
}

test('each function of the replay cache acquires the lock of its memory once, and releases it', () => {
  const memory = openMemory();
  const cache = createReplayCache(64, memory.allocate);
  const puzzle = { puzzleId: new Uint8Array(8).fill(1), expiresAtSeconds: 1000 };
  expectLocked(memory, () => cache.store(puzzle, 2));
  expectLocked(memory, () => cache.count(puzzle));
  expectLocked(memory, () => cache.lookUp(puzzle, 2));
  expectLocked(memory, () => cache.read());
});

test('each function of the wrong payloads acquires the lock of its memory once, and releases it', () => {
  const memory = openMemory();
  const { add, isBlocked } = createPuzzleFailures(memory.allocate);
  const puzzle = { puzzleId: new Uint8Array(8).fill(1), expiresAtSeconds: 1000 };
  expectLocked(memory, () => isBlocked(puzzle));
  expectLocked(memory, () => add(puzzle));
  expectLocked(memory, () => isBlocked(puzzle));
});

test('each function of the load meter acquires the lock of its memory once, and releases it', () => {
  const memory = openMemory();
  const shares: SharedCounts[] = [];
  const share = (counts: SharedCounts) => {
    shares.push(counts);
  };
  const options = { allocate: memory.allocate, clients: share, verified: share, properties: share };
  const meter = createLoadMeter(64, 64, options);
  const client = toClient(1, 1);
  const property = 1 as PropertyId;
  const now = Date.UTC(2026, 0, 1) as Instant;
  expectLocked(memory, () => meter.observe(client, property, now));
  expectLocked(memory, () => meter.verified(client, 128, now));
  expectLocked(memory, () => meter.peek(property, now));
  expect(shares).toHaveLength(3);
  for (const { add } of shares) expectLocked(memory, () => add(new Map([[client, 2]]), now));
});

test('the load meter acquires the lock once for each client that it ranks, and releases it', () => {
  const memory = openMemory();
  let clients: SharedCounts | undefined;
  const meter = createLoadMeter(64, 64, {
    allocate: memory.allocate,
    clients(counts) {
      clients = counts;
    },
  });
  const now = Date.UTC(2026, 0, 1) as Instant;
  for (let n = 0; n < 3; n++) meter.observe(toClient(n, n), 1 as PropertyId, now);
  const before = memory.turns();
  expect(clients?.take(2).size).toBe(2);
  expect(memory.turns()).toBe(before + 3);
  expect(memory.isFree()).toBe(true);
});
