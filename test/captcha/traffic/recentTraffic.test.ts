import { describe, expect, test } from 'bun:test';
import { createTrafficMemory } from '../../../src/captcha/traffic/recentTraffic.ts';
import { DAY, HOUR, type Instant, later, MINUTE } from '../../../src/lib/time.ts';
import type { OrganizationId } from '../../../src/model/organization.ts';
import type { PropertyId } from '../../../src/model/property.ts';
import type { TrafficEvent } from '../../../src/model/traffic.ts';

const NOON = Date.UTC(2026, 0, 31, 12) as Instant;
const [organizationId, otherOrganization] = [1 as OrganizationId, 2 as OrganizationId];
const propertyId = 10 as PropertyId;
const scope = { organizationId, propertyId };

function eventOf(change: Partial<TrafficEvent> = {}): TrafficEvent {
  const known = { at: NOON, propertyId, organizationId, weight: 1 };
  return { kind: 'rejected', reason: 'rule-blocked', network: '192.0.2.0/24', ...known, ...change };
}

/** A network of its own for each number up to 2^16. */
const networkOf = (number: number) => `10.${number >> 8}.${number & 255}.0/24`;

/** Values of their own for each number. */
const factsOf = (number: number) => ({
  network: networkOf(number),
  host: `${number}.example`,
  country: `C${number}`,
  browser: `B${number}`,
});

const networksIn = (memory: ReturnType<typeof createTrafficMemory>, range: 'hour' | 'day', now: Instant) =>
  memory.read(scope, range, now).top.networks.items;

describe('the ranges', () => {
  test('are the current step and the one before it', () => {
    const memory = createTrafficMemory();
    for (const hours of [0, 1, 2, 3]) {
      const [network, at] = [networkOf(hours), later(NOON, hours * HOUR + MINUTE)];
      memory.add(eventOf({ kind: 'issued', reason: '', network, at }));
      expect(memory.read(scope, 'hour', at).requests).toBe(hours === 0 ? 1 : 2);
    }
    const now = later(NOON, 3 * HOUR + 2 * MINUTE);
    const { since, requests } = memory.read(scope, 'hour', now);
    expect([since, requests]).toEqual([later(NOON, 2 * HOUR), 2]);
    const ofHour = networksIn(memory, 'hour', now).map(({ value }) => value);
    expect(ofHour.toSorted()).toEqual([networkOf(2), networkOf(3)]);
    expect(networksIn(memory, 'day', now)).toHaveLength(4);
    expect(networksIn(memory, 'hour', later(now, 2 * HOUR))).toEqual([]);
    expect(networksIn(memory, 'day', later(now, DAY))).toHaveLength(4);
    expect(networksIn(memory, 'day', later(now, 2 * DAY))).toEqual([]);
  });

  test('keep what arrives from another thread after the full hour, in the next step', () => {
    const memory = createTrafficMemory();
    for (const at of [-2, -1, 1, -1, 2]) memory.add(eventOf({ at: later(NOON, at) }));
    expect(networksIn(memory, 'hour', later(NOON, 3))).toMatchObject([{ requests: 5, rejected: 5 }]);
  });
});

test('a list has the 20 most frequent values, with their requests and rejections', () => {
  const memory = createTrafficMemory();
  for (let number = 1; number <= 30; number++)
    for (let n = 0; n < number; n++) memory.add(eventOf({ network: networkOf(number) }));
  memory.add(eventOf({ kind: 'issued', reason: '', network: networkOf(30) }));
  const items = networksIn(memory, 'hour', NOON);
  expect(items[0]).toEqual({ value: networkOf(30), requests: 31, rejected: 30 });
  expect(items.map(({ value }) => value)).toEqual(Array.from({ length: 20 }, (_, at) => networkOf(30 - at)));
});

describe('rejections', () => {
  test('are the newest 200, newest first, regardless of the range, for at most a day', () => {
    const memory = createTrafficMemory();
    for (let at = 0; at < 250; at++) memory.add(eventOf({ at: later(NOON, at) }));
    memory.add(eventOf({ kind: 'issued', reason: '', at: later(NOON, 900) }));
    for (const range of ['hour', 'day'] as const) {
      const { rejections } = memory.read(scope, range, later(NOON, HOUR * 5));
      expect(rejections.map(({ at }) => at - NOON)).toEqual(Array.from({ length: 200 }, (_, at) => 249 - at));
    }
    expect(memory.read(scope, 'hour', later(NOON, DAY + 200)).rejections).toHaveLength(50);
  });

  test('of one millisecond are in the order in which they arrived, and those of all properties at most 200', () => {
    const memory = createTrafficMemory();
    for (let at = 0; at < 150; at++) memory.add(eventOf({ reason: `${at}` }));
    for (let at = 0; at < 150; at++) memory.add(eventOf({ propertyId: 11 as PropertyId }));
    expect(memory.read(scope, 'hour', NOON).rejections.map(({ reason }) => Number(reason))).toEqual(
      Array.from({ length: 150 }, (_, at) => 149 - at),
    );
    const { rejections } = memory.read({ organizationId, propertyId: undefined }, 'hour', NOON);
    expect(rejections).toHaveLength(200);
  });

  test('of verifications are not requests for puzzles', () => {
    const memory = createTrafficMemory();
    memory.add(eventOf({ kind: 'verification', reason: 'puzzle-expired', host: 'example.com' }));
    const { rejections, requests, top } = memory.read(scope, 'hour', NOON);
    expect([rejections.length, requests, top.hosts.items.length]).toEqual([1, 0, 0]);
  });

  test('of an organization are those of all its properties; others see nothing', () => {
    const memory = createTrafficMemory();
    memory.add(eventOf());
    memory.add(eventOf({ propertyId: 11 as PropertyId, at: later(NOON, 1) }));
    memory.add(eventOf({ propertyId: 12 as PropertyId, organizationId: otherOrganization }));
    const ids = (wanted: Parameters<typeof memory.read>[0]) =>
      memory.read(wanted, 'hour', NOON).rejections.map((event) => Number(event.propertyId));
    expect(ids({ organizationId, propertyId: undefined })).toEqual([11, 10]);
    expect(ids(scope)).toEqual([10]);
    expect(ids({ organizationId: otherOrganization, propertyId })).toEqual([]);
    // After a property has moved, its new organization does not see the earlier requests.
    memory.add(eventOf({ organizationId: otherOrganization, at: later(NOON, 2) }));
    expect(ids(scope)).toEqual([]);
    expect(ids({ organizationId: otherOrganization, propertyId: undefined })).toEqual([10, 12]);
  });
});

