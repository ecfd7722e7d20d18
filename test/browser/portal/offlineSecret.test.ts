import { expect, setDefaultTimeout, test } from 'bun:test';
import { addProperty, addPropertyOwner, propertyPath } from '../../support/propertyOwner.ts';
import { startServer } from '../../support/server.ts';
import { CASE_TIMEOUT_MS } from '../fixture.ts';
import { openPortalUser } from './portalUser.ts';

setDefaultTimeout(2 * CASE_TIMEOUT_MS);

test('the secret for offline verification is replaced after a confirmation', async () => {
  const server = await startServer();
  const owner = await addPropertyOwner(server);
  const path = propertyPath(server, owner, await addProperty(server, owner));
  const { tab, signIn, textOf, expectGood, confirm, isAt } = await openPortalUser(
    server.url.replace('127.0.0.1', 'localhost'),
  );
  try {
    await signIn(owner.account.email, `${path}/integration/offline`);
    const secret = await textOf('#offline-secret');
    await expectGood('offline-secret');
    await confirm('Replace secret', 'offline-secret-replace');
    await isAt('Verify offline');
    expect(await textOf('#offline-secret')).not.toBe(secret);
    await expectGood('offline-secret-replaced');
  } finally {
    tab.close();
    await server.stop();
  }
});
