import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Instant } from '../../../src/lib/time.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { foldName } from '../../../src/model/name.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/propertyFields.ts';
import { FRESH_MS } from '../../../src/model/session.ts';
import { sentenceFor } from '../../../src/portal/kit/forms.ts';
import { startDns } from '../../support/dns.ts';
import { tokenIn } from '../../support/portal.ts';
import {
  addProperty,
  addPropertyOwner,
  DEFAULT_FIELDS,
  type PropertyOwner,
  propertyPath,
} from '../../support/propertyOwner.ts';
import { startServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ settings: { POSTERN_DNS_CHECK: 'off' } });
});
afterAll(() => server.stop());

const propertiesOf = ({ organization }: PropertyOwner) =>
  server.app.services.stores.properties.list(organization.id);
/** The names in the list, in order. */
const namesIn = (text: string) =>
  [...text.matchAll(/<div class="object"><a [^>]*><bdi>([^<]*)<\/bdi><\/a>/g)].map(([, name]) => name);

describe('the list of properties', () => {
  test('links to the first step if there is none', async () => {
    const owner = await addPropertyOwner(server);
    const { text } = await owner.browser.get(owner.path);
    expect(text).toContain('Protect your first form');
    expect(text).toContain(`href="${owner.path}/first-property"`);
  });

  test('shows name, domain, sitekey, and state, and links to the dashboard', async () => {
    const owner = await addPropertyOwner(server);
    const property = await addProperty(server, owner, { name: 'A & B', domain: 'xn--mnchen-3ya.de' });
    const { text } = await owner.browser.get(owner.path);
    expect(text).toContain(`<a href="${propertyPath(server, owner, property)}"><bdi>A &amp; B</bdi></a>`);
    for (const part of ['xn--mnchen-3ya.de', property.sitekey]) expect(text).toContain(part);
    expect(text).not.toContain('<span class="badge bad">');
    await server.raw.query('UPDATE properties SET is_enabled = FALSE WHERE id = ?', [property.id]);
    expect((await owner.browser.get(owner.path)).text).toContain('<span class="badge bad">Disabled</span>');
  });

  test('can be searched by parts of the name, domain, and sitekey, in any case and script', async () => {
    const owner = await addPropertyOwner(server);
    const shop = await addProperty(server, owner, { name: 'Der Großladen' });
    await addProperty(server, owner, { name: 'Blog', domain: 'xn--mnchen-3ya.de' });
    const find = async (q: string) =>
      namesIn((await owner.browser.get(`${owner.path}?${new URLSearchParams({ q })}`)).text);
    expect(await find('GROSSL')).toEqual(['Der Großladen']);
    expect(await find('example.C')).toEqual(['Der Großladen']);
    expect(await find('münchen.de')).toEqual(['Blog']);
    expect(await find(shop.sitekey.slice(3, 20).toUpperCase())).toEqual(['Der Großladen']);
    expect(await find('%')).toEqual([]);
    const { text } = await owner.browser.get(`${owner.path}?q=%3Cb%3E`);
    expect(text).toContain('No properties match.');
    expect(text).toContain('value="&lt;b&gt;"');
  });

  test('has pages of 25, ordered by name or date', async () => {
    const owner = await addPropertyOwner(server);
    const names = Array.from(
      { length: 60 },
      (_, index) => `Blog ${String((index * 7) % 60).padStart(3, '0')}`,
    );
    for (const name of names) await addProperty(server, owner, { name });
    const sorted = names.toSorted();
    const page = async (query: string) => {
      const { text } = await owner.browser.get(`${owner.path}?${query}`);
      return {
        names: namesIn(text),
        hasNext: text.includes('rel="next"'),
        hasPrevious: text.includes('rel="prev"'),
      };
    };
    const name = 'sort=name_asc';
    expect(await page(name)).toEqual({ names: sorted.slice(0, 25), hasNext: true, hasPrevious: false });
    expect(await page(`${name}&page=2`)).toEqual({
      names: sorted.slice(50),
      hasNext: false,
      hasPrevious: true,
    });
    const newest = names.toReversed().slice(0, 25);
    expect((await page('sort=date_desc')).names).toEqual(newest);
    expect((await page('sort=name_desc&q=blog&page=1')).names).toEqual(sorted.toReversed().slice(25, 50));
    expect((await page('page=7')).names).toEqual([]);
    // Properties without puzzles are sorted by date.
    for (const nonsense of ['page=-1', 'page=x', 'page=1e3', 'state=gone'])
      expect((await page(nonsense)).names).toEqual(newest);
  });

  test('lists the newest 1,000 matches of a search, and says so', async () => {
    const owner = await addPropertyOwner(server);
    const insert = `INSERT INTO properties (organization_id, name, name_folded, domain, sitekey, level, growth, validity_seconds,
       allows_subdomains, allows_localhost, allowance, is_enabled, created_at)
       VALUES (?, ?, ?, 'example.com', ?, 1, 'slow', 60, FALSE, FALSE, 1, TRUE, 0)`;
    for (let i = 0; i < 1001; i++) {
      const name = `Many ${i}`;
      const sitekey = `ab${String(i).padStart(30, '0')}`;
      await server.raw.query(insert, [owner.organization.id, name, foldName(name), sitekey]);
    }
    const { text } = await owner.browser.get(`${owner.path}?q=many&page=39&sort=date_asc`);
    expect(text).toContain('Page 40');
    expect(text).toContain('Only the newest 1,000 matches are listed.');
    expect(text).not.toContain('rel="next"');
    expect(namesIn(text).at(-1)).toBe('Many 1000');
    expect((await owner.browser.get(`${owner.path}?page=40&sort=date_asc`)).text).not.toContain(
      'Only the newest',
    );
  });
});

