import { describe, expect, test } from 'bun:test';
import { HOUR, type Instant, later } from '../../src/lib/time.ts';
import type { Account, AccountId } from '../../src/model/account.ts';
import type { ApiKeyId } from '../../src/model/apiKey.ts';
import type { AuditEntry } from '../../src/model/audit.ts';
import type { OrganizationId } from '../../src/model/organization.ts';
import type { NewInvitation } from '../../src/model/ports/organization.ts';
import type { NewSession } from '../../src/model/ports/session.ts';
import type { PropertyId } from '../../src/model/property.ts';
import type { Session, SessionId } from '../../src/model/session.ts';
import type { ShareLinkId } from '../../src/model/shareLink.ts';
import { emailOf } from '../support/email.ts';
import { expectOk } from '../support/server.ts';
import { newShareLink } from './shareLinks.ts';
import {
  addAccount,
  addOrganization,
  KEYS_MAX,
  newKey,
  newProperty,
  now,
  type OpenWorld,
  rotation,
  type World,
} from './world.ts';

const ENTRY: AuditEntry = {
  at: now,
  accountId: undefined,
  actor: 'command line',
  source: 'command-line',
  address: undefined,
  action: 'plan-set',
  organizationId: undefined,
  object: 'object',
};

/** Starts attack mode. */
const ATTACK = { until: later(now, HOUR), unlessBefore: 0 as Instant };

/** A call that changes something, and one that changes nothing. */
type Case = {
  readonly change: (entry: AuditEntry) => Promise<unknown>;
  readonly nothing?: (entry: AuditEntry) => Promise<unknown>;
  /** What the store adds to the entry. */
  readonly completed?: Partial<AuditEntry>;
};

