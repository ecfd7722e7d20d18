import { and, asc, eq, gt, inArray, lt, ne } from 'drizzle-orm';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import type { Instant } from '../../lib/time.ts';
import type { Account, AccountId } from '../../model/account.ts';
import type { Invitation, Organization } from '../../model/organization.ts';
import type { InvitationStore, NewInvitation } from '../../model/ports/organization.ts';
import { invitationColumns } from '../entities.ts';
import type { Executor, StoreDatabase } from '../executor.ts';
import { countRows } from '../queries.ts';
import type { Changes } from '../recordedChange.ts';
import { invitations } from '../schema.ts';
import { findAccountByEmail, insertAccount } from './accounts.ts';
import { hasAccess, insertMember } from './membership.ts';
import { findOrganization } from './organizations.ts';

/** Maximum number of invitations that one call deletes. */
const PURGE_SIZE = 1000;

/** @see InvitationStore */
export function createInvitationStore(database: StoreDatabase, changes: Changes): InvitationStore {
  const { orm } = database;
  return {
    create: (invitation, limit, entry) => changes.change(entry, (tx) => create(tx, invitation, limit)),
    async list(organizationId, now) {
      const isOpen = and(eq(invitations.organizationId, organizationId), gt(invitations.expiresAt, now));
      return orm.select(invitationColumns).from(invitations).where(isOpen).orderBy(asc(invitations.id));
    },
    revoke(organizationId, id, entry) {
      const revoke = async (tx: Executor): Promise<Outcome<Invitation, 'invitation-unknown'>> => {
        const isWanted = and(eq(invitations.id, id), eq(invitations.organizationId, organizationId));
        const [revoked] = await tx.delete(invitations).where(isWanted).returning(invitationColumns);
        return revoked === undefined ? reject('invitation-unknown') : done(revoked);
      };
      return changes.change(entry, revoke, (revoked) => (revoked.ok ? { object: revoked.value.email } : {}));
    },
    ...createAcceptance(database, changes),
    async purge(before) {
      const old = orm
        .select({ id: invitations.id })
        .from(invitations)
        .where(lt(invitations.expiresAt, before))
        .limit(PURGE_SIZE)
        // Skips rows that another transaction is deleting: waiting for them could cause a deadlock.
        .for('update', { skipLocked: true });
      const purged = orm.delete(invitations).where(inArray(invitations.id, old));
      return (await purged.returning({ id: invitations.id })).length;
    },
  };
}

/** @see InvitationStore */
async function create(
  tx: Executor,
  invitation: NewInvitation,
  limit: number,
): Promise<Outcome<Invitation, 'organization-unknown' | 'member-already' | 'invitations-limit'>> {
  const { organizationId, email, createdAt } = invitation;
  if ((await findOrganization(tx, organizationId)) === undefined) return reject('organization-unknown');
  const invited = await findAccountByEmail(tx, email);
  if (invited && (await hasAccess(tx, organizationId, invited.id))) return reject('member-already');
  const isOfOrganization = eq(invitations.organizationId, organizationId);
  const isOpen = gt(invitations.expiresAt, createdAt);
  const isOther = and(isOfOrganization, ne(invitations.email, email), isOpen);
  if ((await countRows(tx, invitations, isOther)) >= limit) return reject('invitations-limit');
  await tx.delete(invitations).where(and(isOfOrganization, eq(invitations.email, email)));
  const [created] = await tx.insert(invitations).values(invitation).returning(invitationColumns);
  if (created === undefined) throw new Error('the database returned no row for an inserted invitation');
  return done(created);
}

type Acceptance = Pick<InvitationStore, 'byTokenHash' | 'accept' | 'createAccount'>;

function createAcceptance({ orm }: StoreDatabase, { change, invalidate }: Changes): Acceptance {
  return {
    byTokenHash: async (tokenHash, now) => (await find(orm, tokenHash, now))?.invitation,
    accept: (tokenHash, accountId, now, entry) =>
      invalidate(
        entry,
        (tx) => accept(tx, tokenHash, accountId, now),
        (accepted) => (accepted.ok ? { organizationId: accepted.value.id } : {}),
      ),
    createAccount(tokenHash, account, now, entry) {
      const create = async (
        tx: Executor,
      ): Promise<Outcome<Account, 'invitation-unknown' | 'email-taken'>> => {
        const found = await find(tx, tokenHash, now);
        if (found === undefined) return reject('invitation-unknown');
        const created = await insertAccount(tx, { ...account, email: found.invitation.email }, now);
        return created === undefined ? reject('email-taken') : done(created);
      };
      return change(entry, create, (created) => (created.ok ? { accountId: created.value.id } : {}));
    },
  };
}

/** Finds an open invitation and its organization. */
async function find(orm: Executor, tokenHash: string, now: Instant) {
  const isOpen = and(eq(invitations.tokenHash, tokenHash), gt(invitations.expiresAt, now));
  const [invitation] = await orm.select(invitationColumns).from(invitations).where(isOpen);
  const organization = invitation && (await findOrganization(orm, invitation.organizationId));
  return organization && { invitation, organization };
}

/** @see InvitationStore */
async function accept(
  tx: Executor,
  tokenHash: string,
  accountId: AccountId,
  now: Instant,
): Promise<Outcome<Organization, 'invitation-unknown' | 'invitation-not-yours'>> {
  const found = await find(tx, tokenHash, now);
  if (found === undefined) return reject('invitation-unknown');
  const { invitation, organization } = found;
  const invited = await findAccountByEmail(tx, invitation.email);
  if (invited?.id !== accountId) return reject('invitation-not-yours');
  await insertMember(tx, organization.id, accountId, now);
  await tx.delete(invitations).where(eq(invitations.id, invitation.id));
  return done(organization);
}
