import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { INSTALLATION, portalActor, type UserActor } from '../../../src/model/actor.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/propertyFields.ts';
import { type DnsAnswer, startDns, type TestDns } from '../../support/dns.ts';
import { api } from '../../support/platform.ts';
import type { PageResponse } from '../../support/portal.ts';
import {
  addProperty,
  addPropertyOwner,
  DEFAULT_FIELDS,
  type PropertyOwner,
  propertyPath,
} from '../../support/propertyOwner.ts';
import { addKey, startServer, type TestServer } from '../../support/server.ts';

let dns: TestDns;
let server: TestServer;
beforeAll(async () => {
  const table: Record<string, DnsAnswer> = {
    'shop.example.org': { A: ['192.0.2.1'] },
    'broken.example.org': { failure: 'SERVFAIL' },
  };
  dns = await startDns(table);
  server = await startServer({
    settings: { POSTERN_DNS_SERVERS: dns.address, POSTERN_DNS_TIMEOUT_MS: '2000' },
  });
});
afterAll(async () => {
  await server.stop();
  await dns.stop();
});

const domainsOf = async ({ organization }: PropertyOwner) =>
  (await server.app.services.stores.properties.list(organization.id)).map(({ domain }) => domain);

async function loggedFor({ organization }: PropertyOwner): Promise<readonly (readonly string[])[]> {
  const filter = { organizationId: organization.id };
  const { entries } = await server.app.services.audit.list(INSTALLATION, filter, { limit: 9 });
  return entries.map(({ action, object, source }) => [action, object, source]).toReversed();
}

/** The button that skips the check, as a browser sends it. */
function anywayIn({ text }: PageResponse): Record<string, string> {
  const [, name = '', value = ''] =
    /<button [^>]*name="(\w+)" value="([^"]*)">(?:Create|Save) anyway/.exec(text) ?? [];
  return { [name]: value };
}

describe.each(['new', 'first-property'])('the form %s with a domain that does not resolve', (form) => {
  test('shows a warning, keeps the entered values, and creates the property anyway', async () => {
    const owner = await addPropertyOwner(server);
    const fields = { ...DEFAULT_FIELDS, name: 'Intranet', domain: 'shop.corp.lan', allow_localhost: 'on' };
    const shown = await owner.browser.fill(`${owner.path}/${form}`, fields);
    expect(shown.status).toBe(422);
    expect(shown.text).toContain('POSTERN_DNS_CHECK=off');
    expect(shown.text).toContain('example.com');
    expect(shown.text).toContain('RFC 2606');
    expect(shown.text).toContain('value="Intranet"');
    expect(shown.text).toContain('value="shop.corp.lan"');
    expect(shown.text).toMatch(/name="allow_localhost"[^>]* checked/);
    expect(await domainsOf(owner)).toEqual([]);
    const asked = dns.queries.get('shop.corp.lan');
    const done = await owner.browser.fill(`${owner.path}/${form}`, { ...fields, ...anywayIn(shown) });
    expect(done.status).toBe(303);
    expect(await domainsOf(owner)).toEqual(['shop.corp.lan']);
    expect(dns.queries.get('shop.corp.lan')).toBe(asked);
    const [property] = await server.app.services.stores.properties.list(owner.organization.id);
    expect(await loggedFor(owner)).toEqual([
      ['property-created', `Intranet (${property?.sitekey})`, 'portal'],
      ['dns-check-skipped', `shop.corp.lan of Intranet (${property?.sitekey})`, 'portal'],
    ]);
  });

  test('skips the check for that domain only; a domain entered after the warning is checked', async () => {
    const owner = await addPropertyOwner(server);
    const fields = { ...DEFAULT_FIELDS, domain: 'first.lan.example' };
    const shown = await owner.browser.fill(`${owner.path}/${form}`, fields);
    const again = { ...fields, ...anywayIn(shown), domain: 'second.lan.example' };
    const rejected = await owner.browser.fill(`${owner.path}/${form}`, again);
    expect(rejected.status).toBe(422);
    expect(anywayIn(rejected)).toEqual({ accept_unresolved: 'second.lan.example' });
    const corrected = { ...fields, ...anywayIn(rejected), domain: 'shop.example.org' };
    expect((await owner.browser.fill(`${owner.path}/${form}`, corrected)).status).toBe(303);
    expect(await domainsOf(owner)).toEqual(['shop.example.org']);
    expect((await loggedFor(owner)).map(([action]) => action)).toEqual(['property-created']);
  });

  test('names the reserved top-level domain or the server that does not answer', async () => {
    const owner = await addPropertyOwner(server);
    const show = async (domain: string) =>
      (await owner.browser.fill(`${owner.path}/${form}`, { ...DEFAULT_FIELDS, domain })).text;
    expect(await show('shop.test')).toContain('Names that end in <code>.test</code> are reserved');
    expect(await show('broken.example.org')).toContain('did not answer for <code>broken.example.org</code>');
  });

  test('offers no button to skip the check if another field is wrong', async () => {
    const owner = await addPropertyOwner(server);
    const shown = await owner.browser.fill(`${owner.path}/${form}`, {
      ...DEFAULT_FIELDS,
      domain: 'localhost',
    });
    expect(shown.status).toBe(422);
    expect(shown.text).not.toContain('anyway');
  });
});

