import { expect, test } from 'bun:test';
import { createLog } from '../../src/lib/log.ts';
import { systemClock } from '../../src/lib/time.ts';
import type { SigningKey } from '../../src/model/ports/signingKey.ts';
import { createCaches } from '../../src/server/caches.ts';
import { LOG_LIMITS } from '../../src/server/logLimits.ts';
import { createMeters } from '../../src/server/meters.ts';
import type { Services } from '../../src/server/services.ts';
import { createGeneration } from '../../src/storage/readCache.ts';

const keyOf = (fingerprint: number): SigningKey => ({
  secret: new Uint8Array(32).fill(fingerprint),
  fingerprint: Uint8Array.of(fingerprint, 0, 0, 0),
  createdAt: systemClock(),
});

test('a list of signing keys that arrives late does not replace a newer list', async () => {
  const lists: ((keys: readonly SigningKey[]) => void)[] = [];
  const services = {
    stores: { properties: {}, apiKeys: {}, rules: {} },
    signingKeys: { list: () => new Promise((resolve) => lists.push(resolve)) },
  } as unknown as Services;
  const opening = createCaches({
    services,
    log: createLog({ limits: LOG_LIMITS, level: 'error', format: 'json', clock: systemClock, write() {} }),
    clock: systemClock,
    meters: createMeters(systemClock),
    generation: createGeneration(),
    isShared: false,
  });
  lists[0]?.([keyOf(1)]);
  const caches = await opening;
  const refreshed = [caches.refresh(), caches.refresh()];
  lists[2]?.([keyOf(2), keyOf(1)]);
  lists[1]?.([keyOf(1)]);
  await Promise.all(refreshed);
  expect(caches.signingKeys().map(({ fingerprint }) => fingerprint[0])).toEqual([2, 1]);
});
