import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sendRaw } from '../../http/scenario.ts';
import { addUser, beginSession, createBrowserClient, PASSWORD, tokenIn } from '../../support/portal.ts';
import { startServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    settings: {
      POSTERN_BASE_URL: 'https://captcha.example.com:8443',
      POSTERN_ALLOWED_HOSTS: 'captcha.lan, 192.168.1.5,FD00:0::5,münchen.example',
    },
  });
  await addUser(server);
});
afterAll(() => server.stop());

async function statusOf(host: string | undefined, request = 'GET /portal/login'): Promise<number> {
  const line = host === undefined ? '' : `Host: ${host}\r\n`;
  const answer = await sendRaw(server, `${request} HTTP/1.1\r\n${line}Connection: close\r\n\r\n`);
  return Number(answer.slice(9, 12));
}

describe('the portal is available under', () => {
  // biome-ignore format: one line is enough
  test.each(['captcha.example.com', 'captcha.example.com:8443', 'captcha.example.com:1', 'CAPTCHA.example.com.', 'captcha.lan', 'captcha.lan:80',
    '192.168.1.5:8080', '[fd00::5]', '[fd00:0:0::5]:8080', 'xn--mnchen-3ya.example', 'localhost', 'a.localhost:1', '127.0.0.1', '127.1.2.3:8080', '[::1]:8080'])(
    '%s',
    async (host) => {
      expect(await statusOf(host)).toBe(200);
    },
  );
});

describe('the portal returns 421 under', () => {
  // biome-ignore format: one line is enough
  test.each(['evil.example', 'evil.captcha.example.com', 'captcha.example.com.evil.example', 'captcha.lan.evil.example', '192.168.1.6', '[fd00::6]',
    'localhost.evil.example', '127.0.0.1.evil.example', '128.0.0.1', 'xlocalhost', `${'a'.repeat(10_000)}.example`])(
    '%s',
    async (host) => {
      expect(await statusOf(host)).toBe(421);
    },
  );
});

test.each([undefined, '', '[', '[::1', 'a b', 'a/b', 'user@localhost', 'localhost:x', '%6c'])(
  'a Host header of %j gets 400',
  async (host) => {
    expect(await statusOf(host)).toBe(400);
  },
);

test('a session and a form are rejected under another host name', async () => {
  const account = await addUser(server);
  const { secret } = await beginSession(server, account);
  const Cookie = `__Host-postern-session=${secret}`;
  const browser = createBrowserClient(server);
  const token = tokenIn(await browser.get('/portal/login'));
  const ask = (host: string, path: string, init: RequestInit = {}) =>
    fetch(server.url + path, {
      redirect: 'manual',
      ...init,
      headers: { ...Object.fromEntries(new Headers(init.headers)), Host: host },
    });
  const page = await ask('evil.example', '/portal/settings/profile', { headers: { Cookie } });
  expect([page.status, page.headers.getSetCookie()]).toEqual([421, []]);
  const text = await page.text();
  expect(text).toContain('https://captcha.example.com:8443/portal');
  expect(text).toContain('POSTERN_ALLOWED_HOSTS');
  expect(text).not.toContain(account.email);
  const form = await ask('evil.example', '/portal/login', {
    method: 'POST',
    headers: {
      Origin: 'http://evil.example',
      Cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ form_token: token, email: account.email, password: PASSWORD }),
  });
  expect([form.status, form.headers.getSetCookie()]).toEqual([421, []]);
  expect(await server.app.services.authentication.sessions.list(account)).toHaveLength(1);
  const own = await ask('captcha.example.com', '/portal/settings/profile', { headers: { Cookie } });
  expect(own.status).toBe(200);
});

// The page said that the form belonged to another session.
test.each([
  ['http', undefined, 'Open this page over https'],
  ['https', undefined, 'This form belongs to another session.'],
  ['http', 'x', 'This form belongs to another session.'],
])(
  'a form from %s with the cookie %p and a wrong token is answered with: %s',
  async (scheme, cookie, text) => {
    const browser = createBrowserClient(server);
    const form_token = tokenIn(await browser.get('/portal/login'));
    if (cookie === undefined) browser.cookies.clear();
    const fields = { form_token: cookie ?? form_token, email: 'a@example.com', password: PASSWORD };
    const Host = 'captcha.example.com:8443';
    const shown = await browser.post('/portal/login', fields, { Host, Origin: `${scheme}://${Host}` });
    expect([shown.status, shown.text.includes(text)]).toEqual([403, true]);
    expect(shown.text.includes('https://captcha.example.com:8443/portal')).toBe(text.includes('https'));
  },
);
