import { describe, expect, test } from 'bun:test';
import { verify as verifyPassword } from '@node-rs/argon2';
import { DAY, later } from '../../../src/lib/time.ts';
import type { Account } from '../../../src/model/account.ts';
import { INSTALLATION, portalActor } from '../../../src/model/actor.ts';
import type { ApiKeyId } from '../../../src/model/apiKey.ts';
import type { InvitationId } from '../../../src/model/invitation.ts';
import type { OrganizationId } from '../../../src/model/organization.ts';
import { userActor } from '../../support/actors.ts';
import { expectOk } from '../../support/server.ts';
import { type BackOffice, openBackOffice } from '../testServices.ts';

let names = 0;

async function addAccount({ accounts }: BackOffice, isAdmin = false): Promise<Account> {
  const email = `person${++names}@example.com`;
  return expectOk(
    await accounts.create(INSTALLATION, { email, name: undefined, isAdmin, password: undefined }),
  );
}

const actorOf = (account: Account, organizationId?: OrganizationId) => userActor(account, { organizationId });

/** An organization with an owner and a member, and somebody who is neither. */
async function openScene() {
  const services = openBackOffice();
  const [owner, member, stranger] = [
    await addAccount(services),
    await addAccount(services),
    await addAccount(services),
  ];
  const { id } = expectOk(
    await services.organizations.create(INSTALLATION, { name: 'Shop', ownerId: owner.id }),
  );
  expectOk(await services.members.add(INSTALLATION, id, member));
  return { services, owner, member, stranger, id };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

const endingOf = (outcome: { ok: true } | { ok: false; problem: string }) =>
  outcome.ok ? 'done' : outcome.problem;

describe('what only some may do with an organization', () => {
  const nowhere = 999 as OrganizationId;
  const elsewhere = 998 as OrganizationId;
  const acts: readonly [
    string,
    (scene: Scene, who: Account, id: OrganizationId, limit?: OrganizationId) => Promise<string>,
  ][] = [
    [
      'remove a member',
      async ({ services, member }, who, id, limit) =>
        endingOf(await services.members.remove(actorOf(who, limit), id, member.id)),
    ],
    [
      'give it away',
      async ({ services, member }, who, id, limit) =>
        endingOf(await services.members.transfer(actorOf(who, limit), id, member.id)),
    ],
    [
      'invite',
      async ({ services }, who, id, limit) =>
        endingOf(await services.invitations.invite(actorOf(who, limit), id, 'new@example.com')),
    ],
    [
      'list invitations',
      async ({ services }, who, id, limit) =>
        endingOf(await services.invitations.list(actorOf(who, limit), id)),
    ],
  ];

  test.each(acts)('only the owner may %s', async (_, act) => {
    const scene = await openScene();
    const { owner, member, stranger, id } = scene;
    expect(await act(scene, member, id)).toBe('organization-not-owned');
    expect(await act(scene, stranger, id)).toBe('organization-not-owned');
    expect(await act(scene, owner, nowhere)).toBe('organization-unknown');
    expect(await act(scene, owner, id, elsewhere)).toBe('key-organization-only');
    expect(await act(scene, owner, id)).toBe('done');
  });

  test('owner and members see who belongs to it, others do not', async () => {
    const { services, owner, member, stranger, id } = await openScene();
    const list = async (who: Account) => endingOf(await services.members.list(actorOf(who), id));
    expect([await list(owner), await list(member), await list(stranger)]).toEqual([
      'done',
      'done',
      'organization-not-yours',
    ]);
  });

  test('a member leaves, the owner does not, and who is none cannot', async () => {
    const { services, owner, member, stranger, id } = await openScene();
    const leave = async (who: Account) => endingOf(await services.members.leave(actorOf(who), id));
    expect(await leave(owner)).toBe('member-is-owner');
    expect(await leave(stranger)).toBe('organization-not-yours');
    expect(await leave(member)).toBe('done');
    expect(await leave(member)).toBe('organization-not-yours');
  });

  test('who is removed is told; the owner and strangers cannot be', async () => {
    const { services, owner, member, stranger, id } = await openScene();
    const remove = (who: Account) => services.members.remove(actorOf(owner), id, who.id);
    expect(await remove(owner)).toEqual({ ok: false, problem: 'member-is-owner' });
    expect(await remove(stranger)).toEqual({ ok: false, problem: 'member-unknown' });
    expect(await remove(member)).toMatchObject({ ok: true, value: { id } });
    expect(await remove(member)).toEqual({ ok: false, problem: 'member-unknown' });
  });
});

const WHENCE = { address: '192.0.2.1' };

describe('an invitation', () => {
  const invite = async ({ services, owner, id }: Scene, email: string) =>
    expectOk(await services.invitations.invite(actorOf(owner), id, email));

  test('is kept without its token, and shows what it is for', async () => {
    const scene = await openScene();
    const { services, owner, id } = scene;
    const { token, invitation } = await invite(scene, ' New@Example.com ');
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(invitation).toMatchObject({ email: 'new@example.com', inviterId: owner.id, organizationId: id });
    expect(invitation.expiresAt).toBe(later(services.time.now, 7 * DAY));
    expect(JSON.stringify(services.raw.query('SELECT * FROM invitations').all())).not.toContain(token);
    const view = expectOk(await services.invitations.byToken(token));
    expect(view).toMatchObject({ invitation, organization: { id, name: 'Shop' } });
  });

  test.each(['', 'x', 'A'.repeat(43), 'A'.repeat(44), "' OR 1=1 --"])(
    'is not opened by %p',
    async (token) => {
      const scene = await openScene();
      await invite(scene, 'new@example.com');
      const { invitations } = scene.services;
      const unknown = { ok: false, problem: 'invitation-unknown' } as const;
      expect(await invitations.byToken(token)).toEqual(unknown);
      expect(await invitations.accept(userActor(scene.stranger), token)).toEqual(unknown);
      const draft = { token, name: 'New', password: 'correct horse' };
      expect(await invitations.createAccount(draft, WHENCE)).toEqual(unknown);
    },
  );

  test('makes a member of who has the address, once, and of nobody else', async () => {
    const scene = await openScene();
    const { services, stranger, member, id } = scene;
    const { token } = await invite(scene, stranger.email.toUpperCase());
    expect(endingOf(await services.invitations.accept(userActor(member), token))).toBe(
      'invitation-not-yours',
    );
    expect(await services.invitations.accept(userActor(stranger), token)).toMatchObject({
      ok: true,
      value: { id },
    });
    expect(endingOf(await services.invitations.accept(userActor(stranger), token))).toBe(
      'invitation-unknown',
    );
    expect(endingOf(await services.members.list(actorOf(stranger), id))).toBe('done');
  });

  test('creates an account with a password on the plan for invited users, which then accepts', async () => {
    const scene = await openScene();
    const { services, id } = scene;
    const { token } = await invite(scene, 'new@example.com');
    const create = (name: string, password: string) =>
      services.invitations.createAccount({ token, name, password }, WHENCE);
    expect(endingOf(await create('<b>', 'correct horse'))).toBe('account-name-malformed');
    expect(endingOf(await create('New', 'short'))).toBe('password-too-short');
    expectOk(await create('New', 'correct horse'));
    const account = expectOk(await services.accounts.byEmail(INSTALLATION, 'new@example.com'));
    expect(account).toMatchObject({ name: 'New', isAdmin: false, plan: 'invited' });
    const row = services.raw
      .query<{ hash: string }, [number]>('SELECT password_hash AS hash FROM accounts WHERE id = ?')
      .get(account.id);
    expect(await verifyPassword(row?.hash ?? '', 'correct horse')).toBe(true);
    expect(endingOf(await services.members.list(actorOf(account), id))).not.toBe('done');
    expect(await services.invitations.accept(userActor(account), token)).toMatchObject({
      ok: true,
      value: { id },
    });
    expect(endingOf(await create('New', 'correct horse'))).toBe('invitation-unknown');
  });

  test('has the same result for an address that has an account, which stays as it is', async () => {
    const scene = await openScene();
    const { services, id } = scene;
    const user = { email: 'old@example.com', name: 'Old', isAdmin: false, password: 'the old password' };
    const account = expectOk(await services.accounts.create(INSTALLATION, user));
    const results = [];
    for (const email of ['new@example.com', user.email]) {
      const { token } = await invite(scene, email);
      const draft = { token, name: 'Thief', password: 'correct horse' };
      results.push(await services.invitations.createAccount(draft, WHENCE));
    }
    expect(results[1]).toEqual(results[0]);
    expect(expectOk(await services.accounts.byEmail(INSTALLATION, user.email))).toEqual(account);
    // The inviting owner reads neither entry.
    const entries = await services.stores.audit.page({}, undefined, 9);
    expect(entries.map(({ action, subject, organizationId }) => [action, subject, organizationId])).toEqual([
      ['user-not-created', user.email, undefined],
      ['invitation-created', user.email, id],
      ['user-created', 'new@example.com', undefined],
      ['invitation-created', 'new@example.com', id],
    ]);
  });

  test('ends after seven days, and when it is withdrawn', async () => {
    const scene = await openScene();
    const { services, owner, stranger, id } = scene;
    const first = await invite(scene, stranger.email);
    const list = async () => expectOk(await services.invitations.list(actorOf(owner), id)).length;
    services.time.now = later(services.time.now, 7 * DAY - 1);
    expect(await list()).toBe(1);
    services.time.now = later(services.time.now, 1);
    expect(await list()).toBe(0);
    expect(endingOf(await services.invitations.accept(userActor(stranger), first.token))).toBe(
      'invitation-unknown',
    );
    const second = await invite(scene, stranger.email);
    const revoke = async (who: Account, invitation: InvitationId) =>
      endingOf(await services.invitations.revoke(actorOf(who), id, invitation));
    expect(await revoke(stranger, second.invitation.id)).toBe('organization-not-owned');
    expect(await revoke(owner, second.invitation.id)).toBe('done');
    expect(await revoke(owner, second.invitation.id)).toBe('invitation-unknown');
    expect(endingOf(await services.invitations.accept(userActor(stranger), second.token))).toBe(
      'invitation-unknown',
    );
  });

  test.each(['nobody', '', 'a@b@c'])('is not sent to %p', async (email) => {
    const { services, owner, id } = await openScene();
    expect(endingOf(await services.invitations.invite(actorOf(owner), id, email))).toBe('email-malformed');
  });
});

describe('the owner of an API key', () => {
  const as = (account: Account) => portalActor(account, undefined);

  async function openKeys() {
    const services = openBackOffice();
    const [owner, other] = [await addAccount(services), await addAccount(services)];
    const draft = {
      account: owner,
      name: 'Key',
      scope: 'verify',
      organizationId: undefined,
      isReadOnly: false,
      expiresAt: undefined,
    } as const;
    const { key } = expectOk(await services.apiKeys.create(as(owner), draft));
    return { services, owner, other, draft, key };
  }

  test('sees and changes it; to others there is no such key, as if it did not exist', async () => {
    const { services, owner, other, key } = await openKeys();
    const { apiKeys } = services;
    expect(await apiKeys.list(as(other))).toEqual([]);
    expect(await apiKeys.list(as(other), owner)).toEqual([]);
    expect(await apiKeys.list(as(owner))).toEqual([key]);
    const change = { name: 'Stolen' };
    for (const [who, id] of [
      [other, key.id],
      [owner, 999 as ApiKeyId],
    ] as const) {
      for (const ending of [
        await apiKeys.revoke(as(who), id),
        await apiKeys.rotate(as(who), id),
        await apiKeys.change(as(who), id, change),
      ]) {
        expect(ending).toEqual({ ok: false, problem: 'key-unknown' });
      }
    }
    expect(await apiKeys.list(as(owner))).toEqual([key]);
    expect(endingOf(await apiKeys.rotate(as(owner), key.id))).toBe('done');
    expect(await apiKeys.change(as(owner), key.id, { name: ' Mine ' })).toMatchObject({
      value: { name: 'Mine' },
    });
    expect(endingOf(await apiKeys.change(as(owner), key.id, { name: '<b>' }))).toBe('key-name-malformed');
    expect(endingOf(await apiKeys.revoke(as(owner), key.id))).toBe('done');
    expect(endingOf(await apiKeys.change(as(owner), key.id, change))).toBe('key-revoked');
  });

  // The configured ones are 1000 and 2000.
  test.each([
    [{ rate: 1000, burst: 2000 }, 'done', 'done'],
    [{ rate: 0.001, burst: 1 }, 'done', 'done'],
    [{ rate: 1000.1 }, 'key-rate-too-high', 'done'],
    [{ burst: 2001 }, 'key-rate-too-high', 'done'],
    [{ rate: 0 }, 'key-rate-malformed', 'key-rate-malformed'],
    [{ rate: 1e-306 }, 'key-rate-malformed', 'key-rate-malformed'],
    [{ rate: Number.NaN }, 'key-rate-malformed', 'key-rate-malformed'],
    [{ rate: 1_000_000_001 }, 'key-rate-malformed', 'key-rate-malformed'],
    [{ burst: 1.5 }, 'key-burst-malformed', 'key-burst-malformed'],
  ])('with %o ends in %s; an administrator in %s', async (rates, forUser, forAdmin) => {
    const { services, owner, draft, key } = await openKeys();
    const admin = { ...owner, isAdmin: true };
    const create = async (account: Account) =>
      endingOf(await services.apiKeys.create(as(account), { ...draft, account, ...rates }));
    const change = async (account: Account) =>
      endingOf(await services.apiKeys.change(as(account), key.id, rates));
    expect([await create(owner), await create(admin)]).toEqual([forUser, forAdmin]);
    expect([await change(owner), await change(admin)]).toEqual([forUser, forAdmin]);
  });
});