const CASES: Readonly<Record<string, (world: World) => Promise<Case>>> = {
  async 'accounts.create'(world) {
    const create = (entry: AuditEntry) => world.accounts.create(ANN, now, entry);
    return { change: create, nothing: create };
  },
  async 'accounts.setDisabled'(world) {
    const admin = expectOk(await world.accounts.create(ADMIN, now));
    const { id } = await addAccount(world);
    return {
      change: (entry) => world.accounts.setDisabled(id, now, entry),
      nothing: (entry) => world.accounts.setDisabled(admin.id, now, entry),
    };
  },
  async 'accounts.setAdmin'(world) {
    const { id } = expectOk(await world.accounts.create(ADMIN, now));
    return {
      change: (entry) => world.accounts.setAdmin(id, true, entry),
      nothing: (entry) => world.accounts.setAdmin(id, false, entry),
    };
  },
  async 'accounts.setEmail'(world) {
    const { id } = await addAccount(world);
    const other = await addAccount(world);
    return {
      change: (entry) => world.accounts.setEmail(id, emailOf('changed@example.com'), entry),
      nothing: (entry) => world.accounts.setEmail(id, other.email, entry),
    };
  },
  async 'accounts.setPlan'(world) {
    const { id } = await addAccount(world);
    return {
      change: (entry) => world.accounts.setPlan(id, 'default', entry),
      nothing: (entry) => world.accounts.setPlan(id, 'unknown', entry),
    };
  },
  async 'credentials.setup'(world) {
    const first = { ...ANN, passwordHash: 'hash', organizationName: 'Shop' };
    const setup = (entry: AuditEntry) => world.credentials.setup(first, now, entry);
    return {
      change: setup,
      nothing: setup,
      completed: { accountId: 1 as AccountId, organizationId: 1 as OrganizationId },
    };
  },
  async 'plans.set'({ plans }) {
    return { change: (entry) => plans.set({ name: 'large', organizations: 9, properties: 9 }, entry) };
  },
  async 'installation.setMaintenance'({ installation }) {
    return { change: (entry) => installation.setMaintenance(true, entry) };
  },
  async 'signingKeys.add'({ signingKeys }) {
    const key = { fingerprint: new Uint8Array(4), secret: new Uint8Array(32), createdAt: now };
    const add = (entry: AuditEntry) => signingKeys.add(key, entry);
    return { change: add, nothing: (entry) => add(entry).catch(() => {}) };
  },
  async 'apiKeys.create'({ apiKeys, ...world }) {
    const key = newKey(await addAccount({ apiKeys, ...world }));
    return {
      change: (entry) => apiKeys.create(key, KEYS_MAX, now, entry),
      nothing: (entry) => apiKeys.create(key, KEYS_MAX, now, entry),
    };
  },
  async 'apiKeys.revoke'(world) {
    const { id } = await addKey(world);
    const revoke = (entry: AuditEntry) => world.apiKeys.revoke(id, now, entry);
    return { change: revoke, nothing: revoke };
  },
  async 'apiKeys.rotate'(world) {
    const { id } = await addKey(world);
    return {
      change: (entry) => world.apiKeys.rotate(id, rotation('a'.repeat(64)), entry),
      nothing: (entry) => world.apiKeys.rotate(999 as ApiKeyId, rotation('b'.repeat(64)), entry),
    };
  },
  async 'apiKeys.endOldSecret'(world) {
    const { id } = await addKey(world);
    expectOk(await world.apiKeys.rotate(id, rotation('a'.repeat(64), later(now, HOUR))));
    const end = (entry: AuditEntry) => world.apiKeys.endOldSecret(id, now, entry);
    return { change: end, nothing: end };
  },
  async 'apiKeys.change'(world) {
    const { id } = await addKey(world);
    return {
      change: (entry) => world.apiKeys.change(id, { name: 'Other' }, entry),
      nothing: (entry) => world.apiKeys.change(999 as ApiKeyId, { name: 'Other' }, entry),
    };
  },
  async 'organizations.create'(world) {
    const draft = { name: 'Shop', ownerId: (await addAccount(world)).id };
    const create = (entry: AuditEntry) => world.organizations.create(draft, now, entry);
    return { change: create, nothing: create };
  },
  async 'organizations.rename'(world) {
    const { id } = await addOrganization(world);
    return {
      change: (entry) => world.organizations.rename(id, 'Other', entry),
      nothing: (entry) => world.organizations.rename(NO_ORGANIZATION, 'Other', entry),
    };
  },
  async 'organizations.setAttack'(world) {
    const { id } = await addOrganization(world);
    return {
      change: (entry) => world.organizations.setAttack(id, ATTACK, entry),
      nothing: (entry) => world.organizations.setAttack(NO_ORGANIZATION, ATTACK, entry),
    };
  },
  async 'organizations.remove'(world) {
    const { id } = await addOrganization(world);
    const remove = (entry: AuditEntry) => world.organizations.remove(id, now, entry);
    return { change: remove, nothing: remove };
  },
  async 'organizations.addMember'(world) {
    const [{ id }, member] = [await addOrganization(world), await addAccount(world)];
    return { change: (entry) => world.organizations.addMember(id, member.id, now, entry) };
  },
  async 'organizations.removeMember'(world) {
    const [{ id }, member] = [await addOrganization(world), await addAccount(world)];
    await world.organizations.addMember(id, member.id, now);
    const remove = (entry: AuditEntry) => world.organizations.removeMember(id, member.id, entry);
    return { change: remove, nothing: remove };
  },
  async 'organizations.transfer'(world) {
    const [{ id, ownerId }, member] = [await addOrganization(world), await addAccount(world)];
    await world.organizations.addMember(id, member.id, now);
    const transfer = (entry: AuditEntry) => world.organizations.transfer(id, ownerId, member.id, entry);
    return { change: transfer, nothing: transfer };
  },
  async 'properties.create'(world) {
    const property = newProperty((await addOrganization(world)).id);
    const create = (entry: AuditEntry) => world.properties.create(property, now, undefined, [entry]);
    return { change: create, nothing: create };
  },
  async 'properties.setEnabled'(world) {
    const property = newProperty((await addOrganization(world)).id);
    const { id } = expectOk(await world.properties.create(property, now));
    return {
      change: (entry) => world.properties.setEnabled(id, false, now, [entry]),
      nothing: (entry) => world.properties.setEnabled(999 as PropertyId, false, now, [entry]),
    };
  },
  async 'properties.setAttack'(world) {
    const property = newProperty((await addOrganization(world)).id);
    const { id } = expectOk(await world.properties.create(property, now));
    return {
      change: (entry) => world.properties.setAttack(id, ATTACK, [entry]),
      nothing: (entry) => world.properties.setAttack(999 as PropertyId, ATTACK, [entry]),
    };
  },
  async 'properties.rotateOffline'(world) {
    const property = newProperty((await addOrganization(world)).id);
    const { id } = expectOk(await world.properties.create(property, now));
    const rotate = (entry: AuditEntry) => world.properties.rotateOffline(id, 0, [entry]);
    return { change: rotate, nothing: rotate };
  },
  async 'shareLinks.create'(world) {
    const link = await newShareLink(world);
    return {
      change: (entry) => world.shareLinks.create(link, 1, entry),
      nothing: (entry) => world.shareLinks.create({ ...link, tokenHash: 'b'.repeat(64) }, 1, entry),
    };
  },
  async 'shareLinks.revoke'(world) {
    const link = await newShareLink(world);
    await world.shareLinks.create(link, 1);
    const [{ id } = { id: 0 as ShareLinkId }] = await world.shareLinks.list(link.propertyId, now);
    const revoke = (entry: AuditEntry) => world.shareLinks.revoke(link.propertyId, id, entry);
    return { change: revoke, nothing: revoke };
  },
  async 'invitations.create'(world) {
    const invitation = await newInvitation(world);
    const gone = { ...invitation, organizationId: NO_ORGANIZATION };
    return {
      change: (entry) => world.invitations.create(invitation, 1, entry),
      nothing: (entry) => world.invitations.create(gone, 1, entry),
    };
  },
  async 'invitations.revoke'(world) {
    const { id, organizationId } = expectOk(await world.invitations.create(await newInvitation(world), 1));
    const revoke = (entry: AuditEntry) => world.invitations.revoke(organizationId, id, entry);
    return { change: revoke, nothing: revoke, completed: { object: 'guest@example.com' } };
  },
  async 'invitations.accept'(world) {
    const account = await addAccount(world);
    const invitation = { ...(await newInvitation(world)), email: account.email };
    expectOk(await world.invitations.create(invitation, 1));
    const accept = (entry: AuditEntry) =>
      world.invitations.accept(invitation.tokenHash, account.id, now, entry);
    const { organizationId } = invitation;
    return { change: accept, nothing: accept, completed: { organizationId } };
  },
  async 'invitations.createAccount'(world) {
    const invitation = await newInvitation(world);
    expectOk(await world.invitations.create(invitation, 1));
    const draft = { name: 'Guest', isAdmin: false, passwordHash: undefined };
    const create = (entry: AuditEntry) =>
      world.invitations.createAccount(invitation.tokenHash, draft, now, entry);
    return { change: create, nothing: create };
  },
  async 'accounts.setPasswordHash'(world) {
    const { id } = await addAccount(world);
    return { change: (entry) => world.accounts.setPasswordHash(id, 'hash', entry) };
  },
  async 'credentials.renewPassword'({ credentials, ...world }) {
    const { id } = await addAccount({ credentials, ...world });
    const renew = (entry: AuditEntry) => credentials.renewPassword(id, undefined, 'hash', entry);
    return { change: renew, nothing: renew };
  },
  async 'sessions.create'({ sessions, ...world }) {
    const draft = newSession(await addAccount({ sessions, ...world }));
    return {
      change: (entry) => sessions.create(draft, now, entry),
      nothing: (entry) => sessions.create({ ...draft, passwordHash: 'old' }, now, entry),
    };
  },
  async 'sessions.changePassword'(world) {
    const { id } = await addSession(world);
    const renewal = { secretHash: 'b'.repeat(64), passwordHash: 'new' };
    const change = (entry: AuditEntry) => world.sessions.changePassword(id, renewal, 'hash', entry);
    return { change, nothing: change };
  },
  async 'sessions.changeEmail'(world) {
    const { id } = await addSession(world);
    const change = (passwordHash: string) => (entry: AuditEntry) =>
      world.sessions.changeEmail(id, { secretHash: 'b'.repeat(64), passwordHash }, ANN.email, now, entry);
    return { change: change('hash'), nothing: change('old') };
  },
  async 'sessions.complete'(world) {
    const { id } = await addSession(world, true);
    const complete = (entry: AuditEntry) => world.sessions.complete(id, 'b'.repeat(64), now, entry);
    return { change: complete, nothing: complete };
  },
  async 'sessions.end'(world) {
    const { id, accountId } = await addSession(world);
    const end = (entry: AuditEntry) => world.sessions.end(id, accountId, entry);
    return { change: end, nothing: end };
  },
  async 'sessions.endOthers'(world) {
    const session = await addSession(world);
    const endOthers = (entry: AuditEntry) =>
      world.sessions.endOthers({ ...session, id: (session.id + 1) as SessionId }, entry);
    return { change: endOthers, nothing: endOthers };
  },
  async 'sessions.endAll'(world) {
    const { id } = await addAccount(world);
    return { change: (entry) => world.sessions.endAll(id, entry) };
  },
  async 'sessions.endEvery'(world) {
    return { change: (entry) => world.sessions.endEvery(undefined, entry) };
  },
  async 'twoFactor.confirm'(world) {
    const session = await addEnrollment(world);
    const confirm = (entry: AuditEntry) => world.twoFactor.confirm(session, 1, [], entry);
    return { change: confirm, nothing: confirm };
  },
  async 'twoFactor.useRecoveryCode'(world) {
    const session = await addEnrollment(world);
    await world.twoFactor.confirm(session, 1, ['code']);
    const use = (entry: AuditEntry) => world.twoFactor.useRecoveryCode(session.accountId, 'code', entry);
    return { change: use, nothing: use };
  },
  async 'twoFactor.replaceRecoveryCodes'(world) {
    const session = await addEnrollment(world);
    await world.twoFactor.confirm(session, 1, []);
    const replace = (entry: AuditEntry) =>
      world.twoFactor.replaceRecoveryCodes(session.accountId, ['code'], entry);
    return {
      change: replace,
      async nothing(entry) {
        await world.twoFactor.remove(session.accountId);
        await replace(entry);
      },
    };
  },
  async 'twoFactor.remove'(world) {
    const { accountId } = await addEnrollment(world);
    const remove = (entry: AuditEntry) => world.twoFactor.remove(accountId, entry);
    return { change: remove, nothing: remove };
  },
  async 'twoFactor.reset'(world) {
    const { accountId } = await addEnrollment(world);
    const reset = (entry: AuditEntry) => world.twoFactor.reset(accountId, entry);
    return { change: reset, nothing: reset };
  },
};

