import { expect, test } from 'bun:test';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { addProperty, addPropertyOwner, DEFAULT_FIELDS, propertyPath } from '../../support/propertyOwner.ts';
import { useServer } from '../../support/useServer.ts';

const server = useServer({ settings: { POSTERN_DNS_CHECK: 'off', POSTERN_PLAN_PROPERTIES: '2' } });

const SETTINGS = {
  level: 90,
  growth: 'fast',
  challenge: 'hashwx',
  validitySeconds: 1801,
  allowsSubdomains: true,
  allowsLocalhost: true,
  allowance: 3,
  isEnabled: false,
} as const;

test('a copy has the settings of the property, another name, its own sitekey, and a log entry', async () => {
  const owner = await addPropertyOwner(server);
  const original = await addProperty(server, owner, { name: 'Shop', ...SETTINGS });
  const path = `${propertyPath(server, owner, original)}/duplicate`;
  const { text } = await owner.browser.get(path);
  expect(text).toContain('value="Shop (copy)"');
  const fields = {
    name: 'Shop (copy)',
    domain: 'example.com',
    level: 'custom',
    custom_level: '90',
    growth: 'fast',
    challenge: 'hashwx',
    validity: '1801',
    validity_unit: 'seconds',
    allow_subdomains: 'on',
    allow_localhost: 'on',
    accept_repeated: 'on',
    max_replay_count: '3',
  };
  for (const [name, value] of Object.entries(fields).filter(([, value]) => value !== 'on'))
    expect(text).toMatch(
      new RegExp(
        `name="${name}"[^>]*value="${value.replace(/[()]/g, '\\$&')}"|<option value="${value}" selected`,
      ),
    );
  const done = await owner.browser.fill(path, fields);
  const { properties } = server.app.services.stores;
  const [kept, copy] = await properties.list(owner.organization.id);
  expect(kept).toEqual(original);
  expect(copy).toMatchObject({ ...SETTINGS, name: 'Shop (copy)', domain: 'example.com' });
  expect(copy?.sitekey).not.toBe(original.sitekey);
  expect(done.redirectPath).toBe(`${propertyPath(server, owner, copy as never)}/integration`);
  const filter = { organizationId: owner.organization.id };
  const { entries } = await server.app.services.audit.list(INSTALLATION, filter, { limit: 9 });
  expect(entries.map(({ action, object }) => [action, object])).toEqual([
    ['property-created', `Shop (copy) (${copy?.sitekey})`],
  ]);
  // The quota of two properties is used up.
  const rejected = await owner.browser.fill(path, { ...DEFAULT_FIELDS, name: 'Third' });
  expect(rejected.status).toBe(422);
  expect(await properties.list(owner.organization.id)).toHaveLength(2);
});

test('a copy needs a name that is not taken', async () => {
  const owner = await addPropertyOwner(server);
  const original = await addProperty(server, owner, { name: 'Shop' });
  const path = `${propertyPath(server, owner, original)}/duplicate`;
  const shown = await owner.browser.fill(path, { ...DEFAULT_FIELDS, name: 'SHOP' });
  expect([shown.status, shown.text.includes('value="SHOP"')]).toEqual([422, true]);
});
