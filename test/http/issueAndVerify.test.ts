import { expect, test } from 'bun:test';
import { useServer, useTenant } from '../support/useServer.ts';
import { fetchAndSolve, verify } from '../support/visitor.ts';

const server = useServer();
const tenant = useTenant(server);

test('a puzzle that was issued and solved is accepted once, with the host of the page', async () => {
  const payload = await fetchAndSolve(server.url, tenant.property.sitekey, 'https://example.com:8443');
  const first = await verify(server.url, tenant.verifyKey, payload);
  expect(first).toMatchObject({ status: 200, success: true, code: 0, origin: 'example.com' });
  const second = await verify(server.url, tenant.verifyKey, payload);
  expect(second).toMatchObject({ status: 200, success: false, code: 8, origin: 'example.com' });
});