describe('a new property', () => {
  test('has the defaults of the Platform API and a log entry', async () => {
    const owner = await addPropertyOwner(server);
    const form = await owner.browser.get(`${owner.path}/new`);
    for (const [name, value] of Object.entries(DEFAULT_FIELDS).slice(2))
      expect(form.text).toMatch(
        new RegExp(`name="${name}"[^>]*value="${value}"|<option value="${value}" selected`),
      );
    const done = await owner.browser.fill(`${owner.path}/new`, DEFAULT_FIELDS);
    const [property] = await propertiesOf(owner);
    expect(property).toMatchObject({ name: 'Shop', domain: 'example.com', ...DEFAULT_SETTINGS });
    expect(done.redirectPath).toBe(`${propertyPath(server, owner, property as never)}/integration`);
    expect((await owner.browser.follow(done)).text).toContain('“Shop” was created.');
    const { entries } = await server.app.services.audit.list(
      INSTALLATION,
      { organizationId: owner.organization.id },
      { limit: 9 },
    );
    expect(entries).toMatchObject([
      { action: 'property-created', actor: owner.account.email, source: 'portal', address: '127.0.0.1' },
    ]);
  });

  test('has named levels with their number and work; its form hides what costs more than a choice', async () => {
    const owner = await addPropertyOwner(server);
    const { text } = await owner.browser.get(`${owner.path}/new`);
    const levels = [...text.matchAll(/value="(\w+)"[^>]*\/><strong>([^<]*)<\/strong>.*?<\/label>/gs)];
    expect(levels.map(([, value, name]) => [value, name])).toEqual([
      ['112', 'Low · 112'],
      ['128', 'Normal · 128'],
      ['144', 'High · 144'],
      ['160', 'Very high · 160'],
      ['custom', 'Custom'],
    ]);
    const works = levels.map(([label]) => /([\d.]+)× work/.exec(label)?.[1]);
    expect(works).toEqual(['0.25', '1', '4', '16', undefined]);
    expect(text).toMatch(/<details class="exact"><summary>Growth and cost<\/summary>.*?<table>/s);
    expect(text).toMatch(/name="allow_localhost"(?![^>]* checked)/);
  });

  test('has the chosen settings', async () => {
    const owner = await addPropertyOwner(server);
    await owner.browser.fill(`${owner.path}/new`, {
      name: ' Laden ',
      domain: 'München.de.',
      level: '200',
      growth: 'fast',
      challenge: 'argon2id',
      validity: '48',
      validity_unit: 'hours',
      accept_repeated: 'on',
      max_replay_count: '1000000',
      allow_subdomains: 'on',
      allow_localhost: 'on',
    });
    expect(await propertiesOf(owner)).toMatchObject([
      {
        name: 'Laden',
        domain: 'xn--mnchen-3ya.de',
        level: 200,
        growth: 'fast',
        challenge: 'argon2id',
        validitySeconds: 172_800,
        allowance: 1_000_000,
        allowsSubdomains: true,
        allowsLocalhost: true,
      },
    ]);
  });

  test('with errors shows the form again, with each error beside its field and the typed values', async () => {
    const owner = await addPropertyOwner(server);
    const before = await server.written();
    const typed = {
      name: '<x>',
      domain: 'localhost',
      level: '256',
      growth: 'no',
      challenge: 'scrypt',
      validity: '59',
      validity_unit: 'seconds',
      accept_repeated: 'on',
      max_replay_count: '0',
    };
    const shown = await owner.browser.fill(`${owner.path}/new`, { ...typed, allow_subdomains: 'on' });
    expect(shown.status).toBe(422);
    expect(shown.text).toContain('The name of the property contains characters that are not allowed');
    expect(shown.text).toContain('The level must be a whole number from 1 to 255.');
    expect(shown.text).toContain('Enter a duration of whole seconds, from 1 minute to 48 hours.');
    for (const problem of [
      'property-name-malformed',
      'domain-localhost',
      'level-malformed',
      'growth-unknown',
      'challenge-unknown',
      'validity-out-of-range',
      'allowance-malformed',
    ] as const)
      expect(shown.text.split(sentenceFor(problem).replaceAll("'", '&#39;'))).toHaveLength(3);
    for (const value of ['&lt;x&gt;', 'localhost', '256', '59', '0'])
      expect(shown.text).toContain(`value="${value}"`);
    expect(shown.text).toMatch(/name="allow_subdomains" checked/);
    expect(shown.text).not.toMatch(/name="allow_localhost" checked/);
    expect((await server.written()).commits).toBe(before.commits);
  });
});