describe('the memory', () => {
  test('is bounded during a flood of 100,000 networks, and the numbers stay within the stated error', () => {
    const memory = createTrafficMemory();
    const total = 100_000;
    for (let at = 0; at < total; at++) {
      const isLoud = at % 20 === 0;
      const network = isLoud ? '192.0.2.0/24' : `2001:db8:${at.toString(16)}::/48`;
      memory.add(eventOf({ network, host: `${at}.example`, at: later(NOON, at / 100) }));
    }
    // 200 rejections, and 64 counters of networks and of hosts, in an hour and in a day.
    expect(memory.size()).toEqual({ properties: 1, records: 200 + 2 * 2 * 64 });
    const { top, requests } = memory.read(scope, 'hour', NOON);
    expect(requests).toBe(total);
    const { items, maxError } = top.networks;
    expect(maxError).toBeLessThanOrEqual(total / 64);
    const loud = items.find(({ value }) => value === '192.0.2.0/24');
    expect(loud?.requests).toBeLessThanOrEqual(total / 20);
    expect(loud?.requests).toBeGreaterThanOrEqual(total / 20 - maxError);
    expect(items[0]).toEqual(loud as never);
  });

  test('is bounded with many properties; the tenant that has the most data loses its oldest', () => {
    const memory = createTrafficMemory();
    const small = (at: number, owner: OrganizationId) =>
      eventOf({ propertyId: owner as number as PropertyId, organizationId: owner, ...factsOf(at) });
    for (let at = 0; at < 5; at++) memory.add(small(at, organizationId));
    for (let number = 0; number < 1500; number++) {
      const at = later(NOON, 1 + number);
      const event = eventOf({
        propertyId: (100 + number) as PropertyId,
        organizationId: otherOrganization,
        at,
      });
      memory.add(event);
      // The oldest property stays in use, so it is not evicted.
      if (number % 500 === 499) memory.add({ ...event, propertyId: 100 as PropertyId });
      if (number === 700) memory.add(small(0, 3 as OrganizationId));
    }
    expect(memory.size().properties).toBe(1000);
    const rejectionsOf = (wanted: Parameters<typeof memory.read>[0]) =>
      memory.read(wanted, 'hour', NOON).rejections;
    expect(rejectionsOf({ organizationId, propertyId: undefined })).toHaveLength(5);
    expect(rejectionsOf({ organizationId: 3 as OrganizationId, propertyId: undefined })).toHaveLength(1);
    const others = { organizationId: otherOrganization, propertyId: undefined };
    expect(Number(rejectionsOf(others)[0]?.propertyId)).toBe(1599);
    expect(rejectionsOf({ ...others, propertyId: 100 as PropertyId })).toHaveLength(4);
    expect(memory.read(others, 'hour', NOON).requests).toBe(997 + 4);
  });

  test('does not choose a tenant whose data expired', () => {
    const memory = createTrafficMemory();
    // The last hour of a day and the first one of the next: all four steps have counters.
    for (const hours of [11, 12])
      for (let at = 0; at < 64; at++) memory.add(eventOf({ ...factsOf(at), at: later(NOON, hours * HOUR) }));
    expect(memory.size().records).toBe(128 + 4 * 4 * 64);
    memory.expire(later(NOON, 3 * DAY));
    for (let number = 0; number < 1100; number++)
      memory.add(
        eventOf({
          kind: 'verification',
          propertyId: (100 + number) as PropertyId,
          organizationId: otherOrganization,
          at: later(NOON, 3 * DAY),
        }),
      );
    expect(memory.size()).toEqual({ properties: 1000, records: 1000 });
  });

  test('has at most 50,000 rejections and counters', () => {
    const memory = createTrafficMemory();
    const fill = (number: number, events: number) => {
      for (let at = 0; at < events; at++)
        memory.add(eventOf({ propertyId: (100 + number) as PropertyId, ...factsOf(at) }));
    };
    const verification = eventOf({ kind: 'verification', propertyId: 186 as PropertyId });
    // Each event adds one rejection and eight counters: four kinds of values, each in an hour and in a day.
    for (let number = 0; number < 86; number++) fill(number, 64);
    fill(86, 51);
    for (let n = 0; n < 5; n++) memory.add(verification);
    expect(memory.size()).toEqual({ properties: 87, records: 50_000 });
    memory.add(verification);
    expect(memory.size()).toEqual({ properties: 86, records: 50_001 - 64 * 9 });
  });

  test('forgets expired data', () => {
    const memory = createTrafficMemory();
    memory.add(eventOf());
    memory.expire(later(NOON, DAY));
    expect(memory.size()).toEqual({ properties: 1, records: 2 });
    memory.expire(later(NOON, 2 * DAY));
    expect(memory.size()).toEqual({ properties: 0, records: 0 });
  });
});
