import type { Random } from '../lib/ids.ts';
import { done, type Outcome, refuse } from '../lib/outcome.ts';
import { type Clock, later } from '../lib/time.ts';
import { type Account, parseEmail } from '../model/account.ts';
import type { Actor, UserActor } from '../model/actor.ts';
import {
  INVITATION_LIFETIME,
  INVITATIONS_MAX,
  type Invitation,
  type InvitationId,
} from '../model/invitation.ts';
import type { Organization, OrganizationId } from '../model/organization.ts';
import type { AccountStore } from '../model/ports/account.ts';
import type { InvitationStore } from '../model/ports/invitation.ts';
import type { OrganizationStore } from '../model/ports/organization.ts';
import type { ClientInfo } from '../model/session.ts';
import type { Access } from './access.ts';
import type { AccountProblem, Accounts } from './accounts.ts';
import type { Audit } from './audit.ts';

type OwnProblem = 'organization-unknown' | 'organization-not-owned' | 'key-organization-only';

/** The only moment at which the token is known: 43 characters of base64url, for a link. */
export type RevealedInvitation = { readonly invitation: Invitation; readonly token: string };

/** What the page behind the link shows. */
export type InvitationView = {
  readonly invitation: Invitation;
  readonly organization: Organization;
  readonly inviter: Pick<Account, 'name' | 'email'>;
};

export type Invitations = {
  /** Owner only. Good for 7 days and one use; a new one for the same address ends the old one. */
  readonly invite: (
    actor: UserActor,
    id: OrganizationId,
    email: string,
  ) => Promise<
    Outcome<RevealedInvitation, OwnProblem | 'email-malformed' | 'member-already' | 'invitations-limit'>
  >;
  /** Owner only: the open ones, oldest first. */
  readonly list: (actor: Actor, id: OrganizationId) => Promise<Outcome<readonly Invitation[], OwnProblem>>;
  /** Owner only. */
  readonly revoke: (
    actor: Actor,
    id: OrganizationId,
    invitation: InvitationId,
  ) => Promise<Outcome<Invitation, OwnProblem | 'invitation-unknown'>>;
  /** For whoever has the link. */
  readonly byToken: (token: string) => Promise<Outcome<InvitationView, 'invitation-unknown'>>;
  /** Somebody who is signed in becomes a member; the address must be the invited one. */
  readonly accept: (
    token: string,
    account: Pick<Account, 'id'>,
  ) => Promise<Outcome<Organization, 'invitation-unknown' | 'invitation-not-yours'>>;
  /**
   * Creates an account with the invited address, on the plan for invited users. The account accepts the invitation after it
   * has signed in. If the address has an account, nothing changes and the result is the same: only the audit log that
   * administrators read tells the two apart.
   */
  readonly createAccount: (
    draft: { readonly token: string; readonly name: string; readonly password: string },
    clientInfo: Pick<ClientInfo, 'address'>,
  ) => Promise<Outcome<void, 'invitation-unknown' | Exclude<AccountProblem, 'email-taken'>>>;
};

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Use cases around invitations. Of a token only its SHA-256 is kept. */
export function createInvitations(deps: {
  readonly store: InvitationStore;
  readonly organizations: Pick<OrganizationStore, 'byId'>;
  readonly accountStore: Pick<AccountStore, 'byId'>;
  readonly accounts: Pick<Accounts, 'prepare'>;
  readonly access: Access;
  readonly audit: Pick<Audit, 'record'>;
  /** The plan of accounts that are created here. */
  readonly invitedPlan: string;
  readonly clock: Clock;
  readonly random: Random;
  /** SHA-256 in lower-case hex. */
  readonly digest: (text: string) => string;
}): Invitations {
  async function find(token: string): Promise<Outcome<Invitation, 'invitation-unknown'>> {
    if (!TOKEN.test(token)) return refuse('invitation-unknown');
    const invitation = await deps.store.byTokenHash(deps.digest(token), deps.clock());
    return invitation === undefined ? refuse('invitation-unknown') : done(invitation);
  }

  return {
    async invite(actor, id, email) {
      const organization = await deps.access.own(actor, id);
      if (!organization.ok) return organization;
      const parsed = parseEmail(email);
      if (!parsed.ok) return parsed;
      const token = deps.random(new Uint8Array(32)).toBase64({ alphabet: 'base64url', omitPadding: true });
      const now = deps.clock();
      const whose = { organizationId: id, email: parsed.value, inviterId: actor.user };
      const times = { createdAt: now, expiresAt: later(now, INVITATION_LIFETIME) };
      const kept = { ...whose, ...times, tokenHash: deps.digest(token) };
      const created = await deps.store.create(kept, INVITATIONS_MAX);
      return created.ok ? done({ invitation: created.value, token }) : created;
    },
    async list(actor, id) {
      const organization = await deps.access.own(actor, id);
      return organization.ok ? done(await deps.store.list(id, deps.clock())) : organization;
    },
    async revoke(actor, id, invitation) {
      const organization = await deps.access.own(actor, id);
      return organization.ok ? deps.store.revoke(id, invitation) : organization;
    },
    async byToken(token) {
      const invitation = await find(token);
      if (!invitation.ok) return invitation;
      const organization = await deps.organizations.byId(invitation.value.organizationId);
      const inviter = await deps.accountStore.byId(invitation.value.inviterId);
      if (organization === undefined || inviter === undefined) return refuse('invitation-unknown');
      return done({ invitation: invitation.value, organization, inviter });
    },
    async accept(token, { id }) {
      if (!TOKEN.test(token)) return refuse('invitation-unknown');
      return deps.store.accept(deps.digest(token), id, deps.clock());
    },
    async createAccount({ token, name, password }, { address }) {
      // First: nobody has a password hashed without an invitation.
      const invitation = await find(token);
      if (!invitation.ok) return invitation;
      const { email } = invitation.value;
      const organization = await deps.organizations.byId(invitation.value.organizationId);
      if (organization === undefined) return refuse('invitation-unknown');
      const chosen = { email, name, isAdmin: false, password, organizationName: organization.name };
      const draft = await deps.accounts.prepare(chosen);
      if (!draft.ok) return draft;
      const account = { ...draft.value, plan: deps.invitedPlan };
      const created = await deps.store.createAccount(deps.digest(token), account, deps.clock());
      if (!created.ok && created.problem === 'invitation-unknown') return refuse(created.problem);
      // Without the organization, so that its owner cannot see which case happened. One entry in both cases, so that both take as long.
      const entry = {
        actor: email,
        source: 'portal',
        address,
        organizationId: undefined,
        subject: email,
      } as const;
      await deps.audit.record(
        created.ok
          ? { ...entry, accountId: created.value.id, action: 'user-created' }
          : { ...entry, accountId: undefined, action: 'user-not-created' },
      );
      return done(undefined);
    },
  };
}
