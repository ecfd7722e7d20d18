import { and, asc, count, eq, gt, inArray, lt, ne } from 'drizzle-orm';
import { done, refuse } from '../../../lib/outcome.ts';
import type { Instant } from '../../../lib/time.ts';
import type { AccountId } from '../../../model/account.ts';
import type { Invitation } from '../../../model/invitation.ts';
import type { Organization, OrganizationId } from '../../../model/organization.ts';
import type { InvitationStore } from '../../../model/ports/invitation.ts';
import { type MainDatabase, transact } from '../open.ts';
import { accountOf, invitationOf } from '../rows.ts';
import { accounts, invitations } from '../schema.ts';
import { insertAccount } from './accounts.ts';
import { createFindOrganization, createMembership, insertMember } from './organizations.ts';

/** Invitations forgotten in one go. */
const PURGE_SIZE = 1000;

/** @see InvitationStore */
export function createInvitationStore(database: MainDatabase): InvitationStore {
  const { orm } = database;
  const findOrganization = createFindOrganization(database);
  const isMember = createMembership(database);

  function isFull(organizationId: OrganizationId, email: string, now: Instant, limit: number): boolean {
    const isOther = and(
      eq(invitations.organizationId, organizationId),
      ne(invitations.email, email),
      gt(invitations.expiresAt, now),
    );
    return (orm.select({ n: count() }).from(invitations).where(isOther).get()?.n ?? 0) >= limit;
  }

  return {
    create: (invitation, limit) =>
      transact(database, () => {
        const { organizationId, email, createdAt } = invitation;
        if (findOrganization(organizationId) === undefined) return refuse('organization-unknown');
        const invited = accountAt(database, email);
        if (invited && isMember(organizationId, invited.id)) return refuse('member-already');
        if (isFull(organizationId, email, createdAt, limit)) return refuse('invitations-limit');
        const isSame = and(eq(invitations.organizationId, organizationId), eq(invitations.email, email));
        orm.delete(invitations).where(isSame).run();
        return done(invitationOf(orm.insert(invitations).values(invitation).returning().get()));
      }),
    async list(organizationId, now) {
      const isOpen = and(eq(invitations.organizationId, organizationId), gt(invitations.expiresAt, now));
      return orm
        .select()
        .from(invitations)
        .where(isOpen)
        .orderBy(asc(invitations.id))
        .all()
        .map(invitationOf);
    },
    async revoke(organizationId, id) {
      const isIt = and(eq(invitations.id, id), eq(invitations.organizationId, organizationId));
      const row = orm.delete(invitations).where(isIt).returning().get();
      return row === undefined ? refuse('invitation-unknown') : done(invitationOf(row));
    },
    ...createAcceptance(database),
    async purge(before) {
      const isOld = lt(invitations.expiresAt, before);
      const old = orm.select({ id: invitations.id }).from(invitations).where(isOld).limit(PURGE_SIZE);
      const ids = { id: invitations.id };
      return orm.delete(invitations).where(inArray(invitations.id, old)).returning(ids).all().length;
    },
  };
}

type Acceptance = Pick<InvitationStore, 'byTokenHash' | 'accept' | 'createAccount'>;

function createAcceptance(database: MainDatabase): Acceptance {
  const { orm } = database;
  const findOrganization = createFindOrganization(database);

  /** An open one, and the live organization that it is for. */
  function find(tokenHash: string, now: Instant) {
    const isOpen = and(eq(invitations.tokenHash, tokenHash), gt(invitations.expiresAt, now));
    const row = orm.select().from(invitations).where(isOpen).get();
    const invitation = row && invitationOf(row);
    const organization = invitation && findOrganization(invitation.organizationId);
    return organization && { invitation, organization };
  }

  function use(invitation: Invitation, accountId: AccountId, now: Instant): void {
    insertMember(database, invitation.organizationId, accountId, now);
    orm.delete(invitations).where(eq(invitations.id, invitation.id)).run();
  }

  return {
    async byTokenHash(tokenHash, now) {
      return find(tokenHash, now)?.invitation;
    },
    accept: (tokenHash, accountId, now) =>
      transact(database, () => {
        const found = find(tokenHash, now);
        if (found === undefined) return refuse('invitation-unknown');
        if (accountAt(database, found.invitation.email)?.id !== accountId)
          return refuse('invitation-not-yours');
        use(found.invitation, accountId, now);
        return done<Organization>(found.organization);
      }),
    createAccount: (tokenHash, draft, now) =>
      transact(database, () => {
        const found = find(tokenHash, now);
        if (found === undefined) return refuse('invitation-unknown');
        const account = insertAccount(database, { ...draft, email: found.invitation.email }, now);
        return account === undefined ? refuse('email-taken') : done(account);
      }),
  };
}

function accountAt({ orm }: MainDatabase, email: string) {
  const row = orm.select().from(accounts).where(eq(accounts.email, email)).get();
  return row && accountOf(row);
}