describe('the settings of a property', () => {
  test('change only what differs', async () => {
    const owner = await addPropertyOwner(server);
    const property = await addProperty(server, owner);
    const path = `${propertyPath(server, owner, property)}/settings`;
    const done = await owner.browser.fill(path, { ...DEFAULT_FIELDS, level: '90', allow_localhost: 'on' });
    expect((await owner.browser.follow(done)).text).toContain('The settings were saved.');
    expect(await propertiesOf(owner)).toEqual([{ ...property, level: 90, allowsLocalhost: true }]);
    const [last] = await server.raw.query<{ subject: string }>(
      "SELECT subject FROM audit WHERE action = 'property-updated' ORDER BY id DESC LIMIT 1",
    );
    expect(last?.subject).toContain(property.sitekey);
  });

  test('recommend HashWX with the price that an attacker pays for each kind of work', async () => {
    const owner = await addPropertyOwner(server);
    const path = `${propertyPath(server, owner, await addProperty(server, owner))}/settings`;
    const { text } = await owner.browser.get(path);
    expect(text).toContain('cost an attacker $2.2, compared with $0.92 (argon2id) and $0.22 (BLAKE2b)');
    expect(text).toContain(
      '2.2 times as long as a laptop, compared with 52 times (argon2id) and 31 times (BLAKE2b)',
    );
    expect(text).toContain('published figures that we have not measured');
  });

  test('that are the same cause no change', async () => {
    const owner = await addPropertyOwner(server);
    const property = await addProperty(server, owner);
    const path = `${propertyPath(server, owner, property)}/settings`;
    const token = tokenIn(await owner.browser.get(path));
    const before = await server.written();
    const done = await owner.browser.post(path, { ...DEFAULT_FIELDS, form_token: token });
    expect([done.status, (await server.written()).commits === before.commits]).toEqual([303, true]);
    expect((await owner.browser.follow(done)).text).toContain('No setting was changed.');
  });
});

