import { describe, expect, test } from 'bun:test';
import { INSTALLATION, portalActor } from '../../../src/model/actor.ts';
import type { Property, Sitekey } from '../../../src/model/property.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/propertyFields.ts';
import type {
  ImportedProperty,
  ImportOptions,
  ImportPreview,
} from '../../../src/platform/properties/propertyTransfer.ts';
import { startDns } from '../../support/dns.ts';
import { addProperty, addPropertyOwner } from '../../support/propertyOwner.ts';
import { expectOk, startServer, type TestServer } from '../../support/server.ts';
import { useServer } from '../../support/useServer.ts';
import { waitUntil } from '../../support/waitUntil.ts';

const server = useServer({ settings: { POSTERN_DNS_CHECK: 'off', POSTERN_PLAN_PROPERTIES: '1300' } });

const PLAIN: ImportOptions = { createsUnknown: false, skipsDnsCheck: false };
const UNKNOWN = 'f'.repeat(32) as Sitekey;

async function openScene(at: TestServer = server) {
  const owner = await addPropertyOwner(at);
  const actor = portalActor(owner.account, '192.0.2.7');
  const { propertyTransfer, properties, audit, tasks } = at.app.services;
  const organizationId = owner.organization.id;
  return {
    owner,
    actor,
    organizationId,
    preview: async (items: readonly ImportedProperty[], options = PLAIN) =>
      expectOk(await propertyTransfer.preview(actor, organizationId, items, options)),
    /** Starts the task, and waits until it is finished. */
    async apply(previews: readonly ImportPreview[]) {
      const id = expectOk(await propertyTransfer.start(actor, organizationId, changesIn(previews), PLAIN));
      for (;;) {
        const { results } = expectOk(await tasks.byId(actor, id));
        if (results !== undefined) return results;
        await new Promise(setImmediate);
      }
    },
    list: () => properties.list(INSTALLATION, organizationId),
    async exported() {
      const found: Property[] = [];
      for await (const batch of expectOk(await propertyTransfer.export(actor, organizationId)))
        found.push(...batch);
      return found;
    },
    actions: async () =>
      (await audit.list(INSTALLATION, { organizationId }, { limit: 9 })).entries.map(({ action }) => action),
  };
}

const changesIn = (previews: readonly ImportPreview[]) =>
  previews.flatMap((one) => (one.do === 'create' || one.do === 'update' ? [one] : []));

const toImported = ({ id, organizationId, createdAt, sitekey, ...change }: Property): ImportedProperty => ({
  sitekey,
  change,
});

