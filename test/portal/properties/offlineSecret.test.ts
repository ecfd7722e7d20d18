import { expect, test } from 'bun:test';
import { later } from '../../../src/lib/time.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { FRESH_MS } from '../../../src/model/session.ts';
import { addProperty, addPropertyOwner, propertyPath } from '../../support/propertyOwner.ts';
import { useServer } from '../../support/useServer.ts';

const server = useServer();

test('the secret for offline verification is different for each property, and needs a recent password', async () => {
  const owner = await addPropertyOwner(server);
  const shown = [];
  for (const name of ['First', 'Second']) {
    const property = await addProperty(server, owner, { name });
    const path = `${propertyPath(server, owner, property)}/integration`;
    const secret = server.app.services.offlineSecretOf(property.sitekey, 0);
    const integration = (await owner.browser.get(path)).text;
    expect(integration).toContain(`${path}/offline`);
    expect(integration).not.toContain(secret);
    const page = await owner.browser.get(`${path}/offline`);
    expect(/<code id="offline-secret">([\w-]{43})<\/code>/.exec(page.text)?.[1]).toBe(secret);
    shown.push(secret);
    server.clock.now = later(server.clock.now, FRESH_MS + 1);
    expect((await owner.browser.get(`${path}/offline`)).text).not.toContain(secret);
    const other = await addPropertyOwner(server);
    expect((await other.browser.get(`${path}/offline`)).status).toBe(404);
    server.clock.now = later(server.clock.now, -FRESH_MS - 1);
  }
  expect(new Set(shown).size).toBe(2);
});

test('the secret for offline verification can be replaced, once per form, and the change is recorded', async () => {
  const owner = await addPropertyOwner(server);
  const property = await addProperty(server, owner, { name: 'Shop' });
  const path = `${propertyPath(server, owner, property)}/integration/offline`;
  const secretIn = (text: string) => /<code id="offline-secret">([\w-]{43})<\/code>/.exec(text)?.[1];
  const entries = async () => {
    const of = { organizationId: owner.organization.id };
    const { entries } = await server.app.services.audit.list(INSTALLATION, of, { limit: 9 });
    return entries.filter(({ action }) => action === 'property-offline-secret-replaced');
  };
  const form = await owner.browser.get(path);
  expect(form.text).toContain('Replace the secret?');
  const sent = await owner.browser.submit(form, {}, path);
  expect([sent.status, sent.redirectPath]).toEqual([303, path]);
  const shown = await owner.browser.get(path);
  expect(shown.text).toContain('The secret was replaced.');
  expect(secretIn(shown.text)).toBe(server.app.services.offlineSecretOf(property.sitekey, 1));
  expect(secretIn(shown.text)).not.toBe(secretIn(form.text));
  const again = await owner.browser.submit(form, {}, path);
  expect([again.status, secretIn(again.text)]).toEqual([422, secretIn(shown.text)]);
  const object = `${property.name} (${property.sitekey})`;
  expect(await entries()).toMatchObject([{ object, actor: owner.account.email }]);
  server.clock.now = later(server.clock.now, FRESH_MS + 1);
  expect((await owner.browser.submit(shown, {}, path)).status).toBe(403);
  expect((await entries()).length).toBe(1);
  server.clock.now = later(server.clock.now, -FRESH_MS - 1);
});
