import { Database } from 'bun:sqlite';
import { readCommonPasswords } from '../../src/commonPasswords.ts';
import { systemRandom } from '../../src/lib/ids.ts';
import type { Instant } from '../../src/lib/time.ts';
import type { Account } from '../../src/model/account.ts';
import { INSTALLATION } from '../../src/model/actor.ts';
import { createApiKeys } from '../../src/platform/apiKeys/apiKeys.ts';
import { createAudit } from '../../src/platform/audit.ts';
import { createCheckNewPassword } from '../../src/platform/authentication/ownPassword.ts';
import { createPasswords } from '../../src/platform/authentication/passwords.ts';
import { createSigningKeys } from '../../src/platform/installation/signingKeys.ts';
import { createAccess } from '../../src/platform/organizations/access.ts';
import { createInvitations } from '../../src/platform/organizations/invitations.ts';
import { createMembers } from '../../src/platform/organizations/members.ts';
import { createOrganizations } from '../../src/platform/organizations/organizations.ts';
import { createProperties } from '../../src/platform/properties/properties.ts';
import { createPrepareUser } from '../../src/platform/users/newUser.ts';
import { createPlans } from '../../src/platform/users/plans.ts';
import { createUsers } from '../../src/platform/users/users.ts';
import { createHmac } from '../../src/sha256.ts';
import { createSqliteStores } from '../../src/storage/sqlite/createStores.ts';
import { migrate } from '../../src/storage/sqlite/migrate.ts';
import { expectOk } from '../support/server.ts';

/** The use cases on a database in memory. Tests set the clock. */
export function openUseCases() {
  const raw = new Database(':memory:');
  raw.run('PRAGMA foreign_keys = ON');
  migrate(raw);
  const database = { raw };
  const time = { now: Date.UTC(2026, 0, 31) as Instant };
  const clock = () => time.now;
  const fail = (action: string, error: unknown): never => {
    throw new Error(`${action} was not recorded`, { cause: error });
  };
  const stores = createSqliteStores(database, { organizations: 1000, properties: 1000 }, fail);
  const passwords = createPasswords();
  const access = createAccess(stores.organizations);
  const checkNewPassword = createCheckNewPassword({
    organizations: stores.organizations,
    readCommon: readCommonPasswords,
  });
  const verify = { rate: 1000, burst: 2000 };
  const configured = { verify, portal: { rate: 20, burst: 100 } };
  const audit = createAudit({
    store: stores.audit,
    accounts: stores.accounts,
    apiKeys: stores.apiKeys,
    organizations: stores.organizations,
    clock,
    onFailure: fail,
  });
  const back = { organizations: stores.organizations, access, clock, random: systemRandom };
  const recorded = { ...back, accountStore: stores.accounts, entryFor: audit.entryFor };
  const choosing = { passwords, checkNewPassword };
  const prepareUser = createPrepareUser(choosing);
  return {
    time,
    raw,
    stores,
    audit,
    keyStore: stores.apiKeys,
    signingStore: stores.signingKeys,
    installation: stores.installation,
    users: createUsers({
      ...recorded,
      ...choosing,
      store: stores.accounts,
      sessionStore: stores.sessions,
      prepareUser,
    }),
    plans: createPlans({ ...recorded, store: stores.plans }),
    members: createMembers({ ...recorded, store: stores.organizations }),
    invitations: createInvitations({
      ...recorded,
      store: stores.invitations,
      prepareUser,
      audit,
      invitedPlan: 'invited',
    }),
    organizations: createOrganizations({ ...recorded, store: stores.organizations }),
    properties: createProperties({ ...recorded, store: stores.properties }),
    apiKeys: createApiKeys({
      ...recorded,
      store: stores.apiKeys,
      configured,
    }),
    signingKeys: createSigningKeys({ ...recorded, store: stores.signingKeys }),
    derive: (purpose: string) =>
      createHmac()(new Uint8Array(32), new TextEncoder().encode(purpose)).slice(0, 32),
  };
}

export type UseCases = ReturnType<typeof openUseCases>;

let names = 0;

/** Creates a user without a password. */
export async function addUser({ users }: UseCases, isAdmin = false): Promise<Account> {
  const email = `user${++names}@example.com`;
  const draft = { email, name: undefined, isAdmin, password: undefined };
  return expectOk(await users.create(INSTALLATION, draft));
}

/** Creates an organization with its owner. */
export async function addOrganization(services: UseCases) {
  const account = await addUser(services);
  const draft = { name: 'Shop', ownerId: account.id };
  return { account, organization: expectOk(await services.organizations.create(INSTALLATION, draft)) };
}

/** An organization with an owner and a member, and a user who is neither. */
export async function openTeam() {
  const services = openUseCases();
  const { account: owner, organization } = await addOrganization(services);
  const [member, outsider] = [await addUser(services), await addUser(services)];
  expectOk(await services.members.add(INSTALLATION, organization.id, member));
  return { services, owner, member, outsider, id: organization.id };
}

export type Team = Awaited<ReturnType<typeof openTeam>>;

/** The problem of an outcome; `done` if there is none. */
export function problemOf(outcome: { ok: true } | { ok: false; problem: string }): string {
  return outcome.ok ? 'done' : outcome.problem;
}
