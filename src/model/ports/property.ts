import type { Awaitable } from '../../lib/awaitable.ts';
import type { Outcome } from '../../lib/outcome.ts';
import type { Instant } from '../../lib/time.ts';
import type { Actor } from '../actor.ts';
import type { OrganizationId } from '../organization.ts';
import type { Property, PropertyId, Sitekey } from '../property.ts';
import type { PropertySettings } from '../propertyFields.ts';

/** The hot path's view of properties: from memory where it can. */
export interface PropertyLookup {
  /** Live properties only: neither they nor their organization deleted. */
  bySitekey(sitekey: Sitekey): Awaitable<Property | undefined>;
}

export type NewProperty = PropertySettings & {
  readonly organizationId: OrganizationId;
  readonly name: string;
  readonly domain: string;
  readonly sitekey: Sitekey;
};

/** The orders of a list. Names in the order of their lower-case code points; dates are those of creation. */
export const PROPERTY_ORDERS = ['date_asc', 'date_desc', 'name_asc', 'name_desc'] as const;

export type PropertyOrder = (typeof PROPERTY_ORDERS)[number];

/** A piece of a list: `limit` items after the first `offset`. */
export type Slice = { readonly offset: number; readonly limit: number; readonly order: PropertyOrder };

/** What a property is looked for by: it is found where one of the three has the part that is given. */
export type PropertySearch = {
  /** Of the folded name. */
  readonly name: string;
  /** Lower-case ASCII. */
  readonly domain: string;
  /** Lower-case. */
  readonly sitekey: string;
};

export interface PropertyStore {
  /**
   * The organization and its owner's plan are asked in the same step.
   *
   * @param actor whose access is checked; the installation itself if undefined
   */
  create(
    property: NewProperty,
    now: Instant,
    actor?: Actor,
  ): Promise<
    Outcome<
      Property,
      'organization-unknown' | 'organization-not-yours' | 'property-name-taken' | 'properties-limit'
    >
  >;
  /** Enables or disables a property, on behalf of the installation itself. Safe to repeat. */
  setEnabled(id: PropertyId, isEnabled: boolean, now: Instant): Promise<Outcome<Property, 'property-gone'>>;
  /** A live one; its organization is live too. */
  byId(id: PropertyId): Promise<Property | undefined>;
  /** All live ones, or those of one organization; oldest first. */
  list(organizationId?: OrganizationId): Promise<readonly Property[]>;
  /** Of one organization; no property is in two slices that meet, and none left out, while nothing changes. */
  slice(organizationId: OrganizationId, slice: Slice): Promise<readonly Property[]>;
  /** The same of those that are found. Where few are, it looks at every property of the organization. */
  search(organizationId: OrganizationId, wanted: PropertySearch, slice: Slice): Promise<readonly Property[]>;
  /**
   * Forgets some of the properties and organizations that were deleted before this moment, with the properties'
   * statistics, and the API keys and tasks that were limited to such an organization.
   *
   * @returns how many; 0 when none is left
   */
  purge(before: Instant): Promise<number>;
}
