import { describe, expect, test } from 'bun:test';
import { createTrafficObserver, createTrafficQueue } from '../../../src/captcha/traffic/observeTraffic.ts';
import { type Instant, SECOND } from '../../../src/lib/time.ts';
import type { PropertyId } from '../../../src/model/property.ts';
import type { TrafficDetails, TrafficEvent } from '../../../src/model/traffic.ts';
import { createRandom } from '../../support/random.ts';
import { property } from '../fakes.ts';

const other = { ...property, id: 4711 as PropertyId };
const NOW = Date.UTC(2026, 0, 31, 12) as Instant;

function open(details: TrafficDetails = 'on', userAgent: string | null = 'curl/8.5.0', seed = 1) {
  const events: TrafficEvent[] = [];
  const random = createRandom(seed);
  const observer = createTrafficObserver({
    details,
    geoip: (address) => ({ country: address === '198.51.100.7' ? 'DE' : undefined, asn: undefined }),
    record: (event) => events.push(event),
    random: () => random(2 ** 30) / 2 ** 30,
  });
  const source = (address = '198.51.100.7') => ({
    address: () => address,
    header: (name: string) => (name === 'user-agent' ? userAgent : null),
    path: () => undefined,
  });
  return { observer, events, source };
}

/** Issues puzzles at a rate for some seconds, as `issue.ts` does. */
function issue(
  { observer, source }: ReturnType<typeof open>,
  perSecond: number,
  seconds: number,
  from = NOW,
): number {
  for (let at = 0; at < perSecond * seconds; at++) {
    const now = (from + (at * SECOND) / perSecond) as Instant;
    if (observer?.isDue()) observer.issued(property, { host: 'example.com', source, now });
  }
  return perSecond * seconds;
}

const sumOf = (events: readonly TrafficEvent[]) => events.reduce((sum, { weight }) => sum + weight, 0);

