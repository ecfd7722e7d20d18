import { expect, test } from 'bun:test';
import type { Principal } from '../../src/model/apiKey.ts';
import { addTenant, startServer } from '../support/server.ts';
import { fetchAndSolve, verify } from '../support/visitor.ts';

// Any error during verification used to count as an unreadable database, so the solution passed with code 9.
test('an internal error during verification is never a success', async () => {
  const server = await startServer();
  const { property } = await addTenant(server);
  const solved = await fetchAndSolve(server.url, property.sitekey);
  // This incomplete principal makes the verification throw.
  server.app.services.stores.apiKeys.byKeyHash = () => ({ keyId: 0, scope: 'verify' }) as Principal;
  const verdict = await verify(server.url, 'k'.repeat(40), solved);
  expect(verdict).toMatchObject({ status: 500, success: false, code: 1 });
  expect(server.app.services.maintenance.isOn()).toBe(false);
  await server.stop();
});
