import { expect, test } from 'bun:test';
import { createLog } from '../../src/lib/log.ts';
import { systemClock } from '../../src/lib/time.ts';
import { LOG_LIMITS } from '../../src/model/logEvents.ts';
import type { OrganizationId } from '../../src/model/organization.ts';
import type { SigningKey } from '../../src/model/ports/installation.ts';
import type { PropertyAndRevisions } from '../../src/model/ports/property.ts';
import type { PropertyId, Sitekey } from '../../src/model/property.ts';
import { toRulesJson } from '../../src/model/rules/rulesJson.ts';
import { createCaches, createHotCaches } from '../../src/server/caches.ts';
import { createMeters } from '../../src/server/meters.ts';
import type { Services } from '../../src/server/services.ts';
import { createGeneration } from '../../src/storage/readCache.ts';
import { newRules } from '../captcha/rules/rules.ts';

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

// 64 properties with 205 KB of rules each used to fill the cache of 131,072 properties.
test('large lists of rules do not evict properties, and are compiled once although every change reloads the properties', async () => {
  const networks = Array.from({ length: 10_000 }, (_, n) => `2001:db8:${n.toString(16)}::/48`);
  const json = toRulesJson(newRules([{ networks }]));
  const loads = { property: 0, rules: 0 };
  const generation = createGeneration();
  const caches = createHotCaches({
    generation,
    onStale() {},
    log: { warn() {} },
    sources: {
      property(sitekey) {
        loads.property++;
        const id = Number.parseInt(sitekey, 16);
        const revisions = { rulesRevision: id <= 64 ? 1 : null, installationRevision: null };
        const organizationId = (id <= 64 ? 1 : id) as OrganizationId;
        return { sitekey, id: id as PropertyId, organizationId, ...revisions } as PropertyAndRevisions;
      },
      principal: () => undefined,
      rules() {
        loads.rules++;
        return { revision: 1, json };
      },
    },
  });
  const request = async (id: number) => {
    const found = await caches.properties.get(id.toString(16).padStart(32, '0') as Sitekey);
    if (found === undefined) throw new Error('no property');
    return caches.rulesOf(found);
  };
  const all = Array.from({ length: 128 }, (_, n) => n + 1);
  for (const id of all) await request(id);
  expect(caches.properties.read().values.entries).toBe(128);
  expect(await request(1)).toMatchObject({ property: { scope: 1 } });
  for (const id of all) expect(await request(id)).toEqual(await request(id));
  expect(loads).toEqual({ property: 128, rules: 64 });
  generation.advance();
  for (const id of all) await request(id);
  expect(loads).toEqual({ property: 256, rules: 64 });
});
