import { expect, test } from 'bun:test';
import { later } from '../../../src/lib/time.ts';
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
    const secret = server.app.services.offlineSecretOf(property.sitekey);
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
