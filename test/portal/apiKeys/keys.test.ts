import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DAY, type Instant } from '../../../src/lib/time.ts';
import type { Account } from '../../../src/model/account.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { toHexForms } from '../../../src/model/apiKey.ts';
import { addUser, type BrowserClient, type PageResponse, signedIn } from '../../support/portal.ts';
import { addKey, addTenant, expectOk, startServer, type TestServer } from '../../support/server.ts';

const KEYS = '/portal/settings/api-keys';
const NEW = `${KEYS}/new`;

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ settings: { POSTERN_VERIFY_RATE: '100', POSTERN_VERIFY_BURST: '200' } });
});
afterAll(() => server.stop());

const SOUND = { name: 'Shop', scope: 'verify', organization: '', expiry: 'never', day: '' };

async function open(isAdmin = false): Promise<{ account: Account; browser: BrowserClient }> {
  const account = await addUser(server, isAdmin);
  return { account, browser: await signedIn(server, account) };
}

const keysOf = (account: Account) => server.app.services.apiKeys.list(INSTALLATION, account);
const pathOf = async (account: Account) => {
  const [key] = await keysOf(account);
  if (key === undefined) throw new Error('no key');
  return `${KEYS}/${server.app.services.ids.seal('api-key', key.id)}`;
};
const secretIn = ({ text }: PageResponse) =>
  /postern_(?:verify|portal)_[0-9A-Za-z]{49}/.exec(text)?.[0] ?? '';

