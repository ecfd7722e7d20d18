import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LANGUAGES } from '../../../src/portal/i18n/languages.ts';
import { useFolders } from '../../storage/folder.ts';
import { createGeoipFile } from '../../support/geoipFile.ts';
import { addUser, signedIn, tokenIn } from '../../support/portal.ts';
import {
  addProperty,
  addPropertyOwner,
  type PropertyOwner,
  propertyPath,
} from '../../support/propertyOwner.ts';
import { startServer, type TestServer } from '../../support/server.ts';

/** Sentences that are true only with some settings. */

const makeFolder = useFolders();
let plain: TestServer;
let other: TestServer;
beforeAll(async () => {
  const geoip = join(makeFolder(), 'geoip.mmdb');
  writeFileSync(geoip, createGeoipFile({ '203.0.113.0/24': { country: { iso_code: 'DE' } } }));
  plain = await startServer();
  other = await startServer({
    settings: { POSTERN_DNS_CHECK: 'off', POSTERN_AUDIT_DAYS: '30', POSTERN_GEOIP_FILES: geoip },
  });
});
afterAll(async () => {
  await plain.stop();
  await other.stop();
});

/** The pages that mention the DNS check while it is on. */
async function domainPages(server: TestServer, owner: PropertyOwner, language: string) {
  const { browser, path } = owner;
  const property = await addProperty(server, owner, { name: `Shop ${language}` });
  const paths = [
    `${path}/new`,
    `${path}/first-property`,
    `${propertyPath(server, owner, property)}/settings`,
  ];
  const pages = await Promise.all(paths.map((one) => browser.get(one, { 'Accept-Language': language })));
  return pages.map(({ status, text }) => [status, text] as const);
}

async function importPreview({ browser, path }: PropertyOwner): Promise<string> {
  const form = new FormData();
  form.set('form_token', tokenIn(await browser.get(`${path}/import`)));
  form.set('file', new File(['name,domain\nNew,new.example.com'], 'properties.csv'));
  const { text } = await browser.upload(`${path}/import`, form);
  expect(text).toContain('name="contents"');
  return text;
}

describe('the DNS check', () => {
  test.each(Object.keys(LANGUAGES))('is mentioned in %s only if it is on', async (language) => {
    for (const [server, isOn] of [
      [plain, true],
      [other, false],
    ] as const) {
      const owner = await addPropertyOwner(server);
      for (const [status, text] of await domainPages(server, owner, language))
        expect([status, text.includes(`lang="${language}"`), text.includes('DNS')]).toEqual([
          200,
          true,
          isOn,
        ]);
    }
  });

  test('can be skipped by an import only if it is on', async () => {
    const [on, off] = [
      await importPreview(await addPropertyOwner(plain)),
      await importPreview(await addPropertyOwner(other)),
    ];
    expect(on).toContain('are looked up in DNS first.');
    expect(on).toContain('name="skip_dns_check"');
    expect(off).toContain('Either all changes are made or none.');
    expect(off).not.toMatch(/DNS|skip_dns_check/);
  });
});

test('only for administrators, the search names users', async () => {
  for (const isAdmin of [true, false]) {
    const browser = await signedIn(plain, await addUser(plain, isAdmin));
    const [, label] =
      /type="search"[^>]* aria-label="([^"]*)"/.exec((await browser.get('/portal')).text) ?? [];
    expect(label).toBe(
      `Search organizations, properties, ${isAdmin ? 'sitekeys, and users' : 'and sitekeys'}`,
    );
  }
});

test('the description of the API is true with every setting', async () => {
  const { components, paths } = (await (await fetch(`${other.url}/swagger/json`)).json()) as {
    components: { schemas: Record<string, { properties: { domain: { description: string } } }> };
    paths: Record<string, { get: { description: string } }>;
  };
  const domains = Object.values(components.schemas).flatMap(
    ({ properties }) => properties?.domain?.description ?? [],
  );
  const mentioned = domains.filter((text) => text.includes('DNS'));
  expect(mentioned.length).toBeGreaterThan(0);
  for (const text of mentioned) expect(text).toContain('unless `POSTERN_DNS_CHECK` is `off`.');
  expect(paths['/puzzle']?.get.description).toContain(
    'If the test property is on (`POSTERN_TEST_PROPERTY`),',
  );
});

test('the audit log names its retention', async () => {
  for (const [server, days] of [
    [plain, 365],
    [other, 30],
  ] as const) {
    const { browser, path } = await addPropertyOwner(server);
    for (const page of ['/portal/activity', `${path}/activity`])
      expect((await browser.get(page)).text).toContain(`Entries are deleted after ${days} days.`);
  }
});

test('the test of rules says how a country is found, or that rules with countries never match', async () => {
  const read = async (server: TestServer) => {
    const admin = await signedIn(server, await addUser(server, true));
    return (await admin.get('/portal/system/rules/test')).text;
  };
  const [without, withCountries] = [await read(plain), await read(other)];
  expect(without).not.toContain('the GeoIP file determines');
  expect(without).toContain('no GeoIP file with countries, so rules with countries never match.');
  expect(withCountries).toContain(
    'A two-letter code. If it is empty, the GeoIP file determines the country.',
  );
  expect(withCountries).not.toContain('no GeoIP file with countries');
  expect(withCountries).toContain('no GeoIP file with autonomous systems');
});
