import { newToken, type Random } from '../../lib/ids.ts';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { type Clock, later } from '../../lib/time.ts';
import type { Account } from '../../model/account.ts';
import type { Actor, UserActor } from '../../model/actor.ts';
import { type EmailProblem, parseEmail } from '../../model/email.ts';
import {
  INVITATION_LIFETIME,
  INVITATIONS_MAX,
  type Invitation,
  type InvitationId,
  type Organization,
  type OrganizationId,
} from '../../model/organization.ts';
import type { AccountStore } from '../../model/ports/account.ts';
import type { InvitationStore, OrganizationStore } from '../../model/ports/organization.ts';
import type { ClientInfo } from '../../model/session.ts';
import { sha256Hex } from '../../sha256.ts';
import type { Audit, EntryFor } from '../audit.ts';
import type { NewUserProblem, PrepareUser } from '../users/newUser.ts';
import type { Access, OwnerProblem } from './access.ts';

/** An invitation with its token (43 characters of base64url), which cannot be shown again. */
export type RevealedInvitation = { readonly invitation: Invitation; readonly token: string };

/** The contents of the page of an invitation link. */
export type InvitationView = {
  readonly invitation: Invitation;
  readonly organization: Organization;
  readonly inviter: Pick<Account, 'name' | 'email'>;
};

export type Invitations = {
  /** For the owner. An invitation is valid for 7 days and one use. It replaces an open invitation for the same address. */
  readonly invite: (
    actor: UserActor,
    id: OrganizationId,
    email: string,
  ) => Promise<
    Outcome<RevealedInvitation, OwnerProblem | EmailProblem | 'member-already' | 'invitations-limit'>
  >;
  /** For the owner: the open invitations, oldest first. */
  readonly list: (actor: Actor, id: OrganizationId) => Promise<Outcome<readonly Invitation[], OwnerProblem>>;
  /** For the owner. */
  readonly revoke: (
    actor: Actor,
    id: OrganizationId,
    invitation: InvitationId,
  ) => Promise<Outcome<Invitation, OwnerProblem | 'invitation-unknown'>>;
  /** For anyone who has the link. */
  readonly byToken: (token: string) => Promise<Outcome<InvitationView, 'invitation-unknown'>>;
  /** The user becomes a member; the user's email address must be the invited one. */
  readonly accept: (
    actor: UserActor,
    token: string,
  ) => Promise<Outcome<Organization, 'invitation-unknown' | 'invitation-not-yours'>>;
  /**
   * Creates an account with the invited address, on the plan for invited users. The account accepts the invitation after it
   * has signed in. If the address has an account, nothing changes and the result is the same; only the audit log for
   * administrators shows the difference.
   */
  readonly createAccount: (
    draft: { readonly token: string; readonly name: string; readonly password: string },
    clientInfo: Pick<ClientInfo, 'address'>,
  ) => Promise<Outcome<void, 'invitation-unknown' | NewUserProblem>>;
};

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export type InvitationsDeps = {
  readonly store: InvitationStore;
  readonly organizations: Pick<OrganizationStore, 'byId'>;
  readonly accountStore: Pick<AccountStore, 'byId'>;
  readonly prepareUser: PrepareUser;
  readonly access: Access;
  readonly entryFor: EntryFor;
  readonly audit: Pick<Audit, 'record'>;
  /** The plan of accounts that are created through an invitation. */
  readonly invitedPlan: string;
  readonly clock: Clock;
  readonly random: Random;
};

/** Use cases for invitations. Only the SHA-256 of a token is stored. */
export function createInvitations(deps: InvitationsDeps): Invitations {
  return { ...createOwnerUseCases(deps), ...createGuestUseCases(deps) };
}

type OwnerUseCases = Pick<Invitations, 'invite' | 'list' | 'revoke'>;

function createOwnerUseCases({ store, access, entryFor, clock, ...deps }: InvitationsDeps): OwnerUseCases {
  return {
    async invite(actor, id, email) {
      const organization = await access.requireOwner(actor, id);
      if (!organization.ok) return organization;
      const parsed = parseEmail(email);
      if (!parsed.ok) return parsed;
      const token = newToken(deps.random);
      const now = clock();
      const invitation = {
        organizationId: id,
        email: parsed.value,
        inviterId: actor.user,
        createdAt: now,
        expiresAt: later(now, INVITATION_LIFETIME),
        tokenHash: sha256Hex(token),
      };
      const audited = { action: 'invitation-created', organizationId: id, object: parsed.value } as const;
      const created = await store.create(invitation, INVITATIONS_MAX, await entryFor(actor, audited));
      return created.ok ? done({ invitation: created.value, token }) : created;
    },
    async list(actor, id) {
      const organization = await access.requireOwner(actor, id);
      return organization.ok ? done(await store.list(id, clock())) : organization;
    },
    async revoke(actor, id, invitation) {
      const organization = await access.requireOwner(actor, id);
      if (!organization.ok) return organization;
      // The store adds the invited address.
      const audited = { action: 'invitation-withdrawn', organizationId: id, object: '' } as const;
      return store.revoke(id, invitation, await entryFor(actor, audited));
    },
  };
}

type GuestUseCases = Pick<Invitations, 'byToken' | 'accept' | 'createAccount'>;

function createGuestUseCases(deps: InvitationsDeps): GuestUseCases {
  const { store, organizations, accountStore, entryFor, clock } = deps;

  async function find(token: string): Promise<Outcome<Invitation, 'invitation-unknown'>> {
    if (!TOKEN.test(token)) return reject('invitation-unknown');
    const invitation = await store.byTokenHash(sha256Hex(token), clock());
    return invitation === undefined ? reject('invitation-unknown') : done(invitation);
  }

  return {
    async byToken(token) {
      const invitation = await find(token);
      if (!invitation.ok) return invitation;
      const organization = await organizations.byId(invitation.value.organizationId);
      const inviter = await accountStore.byId(invitation.value.inviterId);
      if (organization === undefined || inviter === undefined) return reject('invitation-unknown');
      return done({ invitation: invitation.value, organization, inviter });
    },
    async accept(actor, token) {
      if (!TOKEN.test(token)) return reject('invitation-unknown');
      const object = (await accountStore.byId(actor.user))?.email ?? '';
      // The store adds the organization.
      const entry = await entryFor(actor, { action: 'invitation-accepted', object });
      return store.accept(sha256Hex(token), actor.user, clock(), entry);
    },
    async createAccount({ token, name, password }, { address }) {
      // Checked first, so that a password is hashed only for a valid invitation.
      const invitation = await find(token);
      if (!invitation.ok) return invitation;
      const { email } = invitation.value;
      const organization = await organizations.byId(invitation.value.organizationId);
      if (organization === undefined) return reject('invitation-unknown');
      const chosen = { email, name, isAdmin: false, password, organizationName: organization.name };
      const draft = await deps.prepareUser(chosen);
      if (!draft.ok) return draft;
      const account = { ...draft.value, plan: deps.invitedPlan };
      // Without the organization, so that its owner cannot tell the two cases apart. One entry in each case, so that both take
      // the same time.
      const source = { actor: email, source: 'portal', address } as const;
      const common = { ...source, accountId: undefined, organizationId: undefined, object: email };
      const entry = { ...common, action: 'user-created', at: clock() } as const;
      const created = await store.createAccount(sha256Hex(token), account, clock(), entry);
      if (created.ok) return done(undefined);
      if (created.problem === 'invitation-unknown') return reject(created.problem);
      await deps.audit.record({ ...common, action: 'user-not-created' });
      return done(undefined);
    },
  };
}
