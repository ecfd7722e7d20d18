import type { Instant } from '../../src/lib/time.ts';
import type { Account } from '../../src/model/account.ts';
import type { Organization, OrganizationId } from '../../src/model/organization.ts';
import type { Quotas } from '../../src/model/plan.ts';
import type { NewApiKey, Rotation } from '../../src/model/ports/apiKey.ts';
import type { NewProperty } from '../../src/model/ports/property.ts';
import type { Sitekey } from '../../src/model/property.ts';
import { DEFAULT_SETTINGS } from '../../src/model/propertyFields.ts';
import type { Stores } from '../../src/storage/storage.ts';
import { emailOf } from '../support/email.ts';
import { expectOk } from '../support/server.ts';

/** The stores of one empty installation. */
export type World = Stores;

/** Opens the stores of a new installation; the implementation cleans up after the test. */
export type OpenWorld = (quotas?: Quotas) => Promise<World>;

/** A limit of active keys that no test reaches by accident. */
export const KEYS_MAX = 1000;

/** Quotas that no test reaches by accident. */
export const AMPLE: Quotas = { organizations: 1000, properties: 1000 };

export const now = Date.UTC(2026, 0, 31) as Instant;

let names = 0;

export async function addAccount({ accounts }: World): Promise<Account> {
  const email = emailOf(`user${++names}@example.com`);
  const account = { email, name: 'Someone', isAdmin: false, passwordHash: undefined };
  return expectOk(await accounts.create(account, now));
}

export async function addOrganization(world: World, owner?: Account): Promise<Organization> {
  const ownerId = (owner ?? (await addAccount(world))).id;
  return expectOk(await world.organizations.create({ name: `Organization ${++names}`, ownerId }, now));
}

export function newProperty(organizationId: OrganizationId, change: Partial<NewProperty> = {}): NewProperty {
  const sitekey = (++names).toString(16).padStart(32, '0') as Sitekey;
  return {
    ...DEFAULT_SETTINGS,
    organizationId,
    name: `Property ${names}`,
    domain: 'example.com',
    sitekey,
    ...change,
  };
}

/** A rotation to a secret; by default, the old secret stops working immediately. */
export function rotation(keyHash: string, oldWorksUntil: Instant = now): Rotation {
  return { keyHash, hint: { prefix: 'postern_verify_Efgh', lastFour: '5678' }, at: now, oldWorksUntil };
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
    isOrganizationOwned: false,
    hint: { prefix: 'postern_verify_Abcd', lastFour: '1234' },
  } as const;
  return { accountId: account.id, name: `Key ${names}`, keyHash, ...rest, ...change };
}