test('the settings move a property to a domain that does not resolve only after the warning', async () => {
  const owner = await addPropertyOwner(server);
  const property = await addProperty(server, owner);
  const path = `${propertyPath(server, owner, property)}/settings`;
  const fields = { ...DEFAULT_FIELDS, domain: 'moved.corp.lan', level: '99' };
  const shown = await owner.browser.fill(path, fields);
  expect(shown.status).toBe(422);
  expect(shown.text).toContain('value="99"');
  expect(await domainsOf(owner)).toEqual(['example.com']);
  expect((await owner.browser.fill(path, { ...fields, ...anywayIn(shown) })).status).toBe(303);
  expect(await domainsOf(owner)).toEqual(['moved.corp.lan']);
  const change = 'domain "example.com" -> "moved.corp.lan", level 128 -> 99';
  expect(await loggedFor(owner)).toEqual([
    ['property-updated', `Shop (${property.sitekey}): ${change}`, 'portal'],
    ['dns-check-skipped', `moved.corp.lan of Shop (${property.sitekey})`, 'portal'],
  ]);
});

describe('an API key', () => {
  test('cannot skip the check with a member of the request', async () => {
    const owner = await addPropertyOwner(server);
    const client = api(server, await addKey(server.app.services, owner.account, 'portal'));
    const org = server.app.services.ids.seal('organization', owner.organization.id);
    const item = { name: 'Shop', domain: 'api.corp.lan' };
    const [entry] = await client.run('POST', `/org/${org}/properties`, [item]);
    expect(entry).toMatchObject({ code: 1209 });
    for (const member of ['accept_unresolved', 'skipsDnsCheck']) {
      const { status } = await client.post(`/org/${org}/properties`, [{ ...item, [member]: true }]);
      expect([member, status]).toEqual([member, 400]);
    }
    expect(await domainsOf(owner)).toEqual([]);
  });

  test.each<[string, (actor: UserActor) => UserActor]>([
    ['an API key', (actor) => ({ ...actor, limits: { keyId: 1 as never } })],
    ['the Platform API', (actor) => ({ ...actor, source: 'api-key' })],
  ])('%s cannot use a task that skips the check', async (_, through) => {
    const owner = await addPropertyOwner(server);
    const { tasks } = server.app.services;
    const actor = through(portalActor(owner.account, undefined));
    const started = await tasks.start(actor, {
      kind: 'create-properties',
      organizationId: owner.organization.id,
      items: [{ ...DEFAULT_SETTINGS, name: 'Shop', domain: 'task.corp.lan' }],
      skipsDnsCheck: true,
    });
    if (!started.ok) throw new Error(started.problem);
    for (;;) {
      const task = await tasks.byId(actor, started.value);
      if (!task.ok) throw new Error(task.problem);
      const { results } = task.value;
      if (results === undefined) await Bun.sleep(5);
      else {
        expect(results).toMatchObject([{ problem: 'domain-unresolved' }]);
        break;
      }
    }
    expect(await domainsOf(owner)).toEqual([]);
  });
});
