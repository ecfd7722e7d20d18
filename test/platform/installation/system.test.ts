import { expect, test } from 'bun:test';
import { effectiveSettings, readConfig } from '../../../src/config.ts';
import { INSTALLATION, portalActor } from '../../../src/model/actor.ts';
import { SETTINGS } from '../../../src/settings.ts';
import { MIGRATIONS } from '../../../src/storage/sqlite/migrate.ts';
import { useFolders } from '../../storage/folder.ts';
import { userActor } from '../../support/actors.ts';
import { expectOk } from '../../support/server.ts';
import { openTestServices } from '../../support/services.ts';

const makeFolder = useFolders();

const SECRET = 'a-secret-of-at-least-32-characters-in-all';

async function openSystem() {
  const services = await openTestServices(makeFolder());
  const environment = { POSTERN_VERIFY_KEY: SECRET, POSTERN_PORT: '8123' };
  const settings = effectiveSettings(readConfig({ POSTERN_LOG: 'debug' }, environment));
  return { services, describe: services.systemDescriber({ version: '1.2.3', settings }) };
}

test('only administrators and the command line can read the facts about the installation', async () => {
  const { services, describe } = await openSystem();
  const user = { name: undefined, password: undefined };
  const [admin, other] = [
    expectOk(await services.users.create(INSTALLATION, { ...user, email: 'a@example.com', isAdmin: true })),
    expectOk(await services.users.create(INSTALLATION, { ...user, email: 'b@example.com', isAdmin: false })),
  ];
  expect(await describe(portalActor(other, undefined))).toEqual({ ok: false, problem: 'admin-only' });
  expect(expectOk(await describe(portalActor(admin, undefined))).version).toBe('1.2.3');
  expect(expectOk(await describe(INSTALLATION)).version).toBe('1.2.3');
  await services.close();
});

test('the facts include the numbers of stored objects and the sizes of the files', async () => {
  const { services, describe } = await openSystem();
  const before = expectOk(await describe(INSTALLATION));
  const nothing = { organizations: 0, properties: 0, apiKeys: 0, invitations: 0 };
  const rows = { ...nothing, accounts: 0, unfinishedTasks: 0, finishedTasks: 0, auditEntries: 0 };
  expect(before.storage.rows).toEqual(rows);
  expect(before.storage.schema).toBe(MIGRATIONS.at(-1)?.version as number);

  const user = { email: 'a@example.com', name: undefined, isAdmin: true, password: undefined };
  const account = expectOk(await services.users.create(INSTALLATION, user));
  const [one, two] = [
    expectOk(await services.organizations.create(INSTALLATION, { name: 'One', ownerId: account.id })),
    expectOk(await services.organizations.create(INSTALLATION, { name: 'Two', ownerId: account.id })),
  ];
  const actor = userActor(account);
  expectOk(await services.organizations.remove(actor, two.id));
  expectOk(await services.invitations.invite(actor, one.id, 'guest@example.com'));
  const draft = {
    account,
    name: 'Key',
    scope: 'verify',
    organizationId: undefined,
    isReadOnly: false,
  } as const;
  const key = expectOk(await services.apiKeys.create(INSTALLATION, { ...draft, expiresAt: undefined })).key;
  expectOk(await services.apiKeys.create(INSTALLATION, { ...draft, expiresAt: undefined }));
  expectOk(await services.apiKeys.revoke(INSTALLATION, key.id));
  await services.maintenance.set(INSTALLATION, true);

  const after = expectOk(await describe(INSTALLATION));
  const counted = { accounts: 1, organizations: 1, apiKeys: 1, invitations: 1, auditEntries: 2 };
  expect(after.storage.rows).toEqual({ ...rows, ...counted });
  expect([before.isInMaintenance, after.isInMaintenance]).toEqual([false, true]);
  expect(after.plans).toMatchObject([{ name: 'default', organizations: 1_000_000 }, { name: 'invited' }]);
  const sizes = new Map(after.storage.files.map(({ name, sizeBytes }) => [name, sizeBytes]));
  expect([...sizes.keys()]).toEqual(['postern.sqlite', 'postern.sqlite-wal']);
  expect(sizes.get('postern.sqlite-wal')).toBeGreaterThan(0);
  await services.close();
});

test('the facts include the effective settings with masked secrets', async () => {
  const { services, describe } = await openSystem();
  const { settings } = expectOk(await describe(INSTALLATION));
  expect(settings.map(({ variable }) => variable)).toEqual(SETTINGS.map(({ variable }) => variable));
  const of = (wanted: string) => settings.find(({ variable }) => variable === wanted);
  expect(of('POSTERN_PORT')).toMatchObject({ value: '8123', source: 'environment' });
  expect(of('POSTERN_BASE_URL')).toMatchObject({ value: 'http://localhost:8123', source: 'default' });
  expect(of('POSTERN_LOG')).toMatchObject({ value: 'debug', source: 'flag' });
  expect(of('POSTERN_VERIFY_KEY')).toMatchObject({ value: '********', source: 'environment' });
  expect(of('POSTERN_PORTAL_KEY')?.value).toBeUndefined();
  expect(JSON.stringify(settings)).not.toContain(SECRET);
  await services.close();
});
