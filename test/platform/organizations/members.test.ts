import { describe, expect, test } from 'bun:test';
import type { Account } from '../../../src/model/account.ts';
import type { OrganizationId } from '../../../src/model/organization.ts';
import { userActor } from '../../support/actors.ts';
import { openTeam, problemOf, type Team } from '../useCases.ts';

const actorOf = (account: Account, organizationId?: OrganizationId) => userActor(account, { organizationId });

describe('organizations', () => {
  const unknown = 999 as OrganizationId;
  const other = 998 as OrganizationId;
  const useCases: readonly [
    string,
    (scene: Team, user: Account, id: OrganizationId, limit?: OrganizationId) => Promise<string>,
  ][] = [
    [
      'members.remove',
      async ({ services, member }, user, id, limit) =>
        problemOf(await services.members.remove(actorOf(user, limit), id, member.id)),
    ],
    [
      'members.transfer',
      async ({ services, member }, user, id, limit) =>
        problemOf(await services.members.transfer(actorOf(user, limit), id, member.id)),
    ],
    [
      'invitations.invite',
      async ({ services }, user, id, limit) =>
        problemOf(await services.invitations.invite(actorOf(user, limit), id, 'new@example.com')),
    ],
    [
      'invitations.list',
      async ({ services }, user, id, limit) =>
        problemOf(await services.invitations.list(actorOf(user, limit), id)),
    ],
  ];

  test.each(useCases)('%s is only for the owner', async (_, act) => {
    const scene = await openTeam();
    const { owner, member, outsider, id } = scene;
    expect(await act(scene, member, id)).toBe('organization-not-owned');
    expect(await act(scene, outsider, id)).toBe('organization-not-owned');
    expect(await act(scene, owner, unknown)).toBe('organization-unknown');
    expect(await act(scene, owner, id, other)).toBe('key-organization-only');
    expect(await act(scene, owner, id)).toBe('done');
  });

  test('show their members to the owner and the members only', async () => {
    const { services, owner, member, outsider, id } = await openTeam();
    const list = async (user: Account) => problemOf(await services.members.list(actorOf(user), id));
    expect([await list(owner), await list(member), await list(outsider)]).toEqual([
      'done',
      'done',
      'organization-not-yours',
    ]);
  });

  test('can be left by members, but not by the owner or other users', async () => {
    const { services, owner, member, outsider, id } = await openTeam();
    const leave = async (user: Account) => problemOf(await services.members.leave(actorOf(user), id));
    expect(await leave(owner)).toBe('member-is-owner');
    expect(await leave(outsider)).toBe('organization-not-yours');
    expect(await leave(member)).toBe('done');
    expect(await leave(member)).toBe('organization-not-yours');
  });

  test('can remove members, but not the owner or other users', async () => {
    const { services, owner, member, outsider, id } = await openTeam();
    const remove = (user: Account) => services.members.remove(actorOf(owner), id, user.id);
    expect(await remove(owner)).toEqual({ ok: false, problem: 'member-is-owner' });
    expect(await remove(outsider)).toEqual({ ok: false, problem: 'member-unknown' });
    expect(await remove(member)).toMatchObject({ ok: true, value: { id } });
    expect(await remove(member)).toEqual({ ok: false, problem: 'member-unknown' });
  });
});
