import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { addUser, signedIn } from '../../support/portal.ts';
import { addTenant, expectOk, startServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe('the links that sort a list', () => {
  test('mark the current column and lead to the other direction', async () => {
    const admin = await addUser(server, true);
    const browser = await signedIn(server, admin);
    // A short list has no filter.
    for (let count = 0; count < 5; count++) await addUser(server);
    const byEmail = (await browser.get('/portal/system/users?sort=email_asc')).text;
    expect(byEmail).toContain(
      'aria-sort="ascending"><a href="/portal/system/users?sort=email_desc&amp;page=0">User</a>',
    );
    expect(byEmail.match(/aria-sort/g)).toHaveLength(1);
    expect(byEmail).toContain('<input type="hidden" name="sort" value="email_asc"');
    const byDefault = (await browser.get('/portal/system/users')).text;
    expect(byDefault).toContain(
      'aria-sort="ascending"><a href="/portal/system/users?sort=created_desc&amp;page=0">Created</a>',
    );
  });

  test('sort each list, and an unknown order is rejected', async () => {
    const { account, property } = await addTenant(server);
    const { rules, ids } = server.app.services;
    const rule = (name: string) => ({ name, action: 'block', conditions: { user_agents: ['*'] } });
    expectOk(await rules.replace(INSTALLATION, property.id, [rule('Bravo'), rule('Alpha')]));
    const organization = `/portal/orgs/${ids.seal('organization', property.organizationId)}`;
    const ofProperty = `${organization}/properties/${ids.seal('property', property.id)}/rules`;
    const browser = await signedIn(server, account);
    const lists = [
      '/portal',
      '/portal/orgs',
      organization,
      '/portal/settings/api-keys',
      `${organization}/api-keys`,
      ofProperty,
    ];
    for (const path of lists) {
      expect((await browser.get(`${path}?sort=name_asc`)).status).toBe(200);
      const rejected = await browser.get(`${path}?sort=password_asc`);
      expect([rejected.status, rejected.text.includes('Unknown sort order')]).toEqual([400, true]);
    }
    const namesIn = async (sort: string) =>
      (await browser.get(`${ofProperty}?sort=${sort}`)).text.match(/Alpha|Bravo/g)?.[0];
    expect([await namesIn('position_asc'), await namesIn('name_asc'), await namesIn('name_desc')]).toEqual([
      'Bravo',
      'Alpha',
      'Bravo',
    ]);
    // Names that differ only in case were once in any order.
    expectOk(await rules.replace(INSTALLATION, property.id, ['ZULU', 'zulu', 'Zulu', 'zUlU'].map(rule)));
    for (const sort of ['name_asc', 'name_desc']) {
      const { text } = await browser.get(`${ofProperty}?sort=${sort}`);
      expect([...text.matchAll(/<bdi>(zulu)<\/bdi>/gi)].map(([, name]) => name)).toEqual([
        'ZULU',
        'zulu',
        'Zulu',
        'zUlU',
      ]);
    }
  });
});
