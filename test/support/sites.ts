import type { Account } from '../../src/model/account.ts';
import { INSTALLATION } from '../../src/model/actor.ts';
import type { Organization } from '../../src/model/organization.ts';
import type { Property } from '../../src/model/property.ts';
import type { PropertyDraft } from '../../src/platform/properties.ts';
import { addPerson, type Surfer, signedIn } from './portal.ts';
import { expectDone, type TestServer } from './server.ts';

/** Somebody who is signed in and owns an organization. */
export type SiteOwner = {
  readonly account: Account;
  readonly organization: Organization;
  readonly surfer: Surfer;
  /** Of the organization's pages. */
  readonly path: string;
};

let owners = 0;

export async function addSiteOwner(server: TestServer): Promise<SiteOwner> {
  const account = await addPerson(server);
  const { services } = server.app;
  const organization = expectDone(
    await services.organizations.create(INSTALLATION, { name: `Sites ${++owners}`, ownerId: account.id }),
  );
  const path = `/portal/orgs/${services.ids.seal('organization', organization.id)}`;
  return { account, organization, surfer: await signedIn(server, account), path };
}

export async function addSite(
  { app: { services } }: TestServer,
  { organization }: SiteOwner,
  draft: Partial<Omit<PropertyDraft, 'organizationId'>> = {},
): Promise<Property> {
  const base = { organizationId: organization.id, name: 'Shop', domain: 'example.com' };
  return expectDone(await services.properties.create({ ...base, ...draft }));
}

/** Where the pages of a site are. */
export function sitePath({ app: { services } }: TestServer, { path }: SiteOwner, { id }: Property): string {
  return `${path}/properties/${services.ids.seal('property', id)}`;
}

/** What a form for a site holds where nothing was touched. */
export const DEFAULT_FIELDS = {
  name: 'Shop',
  domain: 'example.com',
  level: '128',
  growth: 'medium',
  validity_seconds: '1800',
  max_replay_count: '2',
} as const;
