import { describe, expect, test } from 'bun:test';
import { createDatabaseRecovery } from '../../src/jobs/watches.ts';

/** A recovery that is called every 200 ms, like that of a server. */
function open() {
  const state = { time: 0, isBroken: true, attempts: [] as number[], events: [] as string[] };
  const recover = createDatabaseRecovery({
    async tryDatabase() {
      state.attempts.push(state.time);
      if (state.isBroken) throw new Error('disk full');
    },
    endMaintenance: () => void state.events.push('end'),
    now: () => state.time,
    log: { info: (event) => void state.events.push(event) },
  });
  /** Calls the recovery until the time, or until it succeeds. */
  const runUntil = async (end: number) => {
    const before = state.events.length;
    for (; state.time < end && state.events.length === before; state.time += 200)
      await recover().catch(() => {});
  };
  return { state, runUntil };
}

const delaysOf = (times: readonly number[]) => times.slice(1).map((time, i) => time - (times[i] ?? 0));

describe('the recovery of the database', () => {
  test('tries at growing intervals of at most five seconds', async () => {
    const { state, runUntil } = open();
    await runUntil(30_000);
    expect(delaysOf(state.attempts)).toEqual([200, 400, 800, 1600, 3200, 5000, 5000, 5000, 5000]);
    expect(state.events).toEqual([]);
  });

  test('ends maintenance and logs it after the first attempt that succeeds', async () => {
    const { state, runUntil } = open();
    await runUntil(1000);
    state.isBroken = false;
    await runUntil(60_000);
    expect(state.events).toEqual(['end', 'database-recovered']);
  });

  test('waits longer if the database fails again soon, but not in a later outage', async () => {
    const { state, runUntil } = open();
    for (let outage = 0; outage < 20; outage++) {
      state.isBroken = false;
      await runUntil(state.time + 60_000);
    }
    // An unstable disk causes at most one recovery every five seconds.
    expect(delaysOf(state.attempts).slice(-10)).toEqual(new Array(10).fill(5000));
    state.time += 60_001;
    state.attempts = [];
    state.isBroken = true;
    await runUntil(state.time + 2000);
    expect(delaysOf(state.attempts)).toEqual([200, 400, 800]);
  });
});
