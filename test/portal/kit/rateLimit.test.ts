import { describe, expect, test } from 'bun:test';
import { ASSET_PATHS } from '../../../src/portal/kit/assets.tsx';
import { send } from '../../http/scenario.ts';
import { addUser, signedIn } from '../../support/portal.ts';
import { addTenant } from '../../support/server.ts';
import { useServer } from '../../support/useServer.ts';

const SETTINGS = {
  POSTERN_PORTAL_RATE: '1',
  POSTERN_PORTAL_BURST: '5',
  POSTERN_TRUSTED_PROXIES: '127.0.0.0/8',
};
const server = useServer({ settings: SETTINGS }, { per: 'test' });

/** Requests a page from an address until the response is 429. @returns the number of other responses */
async function exhaust(path: string, headers: Record<string, string> = {}): Promise<number> {
  for (let n = 0; n < 1000; n++) {
    if ((await send(server.url, { path, headers })).status === 429) return n;
  }
  return Number.POSITIVE_INFINITY;
}

const from = (address: string) => ({ 'X-Forwarded-For': address });

// An operator had lowered the limit of the API, and the first page of the portal with its requests got 429.
describe('the rate limit of the portal, with a lower limit for the Platform API', () => {
  test.each(['/portal/login', '/portal/forgot', '/portal/setup', '/portal/nothing', '/portal'])(
    'counts requests without a session by address: %s',
    async (path) => {
      expect(await exhaust(path, from('192.0.2.1'))).toBe(100);
      expect(await exhaust(path, from('192.0.2.2'))).toBe(100);
      server.clock.now = (server.clock.now + 150) as typeof server.clock.now;
      expect(await exhaust(path, from('192.0.2.1'))).toBe(3);
    },
  );

  test('counts a /64 network as one address, and an invalid session as none', async () => {
    expect(await exhaust('/portal', from('2001:db8::1'))).toBe(100);
    const headers = { ...from('2001:db8::2'), Cookie: 'postern-session=invalid' };
    expect((await send(server.url, { path: '/portal', headers })).status).toBe(429);
  });

  // A page of another website could lock its visitors out of the portal.
  test('does not count forms of other websites', async () => {
    const headers = { ...from('192.0.2.1'), Origin: 'https://evil.example' };
    for (let n = 0; n < 120; n++)
      expect((await send(server.url, { path: '/portal/login', method: 'POST', headers })).status).toBe(403);
    expect(await exhaust('/portal/login', from('192.0.2.1'))).toBe(100);
  });

  test('counts the requests of a signed-in user by user, from all addresses', async () => {
    const [ann, ben] = [await addUser(server), await addUser(server)];
    const [first, second] = [await signedIn(server, ann), await signedIn(server, ben)];
    const cookie = (browser: typeof first) =>
      [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    await exhaust('/portal/login', from('192.0.2.1'));
    expect(await exhaust('/portal', { ...from('192.0.2.1'), Cookie: cookie(first) })).toBeGreaterThan(95);
    const elsewhere = { ...from('192.0.2.9'), Cookie: cookie(first) };
    expect((await send(server.url, { path: '/portal', headers: elsewhere })).status).toBe(429);
    const other = { ...from('192.0.2.1'), Cookie: cookie(second) };
    expect((await send(server.url, { path: '/portal', headers: other })).status).toBe(200);
  });

  test('does not count requests of the Platform API, and they do not count requests of the portal', async () => {
    const { account, portalKey } = await addTenant(server);
    for (let n = 0; n < 25; n++)
      await send(server.url, { path: '/orgs', headers: { 'X-API-Key': portalKey } });
    const browser = await signedIn(server, account);
    expect((await browser.get('/portal')).status).toBe(200);
  });

  test('does not count stylesheets and scripts', async () => {
    for (let n = 0; n < 50; n++)
      expect((await send(server.url, { path: ASSET_PATHS.style })).status).toBe(200);
    expect((await send(server.url, { path: '/portal/login' })).status).not.toBe(429);
  });

  test('responds with a page in the language of the visitor, and with Retry-After', async () => {
    await exhaust('/portal/login');
    const headers = { 'Accept-Language': 'de' };
    const response = await send(server.url, { path: '/portal/login', headers });
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '1']);
    expect(response.headers.get('content-type')).toStartWith('text/html');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const text = await response.text();
    expect(text).toContain('<html lang="de">');
    expect(text).toContain('Zu viele Anfragen');
  });
});
