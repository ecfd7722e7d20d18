import type { Instant } from '../../src/lib/time.ts';
import type { Account } from '../../src/model/account.ts';
import type { Organization, OrganizationId } from '../../src/model/organization.ts';
import type { Quotas } from '../../src/model/plan.ts';
import type { AccountStore } from '../../src/model/ports/account.ts';
import type { ApiKeyStore, NewApiKey, PrincipalLookup } from '../../src/model/ports/apiKey.ts';
import type { AuditStore } from '../../src/model/ports/audit.ts';
import type { CredentialStore } from '../../src/model/ports/credential.ts';
import type { InstallationStore } from '../../src/model/ports/installation.ts';
import type { InvitationStore } from '../../src/model/ports/invitation.ts';
import type { OrganizationStore } from '../../src/model/ports/organization.ts';
import type { PlanStore } from '../../src/model/ports/plan.ts';
import type { NewProperty, PropertyLookup, PropertyStore } from '../../src/model/ports/property.ts';
import type { SecondFactorStore } from '../../src/model/ports/secondFactor.ts';
import type { SessionStore } from '../../src/model/ports/session.ts';
import type { SigningKeyStore } from '../../src/model/ports/signingKey.ts';
import type { StatisticsStore } from '../../src/model/ports/statistics.ts';
import type { TaskStore } from '../../src/model/ports/task.ts';
import type { Sitekey } from '../../src/model/property.ts';
import { DEFAULT_SETTINGS } from '../../src/model/propertyFields.ts';
import { expectDone } from '../support/server.ts';

/** One empty installation of an implementation: its ports refer to the same data. */
export type World = {
  readonly accounts: AccountStore;
  readonly organizations: OrganizationStore;
  readonly properties: PropertyStore & PropertyLookup;
  readonly apiKeys: ApiKeyStore & PrincipalLookup;
  readonly signingKeys: SigningKeyStore;
  readonly installation: InstallationStore;
  readonly plans: PlanStore;
  readonly tasks: TaskStore;
  readonly statistics: StatisticsStore;
  readonly audit: AuditStore;
  readonly invitations: InvitationStore;
  readonly sessions: SessionStore;
  readonly secondFactors: SecondFactorStore;
  readonly credentials: CredentialStore;
};

/** Opens a new world; the implementation cleans up after the test. */
export type OpenWorld = (quotas?: Quotas) => World;

/** A limit of active keys that no test meets by accident. */
export const KEYS_MAX = 1000;

/** Quotas that no test meets by accident. */
export const AMPLE: Quotas = { organizations: 1000, properties: 1000 };

export const now = Date.UTC(2026, 0, 31) as Instant;

let names = 0;

export async function addAccount({ accounts }: World): Promise<Account> {
  const email = `user${++names}@example.com`;
  const account = { email, name: 'Someone', isAdmin: false, passwordHash: undefined };
  return expectDone(await accounts.create(account, now));
}

export async function addOrganization(world: World, owner?: Account): Promise<Organization> {
  const ownerId = (owner ?? (await addAccount(world))).id;
  return expectDone(await world.organizations.create({ name: `Organization ${++names}`, ownerId }, now));
}

export function newProperty(organizationId: OrganizationId, change: Partial<NewProperty> = {}): NewProperty {
  const sitekey = (++names).toString(16).padStart(32, '0') as Sitekey;
  return {
    ...DEFAULT_SETTINGS,
    organizationId,
    name: `Site ${names}`,
    domain: 'example.com',
    sitekey,
    ...change,
  };
}

export function newKey(account: Account, change: Partial<NewApiKey> = {}): NewApiKey {
  const keyHash = (++names).toString(16).padStart(64, '0');
  const rest = {
    scope: 'verify',
    organizationId: undefined,
    isReadOnly: false,
    expiresAt: undefined,
    rate: undefined,
    burst: undefined,
  } as const;
  return { accountId: account.id, name: `Key ${names}`, keyHash, ...rest, ...change };
}
