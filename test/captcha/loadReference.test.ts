import { expect, test } from 'bun:test';
import { array, assert, constantFrom, integer, property, record } from 'fast-check';
import { decay, toClient } from '../../src/captcha/clientLoad.ts';
import type { Signals } from '../../src/captcha/difficulty.ts';
import { createLoadMeter } from '../../src/captcha/load.ts';
import { DAY, HOUR, type Instant, MINUTE, SECOND } from '../../src/lib/time.ts';
import type { PropertyId } from '../../src/model/property.ts';

/** The formulas of docs/explanation/difficulty.md with maps and objects instead of tables, and without limits of memory. */
function createReference() {
  const networks = new Map<string, { at: number; open: number; verified: number; recent: number }>();
  const properties = new Map<number, { at: number; fill: number; rate: number; since: number }>();
  const minRate = 1 / (6 * SECOND);
  const leaked = (fill: number, elapsed: number, leak: number) =>
    Math.max((fill + leak * 15 * MINUTE) * decay(elapsed / HOUR) ** 4 - leak * 15 * MINUTE, 0);

  function networkOf(name: string, now: number) {
    const known = networks.get(name) ?? { at: now, open: 0, verified: 0, recent: 0 };
    const elapsed = now - known.at;
    known.open = leaked(known.open, elapsed, 6 / MINUTE);
    known.verified = leaked(known.verified, elapsed, 12 / MINUTE);
    known.recent *= decay(elapsed / HOUR);
    known.at = now;
    networks.set(name, known);
    return known;
  }

  return {
    observe(network: number, address: number, id: number, now: number): Signals {
      const load = properties.get(id) ?? { at: now, fill: 0, rate: minRate, since: now };
      properties.set(id, load);
      const fill = Math.max(0, load.fill - (now - load.at) * 4 * load.rate);
      const propertyFill = fill / (load.rate * 5 * MINUTE);
      const surge = propertyFill / (1 + propertyFill);
      const [own, wide] = [networkOf(`${network}.${address}`, now), networkOf(`${network}`, now)];
      const returning = surge * Math.min(Math.max(own.recent - 5, 0), 60);
      const alone = Math.max(own.open + own.verified, wide.open + wide.verified);
      const clientFill = Math.max(
        Math.min(own.open + returning, 120) + own.verified,
        Math.min(wide.open, 120) + wide.verified,
      );
      own.open = Math.min(own.open + 1, 120);
      own.recent += 1;
      wide.open = Math.min(wide.open + 0.25, 120);
      wide.recent += 0.25;
      const puzzles = 1 / (1 + alone / 5);
      const time = Math.min(Math.max(now - load.since, HOUR), 7 * DAY);
      const rate = Math.max(minRate, load.rate * decay((now - load.at) / time) + puzzles / time);
      Object.assign(load, { at: now, rate, fill: Math.min(fill + puzzles, 12 * rate * 5 * MINUTE) });
      return { clientFill, propertyFill };
    },
    verify(network: number, address: number, difficulty: number, now: number): void {
      const paid = Math.min(2 ** ((difficulty - 128) / 8), 1);
      for (const [name, puzzles] of [
        [`${network}.${address}`, paid],
        [`${network}`, paid / 4],
      ] as const) {
        if (!networks.has(name)) continue;
        const load = networkOf(name, now);
        load.open = Math.max(load.open - puzzles, 0);
        load.verified = Math.min(load.verified + puzzles, 600);
      }
    },
  };
}

test('the load meter agrees with a simple implementation of its formulas', () => {
  const step = record({
    network: integer({ min: 0, max: 2 }),
    address: integer({ min: 0, max: 3 }),
    id: integer({ min: 1, max: 3 }),
    times: integer({ min: 1, max: 40 }),
    verified: integer({ min: 0, max: 40 }),
    difficulty: integer({ min: 100, max: 140 }),
    pause: constantFrom(0, 1, 100, 3 * SECOND, MINUTE, 20 * MINUTE, 3 * HOUR, DAY),
  });
  void assert(
    property(array(step, { maxLength: 60 }), (steps) => {
      const meter = createLoadMeter(4096);
      const reference = createReference();
      let now = Date.UTC(2026, 0, 1);
      for (const { network, address, id, times, verified, difficulty, pause } of steps) {
        now += pause;
        const client = toClient(network, address);
        for (let i = 0; i < times; i++) {
          const measured = meter.observe(client, id as PropertyId, now as Instant);
          const expected = reference.observe(network, address, id, now);
          expect(measured.clientFill).toBeCloseTo(expected.clientFill, 6);
          expect(measured.propertyFill).toBeCloseTo(expected.propertyFill, 6);
        }
        for (let i = 0; i < verified; i++) {
          meter.verified(client, difficulty, now as Instant);
          reference.verify(network, address, difficulty, now);
        }
      }
    }),
  );
});
