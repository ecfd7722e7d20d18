import { expect, test } from 'bun:test';
import type { Principal } from '../../src/model/apiKey.ts';
import { addTenant, startServer } from '../support/server.ts';
import { fetchAndSolve, verify } from '../support/visitor.ts';

// Once, whatever was thrown while judging counted as an unreadable database, and passed with code 9.
test('an error of ours while judging is never a success', async () => {
  const server = await startServer();
  const { property } = await addTenant(server);
  const solved = await fetchAndSolve(server.url, property.sitekey);
  // Asking this principal what it may do throws.
  server.app.services.stores.apiKeys.byKeyHash = () => ({ keyId: 0, scope: 'verify' }) as Principal;
  const verdict = await verify(server.url, 'k'.repeat(40), solved);
  expect(verdict).toMatchObject({ status: 500, success: false, code: 1 });
  expect(server.app.services.maintenance.isOn()).toBe(false);
  await server.stop();
});
