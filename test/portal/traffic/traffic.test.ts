import { describe, expect, test } from 'bun:test';
import { type Instant, later, MINUTE } from '../../../src/lib/time.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { idsOf } from '../../support/platform.ts';
import { addUser, signedIn } from '../../support/portal.ts';
import { addTenant, expectOk, startServer, type Tenant, type TestServer } from '../../support/server.ts';
import { useServer } from '../../support/useServer.ts';
import { fetchAndSolve, verify } from '../../support/visitor.ts';

const now = Date.UTC(2026, 0, 31, 13, 12) as Instant;
const settings = { POSTERN_TRUSTED_PROXIES: '127.0.0.0/8,::1', POSTERN_TRAFFIC_DETAILS: 'on' };
const server = useServer({ settings, now });

function pathsOf(tenant: Tenant, of: TestServer = server) {
  const { org, property } = idsOf(of, tenant);
  return {
    organization: `/portal/orgs/${org}/traffic`,
    property: `/portal/orgs/${org}/properties/${property}/traffic`,
    rules: `/portal/orgs/${org}/properties/${property}/rules`,
  };
}

/** Sends a request for a puzzle that is rejected, because the page is not on the domain of the property. */
async function attack({ property }: Tenant, address = '198.51.100.7', { url }: TestServer = server) {
  const headers = {
    Origin: 'https://evil.example',
    'X-Forwarded-For': address,
    'User-Agent': 'Mozilla/5.0 Chrome/140.0 Safari/537.36 Edg/140.0',
  };
  const response = await fetch(`${url}/puzzle?sitekey=${property.sitekey}`, { headers });
  expect(response.status).toBe(403);
}

/** The cells of the rows of the table with this caption, as text. */
function rowsOf(text: string, caption: string): readonly (readonly string[])[] {
  const [, table = ''] = text.split(`<caption class="visually-hidden">${caption}</caption>`);
  const [, body = ''] = /<tbody>([\s\S]*?)<\/tbody>/.exec(table) ?? [];
  const rows = [...body.matchAll(/<tr>([\s\S]*?)<\/tr>/g)];
  return rows.map(([, row = '']) =>
    [...row.matchAll(/<td[^>]*>([\s\S]*?)<\/td>/g)].map(([, cell = '']) =>
      cell
        .replace(/<[^>]+>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    ),
  );
}

/** The paths of the links with this text, in order. */
function linksIn(text: string, label: string): readonly string[] {
  const found = [...text.matchAll(/<a href="([^"]+)"(?: aria-label="[^"]*")?>([^<]*)<\/a>/g)];
  return found.filter(([, , name]) => name === label).map(([, path = '']) => path.replaceAll('&amp;', '&'));
}

