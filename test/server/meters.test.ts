import { expect, test } from 'bun:test';
import { systemClock } from '../../src/lib/time.ts';
import type { LookupResult } from '../../src/platform/properties/dnsResolver.ts';
import {
  createHotMeters,
  createMeters,
  declareRoutes,
  divideMeterMemory,
  METER_CELLS,
  readHotMeters,
} from '../../src/server/meters.ts';

test('DNS lookups are counted by result and measured', async () => {
  const { dns } = createMeters(systemClock);
  const results: LookupResult['resolution'][] = ['found', 'missing', 'unanswered', 'found'];
  const resolve = dns.measure(async () => ({
    resolution: results.shift() ?? 'found',
    ttlSeconds: 60,
    queries: 1,
  }));
  const found = [];
  for (let i = 0; i < 4; i++) found.push((await resolve('example.com')).resolution);
  expect(found).toEqual(['found', 'missing', 'unanswered', 'found']);
  expect(Object.fromEntries(dns.lookups.read())).toEqual({ found: 2, missing: 1, unanswered: 1 });
  expect(Array.from(dns.seconds.read().counts).reduce((sum, count) => sum + count)).toBe(4);
});

test('commits are measured in seconds, and their claims are counted', () => {
  const { claims, recordCommit } = createMeters(systemClock);
  recordCommit({ claims: 16, milliseconds: 2 });
  recordCommit({ claims: 1, milliseconds: 0.5 });
  expect(claims.seconds.read().sum).toBeCloseTo(0.0025);
  expect(claims.sizes.read().sum).toBe(17);
});

const ROUTES = [
  { method: 'GET', path: '/puzzle' },
  { method: 'POST', path: '/verify' },
];

/** The counters of a request thread, and what the management thread reads. */
function openThread() {
  const cells = new Float64Array(new SharedArrayBuffer(METER_CELLS * Float64Array.BYTES_PER_ELEMENT));
  const memory = divideMeterMemory(cells);
  const meters = createHotMeters(memory.counters, memory.requests);
  declareRoutes(meters.requests, ROUTES);
  return { meters, readings: readHotMeters(divideMeterMemory(cells), ROUTES) };
}

test('the counters of all request threads are added', () => {
  const threads = [openThread(), openThread()];
  const meters = createMeters(
    systemClock,
    threads.map(({ readings }) => readings),
  );
  for (const { meters: own } of threads) {
    own.rateLimits.add('verify', 2);
    own.storageFailures.add('claims');
    own.securityEvents.add('api-key-rejected', 3);
    own.lag.observe(0.002);
    own.requests.recorderOf('POST', '/verify')(200, 2);
  }
  meters.rateLimits.add('portal');
  meters.requests.recorderOf('POST', '/verify')(503, 1);
  meters.requests.recorderOf('GET', '/livez')(200, 1);
  expect(Object.fromEntries(meters.rateLimits.read())).toEqual({ puzzle: 0, verify: 4, portal: 1 });
  expect(Object.fromEntries(meters.storageFailures.read())).toEqual({ main: 0, claims: 2 });
  expect(meters.securityEvents.read().get('api-key-rejected')).toBe(6);
  meters.lag.observe(0.1);
  // The readings of all threads used to be added, which hid a single blocked thread.
  const lags = [...meters.lags()].map(([thread, { sum }]) => [thread, sum]);
  expect(lags).toEqual([
    ['management', 0.1],
    ['1', 0.002],
    ['2', 0.002],
  ]);
  const requests = meters.requests
    .read()
    .map(({ method, route, statuses, seconds }) => [
      method,
      route,
      Object.fromEntries(statuses),
      seconds.sum,
    ]);
  expect(requests).toEqual([
    ['POST', '/verify', { 200: 2, 503: 1 }, 0.005],
    ['GET', '/livez', { 200: 1 }, 0.001],
  ]);
});
