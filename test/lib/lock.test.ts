import { describe, expect, test } from 'bun:test';
import { createLock, LOCK_CELLS } from '../../src/lib/lock.ts';
import { openTableThreads } from '../support/tableThreads.ts';

const newCells = () => new Int32Array(new SharedArrayBuffer(4 * LOCK_CELLS));

describe('a lock', () => {
  // Many more threads than cores, so the system often interrupts the thread that holds the lock.
  test.each([2, 12])('excludes other threads: no increment of %d threads is lost', async (count) => {
    const threads = await openTableThreads(count);
    const rounds = 240_000 / count;
    await Promise.all(threads.all.map((thread) => thread.run({ increment: rounds })));
    expect(threads.counter()).toBe(rounds * count);
    await threads.close();
  });

  test('is free again after it was released', () => {
    const cells = newCells();
    const [first, second] = [createLock(cells), createLock(cells)];
    for (const lock of [first, second, first]) {
      lock.acquire();
      expect(cells[0]).not.toBe(0);
      lock.release();
      expect(cells[0]).toBe(0);
    }
  });

  test('is taken over if the thread that holds it has ended, and stays exclusive', async () => {
    const threads = await openTableThreads(3);
    const [victim, ...others] = threads.all;
    await victim?.run('acquire');
    await victim?.terminate();
    await Promise.all(others.map((thread) => thread.run({ increment: 10_000 })));
    expect(threads.counter()).toBe(20_000);
    await threads.close();
  });

  test('is not released by a thread that has lost it', () => {
    const cells = newCells();
    const [slow, next] = [createLock(cells), createLock(cells)];
    slow.acquire();
    next.acquire();
    slow.release();
    expect(cells[0]).not.toBe(0);
    next.release();
    expect(cells[0]).toBe(0);
  });

  test('does nothing if the memory is not shared', () => {
    const cells = new Int32Array(LOCK_CELLS);
    const lock = createLock(cells);
    lock.acquire();
    lock.acquire();
    expect([...cells]).toEqual([0, 0]);
  });
});
