import { and, asc, eq, gt, lt, ne } from 'drizzle-orm';
import { done, type Outcome, reject } from '../../../lib/outcome.ts';
import type { Instant } from '../../../lib/time.ts';
import type { Account } from '../../../model/account.ts';
import type { Invitation } from '../../../model/invitation.ts';
import type { Organization } from '../../../model/organization.ts';
import type { InvitationStore } from '../../../model/ports/invitation.ts';
import type { MainDatabase } from '../open.ts';
import { countRows } from '../queries.ts';
import type { Change } from '../recordedChange.ts';
import { invitationColumns } from '../rows.ts';
import { invitations } from '../schema.ts';
import { findAccountByEmail, insertAccount } from './accounts.ts';
import { createHasAccess, insertMember } from './membership.ts';
import { createFindOrganization } from './organizations.ts';

/** Maximum number of invitations that one call deletes. */
const PURGE_SIZE = 1000;

/** @see InvitationStore */
export function createInvitationStore(database: MainDatabase, change: Change): InvitationStore {
  const { orm } = database;
  const findOrganization = createFindOrganization(database);
  const hasAccess = createHasAccess(database);

  return {
    create: (invitation, limit, entry) =>
      change(entry, () => {
        const { organizationId, email, createdAt } = invitation;
        if (findOrganization(organizationId) === undefined) return reject('organization-unknown');
        const invited = findAccountByEmail(database, email);
        if (invited && hasAccess(organizationId, invited.id)) return reject('member-already');
        const isOfOrganization = eq(invitations.organizationId, organizationId);
        const isOpen = gt(invitations.expiresAt, createdAt);
        const isOther = and(isOfOrganization, ne(invitations.email, email), isOpen);
        if (countRows(database, invitations, isOther) >= limit) return reject('invitations-limit');
        orm
          .delete(invitations)
          .where(and(isOfOrganization, eq(invitations.email, email)))
          .run();
        return done(orm.insert(invitations).values(invitation).returning(invitationColumns).get());
      }),
    async list(organizationId, now) {
      const isOpen = and(eq(invitations.organizationId, organizationId), gt(invitations.expiresAt, now));
      return orm.select(invitationColumns).from(invitations).where(isOpen).orderBy(asc(invitations.id)).all();
    },
    revoke(organizationId, id, entry) {
      const revoke = (): Outcome<Invitation, 'invitation-unknown'> => {
        const isWanted = and(eq(invitations.id, id), eq(invitations.organizationId, organizationId));
        const revoked = orm.delete(invitations).where(isWanted).returning(invitationColumns).get();
        return revoked === undefined ? reject('invitation-unknown') : done(revoked);
      };
      return change(entry, revoke, (revoked) => (revoked.ok ? { subject: revoked.value.email } : {}));
    },
    ...createAcceptance(database, change),
    async purge(before) {
      const old = orm.delete(invitations).where(lt(invitations.expiresAt, before)).limit(PURGE_SIZE);
      return old.returning({ id: invitations.id }).all().length;
    },
  };
}

type Acceptance = Pick<InvitationStore, 'byTokenHash' | 'accept' | 'createAccount'>;

function createAcceptance(database: MainDatabase, change: Change): Acceptance {
  const { orm } = database;
  const findOrganization = createFindOrganization(database);

  /** Finds an open invitation and its organization. */
  function find(tokenHash: string, now: Instant) {
    const isOpen = and(eq(invitations.tokenHash, tokenHash), gt(invitations.expiresAt, now));
    const invitation = orm.select(invitationColumns).from(invitations).where(isOpen).get();
    const organization = invitation && findOrganization(invitation.organizationId);
    return organization && { invitation, organization };
  }

  return {
    async byTokenHash(tokenHash, now) {
      return find(tokenHash, now)?.invitation;
    },
    accept(tokenHash, accountId, now, entry) {
      const accept = (): Outcome<Organization, 'invitation-unknown' | 'invitation-not-yours'> => {
        const found = find(tokenHash, now);
        if (found === undefined) return reject('invitation-unknown');
        const { invitation, organization } = found;
        const invited = findAccountByEmail(database, invitation.email);
        if (invited?.id !== accountId) return reject('invitation-not-yours');
        insertMember(database, organization.id, accountId, now);
        orm.delete(invitations).where(eq(invitations.id, invitation.id)).run();
        return done(organization);
      };
      return change(entry, accept, (accepted) => (accepted.ok ? { organizationId: accepted.value.id } : {}));
    },
    createAccount(tokenHash, account, now, entry) {
      const create = (): Outcome<Account, 'invitation-unknown' | 'email-taken'> => {
        const found = find(tokenHash, now);
        if (found === undefined) return reject('invitation-unknown');
        const created = insertAccount(database, { ...account, email: found.invitation.email }, now);
        return created === undefined ? reject('email-taken') : done(created);
      };
      return change(entry, create, (created) => (created.ok ? { accountId: created.value.id } : {}));
    },
  };
}