describe('a new key', () => {
  test('is shown in the response to the form, and nowhere else', async () => {
    const { account, browser } = await open();
    const shown = await browser.fill(NEW, SOUND);
    expect([shown.status, shown.headers.get('cache-control'), shown.redirectPath]).toEqual([
      200,
      'no-store',
      undefined,
    ]);
    const secret = secretIn(shown);
    expect(secret).toHaveLength(64);
    expect([...shown.headers].join('\n')).not.toContain(secret);
    expect([...browser.cookies.values()].join('\n')).not.toContain(secret);
    for (const path of [KEYS, await pathOf(account), '/portal/activity', '/portal/activity/audit.csv'])
      expect((await browser.get(path)).text).not.toContain(secret);
    expect(JSON.stringify(server.logged)).not.toContain(secret);
    expect(await keysOf(account)).toMatchObject([
      { name: 'Shop', scope: 'verify', organizationId: undefined, isReadOnly: false, expiresAt: undefined },
    ]);
  });

  test('is also shown in the formats of other vendors if it verifies solutions', async () => {
    const { browser } = await open();
    const shown = await browser.fill(NEW, SOUND);
    const forms = toHexForms(secretIn(shown));
    expect(Object.values(forms ?? {})).toHaveLength(2);
    for (const form of Object.values(forms ?? {})) expect(shown.text).toContain(`>${form}</code>`);
    expect((await browser.fill(NEW, { ...SOUND, name: 'Scripts', scope: 'portal' })).text).not.toMatch(
      />(?:0x|ES_)[0-9a-f]{32}/,
    );
  });

  test('is read-only only with the scope that can write', async () => {
    const { account, browser } = await open();
    await browser.fill(NEW, { ...SOUND, read_only: 'on' });
    expect(await keysOf(account)).toMatchObject([{ scope: 'verify', isReadOnly: false }]);
  });

  test('is created once, even if the same form is sent again', async () => {
    const { account, browser } = await open();
    const { text } = await browser.get(NEW);
    const hidden = Object.fromEntries(
      [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, name, value]) => [
        name,
        value,
      ]),
    );
    const first = await browser.post(NEW, { ...hidden, ...SOUND });
    const again = await browser.post(NEW, { ...hidden, ...SOUND });
    expect([first.status, again.status]).toEqual([200, 422]);
    expect(again.text).toContain('This form has already been submitted.');
    expect(secretIn(again)).toBe('');
    expect(await keysOf(account)).toHaveLength(1);
    const { one_time_token: _, ...without } = hidden;
    expect((await browser.post(NEW, { ...without, ...SOUND })).status).toBe(422);
  });

  test.each([
    ['in 30 days', { expiry: '30' }, 30 * DAY],
    ['in 90 days', { expiry: '90' }, 90 * DAY],
    ['in a year', { expiry: '365' }, 365 * DAY],
  ])('expires %s', async (_, change, lifetime) => {
    const { account, browser } = await open();
    await browser.fill(NEW, { ...SOUND, ...change });
    expect((await keysOf(account))[0]?.expiresAt).toBe((server.clock.now + lifetime) as Instant);
  });

  test('works until the end of the chosen day', async () => {
    const { account, browser } = await open();
    await browser.fill(NEW, { ...SOUND, expiry: 'date', day: '2099-12-31' });
    expect((await keysOf(account))[0]?.expiresAt).toBe(Date.parse('2100-01-01T00:00:00Z') as Instant);
  });

  test('can be limited to one of the user’s organizations and to reading', async () => {
    const { account, browser } = await open();
    const { services } = server.app;
    const mine = expectOk(
      await services.organizations.create(INSTALLATION, { name: 'Mine', ownerId: account.id }),
    );
    const organization = services.ids.seal('organization', mine.id);
    await browser.fill(NEW, { ...SOUND, scope: 'portal', organization, read_only: 'on' });
    const key = { scope: 'portal', organizationId: mine.id, isReadOnly: true };
    expect(await keysOf(account)).toMatchObject([key]);
    expect((await browser.get(KEYS)).text).toContain('Portal operations, read-only');
  });

  const REJECTED: readonly (readonly [string, Record<string, string>, string, string])[] = [
    ['without a name', { name: ' ' }, 'name', 'The API key needs a name.'],
    ['with markup in the name', { name: '<b>' }, 'name', 'The name of the API key contains characters'],
    ['without a scope', { scope: '' }, 'scope', 'The scope of an API key must be'],
    ['with an unknown scope', { scope: 'admin' }, 'scope', 'The scope of an API key must be'],
    [
      'for an invalid organization',
      { organization: 'x' },
      'organization',
      'The requested organization does not exist.',
    ],
    ['with an unknown expiry', { expiry: '31' }, 'day', 'Enter a day'],
    ['without the day', { expiry: 'date' }, 'day', 'Enter a day'],
    ['with an invalid day', { expiry: 'date', day: '2099-02-30' }, 'day', 'Enter a day'],
    ['with a day in the past', { expiry: 'date', day: '2020-01-01' }, 'day', 'is in the past'],
  ];

  test.each(REJECTED)(
    '%s is rejected next to the field, and the entered values stay',
    async (_, change, field, sentence) => {
      const { account, browser } = await open();
      const typed = { ...SOUND, name: 'Typed &', ...change };
      const shown = await browser.fill(NEW, typed);
      expect([shown.status, shown.text.includes(`href="#${field}"`)]).toEqual([422, true]);
      expect(shown.text).toContain(sentence);
      if (typed.name === 'Typed &') expect(shown.text).toContain('value="Typed &amp;"');
      expect(await keysOf(account)).toEqual([]);
    },
  );

  test('for another user’s organization is rejected like one for an unknown organization', async () => {
    const { account, browser } = await open();
    const { organization } = await addTenant(server);
    const sealed = server.app.services.ids.seal('organization', organization.id);
    const shown = await browser.fill(NEW, { ...SOUND, organization: sealed });
    expect(shown.status).toBe(422);
    expect(shown.text).toContain('The requested organization does not exist.');
    expect(shown.text).not.toContain(organization.name);
    expect(await keysOf(account)).toEqual([]);
  });
});

