import { describe, expect, test } from 'bun:test';
import { createTurns } from '../../src/lib/turns.ts';

function createScene(perTurn: number) {
  const scheduled: (() => void)[] = [];
  const takeTurn = createTurns(perTurn, (run) => scheduled.push(run));
  const log: number[] = [];
  return {
    scheduled,
    log,
    come: async (number: number) => {
      await takeTurn();
      log.push(number);
    },
    /** Ends a turn of the loop. */
    turn: async () => {
      for (const run of scheduled.splice(0)) run();
      await Promise.resolve();
      await Promise.resolve();
    },
  };
}

describe('turns', () => {
  test('are given at once while some are left', () => {
    const takeTurn = createTurns(2, () => {});
    expect([takeTurn(), takeTurn()]).toEqual([undefined, undefined]);
    expect(takeTurn()).toBeInstanceOf(Promise);
  });

  test('let a fixed number continue in each iteration of the loop, in the order of the calls', async () => {
    const { come, turn, log } = createScene(2);
    const all = [1, 2, 3, 4, 5].map(come);
    await Promise.resolve();
    expect(log).toEqual([1, 2]);
    await turn();
    expect(log).toEqual([1, 2, 3, 4]);
    const late = come(6);
    await turn();
    expect(log).toEqual([1, 2, 3, 4, 5, 6]);
    await Promise.all([...all, late]);
  });

  test('schedule nothing without callers', async () => {
    const { come, turn, scheduled } = createScene(1);
    await come(1);
    await turn();
    await turn();
    expect(scheduled).toEqual([]);
  });
});