describe('repeated solutions', () => {
  test('are accepted up to the count next to the checkbox', async () => {
    const owner = await addPropertyOwner(server);
    const property = await addProperty(server, owner);
    const path = `${propertyPath(server, owner, property)}/settings`;
    const allowance = async () => (await propertiesOf(owner))[0]?.allowance;
    const { text } = await owner.browser.get(path);
    expect(text).toContain('<label for="accept_repeated">Accept repeated solutions</label>');
    expect(text).not.toMatch(/name="accept_repeated" checked/);
    await owner.browser.fill(path, { ...DEFAULT_FIELDS, accept_repeated: 'on', max_replay_count: '7' });
    expect(await allowance()).toBe(7);
    const after = (await owner.browser.get(path)).text;
    expect(after).toMatch(/name="accept_repeated" checked/);
    expect(after).toContain('id="max_replay_count" name="max_replay_count" type="number" value="7"');
    // Unchecked, each solution is accepted once.
    await owner.browser.fill(path, { ...DEFAULT_FIELDS, max_replay_count: '7' });
    expect(await allowance()).toBe(1);
  });

  test('with a count of 1 are rejected, because nothing would be repeated', async () => {
    const owner = await addPropertyOwner(server);
    const property = await addProperty(server, owner);
    const path = `${propertyPath(server, owner, property)}/settings`;
    const fields = { ...DEFAULT_FIELDS, accept_repeated: 'on', max_replay_count: '1' };
    const shown = await owner.browser.fill(path, fields);
    expect(shown.status).toBe(422);
    expect(shown.text).toContain(`id="max_replay_count-error">${sentenceFor('repeats-too-few')}`);
    expect(await propertiesOf(owner)).toEqual([property]);
  });
});

describe('a property that is disabled', () => {
  async function auditOf(sitekey: string): Promise<readonly string[]> {
    const select = 'SELECT action FROM audit WHERE subject LIKE ? ORDER BY id';
    const rows = await server.raw.query<{ action: string }>(select, [`%${sitekey}%`]);
    return rows.map(({ action }) => action);
  }

  test('is shown as disabled, keeps its settings, and can be enabled again', async () => {
    const owner = await addPropertyOwner(server);
    const property = await addProperty(server, owner);
    const path = `${propertyPath(server, owner, property)}/settings`;
    const action = `${propertyPath(server, owner, property)}/state`;
    const disabled = await owner.browser.fill(path, {}, action);
    const after = await owner.browser.follow(disabled);
    for (const text of ['The property is disabled.', 'This property is disabled', 'Enable property'])
      expect(after.text).toContain(text);
    expect(await propertiesOf(owner)).toEqual([{ ...property, isEnabled: false }]);
    expect((await owner.browser.get(owner.path)).text).toContain('Disabled</span>');
    // Saving its settings does not enable it.
    await owner.browser.fill(path, { ...DEFAULT_FIELDS, level: '90' });
    expect(await propertiesOf(owner)).toEqual([{ ...property, level: 90, isEnabled: false }]);
    const enabled = await owner.browser.fill(path, {}, action);
    expect((await owner.browser.follow(enabled)).text).toContain('The property is enabled.');
    expect(await propertiesOf(owner)).toEqual([{ ...property, level: 90 }]);
    expect(await auditOf(property.sitekey)).toEqual([
      'property-disabled',
      'property-updated',
      'property-enabled',
    ]);
  });

  test('stays unchanged if the form has no state or the current one', async () => {
    const owner = await addPropertyOwner(server);
    const property = await addProperty(server, owner);
    const token = tokenIn(await owner.browser.get(owner.path));
    const action = `${propertyPath(server, owner, property)}/state`;
    const before = await server.written();
    for (const [state, status] of [
      ['', 422],
      ['on', 422],
      ['enabled', 303],
    ] as const) {
      const shown = await owner.browser.post(action, { form_token: token, state });
      expect([state, shown.status]).toEqual([state, status]);
    }
    expect((await server.written()).commits).toBe(before.commits);
  });
});

