import { expect, test } from 'bun:test';
import { CLIENT_INFO, openAuthentication, PASSWORD } from '../authentication/openAuthentication.ts';

test('a token that was valid until another user completed the setup is reported as too late, not as wrong', async () => {
  const { setup } = openAuthentication().authentication;
  const token = (await setup.createToken()) ?? '';
  const input = {
    token,
    name: 'Ann',
    email: 'ann@example.com',
    password: PASSWORD,
    organizationName: 'Shops',
  };
  expect(await setup.complete({ ...input, token: 'wrong' }, CLIENT_INFO)).toEqual({
    ok: false,
    problems: ['setup-token-wrong'],
  });
  expect((await setup.complete(input, CLIENT_INFO)).ok).toBe(true);
  const late = await setup.complete({ ...input, email: 'ben@example.com' }, CLIENT_INFO);
  expect(late).toEqual({ ok: false, problems: ['setup-closed'] });
});

test('all servers of a cluster accept the same setup link, which does not change', async () => {
  const [one, other] = [1, 2].map(() => openAuthentication('off', undefined, true).authentication.setup);
  const token = (await one?.createToken()) ?? '';
  expect(await other?.createToken()).toBe(token);
  expect(await one?.createToken()).toBe(token);
  expect([one?.accepts(token), other?.accepts(token)]).toEqual([true, true]);
});

test('a new setup link of a single server replaces the previous one', async () => {
  const { setup } = openAuthentication().authentication;
  const before = (await setup.createToken()) ?? '';
  const after = (await setup.createToken()) ?? '';
  expect([before, after].map(setup.accepts)).toEqual([false, true]);
});
