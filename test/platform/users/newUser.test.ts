import { describe, expect, test } from 'bun:test';
import { verify as verifyPassword } from '@node-rs/argon2';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { expectOk } from '../../support/server.ts';
import { openUseCases, type UseCases } from '../useCases.ts';

const anna = { email: 'Anna@Example.com', name: 'Anna', isAdmin: false, password: undefined };

function passwordHashes({ raw }: UseCases): (string | null)[] {
  return raw
    .query<{ hash: string | null }, []>('SELECT password_hash AS hash FROM accounts')
    .all()
    .map(({ hash }) => hash);
}

describe('users', () => {
  test('are stored with the email address in lower case, and found in any case', async () => {
    const services = openUseCases();
    const created = expectOk(await services.users.create(INSTALLATION, anna));
    expect(created).toMatchObject({ email: 'anna@example.com', name: 'Anna', createdAt: services.time.now });
    expect(await services.users.byEmail(INSTALLATION, ' ANNA@example.COM')).toEqual({
      ok: true,
      value: created,
    });
    expect(await services.users.create(INSTALLATION, { ...anna, email: 'anna@EXAMPLE.com' })).toEqual({
      ok: false,
      problem: 'email-taken',
    });
  });

  test('have the email address as the name if no name is given', async () => {
    const { users } = openUseCases();
    expect(await users.create(INSTALLATION, { ...anna, name: undefined })).toMatchObject({
      value: { name: 'anna@example.com' },
    });
  });

  test.each([
    [{ email: 'anna' }, 'email-malformed'],
    [{ name: 'A\nB' }, 'account-name-malformed'],
    [{ password: 'short' }, 'password-too-short'],
    [{ password: 'x'.repeat(257) }, 'password-too-long'],
  ])('are rejected with %o', async (change, problem) => {
    const { users } = openUseCases();
    expect(await users.create(INSTALLATION, { ...anna, ...change })).toEqual({
      ok: false,
      problem,
    } as never);
    expect(await users.list(INSTALLATION)).toEqual([]);
  });

  test('have only the argon2id hash of the password stored, with the parameters that OWASP recommends', async () => {
    const services = openUseCases();
    expectOk(await services.users.create(INSTALLATION, { ...anna, password: 'correct horse' }));
    const [first] = passwordHashes(services);
    expect(first).toStartWith('$argon2id$v=19$m=19456,t=2,p=1$');
    expect(await verifyPassword(first ?? '', 'correct horse')).toBe(true);
    expectOk(await services.users.setPassword(INSTALLATION, 'anna@example.com', 'battery staple'));
    const [second] = passwordHashes(services);
    expect(await verifyPassword(second ?? '', 'battery staple')).toBe(true);
    expect(await verifyPassword(second ?? '', 'correct horse')).toBe(false);
  });

  test('reject an empty password, and a password for an unknown user', async () => {
    const { users } = openUseCases();
    expectOk(await users.create(INSTALLATION, anna));
    expect(await users.setPassword(INSTALLATION, anna.email, '')).toEqual({
      ok: false,
      problem: 'password-too-short',
    });
    expect(await users.setPassword(INSTALLATION, 'bob@example.com', 'battery staple')).toEqual({
      ok: false,
      problem: 'account-unknown',
    });
  });
});
