import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test';
import { startUsageFlush, type UsageFlush } from '../../src/jobs/usageFlush.ts';
import { createLog } from '../../src/lib/log.ts';
import type { Instant } from '../../src/lib/time.ts';
import { LOG_LIMITS } from '../../src/model/logEvents.ts';
import { settle } from './runnerScene.ts';

const EVERY_MS = 5000;

let scene: ReturnType<typeof createScene>;
let usageFlush: UsageFlush;

function createScene() {
  return {
    /** Events that are counted but not written. */
    pending: 0,
    lost: 0,
    written: 0,
    writes: 0,
    isPaused: false,
    failure: undefined as Error | undefined,
    /** Writes wait for this promise. */
    disk: Promise.resolve(),
    logged: [] as Record<string, unknown>[],
  };
}

async function write(): Promise<void> {
  const taken = scene.pending;
  scene.writes++;
  await scene.disk;
  if (scene.failure !== undefined) throw scene.failure;
  scene.pending -= taken;
  scene.written += taken;
}

const events = () =>
  scene.logged.map(({ event, reason, events }) => [event, reason ?? events].filter(Boolean).join(' '));

async function advance(milliseconds = EVERY_MS): Promise<void> {
  jest.advanceTimersByTime(milliseconds);
  await settle();
}

beforeEach(() => {
  jest.useFakeTimers();
  scene = createScene();
  const line = (text: string) => scene.logged.push(JSON.parse(text));
  usageFlush = startUsageFlush({
    flush: write,
    pending: () => scene.pending,
    takeLost: () => {
      const { lost } = scene;
      scene.lost = 0;
      return lost;
    },
    isPaused: () => scene.isPaused,
    everyMs: EVERY_MS,
    log: createLog({
      limits: LOG_LIMITS,
      level: 'info',
      format: 'json',
      clock: () => 0 as Instant,
      write: line,
    }),
  });
});

afterEach(async () => {
  scene.failure = undefined;
  await usageFlush.stop();
  jest.useRealTimers();
});

describe('counted events are written', () => {
  test('after each interval', async () => {
    scene.pending = 3;
    await advance(EVERY_MS - 1);
    expect(scene.written).toBe(0);
    await advance(1);
    expect(scene.written).toBe(3);
  });

  test('soon and only once for several requests', async () => {
    scene.pending = 3;
    for (let i = 0; i < 10; i++) usageFlush.flushSoon();
    await advance(1);
    expect([scene.written, scene.writes]).toEqual([3, 1]);
  });

  test('not while the database fails, but after it recovers', async () => {
    scene.pending = 3;
    scene.isPaused = true;
    await advance();
    usageFlush.flushSoon();
    await advance(1);
    expect(scene.writes).toBe(0);
    scene.isPaused = false;
    await advance();
    expect(scene.written).toBe(3);
  });

  test('on stop, including events counted during the last flush', async () => {
    const disk = Promise.withResolvers<void>();
    scene.disk = disk.promise;
    scene.pending = 3;
    await advance();
    scene.pending = 5;
    const stopped = usageFlush.stop();
    await advance();
    expect([scene.written, scene.writes]).toEqual([0, 1]);
    disk.resolve();
    await stopped;
    expect([scene.written, scene.writes, scene.pending]).toEqual([5, 2, 0]);
    await advance(10 * EVERY_MS);
    expect(scene.writes).toBe(2);
    expect(events()).toEqual([]);
  });
});

describe('a failure', () => {
  test('is logged once, and so is the recovery', async () => {
    scene.pending = 3;
    scene.failure = new Error('disk full');
    for (let i = 0; i < 3; i++) await advance();
    expect([scene.writes, scene.pending]).toEqual([3, 3]);
    scene.failure = undefined;
    for (let i = 0; i < 3; i++) await advance();
    expect(events()).toEqual(['statistics-failed disk full', 'statistics-recovered']);
    expect(scene.written).toBe(3);
  });

  test('that loses events is logged with their number', async () => {
    scene.failure = new Error('disk full');
    await advance();
    scene.lost = 7;
    await advance();
    await advance();
    expect(events()).toEqual(['statistics-failed disk full', 'statistics-lost 7']);
  });

  test('during stop is not retried', async () => {
    const disk = Promise.withResolvers<void>();
    scene.disk = disk.promise;
    scene.failure = new Error('database is locked');
    scene.pending = 4;
    await advance();
    const stopped = usageFlush.stop();
    disk.resolve();
    await stopped;
    expect(scene.writes).toBe(1);
    expect(events()).toEqual(['statistics-failed database is locked', 'statistics-lost 4']);
    scene.pending = 0;
  });

  test('on stop loses the remaining events and logs their number', async () => {
    scene.pending = 4;
    scene.failure = new Error('disk full');
    await usageFlush.stop();
    expect(events()).toEqual(['statistics-failed disk full', 'statistics-lost 4']);
    scene.pending = 0;
  });
});
