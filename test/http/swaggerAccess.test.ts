import { expect, test } from 'bun:test';
import { addPerson, createSurfer, PASSWORD, signedIn } from '../support/portal.ts';
import { startServer } from '../support/server.ts';

/** Access to the Swagger page and the OpenAPI document. */

const PATHS = ['/swagger', '/swagger/json'];

test('with POSTERN_SWAGGER=public everyone can read them', async () => {
  const server = await startServer();
  for (const path of PATHS) expect((await createSurfer(server).get(path)).status).toBe(200);
  await server.stop();
});

test('with POSTERN_SWAGGER=signed-in other users are redirected to sign in and then return to the page', async () => {
  const server = await startServer({ settings: { POSTERN_SWAGGER: 'signed-in' } });
  const ann = await addPerson(server);
  const surfer = createSurfer(server);
  for (const path of PATHS) {
    const shown = await surfer.get(path);
    expect([shown.status, shown.headers.get('location'), shown.text]).toEqual([
      303,
      '/portal/login?return=%2Fswagger',
      '',
    ]);
    surfer.cookies.set('postern-session', 'A'.repeat(43));
    expect((await surfer.get(path)).status).toBe(303);
    surfer.cookies.delete('postern-session');
  }
  const done = await surfer.fill('/portal/login?return=%2Fswagger', { email: ann.email, password: PASSWORD });
  expect(done.headers.get('location')).toBe('/swagger');
  for (const path of PATHS) expect((await surfer.get(path)).status).toBe(200);
  const paths: unknown = JSON.parse((await surfer.get('/swagger/json')).text).paths;
  expect(paths).toHaveProperty('/verify');
  await server.stop();
});

test('with POSTERN_SWAGGER=off both return 404, for administrators too', async () => {
  const server = await startServer({ settings: { POSTERN_SWAGGER: 'off' } });
  const admin = await signedIn(server, await addPerson(server, true));
  for (const path of [...PATHS, '/swagger/swagger-ui-bundle.js'])
    expect((await admin.get(path)).status).toBe(404);
  await server.stop();
});
