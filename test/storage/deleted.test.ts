import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createSqliteStores } from '../../src/storage/sqlite/createStores.ts';
import { type MainDatabase, openMain } from '../../src/storage/sqlite/open.ts';
import {
  AMPLE,
  addAccount,
  addOrganization,
  KEYS_MAX,
  newKey,
  newProperty,
  now,
  type World,
} from '../contract/world.ts';
import { expectOk } from '../support/server.ts';
import { useFolders } from './folder.ts';

const makeFolder = useFolders();

/** Rows that are marked as deleted remain for a while, but no method returns them. */

let database: MainDatabase;
let world: World;

beforeEach(() => {
  database = openMain(makeFolder());
  world = createSqliteStores(database, AMPLE);
});

afterEach(() => database.raw.close());

function markDeleted(table: 'organizations' | 'properties', id: number): void {
  database.raw.query(`UPDATE ${table} SET deleted_at = 1 WHERE id = ?`).run(id);
}

describe('a deleted organization', () => {
  test('is not found or listed, has no members, and its name is available again', async () => {
    const [owner, member] = [await addAccount(world), await addAccount(world)];
    const { id, name } = await addOrganization(world, owner);
    await world.organizations.addMember(id, member.id, now);
    markDeleted('organizations', id);
    expect(await world.organizations.byId(id)).toBeUndefined();
    expect(await world.organizations.list()).toEqual([]);
    expect(await world.organizations.list(member.id)).toEqual([]);
    expect(await world.organizations.isMember(id, owner.id)).toBe(false);
    expect(await world.organizations.isMember(id, member.id)).toBe(false);
    expect(await world.organizations.create({ name, ownerId: owner.id }, now)).toMatchObject({ ok: true });
  });

  test('hides its properties', async () => {
    const { id } = await addOrganization(world);
    const { sitekey } = expectOk(await world.properties.create(newProperty(id), now));
    markDeleted('organizations', id);
    expect(await world.properties.bySitekey(sitekey)).toBeUndefined();
    expect(await world.properties.list()).toEqual([]);
    expect(await world.properties.list(id)).toEqual([]);
  });

  test('is not among the organizations of a principal', async () => {
    const account = await addAccount(world);
    const owned = await addOrganization(world, account);
    const shared = await addOrganization(world);
    await world.organizations.addMember(shared.id, account.id, now);
    const key = newKey(account);
    await world.apiKeys.create(key, KEYS_MAX, now);
    for (const { id } of [owned, shared]) markDeleted('organizations', id);
    expect((await world.apiKeys.byKeyHash(key.keyHash))?.memberOf).toEqual(new Set());
  });
});

test('a deleted property is not found or listed, and its name is available again', async () => {
  const { id: organizationId } = await addOrganization(world);
  const draft = newProperty(organizationId, { name: 'Shop' });
  const { id } = expectOk(await world.properties.create(draft, now));
  markDeleted('properties', id);
  expect(await world.properties.bySitekey(draft.sitekey)).toBeUndefined();
  expect(await world.properties.list(organizationId)).toEqual([]);
  const again = newProperty(organizationId, { name: 'SHOP' });
  expect(await world.properties.create(again, now)).toMatchObject({ ok: true });
});
