import { describe, expect, test } from 'bun:test';
import { INSTALLATION } from '../../../src/model/actor.ts';
import type { OrganizationId } from '../../../src/model/organization.ts';
import { addOrganization, addUser, openUseCases } from '../useCases.ts';

const unknown = 999 as OrganizationId;

describe('organizations', () => {
  test('have valid names, unique for their owner', async () => {
    const services = openUseCases();
    const { account } = await addOrganization(services);
    expect(
      await services.organizations.create(INSTALLATION, { name: ' Laden ', ownerId: account.id }),
    ).toMatchObject({
      value: { name: 'Laden' },
    });
    expect(await services.organizations.create(INSTALLATION, { name: '<b>', ownerId: account.id })).toEqual({
      ok: false,
      problem: 'organization-name-malformed',
    });
    expect(await services.organizations.create(INSTALLATION, { name: 'SHOP', ownerId: account.id })).toEqual({
      ok: false,
      problem: 'organization-name-taken',
    });
  });

  test('can add and remove members, but not the owner', async () => {
    const services = openUseCases();
    const { organizations, members } = services;
    const { account, organization } = await addOrganization(services);
    const user = await addUser(services);
    const rejectedOwner = { ok: false, problem: 'member-is-owner' } as const;
    expect(await members.add(INSTALLATION, organization.id, account)).toEqual(rejectedOwner);
    expect(await members.remove(INSTALLATION, organization.id, account.id)).toEqual(rejectedOwner);
    expect(await members.remove(INSTALLATION, organization.id, user.id)).toEqual({
      ok: false,
      problem: 'member-unknown',
    });
    expect(await members.add(INSTALLATION, organization.id, user)).toMatchObject({ ok: true });
    expect(await organizations.list(INSTALLATION, user)).toEqual([
      { ...organization, ownerEmail: account.email },
    ]);
    expect(await members.remove(INSTALLATION, organization.id, user.id)).toMatchObject({ ok: true });
    expect(await organizations.list(INSTALLATION, user)).toEqual([]);
    expect(await members.add(INSTALLATION, unknown, user)).toEqual({
      ok: false,
      problem: 'organization-unknown',
    });
  });
});