describe('an import', () => {
  test('of an export changes nothing', async () => {
    const { owner, preview, exported } = await openScene();
    for (let i = 0; i < 3; i++) await addProperty(server, owner, { name: `Shop ${i}`, level: 100 + i });
    const all = await exported();
    expect(all.map(({ name }) => name)).toEqual(['Shop 0', 'Shop 1', 'Shop 2']);
    expect((await preview(all.map(toImported))).map((one) => one.do)).toEqual(['keep', 'keep', 'keep']);
  });

  test('creates, changes, and keeps properties, and leaves out fields that are missing', async () => {
    const { owner, preview, apply, list } = await openScene();
    const [one, two] = [
      await addProperty(server, owner, { name: 'One', level: 90, growth: 'slow' }),
      await addProperty(server, owner, { name: 'Two' }),
    ];
    const previews = await preview([
      { sitekey: one.sitekey, change: { name: 'Renamed', level: 90 } },
      { sitekey: two.sitekey, change: { name: 'Two' } },
      { sitekey: undefined, change: { name: 'New', domain: 'example.com', level: 77 } },
    ]);
    expect(previews).toEqual([
      { do: 'update', before: one, change: { name: 'Renamed' } },
      { do: 'keep', before: two },
      {
        do: 'create',
        property: { ...DEFAULT_SETTINGS, name: 'New', domain: 'example.com', level: 77 },
        hasNewSitekey: false,
      },
    ]);
    expect(await list()).toEqual([one, two]);
    expect((await apply(previews)).map(({ problem }) => problem)).toEqual([undefined, undefined]);
    const [changed, kept, created] = await list();
    expect([changed, kept]).toEqual([{ ...one, name: 'Renamed' }, two]);
    expect(created).toMatchObject({ ...DEFAULT_SETTINGS, name: 'New', level: 77 });
  });

  test('names the problem of each property, and changes nothing', async () => {
    const { owner, preview, list, actions } = await openScene();
    const stranger = await openScene();
    const foreign = await addProperty(server, stranger.owner, { name: 'Foreign' });
    const one = await addProperty(server, owner, { name: 'One' });
    const before = await actions();
    const previews = await preview([
      { sitekey: UNKNOWN, change: {} },
      { sitekey: foreign.sitekey, change: { level: 1 } },
      { sitekey: one.sitekey, change: { level: 100 } },
      { sitekey: one.sitekey, change: { level: 101 } },
      { sitekey: undefined, change: { name: 'ONE', domain: 'example.com' } },
      { sitekey: undefined, change: { domain: 'example.com' } },
      { sitekey: undefined, change: { name: 'New' } },
    ]);
    const problems = previews.map((preview) => (preview.do === 'reject' ? preview.problem : preview.do));
    expect(problems).toEqual([
      'import-sitekey-unknown',
      'import-sitekey-unknown',
      'update',
      'import-sitekey-repeated',
      'property-name-taken',
      'property-name-empty',
      'domain-empty',
    ]);
    expect(await list()).toEqual([one]);
    expect(await actions()).toEqual(before);
  });

  test('gives properties with unknown sitekeys new ones if the user wants that', async () => {
    const { preview, apply, list } = await openScene();
    const item = { sitekey: UNKNOWN, change: { name: 'Moved', domain: 'example.com' } };
    const previews = await preview([item], { ...PLAIN, createsUnknown: true });
    expect(previews).toMatchObject([{ do: 'create', hasNewSitekey: true }]);
    await apply(previews);
    const [created] = await list();
    expect(created?.name).toBe('Moved');
    expect(created?.sitekey).not.toBe(UNKNOWN);
  });

  test('applies nothing if a name was taken after the preview', async () => {
    const { owner, preview, apply, list } = await openScene();
    const previews = await preview([
      { sitekey: undefined, change: { name: 'A', domain: 'example.com' } },
      { sitekey: undefined, change: { name: 'B', domain: 'example.com' } },
    ]);
    const taken = await addProperty(server, owner, { name: 'b' });
    expect((await apply(previews)).map(({ problem }) => problem)).toEqual([
      'import-not-applied',
      'property-name-taken',
    ]);
    expect(await list()).toEqual([taken]);
  });

  test('of 1,000 properties is applied, and can be exported', async () => {
    const { preview, apply, exported } = await openScene();
    const items = Array.from({ length: 1000 }, (_, i) => ({
      sitekey: undefined,
      change: { name: `Shop ${i}`, domain: 'example.com' },
    }));
    const previews = await preview(items);
    expect(new Set(previews.map((one) => one.do))).toEqual(new Set(['create']));
    expect((await apply(previews)).filter(({ problem }) => problem !== undefined)).toEqual([]);
    expect((await exported()).map(({ name }) => name)).toEqual(items.map(({ change }) => change.name));
  });

  test('is only for members of the organization', async () => {
    const { organizationId } = await openScene();
    const { actor } = await openScene();
    const { propertyTransfer } = server.app.services;
    const rejected = { ok: false, problem: 'organization-not-yours' };
    expect(await propertyTransfer.preview(actor, organizationId, [], PLAIN)).toEqual(rejected as never);
    expect(await propertyTransfer.start(actor, organizationId, [], PLAIN)).toEqual(rejected as never);
    expect(await propertyTransfer.export(actor, organizationId)).toEqual(rejected as never);
  });
});

test('a domain that does not resolve prevents the whole import, unless the user skips the check', async () => {
  const dns = await startDns({ 'shop.example.org': { A: ['192.0.2.1'] } });
  const checking = await startServer({ settings: { POSTERN_DNS_SERVERS: dns.address } });
  const { actor, organizationId, preview, apply, list, actions } = await openScene(checking);
  const items = ['shop.example.org', 'missing.example.org'].map((domain) => ({
    sitekey: undefined,
    change: { name: domain, domain },
  }));
  const previews = await preview(items);
  expect((await apply(previews)).map(({ problem }) => problem)).toEqual([
    'import-not-applied',
    'domain-unresolved',
  ]);
  expect(await list()).toEqual([]);
  const { propertyTransfer } = checking.app.services;
  const options = { ...PLAIN, skipsDnsCheck: true };
  expectOk(await propertyTransfer.start(actor, organizationId, changesIn(previews), options));
  await waitUntil('both properties exist', async () => (await list()).length === 2);
  const skipped = (await actions()).filter((action) => action === 'dns-check-skipped');
  expect(skipped.length).toBe(2);
  await checking.stop();
  await dns.stop();
});
