import { describe, expect, test } from 'bun:test';
import { INSTALLATION } from '../../../src/model/actor.ts';
import {
  createFirstStart,
  type FirstStartDeps,
  type FirstStartOptions,
} from '../../../src/platform/installation/firstStart.ts';
import { sha256Hex } from '../../../src/sha256.ts';
import { expectOk } from '../../support/server.ts';
import { openUseCases, type UseCases } from '../useCases.ts';

const nothing: FirstStartOptions = {
  adminEmail: undefined,
  adminPassword: undefined,
  portalKey: undefined,
  verifyKey: undefined,
  demo: false,
};
const admin = { ...nothing, adminEmail: 'admin@example.com', adminPassword: 'correct horse' };
const keys = { portalKey: 'p'.repeat(32), verifyKey: 'v'.repeat(32) };
const everything: FirstStartOptions = { ...admin, ...keys, demo: true };

/** The stored objects, without random values and times. */
async function inventory(services: UseCases) {
  const accounts = await services.users.list(INSTALLATION);
  const apiKeys = await services.apiKeys.list(INSTALLATION);
  return {
    accounts: accounts.map(({ email, isAdmin }) => `${email} ${isAdmin}`).sort(),
    organizations: (await services.organizations.list(INSTALLATION)).map(({ name }) => name),
    properties: (await services.stores.properties.list()).map(
      ({ domain, allowsLocalhost }) => `${domain} ${allowsLocalhost}`,
    ),
    apiKeys: apiKeys
      .map(({ name, accountId }) => `${name} of ${accounts.find(({ id }) => id === accountId)?.email}`)
      .sort(),
  };
}

/** The same use cases, but call number `step` throws, like a process that is killed there. */
function killedAt(services: UseCases, step: number): FirstStartDeps {
  let steps = 0;
  const failing = <T extends object>(useCases: T): T =>
    new Proxy(useCases, {
      get(target, name) {
        const method = Reflect.get(target, name) as (...args: unknown[]) => unknown;
        return async (...args: unknown[]) => {
          if (++steps === step) throw new Error('killed');
          return method(...args);
        };
      },
    });
  const { users, organizations, properties, apiKeys, derive } = services;
  return {
    users: failing(users),
    organizations: failing(organizations),
    properties: failing(properties),
    apiKeys: failing(apiKeys),
    derive,
  };
}

