import { expect, test } from 'bun:test';
import type { OrganizationId } from '../../src/model/organization.ts';
import type { PropertyAndRevisions } from '../../src/model/ports/property.ts';
import type { PropertyId, Sitekey } from '../../src/model/property.ts';
import { toRulesJson } from '../../src/model/rules/rulesJson.ts';
import { createHotCaches } from '../../src/server/hotCaches.ts';
import { createGeneration } from '../../src/storage/readCache.ts';
import { newRules } from '../captcha/rules/rules.ts';

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
