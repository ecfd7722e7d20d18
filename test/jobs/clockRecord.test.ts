import { describe, expect, test } from 'bun:test';
import { judgeClock } from '../../src/jobs/clocks.ts';
import { DAY, HOUR, type Instant, later, MINUTE } from '../../src/lib/time.ts';
import type { ClockRecord } from '../../src/model/ports/installation.ts';

const start = Date.UTC(2026, 0, 31) as Instant;

/** A machine whose clock and monotonic clock a test moves, and the record of its installation. */
function createMachine() {
  let record: ClockRecord | undefined;
  let time = start;
  let elapsedMs = 0;
  const machine = {
    /** Reads the clock. @returns whether its time is confirmed */
    read() {
      const judged = judgeClock(record, { time, elapsedMs });
      elapsedMs = 0;
      ({ record } = judged);
      return judged.isConfirmed;
    },
    run(milliseconds: number) {
      time = later(time, milliseconds);
      elapsedMs += milliseconds;
      return machine.read();
    },
    /** Runs, and reads the clock every ten minutes. @returns whether every time was confirmed, in order and without repetitions */
    runSteadily(milliseconds: number) {
      const results: boolean[] = [];
      for (let passed = 0; passed < milliseconds; passed += 10 * MINUTE) {
        const isConfirmed = machine.run(10 * MINUTE);
        if (results.at(-1) !== isConfirmed) results.push(isConfirmed);
      }
      return results;
    },
    /** Sets the clock, restarts after a time, or sleeps: only the time changes. */
    leap(milliseconds: number) {
      time = later(time, milliseconds);
      return machine.read();
    },
    /** Restarts the server after a time. */
    restart(offMs: number) {
      time = later(time, offMs);
      elapsedMs = 0;
      return machine.read();
    },
  };
  machine.read();
  return machine;
}

describe('the time is confirmed', () => {
  test('in a new installation', () => {
    expect(judgeClock(undefined, { time: start, elapsedMs: 0 }).isConfirmed).toBe(true);
  });

  test('while the clock and the monotonic clock agree, however rarely they are read', () => {
    const machine = createMachine();
    expect(machine.runSteadily(3 * DAY)).toEqual([true]);
    expect(machine.run(400 * DAY)).toBe(true);
  });

  test('after corrections of up to an hour, and after a restart within an hour', () => {
    const machine = createMachine();
    expect([machine.leap(HOUR), machine.leap(-HOUR), machine.restart(HOUR)]).toEqual([true, true, true]);
  });

  test('as soon as a leap is undone', () => {
    const machine = createMachine();
    expect([machine.leap(400 * DAY), machine.runSteadily(20 * HOUR)]).toEqual([false, [false]]);
    expect([machine.leap(-400 * DAY), machine.leap(0)]).toEqual([true, true]);
    expect([machine.leap(-2 * DAY), machine.run(HOUR), machine.leap(2 * DAY)]).toEqual([false, false, true]);
  });

  test('24 hours after a leap', () => {
    const machine = createMachine();
    machine.leap(400 * DAY);
    expect(machine.runSteadily(DAY - 10 * MINUTE)).toEqual([false]);
    expect(machine.run(10 * MINUTE)).toBe(true);
    expect(machine.leap(-400 * DAY)).toBe(false);
  });

  test('after 24 hours of running, if the server is off, or its machine sleeps, every night', () => {
    const machine = createMachine();
    expect([machine.restart(8 * HOUR), machine.runSteadily(16 * HOUR)]).toEqual([false, [false]]);
    expect([machine.leap(8 * HOUR), machine.runSteadily(8 * HOUR)]).toEqual([false, [false, true]]);
  });
});

describe('the time is not confirmed', () => {
  test.each([61 * MINUTE, 2 * HOUR, 400 * DAY, -2 * HOUR])('after a leap of %p ms', (milliseconds) => {
    expect(createMachine().leap(milliseconds)).toBe(false);
  });

  test('after a restart with another time, however often the server restarts', () => {
    const machine = createMachine();
    machine.restart(400 * DAY);
    for (let count = 0; count < 100; count++) expect(machine.restart(MINUTE)).toBe(false);
  });

  test('for another 24 hours after another long leap, or if the clock is set back', () => {
    for (const leap of [2 * DAY, -2 * HOUR]) {
      const machine = createMachine();
      machine.leap(400 * DAY);
      machine.runSteadily(23 * HOUR);
      expect([machine.leap(leap), machine.runSteadily(23 * HOUR)]).toEqual([false, [false]]);
      expect(machine.runSteadily(HOUR)).toEqual([false, true]);
    }
  });
});

test('several nodes do not shorten the wait', () => {
  let record: ClockRecord | undefined = { confirmedTime: start, seenTime: start, ranMs: 0 };
  let time = later(start, 400 * DAY);
  let minutes = 0;
  for (let isConfirmed = false; !isConfirmed; minutes++) {
    for (let node = 0; node < 3; node++)
      ({ record, isConfirmed } = judgeClock(record, { time, elapsedMs: minutes === 0 ? 0 : MINUTE }));
    time = later(time, MINUTE);
  }
  expect(minutes * MINUTE).toBe(DAY + MINUTE);
});

test('a leap is reported once', () => {
  let record = judgeClock(undefined, { time: start, elapsedMs: 0 }).record;
  const leaps: boolean[] = [];
  for (const time of [2 * HOUR, 3 * HOUR, 4 * HOUR, 50 * HOUR, 51 * HOUR]) {
    const judged = judgeClock(record, { time: later(start, time), elapsedMs: MINUTE });
    ({ record } = judged);
    leaps.push(judged.hasLeapt);
  }
  expect(leaps).toEqual([true, false, false, true, false]);
});
