import { describe, expect, test } from 'bun:test';
import { DAY, later } from '../../../src/lib/time.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { FRESH_MS } from '../../../src/model/session.ts';
import { SHARE_LINKS_MAX } from '../../../src/model/shareLink.ts';
import { addUser, createBrowserClient, signedIn } from '../../support/portal.ts';
import { addProperty, addPropertyOwner, propertyPath } from '../../support/propertyOwner.ts';
import { expectOk } from '../../support/server.ts';
import { addYearOfTraffic } from '../../support/traffic.ts';
import { useServer } from '../../support/useServer.ts';

const server = useServer();

async function scene() {
  const owner = await addPropertyOwner(server);
  const property = await addProperty(server, owner, { domain: 'secret-domain.example.org' });
  const path = `${propertyPath(server, owner, property)}/share`;
  /** @returns the path of a new link */
  async function share(expiry = '30'): Promise<string> {
    const { text } = await owner.browser.fill(path, { expiry }, path);
    const [, shared = ''] =
      /<code id="link">[^<]*(\/portal\/shared\/[A-Za-z0-9_-]{43})<\/code>/.exec(text) ?? [];
    return shared;
  }
  return { owner, property, path, share };
}

const visitor = () => createBrowserClient(server);

describe('a share link', () => {
  test('shows the dashboard without an account, a cookie, or personal data', async () => {
    const { owner, property, path, share } = await scene();
    await addYearOfTraffic(server, property.sitekey);
    expect((await owner.browser.get(path.replace('/share', ''))).text).toContain(`href="${path}"`);
    const shared = await share();
    const { status, text, headers } = await visitor().get(shared);
    expect(status).toBe(200);
    expect(text).toContain(`<bdi>${property.name}</bdi>`);
    expect(text).toContain('data-issued="');
    expect(text).toContain(`data-live="${shared}/statistics/live?`);
    const { email, name } = owner.account;
    for (const part of [email, name, property.domain, property.sitekey, owner.organization.name, '/orgs/'])
      expect(text).not.toContain(part);
    expect(text).not.toContain('<form method="post"');
    expect(Object.fromEntries(headers)).toMatchObject({
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
      'cache-control': 'no-store',
    });
    expect(headers.getSetCookie()).toEqual([]);
  });

  test('neither shows nor clears the notice for the next page of the portal', async () => {
    const { owner, path, share } = await scene();
    const [shared] = [await share(), await share()];
    const { browser } = owner;
    const { text } = await browser.get(path);
    const action = /action="([^"]*\/revoke)"/.exec(text)?.[1];
    const revoked = await browser.fill(path, {}, action);
    const notice = 'The link was revoked.';
    const shown = await browser.get(shared);
    expect(shown.text).not.toContain(notice);
    expect(shown.headers.getSetCookie()).toEqual([]);
    expect((await browser.follow(revoked)).text).toContain(notice);
  });

  test.each(['statistics.csv', 'statistics.json', 'statistics/live'])(
    'has the same numbers as %s, without personal data',
    async (file) => {
      const { owner, property, share } = await scene();
      await addYearOfTraffic(server, property.sitekey);
      const { status, text, headers } = await visitor().get(`${await share()}/${file}`);
      expect(status).toBe(200);
      expect(text).toContain('issued');
      for (const part of [owner.account.email, property.domain, property.sitekey])
        expect(`${text} ${headers.get('content-disposition')}`).not.toContain(part);
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    },
  );

  test('stops working when it expires, when it is revoked, and when its property is deleted', async () => {
    const { owner, property, path, share } = await scene();
    const [short, endless, revoked] = [await share('7'), await share('never'), await share()];
    const works = async (shared: string) => (await visitor().get(shared)).status;
    expect([await works(short), await works(endless), await works(revoked)]).toEqual([200, 200, 200]);
    server.clock.now = later(server.clock.now, 7 * DAY);
    expect([await works(short), await works(endless), await works(revoked)]).toEqual([404, 200, 200]);
    const browser = await signedIn(server, owner.account);
    const { text } = await browser.get(path);
    for (const part of [endless.slice(-4), revoked.slice(-4), owner.account.email])
      expect(text).toContain(part);
    expect(text).not.toContain(`<code>…${short.slice(-4)}</code>`);
    const forms = [...text.matchAll(/action="([^"]*\/revoke)"/g)].map(([, action = '']) => action);
    expect(forms).toHaveLength(2);
    expect((await browser.follow(await browser.fill(path, {}, forms[1]))).text).toContain(
      'The link was revoked.',
    );
    expect([await works(endless), await works(revoked)]).toEqual([200, 404]);
    const { organizations } = server.app.services;
    expectOk(await organizations.remove(INSTALLATION, property.organizationId));
    expect(await works(endless)).toBe(404);
  });

  test('is stored only as a hash, and recorded with its last characters', async () => {
    const { owner, property, share } = await scene();
    const token = (await share()).split('/').at(-1) ?? '';
    const rows = await server.raw.query('SELECT * FROM share_links');
    expect(JSON.stringify(rows)).not.toContain(token);
    const { entries } = await server.app.services.audit.list(
      INSTALLATION,
      { organizationId: owner.organization.id },
      { limit: 1 },
    );
    const object = `${property.name} (${property.sitekey}): …${token.slice(-4)}`;
    expect(entries).toMatchObject([{ action: 'share-link-created', object, actor: owner.account.email }]);
  });

  test('is one of at most twenty of its property', async () => {
    const { owner, path, share } = await scene();
    for (let i = 0; i < SHARE_LINKS_MAX; i++) expect(await share()).not.toBe('');
    const { status, text } = await owner.browser.fill(path, { expiry: '30' }, path);
    expect(status).toBe(422);
    expect(text).toContain('A property can have at most 20 share links.');
  });

  test('can be created and revoked only if the password was entered recently', async () => {
    const { owner, property, path, share } = await scene();
    const shared = await share();
    const shown = await owner.browser.get(path);
    const revoke = /action="([^"]*\/revoke)"/.exec(shown.text)?.[1] ?? '';
    server.clock.now = later(server.clock.now, FRESH_MS);
    expect((await owner.browser.get(path)).redirectPath).toBe('/portal/confirm');
    for (const action of [path, revoke]) {
      const { status, text } = await owner.browser.submit(shown, {}, action);
      expect([status, text.includes('/portal/shared/')]).toEqual([403, false]);
    }
    expect((await visitor().get(shared)).status).toBe(200);
    const links = `SELECT id FROM share_links WHERE property_id = ${property.id}`;
    expect(await server.raw.query(links)).toHaveLength(1);
  });

  test('is managed only by those who can change the property', async () => {
    const { path, share } = await scene();
    await share();
    expect((await (await signedIn(server, await addUser(server))).get(path)).status).toBe(404);
  });

  test.each(['x', 'A'.repeat(43), `${'A'.repeat(43)}%00`])(
    'that is unknown (%s) leads to a page with status 404',
    async (token) => {
      for (const rest of ['', '/statistics.csv', '/statistics/live'])
        expect((await visitor().get(`/portal/shared/${token}${rest}`)).status).toBe(404);
    },
  );
});