describe('the first start', () => {
  test('creates nothing if nothing is configured', async () => {
    const services = openUseCases();
    const made = await createFirstStart(services)(nothing);
    expect(made).toEqual({ admin: undefined, demo: undefined, hasOwnerlessKeys: false });
    expect(await inventory(services)).toEqual({
      accounts: [],
      organizations: [],
      properties: [],
      apiKeys: [],
    });
  });

  test('creates the administrator with the configured API keys', async () => {
    const services = openUseCases();
    const made = await createFirstStart(services)({ ...admin, ...keys });
    expect(made.admin).toMatchObject({ email: 'admin@example.com', isAdmin: true });
    expect(await inventory(services)).toMatchObject({
      accounts: ['admin@example.com true'],
      apiKeys: ['Portal (configured) of admin@example.com', 'Verify (configured) of admin@example.com'],
    });
    expect(await services.keyStore.byKeyHash(sha256Hex(keys.verifyKey))).toMatchObject({ scope: 'verify' });
    expect(await services.keyStore.byKeyHash(sha256Hex(keys.portalKey))).toMatchObject({ scope: 'portal' });
  });

  test('creates a demo, whose API keys work and are the same at every start', async () => {
    const services = openUseCases();
    const start = createFirstStart(services);
    const { demo } = await start({ ...nothing, demo: true });
    expect(await services.keyStore.byKeyHash(sha256Hex(demo?.verifyKey ?? ''))).toMatchObject({
      scope: 'verify',
    });
    expect(await services.keyStore.byKeyHash(sha256Hex(demo?.portalKey ?? ''))).toMatchObject({
      scope: 'portal',
    });
    expect(await inventory(services)).toMatchObject({
      properties: ['example.com true'],
      organizations: ['Demo'],
    });
    expect((await start({ ...nothing, demo: true })).demo).toEqual(demo);
  });

  test('creates the configured API keys for the demo user if there is no administrator', async () => {
    const services = openUseCases();
    const made = await createFirstStart(services)({ ...nothing, ...keys, demo: true });
    expect(made.hasOwnerlessKeys).toBe(false);
    expect((await inventory(services)).apiKeys).toContain('Verify (configured) of demo@example.com');
  });

  test('creates no configured API keys if there are other users beside the demo user', async () => {
    const services = openUseCases();
    const start = createFirstStart(services);
    await start({ ...nothing, demo: true });
    const anna = { email: 'anna@example.com', name: 'Anna', isAdmin: true, password: undefined };
    expectOk(await services.users.create(INSTALLATION, anna));
    const made = await start({ ...nothing, ...keys, demo: true });
    expect(made).toMatchObject({ hasOwnerlessKeys: false, demo: { sitekey: expect.any(String) } });
    expect((await inventory(services)).apiKeys).toEqual([
      'Demo portal of demo@example.com',
      'Demo verify of demo@example.com',
    ]);
  });

  test('reports that there is no user for the configured API keys', async () => {
    const services = openUseCases();
    expect(await createFirstStart(services)({ ...nothing, ...keys })).toMatchObject({
      hasOwnerlessKeys: true,
    });
    expect((await inventory(services)).apiKeys).toEqual([]);
  });

  test('changes nothing if there are other users', async () => {
    const services = openUseCases();
    expectOk(
      await services.users.create(INSTALLATION, {
        email: 'anna@example.com',
        name: 'Anna',
        isAdmin: true,
        password: undefined,
      }),
    );
    const made = await createFirstStart(services)(everything);
    expect(made).toEqual({ admin: undefined, demo: undefined, hasOwnerlessKeys: false });
    expect(await inventory(services)).toMatchObject({
      accounts: ['anna@example.com true'],
      properties: [],
      apiKeys: [],
    });
  });

  test('creates no API keys for the administrator after another user was created', async () => {
    const services = openUseCases();
    const start = createFirstStart(services);
    await start(admin);
    const anna = { email: 'anna@example.com', name: 'Anna', isAdmin: false, password: undefined };
    expectOk(await services.users.create(INSTALLATION, anna));
    await start({ ...admin, ...keys });
    expect((await inventory(services)).apiKeys).toEqual([]);
  });

  test('does not restore a configured API key that was revoked', async () => {
    const services = openUseCases();
    const start = createFirstStart(services);
    await start({ ...admin, ...keys });
    for (const { id } of await services.apiKeys.list(INSTALLATION))
      expectOk(await services.apiKeys.revoke(INSTALLATION, id));
    await start({ ...admin, ...keys });
    expect(await services.keyStore.byKeyHash(sha256Hex(keys.verifyKey))).toBeUndefined();
    expect(await services.apiKeys.list(INSTALLATION)).toHaveLength(2);
  });

  test('does not change the password of the administrator after the configuration changed', async () => {
    const services = openUseCases();
    const start = createFirstStart(services);
    await start(admin);
    const before = services.raw.query('SELECT password_hash FROM accounts').all();
    await start({ ...admin, adminPassword: 'another password' });
    expect(services.raw.query('SELECT password_hash FROM accounts').all()).toEqual(before);
  });
});

test('a start completes a first start that was killed at any step, without duplicates', async () => {
  // No password, because argon2id is slow.
  const options = { ...everything, adminPassword: undefined };
  const whole = openUseCases();
  const finished = await createFirstStart(whole)(options);
  const expected = await inventory(whole);
  expect(expected.accounts).toHaveLength(2);
  expect(expected.apiKeys).toHaveLength(4);
  let step = 1;
  for (let wasKilled = true; wasKilled; step++) {
    const services = openUseCases();
    wasKilled = await createFirstStart(killedAt(services, step))(options).then(
      () => false,
      () => true,
    );
    const made = await createFirstStart(services)(options);
    expect([step, await inventory(services)]).toEqual([step, expected]);
    expect(made.admin?.email).toBe(finished.admin?.email);
    expect(made.demo?.verifyKey).toBe(finished.demo?.verifyKey as string);
    services.raw.close();
  }
  expect(step).toBeGreaterThan(10);
});
