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

const networksIn = (memory: ReturnType<typeof createTrafficMemory>, range: 'hour' | 'day', now: Instant) =>
  memory.read(scope, range, now).top.networks.items;

describe('the ranges', () => {
  test('are the current step and the one before it', () => {
    const memory = createTrafficMemory();
    for (const hours of [0, 1, 2, 3]) {
      const network = networkOf(hours);
      memory.add(eventOf({ kind: 'issued', reason: '', network, at: later(NOON, hours * HOUR + MINUTE) }));
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
    for (let at = 0; at < 5; at++) memory.add(eventOf());
    for (let number = 0; number < 1500; number++) {
      const at = later(NOON, 1 + number);
      memory.add(
        eventOf({ propertyId: (100 + number) as PropertyId, organizationId: otherOrganization, at }),
      );
    }
    expect(memory.size().properties).toBe(1000);
    expect(memory.read(scope, 'hour', NOON).rejections).toHaveLength(5);
    const others = memory.read({ organizationId: otherOrganization, propertyId: undefined }, 'hour', NOON);
    expect(Number(others.rejections[0]?.propertyId)).toBe(1599);
    expect(others.requests).toBe(999);
  });

  test('is bounded with many properties that have much data', () => {
    const memory = createTrafficMemory();
    for (let number = 0; number < 250; number++) {
      for (let at = 0; at < 300; at++) {
        const facts = { network: networkOf(at), host: `${at}.example`, country: `C${at}`, browser: `B${at}` };
        memory.add(eventOf({ propertyId: (100 + number) as PropertyId, ...facts }));
      }
      expect(memory.size().records).toBeLessThanOrEqual(50_000);
    }
    expect(memory.size().properties).toBeLessThan(250);
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