describe('what is recorded', () => {
  test.each([
    ['on', { browser: 'curl', country: 'DE', network: '198.51.100.0/24' }],
    ['without-networks', { browser: 'curl', country: 'DE', network: undefined }],
  ] as const)('with the setting %s', (details, facts) => {
    const { observer, events, source } = open(details);
    observer?.rejected(property, 'rule-blocked', { host: 'example.com', source, now: NOW });
    observer?.issued(property, { host: 'example.com', source, now: NOW });
    const { id: propertyId, organizationId } = property;
    const known = { propertyId, organizationId, at: NOW, weight: 1, host: 'example.com', ...facts };
    expect<unknown>(events).toEqual([
      { ...known, kind: 'rejected', reason: 'rule-blocked' },
      { ...known, kind: 'issued', reason: '' },
    ]);
  });

  test.each([
    [507, 'curl'],
    [508, undefined],
  ])(
    'the browser, if its name is in the first 512 characters of the header: after %d others',
    (others, browser) => {
      const { observer, events, source } = open('on', `${'x'.repeat(others)}curl/8`);
      observer?.rejected(property, 'rule-blocked', { host: undefined, source, now: NOW });
      expect(events[0]?.browser).toBe(browser);
    },
  );

  test('no network of a client whose connection is closed', () => {
    const { observer, events, source } = open();
    const closed = () => ({ ...source(), address: () => undefined });
    observer?.rejected(property, 'rule-blocked', { host: undefined, source: closed, now: NOW });
    expect(events).toMatchObject([{ browser: 'curl', network: undefined }]);
  });

  test('nothing with the setting off', () => {
    expect(open('off').observer).toBeUndefined();
  });

  test.each([
    ['2001:db8:7:1::5', '2001:db8:7::/48'],
    ['::ffff:192.0.2.9', '192.0.2.0/24'],
    ['not an address', undefined],
  ])('the network of %s as %s', (address, network) => {
    const { observer, events, source } = open();
    const request = { host: undefined, source: () => source(address), now: NOW };
    observer?.rejected(property, 'rate-limited', request);
    expect(events[0]?.network).toBe(network);
  });

  test('of a verification only the host, and nothing if the property is unknown', () => {
    const { observer, events } = open();
    observer?.failed({}, 'integrity-error', { host: '', now: NOW });
    const { id, organizationId } = property;
    for (const known of [{ id }, { organizationId }])
      observer?.failed(known, 'property-invalid', { host: 'a.example', now: NOW });
    expect(events).toEqual([]);
    observer?.failed(property, 'solution-invalid', { host: 'a.example', now: NOW });
    expect(events).toMatchObject([{ kind: 'verification', reason: 'solution-invalid', host: 'a.example' }]);
    expect([events[0]?.network, events[0]?.browser, events[0]?.country]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('the sample', () => {
  test.each([90, 100])('contains every puzzle at a rate of %d per second', (rate) => {
    const opened = open();
    const issued = issue(opened, rate, 20);
    expect(opened.events).toHaveLength(issued);
    expect(new Set(opened.events.map(({ weight }) => weight))).toEqual(new Set([1]));
  });

  test('contains a part of the puzzles at a rate of 101 per second', () => {
    const opened = open();
    const issued = issue(opened, 101, 20);
    expect(opened.events.length).toBeLessThan(issued);
    expect(new Set(opened.events.map(({ weight }) => weight))).toEqual(new Set([1, 2]));
  });

  test.each([1, 2, 3])('is small at a high rate, and its weights have the right sum (seed %d)', (seed) => {
    const opened = open('on', null, seed);
    const issued = issue(opened, 13_000, 20);
    // At most 100 per second after the first steps, in which the distance doubles.
    expect(opened.events.length).toBeLessThan(20 * 200 + 1000);
    // Five standard errors of a sum of n events with equal weights.
    const tolerance = 5 / Math.sqrt(opened.events.length);
    expect(Math.abs(sumOf(opened.events) / issued - 1)).toBeLessThan(tolerance);
  });

  test('contains every puzzle again after a flood', () => {
    const opened = open();
    issue(opened, 13_000, 5);
    const { observer, events, source } = opened;
    const later = (second: number) => (NOW + (60 + second) * SECOND) as Instant;
    for (let second = 0; second < 1000; second++) {
      const request = { host: undefined, source, now: later(second) };
      if (observer?.isDue()) observer.issued(property, request);
    }
    // The next one is up to two distances away; then the rate is low.
    expect(events.filter(({ at, weight }) => at > later(600) && weight === 1)).toHaveLength(399);
  });

  test('contains every puzzle after the first one that follows a flood and a pause of a minute', () => {
    const opened = open();
    issue(opened, 13_000, 5);
    const later = (NOW + 65 * SECOND) as Instant;
    const issued = issue(opened, 90, 20, later);
    const [first, ...others] = opened.events.filter(({ at }) => at >= later);
    expect(first?.weight).toBeGreaterThan(100);
    const position = Math.round((((first?.at ?? 0) - later) * 90) / SECOND);
    expect(others).toHaveLength(issued - 1 - position);
    expect(new Set(others.map(({ weight }) => weight))).toEqual(new Set([1]));
  });

  test('of the rejections of one property does not depend on those of another', () => {
    const { observer, events, source } = open();
    for (let at = 0; at < 20_000; at++) {
      const now = (NOW + at) as Instant;
      observer?.rejected(property, 'rule-blocked', { host: undefined, source, now });
      if (at % 1000 === 0) observer?.rejected(other, 'rate-limited', { host: undefined, source, now });
    }
    expect(events.filter(({ propertyId }) => propertyId === other.id)).toHaveLength(20);
    const flood = events.filter(({ propertyId }) => propertyId === property.id);
    expect(flood.length).toBeLessThan(20 * 40 + 200);
    expect(Math.abs(sumOf(flood) / 20_000 - 1)).toBeLessThan(5 / Math.sqrt(flood.length));
  });
});

test('at most 1,000 requests per second are recorded, however many properties there are', () => {
  const { observer, events, source } = open();
  for (let at = 0; at < 4000; at++) {
    const request = { host: undefined, source, now: (NOW + Math.floor(at / 2)) as Instant };
    observer?.rejected({ ...property, id: at as PropertyId }, 'rule-blocked', request);
  }
  expect(events).toHaveLength(2000);
});

test('a queue drops the newest events if there are too many, and starts again after they were taken', () => {
  const { add, take } = createTrafficQueue();
  const event = { kind: 'issued', reason: '', at: NOW, propertyId: property.id, weight: 1 } as const;
  for (let at = 0; at < 1500; at++) add({ ...event, organizationId: property.organizationId, weight: at });
  expect(take().map(({ weight }) => weight)).toEqual(Array.from({ length: 1000 }, (_, at) => at));
  expect(take()).toEqual([]);
});
