import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parsePayload } from '../../src/puzzle/solution.ts';
import { BOX, BUTTON, CASE_TIMEOUT_MS, FIELD, isIn } from '../browser/fixture.ts';
import { openPortalUser } from '../browser/portal/portalUser.ts';
import { freePort } from '../support/binary.ts';
import { openTab } from '../support/browser.ts';
import { addUser } from '../support/portal.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { waitUntil } from '../support/waitUntil.ts';

/**
 * Chromium behind an nginx that hides where requests come from: it sets `Referrer-Policy: no-referrer` for every page, so forms have the
 * origin `null`, and it removes `Referer`.
 */

setDefaultTimeout(CASE_TIMEOUT_MS);

let server: TestServer;
let proxy: Bun.Subprocess;
let url = '';
const folder = mkdtempSync(join(tmpdir(), 'postern-proxy-'));

beforeAll(async () => {
  server = await startServer({ settings: { POSTERN_DEMO: 'on' } });
  const port = await freePort();
  // Browsers send `Sec-Fetch-Site` to localhost, as to https.
  url = `http://localhost:${port}`;
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${join(folder, 'pid')}; error_log stderr; events {}
    http {
      access_log off; ${temporary.join(' ')}
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass ${server.url};
          proxy_set_header Host $http_host;
          proxy_set_header Referer "";
          proxy_hide_header Referrer-Policy;
          add_header Referrer-Policy no-referrer always;
        }
      }
    }`,
  );
  proxy = Bun.spawn(['nginx', '-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdout: 'ignore',
    stderr: 'ignore',
  });
  await waitUntil(
    'nginx responds',
    async () => (await fetch(`${url}/livez`).catch(() => undefined))?.ok === true,
  );
});

afterAll(async () => {
  proxy.kill('SIGTERM');
  await proxy.exited;
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

// Chromium sends `Origin: null` with `Sec-Fetch-Site: same-origin`, and every form was rejected.
test('a user signs in, changes a setting, and signs out', async () => {
  const { email } = await addUser(server);
  const user = await openPortalUser(url);
  await user.signIn(email);
  await user.isAt('Home');
  await user.go('/portal/settings/profile');
  await user.type('name', 'Ann Example');
  await user.press('Save name');
  expect(await user.tab.evaluate<string>("document.querySelector('#name').value")).toBe('Ann Example');
  const form = user.tab.requests.find(({ headers }) => headers['Content-Type'] !== undefined);
  expect(form?.headers.Origin).toBe('null');
  await user.tab.evaluate("void document.querySelector('.account button').click()");
  await user.isAt('Sign in');
  expect(server.logged.filter(({ event }) => event === 'form-rejected')).toEqual([]);
  user.tab.close();
});

test('a form of a page on another port of localhost is rejected', async () => {
  const other = Bun.serve({
    port: 0,
    fetch: () =>
      new Response(
        `<form method="post" action="${url}/portal/login"><input name="email" value="a@example.com"><button>Send</button></form>`,
        { headers: { 'Content-Type': 'text/html', 'Referrer-Policy': 'no-referrer' } },
      ),
  });
  const tab = await openTab();
  await tab.goto(`http://localhost:${other.port}/`);
  await tab.click("document.querySelector('button')");
  await waitUntil('the form is rejected', async () =>
    server.logged.some(({ event }) => event === 'form-rejected'),
  );
  expect(server.logged.filter(({ event }) => event === 'form-rejected')).toMatchObject([
    { reason: 'origin' },
  ]);
  tab.close();
  await other.stop(true);
});

test('a page on the host of Postern receives a puzzle, although its requests have neither Origin nor Referer', async () => {
  const tab = await openTab();
  await tab.goto(`${url}/demo`);
  await tab.until(`${BOX}?.dataset.state === 'idle'`);
  await tab.click(BUTTON);
  await tab.until(isIn('verified'));
  expect(parsePayload(await tab.evaluate<string>(FIELD))).toBeDefined();
  tab.close();
});
