import { expect, test } from 'bun:test';
import { addUser, createBrowserClient, PASSWORD, signedIn } from '../support/portal.ts';
import { startServer } from '../support/server.ts';

/** Access to the Swagger page and the OpenAPI document. */

const PATHS = ['/swagger', '/swagger/json'];

test('with POSTERN_SWAGGER=public everyone can read them', async () => {
  const server = await startServer();
  for (const path of PATHS) expect((await createBrowserClient(server).get(path)).status).toBe(200);
  await server.stop();
});

test('with POSTERN_SWAGGER=signed-in other users are redirected to sign in and then return to the page', async () => {
  const server = await startServer({ settings: { POSTERN_SWAGGER: 'signed-in' } });
  const ann = await addUser(server);
  const browser = createBrowserClient(server);
  for (const path of PATHS) {
    const shown = await browser.get(path);
    expect([shown.status, shown.headers.get('location'), shown.text]).toEqual([
      303,
      '/portal/login?return=%2Fswagger',
      '',
    ]);
    browser.cookies.set('postern-session', 'A'.repeat(43));
    expect((await browser.get(path)).status).toBe(303);
    browser.cookies.delete('postern-session');
  }
  const done = await browser.fill('/portal/login?return=%2Fswagger', {
    email: ann.email,
    password: PASSWORD,
  });
  expect(done.headers.get('location')).toBe('/swagger');
  for (const path of PATHS) expect((await browser.get(path)).status).toBe(200);
  const paths: unknown = JSON.parse((await browser.get('/swagger/json')).text).paths;
  expect(paths).toHaveProperty('/verify');
  await server.stop();
});

test('with POSTERN_SWAGGER=off both return 404, for administrators too', async () => {
  const server = await startServer({ settings: { POSTERN_SWAGGER: 'off' } });
  const admin = await signedIn(server, await addUser(server, true));
  for (const path of [...PATHS, '/swagger/swagger-ui-bundle.js'])
    expect((await admin.get(path)).status).toBe(404);
  await server.stop();
});