describe('the page of a property', () => {
  test('lists rejections and frequent values', async () => {
    const tenant = await addTenant(server);
    await attack(tenant);
    await attack(tenant, '2001:db8:7::1');
    const payload = await fetchAndSolve(server.url, tenant.property.sitekey);
    for (let count = 0; count < 2; count++) await verify(server.url, tenant.verifyKey, payload);
    const browser = await signedIn(server, tenant.account);
    const { text, status } = await browser.get(pathsOf(tenant).property);
    expect(status).toBe(200);
    const attackOf = (network: string) => [network, 'evil.example', 'Edge', 'Create rule'];
    const backend = ['Unknown', 'example.com', 'Unknown', 'Create rule'];
    expect(rowsOf(text, 'Latest rejections').toSorted()).toEqual([
      ['just now', 'Already verified Verification', ...backend],
      ['just now', 'Domain not allowed Puzzle', ...attackOf('198.51.100.0/24')],
      ['just now', 'Domain not allowed Puzzle', ...attackOf('2001:db8:7::/48')],
    ]);
    expect(rowsOf(text, 'Top networks').toSorted()).toEqual([
      ['127.0.0.0/24', '1 33.3%', '0', 'Create rule'],
      ['198.51.100.0/24', '1 33.3%', '1', 'Create rule'],
      ['2001:db8:7::/48', '1 33.3%', '1', 'Create rule'],
    ]);
    expect(rowsOf(text, 'Top hosts')[0]).toEqual(['evil.example', '2 66.6%', '2', 'Create rule']);
    // This server has no GeoIP files.
    expect(text).not.toContain('Top countries');
    expect(text.includes('If this installation has several nodes,')).toBe(
      server.app.services.shared.isClustered,
    );
  });

  test('says that there were no requests', async () => {
    const tenant = await addTenant(server);
    const browser = await signedIn(server, tenant.account);
    const { text } = await browser.get(pathsOf(tenant).property);
    expect(text).toContain('No data in this range.');
    expect(text).toContain('No request was rejected.');
  });

  test('fills in the form for a rule, which then applies', async () => {
    const tenant = await addTenant(server);
    await attack(tenant);
    const browser = await signedIn(server, tenant.account);
    const paths = pathsOf(tenant);
    const shown = await browser.get(paths.property);
    const links = linksIn(shown.text, 'Create rule');
    const queries = links.map((path) => path.slice(`${paths.rules}/new?`.length));
    expect(queries).toEqual([
      'network=198.51.100.0%2F24',
      'host=evil.example',
      'browser=Edge',
      'network=198.51.100.0%2F24',
    ]);
    const forms = await Promise.all(links.map((path) => browser.get(path)));
    const fieldIn = ({ text }: { readonly text: string }, name: string) =>
      new RegExp(`<textarea[^>]* name="${name}"[^>]*>([^<]*)<`).exec(text)?.[1]?.trim();
    expect(forms.map((form) => fieldIn(form, 'networks'))).toEqual([
      '198.51.100.0/24',
      '',
      '',
      '198.51.100.0/24',
    ]);
    expect(fieldIn(forms[1] as never, 'headers')).toBe(
      'origin: *://evil.example\norigin: *://evil.example:*',
    );
    expect(fieldIn(forms[2] as never, 'user_agents')).toBe('*Edg/*\n*Edge/*\n*EdgA/*\n*EdgiOS/*');
    for (const [index, [name, conditions]] of (
      [
        ['Traffic from 198.51.100.0/24', { networks: '198.51.100.0/24' }],
        ['Traffic from evil.example', { headers: 'origin: *://evil.example\norigin: *://evil.example:*' }],
        ['Traffic from Edge', { user_agents: '*Edg/*\n*Edge/*' }],
      ] as const
    ).entries()) {
      expect(forms[index]?.text).toContain(`value="${name}"`);
      const form = new FormData();
      const token = /name="form_token" value="([^"]+)"/.exec(forms[index]?.text ?? '')?.[1] ?? '';
      const fields = {
        form_token: token,
        name,
        action: 'block',
        mode: 'dry_run',
        place: 'last',
        ...conditions,
      };
      for (const [field, value] of Object.entries(fields)) form.append(field, value);
      expect((await browser.upload(`${paths.rules}/new`, form)).status).toBe(303);
    }
    const { rules } = expectOk(await server.app.services.rules.list(INSTALLATION, tenant.property.id));
    expect(rules.map(({ conditions }) => conditions)).toEqual([
      { networks: ['198.51.100.0/24'] },
      { headers: ['origin: *://evil.example', 'origin: *://evil.example:*'] },
      { userAgents: ['*Edg/*', '*Edge/*'] },
    ]);
  });

  test('has 25 rejections on a page, and less than 150 kB', async () => {
    const tenant = await addTenant(server);
    for (let at = 0; at < 120; at++) {
      server.clock.now = later(now, at * MINUTE);
      await attack(tenant, `198.51.${at}.7`);
    }
    const browser = await signedIn(server, tenant.account);
    const path = pathsOf(tenant).property;
    const counts = [];
    for (const page of [0, 1, 2, 3, 4]) {
      const { text } = await browser.get(`${path}?page=${page}`);
      expect(Buffer.byteLength(text)).toBeLessThan(150_000);
      counts.push(rowsOf(text, 'Latest rejections').length);
    }
    server.clock.now = now;
    expect(counts).toEqual([25, 25, 25, 25, 20]);
  });

  test('updates by a script, which receives the same part, and by a link', async () => {
    const tenant = await addTenant(server);
    await attack(tenant);
    const browser = await signedIn(server, tenant.account);
    const path = pathsOf(tenant).property;
    const { text } = await browser.get(`${path}?range=day`);
    expect(text).toContain(`data-live="${path}/live?range=day&amp;page=0"`);
    expect(text).toContain('data-other="Resume updates"');
    expect(linksIn(text.replaceAll(' class="button quiet"', ''), 'Refresh')).toEqual([
      `${path}?range=day&page=0`,
    ]);
    const part = await browser.get(`${path}/live?range=day&page=0`);
    expect(text).toContain(part.text);
    const headers = { 'If-None-Match': part.headers.get('etag') ?? '' };
    expect((await browser.get(`${path}/live?range=day&page=0`, headers)).status).toBe(304);
    await attack(tenant);
    expect((await browser.get(`${path}/live?range=day&page=0`, headers)).status).toBe(200);
  });
});

