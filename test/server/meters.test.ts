import { expect, test } from 'bun:test';
import { systemClock } from '../../src/lib/time.ts';
import type { LookupResult } from '../../src/platform/properties/dnsResolver.ts';
import { createMeters } from '../../src/server/meters.ts';

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