describe('the deletion of a property', () => {
  test('requires its name and takes effect immediately', async () => {
    const owner = await addPropertyOwner(server);
    const property = await addProperty(server, owner, { name: 'Café' });
    const path = `${propertyPath(server, owner, property)}/delete`;
    const wrong = await owner.browser.fill(path, { typed_name: 'Cafe' });
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain('This does not match the name');
    expect(await propertiesOf(owner)).toHaveLength(1);
    const done = await owner.browser.fill(path, { typed_name: 'Cafe\u0301 ' });
    expect(done.redirectPath).toBe(owner.path);
    expect((await owner.browser.follow(done)).text).toContain('“Café” was deleted.');
    expect(await propertiesOf(owner)).toEqual([]);
    expect((await owner.browser.get(path)).status).toBe(404);
  });

  test('asks for the password again after a while', async () => {
    const owner = await addPropertyOwner(server);
    const property = await addProperty(server, owner);
    const { now } = server.clock;
    server.clock.now = (now + FRESH_MS) as Instant;
    const shown = await owner.browser.get(`${propertyPath(server, owner, property)}/delete`);
    server.clock.now = now;
    expect(shown.redirectPath).toBe('/portal/confirm');
  });
});

describe('in maintenance', () => {
  test('properties can be read but not changed; sign-in and sign-out work', async () => {
    const owner = await addPropertyOwner(server);
    const property = await addProperty(server, owner);
    const path = `${propertyPath(server, owner, property)}/settings`;
    await server.app.services.maintenance.set(INSTALLATION, true);
    expect((await owner.browser.get(owner.path)).status).toBe(200);
    const before = await server.written();
    const shown = await owner.browser.fill(path, { ...DEFAULT_FIELDS, level: '90' });
    expect(shown.status).toBe(503);
    expect(shown.text).toContain('In maintenance');
    expect((await server.written()).commits).toBe(before.commits);
    const out = await owner.browser.post('/portal/logout', {
      form_token: tokenIn(await owner.browser.get(path)),
    });
    expect(out.redirectPath).toBe('/portal/login');
    await server.app.services.maintenance.set(INSTALLATION, false);
  });
});

describe('a domain', () => {
  test('that is not in the DNS, or whose servers fail, is reported beside its field', async () => {
    const dns = await startDns(
      new Map([
        ['gone.example.com', { failure: 'NXDOMAIN' }],
        ['broken.example.com', { failure: 'SERVFAIL' }],
        ['good.example.com', { A: ['192.0.2.1'] }],
      ]),
    );
    const asking = await startServer({
      settings: { POSTERN_DNS_SERVERS: dns.address, POSTERN_DNS_TIMEOUT_MS: '500' },
    });
    const owner = await addPropertyOwner(asking);
    const create = (domain: string) => owner.browser.fill(`${owner.path}/new`, { ...DEFAULT_FIELDS, domain });
    for (const [domain, problem] of [
      ['gone.example.com', 'domain-unresolved'],
      ['broken.example.com', 'dns-unanswered'],
    ] as const) {
      const shown = await create(domain);
      expect([domain, shown.status]).toEqual([domain, 422]);
      expect(shown.text).toContain(`id="domain-error">${sentenceFor(problem)}`);
    }
    expect((await create('good.example.com')).status).toBe(303);
    await asking.stop();
    await dns.stop();
  });
});