const ANN = { email: emailOf('ann@example.com'), name: 'Ann', isAdmin: false, passwordHash: undefined };
/** The only administrator. */
const ADMIN = { ...ANN, isAdmin: true, passwordHash: 'hash' };
const NO_ORGANIZATION = 999 as OrganizationId;

async function newInvitation(world: World): Promise<NewInvitation> {
  const { id, ownerId } = await addOrganization(world);
  return {
    organizationId: id,
    email: emailOf('guest@example.com'),
    inviterId: ownerId,
    createdAt: now,
    expiresAt: later(now, 1000),
    tokenHash: 'c'.repeat(64),
  };
}

function newSession({ id }: Pick<Account, 'id'>, awaitsCode = false): NewSession {
  const client = { address: '192.0.2.1', browser: 'Browser' };
  return { accountId: id, awaitsCode, ...client, secretHash: 'a'.repeat(64), passwordHash: undefined };
}

/** A session of an account with the password hash `hash`. */
async function addSession(world: World, awaitsCode = false): Promise<Session> {
  const account = await addAccount(world);
  await world.accounts.setPasswordHash(account.id, 'hash');
  const session = await world.sessions.create(newSession(account, awaitsCode), now);
  if (session === undefined) throw new Error('no session was created');
  return session;
}

/** A session that started an enrollment in two-factor authentication. */
async function addEnrollment(world: World): Promise<Session> {
  const session = await addSession(world);
  await world.twoFactor.start(session, new Uint8Array(48), now);
  return session;
}

async function addKey(world: World) {
  return expectOk(await world.apiKeys.create(newKey(await addAccount(world)), KEYS_MAX, now));
}

/** Every method that takes an audit log entry. */
export function describeAuditEntries(name: string, open: OpenWorld): void {
  describe(`audit log entries (${name})`, () => {
    test.each(Object.entries(CASES))('%s appends its entry if it changes something', async (_, prepare) => {
      const world = await open();
      const { change, nothing, completed } = await prepare(world);
      await change(ENTRY);
      await nothing?.({ ...ENTRY, action: 'maintenance-switched' });
      const entries = await world.audit.page({}, undefined, 10);
      expect(entries).toMatchObject([{ action: ENTRY.action, ...completed }]);
    });
  });
}
