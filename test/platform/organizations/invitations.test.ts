import { describe, expect, test } from 'bun:test';
import { verify as verifyPassword } from '@node-rs/argon2';
import { DAY, later } from '../../../src/lib/time.ts';
import type { Account } from '../../../src/model/account.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import type { InvitationId, OrganizationId } from '../../../src/model/organization.ts';
import { userActor } from '../../support/actors.ts';
import { expectOk } from '../../support/server.ts';
import { openTeam, problemOf, type Team } from '../useCases.ts';

const actorOf = (account: Account, organizationId?: OrganizationId) => userActor(account, { organizationId });

const CLIENT = { address: '192.0.2.1' };

describe('an invitation', () => {
  const invite = async ({ services, owner, id }: Team, email: string) =>
    expectOk(await services.invitations.invite(actorOf(owner), id, email));

  test('is stored without its token, and shows the organization', async () => {
    const scene = await openTeam();
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
    'is unknown for the token %p',
    async (token) => {
      const scene = await openTeam();
      await invite(scene, 'new@example.com');
      const { invitations } = scene.services;
      const unknown = { ok: false, problem: 'invitation-unknown' } as const;
      expect(await invitations.byToken(token)).toEqual(unknown);
      expect(await invitations.accept(userActor(scene.outsider), token)).toEqual(unknown);
      const draft = { token, name: 'New', password: 'correct horse' };
      expect(await invitations.createAccount(draft, CLIENT)).toEqual(unknown);
    },
  );

  test('can be accepted once, by the user with the email address', async () => {
    const scene = await openTeam();
    const { services, outsider, member, id } = scene;
    const { token } = await invite(scene, outsider.email.toUpperCase());
    expect(problemOf(await services.invitations.accept(userActor(member), token))).toBe(
      'invitation-not-yours',
    );
    expect(await services.invitations.accept(userActor(outsider), token)).toMatchObject({
      ok: true,
      value: { id },
    });
    expect(problemOf(await services.invitations.accept(userActor(outsider), token))).toBe(
      'invitation-unknown',
    );
    expect(problemOf(await services.members.list(actorOf(outsider), id))).toBe('done');
  });

  test('creates an account with a password on the plan for invited users, which then accepts', async () => {
    const scene = await openTeam();
    const { services, id } = scene;
    const { token } = await invite(scene, 'new@example.com');
    const create = (name: string, password: string) =>
      services.invitations.createAccount({ token, name, password }, CLIENT);
    expect(problemOf(await create('<b>', 'correct horse'))).toBe('account-name-malformed');
    expect(problemOf(await create('New', 'short'))).toBe('password-too-short');
    expectOk(await create('New', 'correct horse'));
    const account = expectOk(await services.users.byEmail(INSTALLATION, 'new@example.com'));
    expect(account).toMatchObject({ name: 'New', isAdmin: false, plan: 'invited' });
    const row = services.raw
      .query<{ hash: string }, [number]>('SELECT password_hash AS hash FROM accounts WHERE id = ?')
      .get(account.id);
    expect(await verifyPassword(row?.hash ?? '', 'correct horse')).toBe(true);
    expect(problemOf(await services.members.list(actorOf(account), id))).not.toBe('done');
    expect(await services.invitations.accept(userActor(account), token)).toMatchObject({
      ok: true,
      value: { id },
    });
    expect(problemOf(await create('New', 'correct horse'))).toBe('invitation-unknown');
  });

  test('has the same result for an email address that has an account, which does not change', async () => {
    const scene = await openTeam();
    const { services, id } = scene;
    const user = { email: 'old@example.com', name: 'Old', isAdmin: false, password: 'the old password' };
    const account = expectOk(await services.users.create(INSTALLATION, user));
    const results = [];
    for (const email of ['new@example.com', user.email]) {
      const { token } = await invite(scene, email);
      const draft = { token, name: 'Other', password: 'correct horse' };
      results.push(await services.invitations.createAccount(draft, CLIENT));
    }
    expect(results[1]).toEqual(results[0]);
    expect(expectOk(await services.users.byEmail(INSTALLATION, user.email))).toEqual(account);
    // The owner of the organization can read neither entry.
    const entries = await services.stores.audit.page({}, undefined, 9);
    expect(entries.map(({ action, object, organizationId }) => [action, object, organizationId])).toEqual([
      ['user-not-created', user.email, undefined],
      ['invitation-created', user.email, id],
      ['user-created', 'new@example.com', undefined],
      ['invitation-created', 'new@example.com', id],
    ]);
  });

  test('is invalid after seven days, and after it was revoked', async () => {
    const scene = await openTeam();
    const { services, owner, outsider, id } = scene;
    const first = await invite(scene, outsider.email);
    const list = async () => expectOk(await services.invitations.list(actorOf(owner), id)).length;
    services.time.now = later(services.time.now, 7 * DAY - 1);
    expect(await list()).toBe(1);
    services.time.now = later(services.time.now, 1);
    expect(await list()).toBe(0);
    expect(problemOf(await services.invitations.accept(userActor(outsider), first.token))).toBe(
      'invitation-unknown',
    );
    const second = await invite(scene, outsider.email);
    const revoke = async (user: Account, invitation: InvitationId) =>
      problemOf(await services.invitations.revoke(actorOf(user), id, invitation));
    expect(await revoke(outsider, second.invitation.id)).toBe('organization-not-owned');
    expect(await revoke(owner, second.invitation.id)).toBe('done');
    expect(await revoke(owner, second.invitation.id)).toBe('invitation-unknown');
    expect(problemOf(await services.invitations.accept(userActor(outsider), second.token))).toBe(
      'invitation-unknown',
    );
  });

  test.each(['nobody', '', 'a@b@c'])('is not created for %p', async (email) => {
    const { services, owner, id } = await openTeam();
    expect(problemOf(await services.invitations.invite(actorOf(owner), id, email))).toBe('email-malformed');
  });
});