test('the page of an organization names the properties, and links to the rules of each', async () => {
  const tenant = await addTenant(server, { name: 'Blog' });
  const draft = { organizationId: tenant.organization.id, name: 'Shop & Sons', domain: 'shop.example' };
  const shop = expectOk(await server.app.services.properties.create(INSTALLATION, draft));
  await attack({ ...tenant, property: shop });
  const browser = await signedIn(server, tenant.account);
  const paths = pathsOf(tenant);
  const { text } = await browser.get(paths.organization);
  const [row] = rowsOf(text, 'Latest rejections');
  expect(row?.slice(1, 3)).toEqual(['Domain not allowed Puzzle · Shop &amp; Sons', '198.51.100.0/24']);
  const own = server.app.services.ids.seal('property', shop.id);
  const rules = `${paths.organization.replace('/traffic', '')}/properties/${own}/rules/new`;
  expect(linksIn(text, 'Create rule')).toEqual([`${rules}?network=198.51.100.0%2F24`]);
  const stranger = await signedIn(server, await addUser(server));
  for (const path of [
    paths.organization,
    `${paths.organization}/live`,
    paths.property,
    `${paths.property}/live`,
  ])
    expect((await stranger.get(path)).status).toBe(404);
});

describe('the setting', () => {
  test('without-networks hides the networks, and rules start with the country and the browser', async () => {
    const other = await startServer({
      settings: { ...settings, POSTERN_TRAFFIC_DETAILS: 'without-networks' },
      now,
    });
    const tenant = await addTenant(other);
    await attack(tenant, '198.51.100.7', other);
    const browser = await signedIn(other, tenant.account);
    const paths = pathsOf(tenant, other);
    const { text } = await browser.get(paths.property);
    await other.stop();
    expect(text).not.toContain('198.51.100');
    expect(text).not.toContain('Top networks');
    expect(text).toContain('The networks of visitors are not recorded');
    expect(linksIn(text, 'Create rule').at(-1)).toBe(`${paths.rules}/new?browser=Edge`);
  });

  test('off shows no requests', async () => {
    const other = await startServer({ settings: { ...settings, POSTERN_TRAFFIC_DETAILS: 'off' }, now });
    const tenant = await addTenant(other);
    await attack(tenant, '198.51.100.7', other);
    const browser = await signedIn(other, tenant.account);
    const { text, status } = await browser.get(pathsOf(tenant, other).property);
    await other.stop();
    expect(status).toBe(200);
    expect(text).toContain('Requests are not recorded');
    expect(text).not.toContain('evil.example');
  });
});
