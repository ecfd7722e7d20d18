import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { addUser, signedIn } from '../../support/portal.ts';
import { addProperty, addPropertyOwner, type PropertyOwner } from '../../support/propertyOwner.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import { fetchAndSolve, verify } from '../../support/visitor.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ settings: { POSTERN_DNS_CHECK: 'off' } });
});
afterAll(() => server.stop());

const FIELDS = { name: 'Shop', domain: 'example.com', allow_localhost: 'on' };

/** The first step. @returns the path of the steps after it, and the property */
async function begin(owner: PropertyOwner) {
  const done = await owner.browser.fill(`${owner.path}/first-property`, FIELDS);
  const [property] = await server.app.services.stores.properties.list(owner.organization.id);
  if (property === undefined) throw new Error(`no property: ${done.status} ${done.text}`);
  return { steps: done.redirectPath ?? '', property };
}

describe('the first property', () => {
  test('is created in the oldest organization; a user without one is redirected to the list', async () => {
    const owner = await addPropertyOwner(server);
    expect((await owner.browser.get('/portal/first-property')).redirectPath).toBe(
      `${owner.path}/first-property`,
    );
    const nobody = await signedIn(server, await addUser(server));
    expect((await nobody.get('/portal/first-property')).redirectPath).toBe('/portal');
  });

  test('has a name, a domain, localhost if it is checked, and the defaults', async () => {
    const owner = await addPropertyOwner(server);
    const form = await owner.browser.get(`${owner.path}/first-property`);
    expect(form.text).toMatch(/name="allow_localhost"(?![^>]* checked)/);
    const { steps, property } = await begin(owner);
    expect(property).toMatchObject({
      name: 'Shop',
      domain: 'example.com',
      allowsLocalhost: true,
      level: 128,
    });
    expect(steps).toStartWith(`${owner.path}/first-property/`);
    const { text } = await owner.browser.get(steps);
    expect(text).toContain(property.sitekey);
    expect(text).toContain('YOUR_VERIFY_KEY');
    expect(text).toContain('The widget has not requested a puzzle yet.');
  });

  test('with an error is asked for again', async () => {
    const owner = await addPropertyOwner(server);
    const shown = await owner.browser.fill(`${owner.path}/first-property`, {
      name: 'Shop',
      domain: 'https://localhost/a',
    });
    expect(shown.status).toBe(422);
    expect(shown.text).toContain('value="https://localhost/a"');
    expect(shown.text).not.toMatch(/name="allow_localhost" checked/);
    expect(await server.app.services.stores.properties.list(owner.organization.id)).toEqual([]);
  });

  test('reloading a page with a key creates no second key', async () => {
    const owner = await addPropertyOwner(server);
    const { steps } = await begin(owner);
    const { text } = await owner.browser.get(steps);
    const hidden = [
      ...text.matchAll(/<input type="hidden" name="(form_token|one_time_token)" value="([^"]*)"/g),
    ];
    const fields = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value]));
    expect((await owner.browser.post(`${steps}/key`, fields)).status).toBe(200);
    const again = await owner.browser.post(`${steps}/key`, fields);
    expect([again.status, again.text.includes('postern_verify_')]).toEqual([422, false]);
    expect(await server.app.services.apiKeys.list(INSTALLATION, owner.account)).toHaveLength(1);
  });

  test('gets an API key for this organization only, which is shown once and logged', async () => {
    const owner = await addPropertyOwner(server);
    const { steps, property } = await begin(owner);
    const shown = await owner.browser.fill(steps, {}, `${steps}/key`);
    const [secret = ''] = /postern_verify_\w+/.exec(shown.text) ?? [];
    // Once in the code of each language, and once by itself.
    expect(shown.text.split(secret).length - 1).toBe(8);
    expect(shown.text).not.toContain('YOUR_VERIFY_KEY');
    expect((await owner.browser.get(steps)).text).not.toContain(secret);
    const [key, ...others] = await server.app.services.apiKeys.list(INSTALLATION, owner.account);
    expect(key).toMatchObject({
      name: 'Shop',
      scope: 'verify',
      organizationId: owner.organization.id,
      isReadOnly: false,
    });
    expect(others).toEqual([]);
    const payload = await fetchAndSolve(server.url, property.sitekey, 'http://localhost:3000');
    expect(await verify(server.url, secret, payload)).toMatchObject({ success: true, origin: 'localhost' });
    const { entries } = await server.app.services.audit.list(
      INSTALLATION,
      { organizationId: owner.organization.id },
      { limit: 9 },
    );
    expect(entries.map(({ action, object }) => [action, object])).toEqual([
      ['key-created', `Shop of ${owner.account.email}: scope verify`],
      ['property-created', `Shop (${property.sitekey})`],
    ]);
  });

  test('reports its progress to the script and on the page', async () => {
    const owner = await addPropertyOwner(server);
    const { steps } = await begin(owner);
    const other = await addProperty(server, owner, { name: 'Easy', level: 1, growth: 'constant' });
    const easy = `${owner.path}/first-property/${server.app.services.ids.seal('property', other.id)}`;
    const look = async () => {
      await server.app.flush();
      const state = JSON.parse((await owner.browser.get(`${easy}/state`)).text);
      return { state, text: (await owner.browser.get(easy)).text };
    };
    const made = await owner.browser.fill(easy, {}, `${easy}/key`);
    const [secret = ''] = /postern_verify_\w+/.exec(made.text) ?? [];
    expect((await look()).state).toEqual({ issued: 0, verified: 0, failed: 0 });
    const payload = await fetchAndSolve(server.url, other.sitekey);
    const issued = await look();
    expect(issued.state).toEqual({ issued: 1, verified: 0, failed: 0 });
    expect(issued.text).toContain('The widget has requested a puzzle');
    await verify(server.url, secret, payload.replace(/^..../, 'AAAA'));
    await verify(server.url, secret, payload);
    const verified = await look();
    expect(verified.state.verified).toBe(1);
    expect(verified.text).toContain('A visitor’s solution was verified');
    expect((await owner.browser.get(`${steps}/state`)).text).toContain('"verified":0');
  });
});
