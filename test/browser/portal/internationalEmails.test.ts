import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { PASSWORD } from '../../support/portal.ts';
import { expectOk, startServer, type TestServer } from '../../support/server.ts';
import { CASE_TIMEOUT_MS } from '../fixture.ts';
import { openPortalUser, type PortalUser } from './portalUser.ts';

setDefaultTimeout(2 * CASE_TIMEOUT_MS);

let server: TestServer;
let user: PortalUser;

beforeAll(async () => {
  server = await startServer();
  user = await openPortalUser(server.url.replace('127.0.0.1', 'localhost'));
});
afterAll(async () => {
  user.tab.close();
  await server.stop();
});

// Chromium converts the domain in an email field to ASCII, so this user could not sign in.
test('a user types an address with an international domain, and signs in', async () => {
  const { go, isAt, type, press, textOf, tab } = user;
  const email = 'anna@münchen.example';
  const draft = { email, name: 'Anna', isAdmin: false, password: 'pâté à la crème' };
  expectOk(await server.app.services.users.create(INSTALLATION, draft));
  await go('/portal/login');
  await type('email', email);
  // What the form will send.
  expect(await tab.evaluate<string>("document.querySelector('#email').value")).toBe(
    'anna@xn--mnchen-3ya.example',
  );
  await type('password', PASSWORD);
  await press('Sign in');
  expect(await textOf('.error-summary')).toContain('The email address or the password is wrong.');
  // The field still has the address.
  await type('password', draft.password.normalize('NFD'));
  await press('Sign in');
  await isAt('Home');
  await go('/portal/settings/profile');
  expect(await textOf('main')).toContain(email);
});