describe('a key', () => {
  test('can get another name and its own rate limit, and lose the limit again', async () => {
    const { account, browser } = await open();
    await addKey(server.app.services, account, 'verify');
    const path = await pathOf(account);
    const done = await browser.fill(path, { name: ' Other ', rate: '12.5', burst: '20' }, path);
    expect((await browser.follow(done)).text).toContain('The API key was saved.');
    expect(await keysOf(account)).toMatchObject([{ name: 'Other', rate: 12.5, burst: 20 }]);
    await browser.fill(path, { name: 'Other', rate: '', burst: '' }, path);
    expect(await keysOf(account)).toMatchObject([{ name: 'Other', rate: undefined, burst: undefined }]);
  });

  test.each([
    ['a rate that is not a number', { rate: 'x', burst: '' }, 'rate'],
    ['a rate of 0', { rate: '0', burst: '' }, 'rate'],
    ['a burst that is not a whole number', { rate: '', burst: '1.5' }, 'burst'],
    ['a higher rate than the configured one', { rate: '101', burst: '' }, 'rate'],
    ['a higher burst than the configured one', { rate: '', burst: '201' }, 'rate'],
  ])('with %s does not change', async (_, change, field) => {
    const { account, browser } = await open();
    await addKey(server.app.services, account, 'verify');
    const path = await pathOf(account);
    const shown = await browser.fill(path, { name: 'Key', ...change }, path);
    expect([shown.status, shown.text.includes(`href="#${field}"`)]).toEqual([422, true]);
    expect(await keysOf(account)).toMatchObject([{ rate: undefined, burst: undefined }]);
  });

  test('of an administrator can have a higher rate', async () => {
    const { account, browser } = await open(true);
    await addKey(server.app.services, account, 'verify');
    const path = await pathOf(account);
    expect((await browser.fill(path, { name: 'Key', rate: '101', burst: '' }, path)).status).toBe(303);
  });

  test('is rotated once, even if the same form is sent again', async () => {
    const { account, browser } = await open();
    const old = await addKey(server.app.services, account, 'portal');
    const path = await pathOf(account);
    const rotation = (await browser.get(path)).text.split(`action="${path}/rotate"`)[1] ?? '';
    const [, token = ''] = /name="form_token" value="([^"]*)"/.exec(rotation) ?? [];
    const [, once = ''] = /name="one_time_token" value="([^"]*)"/.exec(rotation) ?? [];
    const form = { form_token: token, one_time_token: once, keep_old: '0' };
    const send = () => browser.post(`${path}/rotate`, form);
    const [first, again] = [await send(), await send()];
    const secret = secretIn(first);
    expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect([again.status, secretIn(again)]).toEqual([422, '']);
    const status = async (key: string) =>
      (await fetch(`${server.url}/orgs`, { headers: { 'X-API-Key': key } })).status;
    expect([await status(old), await status(secret)]).toEqual([401, 200]);
  });

  test('that was revoked has no page, and is in the list of revoked keys', async () => {
    const { account, browser } = await open();
    await addKey(server.app.services, account, 'verify', { name: 'Gone' });
    const path = await pathOf(account);
    await browser.fill(path, {}, `${path}/revoke`);
    expect((await browser.get(path)).status).toBe(404);
    expect((await browser.get(KEYS)).text).not.toContain('Gone');
    const { text } = await browser.get(`${KEYS}?show=revoked`);
    expect(text).toContain('Gone');
    expect(text).not.toContain(path);
  });

  test('that has expired is marked as expired', async () => {
    const { account, browser } = await open();
    const expiresAt = (server.clock.now + 1) as Instant;
    await addKey(server.app.services, account, 'verify', { expiresAt });
    server.clock.now = (server.clock.now + 1) as Instant;
    expect((await browser.get(KEYS)).text).toContain('>Expired</span>');
  });
});

test('the audit log has each change of a key, with actor, source, and address', async () => {
  const { account, browser } = await open();
  const { services } = server.app;
  const mine = expectOk(
    await services.organizations.create(INSTALLATION, { name: 'Mine', ownerId: account.id }),
  );
  const organization = services.ids.seal('organization', mine.id);
  await browser.fill(NEW, { ...SOUND, organization });
  const path = await pathOf(account);
  await browser.fill(path, { name: 'Other', rate: '', burst: '' }, path);
  await browser.fill(path, { keep_old: '1h' }, `${path}/rotate`);
  await browser.fill(path, {}, `${path}/end-old`);
  await browser.fill(path, {}, `${path}/revoke`);
  const { entries } = await services.audit.list(INSTALLATION, { organizationId: mine.id }, { limit: 10 });
  expect(entries.map(({ action, object }) => [action, object])).toEqual([
    ['key-revoked', `Other of ${account.email}`],
    ['key-old-secret-ended', `Other of ${account.email}`],
    ['key-rotated', `Other of ${account.email}, old secret works for 1h`],
    ['key-changed', `Other of ${account.email}: name "Shop" -> "Other"`],
    ['key-created', `Shop of ${account.email}: scope verify`],
  ]);
  for (const entry of entries)
    expect(entry).toMatchObject({ actor: account.email, source: 'portal', address: '127.0.0.1' });
});

test('a long list of keys has pages', async () => {
  const { account, browser } = await open();
  for (let n = 0; n < 51; n++) await addKey(server.app.services, account, 'verify', { name: `Key no ${n}.` });
  const [first, second] = [await browser.get(KEYS), await browser.get(`${KEYS}?page=1`)];
  expect([first.text.includes('Key no 50.'), first.text.includes('Key no 0.')]).toEqual([true, false]);
  expect([second.text.includes('Key no 50.'), second.text.includes('Key no 0.')]).toEqual([false, true]);
});
