import type { Account } from '../../src/model/account.ts';
import { INSTALLATION } from '../../src/model/actor.ts';
import type { Organization } from '../../src/model/organization.ts';
import type { Property } from '../../src/model/property.ts';
import type { PropertyDraft } from '../../src/platform/properties/properties.ts';
import { addUser, type BrowserClient, signedIn } from './portal.ts';
import { expectOk, type TestServer } from './server.ts';

/** A signed-in user who owns an organization. */
export type PropertyOwner = {
  readonly account: Account;
  readonly organization: Organization;
  readonly browser: BrowserClient;
  /** The path of the organization's first page. */
  readonly path: string;
};

let owners = 0;

export async function addPropertyOwner(server: TestServer): Promise<PropertyOwner> {
  const account = await addUser(server);
  const { services } = server.app;
  const organization = expectOk(
    await services.organizations.create(INSTALLATION, {
      name: `Organization ${++owners}`,
      ownerId: account.id,
    }),
  );
  const path = `/portal/orgs/${services.ids.seal('organization', organization.id)}`;
  return { account, organization, browser: await signedIn(server, account), path };
}

export async function addProperty(
  { app: { services } }: TestServer,
  { organization }: PropertyOwner,
  draft: Partial<Omit<PropertyDraft, 'organizationId'>> = {},
): Promise<Property> {
  const base = { organizationId: organization.id, name: 'Shop', domain: 'example.com' };
  return expectOk(await services.properties.create(INSTALLATION, { ...base, ...draft }));
}

/** The path of a property's first page. */
export function propertyPath(
  { app: { services } }: TestServer,
  { path }: PropertyOwner,
  { id }: Property,
): string {
  return `${path}/properties/${services.ids.seal('property', id)}`;
}

/** The default values of the form for a property. */
export const DEFAULT_FIELDS = {
  name: 'Shop',
  domain: 'example.com',
  level: '128',
  growth: 'medium',
  challenge: 'blake2b',
  validity: '30',
  validity_unit: 'minutes',
  max_replay_count: '2',
} as const;
