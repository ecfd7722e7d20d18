import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test';
import { type Flush, startFlush } from '../../src/jobs/usageFlush.ts';
import { createLog } from '../../src/lib/log.ts';
import type { Instant } from '../../src/lib/time.ts';
import { settle } from './runnerScene.ts';

const EVERY_MS = 5000;

let scene: ReturnType<typeof createScene>;
let flush: Flush;

function createScene() {
  return {
    /** Counted and not written. */
    pending: 0,
    lost: 0,
    written: 0,
    writes: 0,
    isPaused: false,
    failure: undefined as Error | undefined,
    /** What a write waits for. */
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

/** Turns the clock. */
async function turn(milliseconds = EVERY_MS): Promise<void> {
  jest.advanceTimersByTime(milliseconds);
  await settle();
}

beforeEach(() => {
  jest.useFakeTimers();
  scene = createScene();
  const line = (text: string) => scene.logged.push(JSON.parse(text));
  flush = startFlush({
    flush: write,
    pending: () => scene.pending,
    takeLost: () => {
      const { lost } = scene;
      scene.lost = 0;
      return lost;
    },
    isPaused: () => scene.isPaused,
    everyMs: EVERY_MS,
    log: createLog({ level: 'info', format: 'json', clock: () => 0 as Instant, write: line }),
  });
});

afterEach(async () => {
  scene.failure = undefined;
  await flush.stop();
  jest.useRealTimers();
});

describe('what was counted is written', () => {
  test('every few seconds, and not before', async () => {
    scene.pending = 3;
    await turn(EVERY_MS - 1);
    expect(scene.written).toBe(0);
    await turn(1);
    expect(scene.written).toBe(3);
  });

  test('soon where it is asked for, once however often', async () => {
    scene.pending = 3;
    for (let i = 0; i < 10; i++) flush.nudge();
    await turn(1);
    expect([scene.written, scene.writes]).toEqual([3, 1]);
  });

  test('not while the database fails, and when it is well again', async () => {
    scene.pending = 3;
    scene.isPaused = true;
    await turn();
    flush.nudge();
    await turn(1);
    expect(scene.writes).toBe(0);
    scene.isPaused = false;
    await turn();
    expect(scene.written).toBe(3);
  });

  test('at the end, also what came while the last but one was written', async () => {
    const disk = Promise.withResolvers<void>();
    scene.disk = disk.promise;
    scene.pending = 3;
    await turn();
    scene.pending = 5;
    const stopped = flush.stop();
    await turn();
    expect([scene.written, scene.writes]).toEqual([0, 1]);
    disk.resolve();
    await stopped;
    expect([scene.written, scene.writes, scene.pending]).toEqual([5, 2, 0]);
    await turn(10 * EVERY_MS);
    expect(scene.writes).toBe(2);
    expect(events()).toEqual([]);
  });
});

describe('a failure', () => {
  test('is told once, and so is its end', async () => {
    scene.pending = 3;
    scene.failure = new Error('the disk is full');
    for (let i = 0; i < 3; i++) await turn();
    expect([scene.writes, scene.pending]).toEqual([3, 3]);
    scene.failure = undefined;
    for (let i = 0; i < 3; i++) await turn();
    expect(events()).toEqual(['statistics-failed the disk is full', 'statistics-recovered']);
    expect(scene.written).toBe(3);
  });

  test('with more than memory holds is told with how much was lost', async () => {
    scene.failure = new Error('the disk is full');
    await turn();
    scene.lost = 7;
    await turn();
    await turn();
    expect(events()).toEqual(['statistics-failed the disk is full', 'statistics-lost 7']);
  });

  test('at the end is not met twice', async () => {
    const disk = Promise.withResolvers<void>();
    scene.disk = disk.promise;
    scene.failure = new Error('the database is locked');
    scene.pending = 4;
    await turn();
    const stopped = flush.stop();
    disk.resolve();
    await stopped;
    expect(scene.writes).toBe(1);
    expect(events()).toEqual(['statistics-failed the database is locked', 'statistics-lost 4']);
    scene.pending = 0;
  });

  test('at the end loses what is there, and says so', async () => {
    scene.pending = 4;
    scene.failure = new Error('the disk is full');
    await flush.stop();
    expect(events()).toEqual(['statistics-failed the disk is full', 'statistics-lost 4']);
    scene.pending = 0;
  });
});
