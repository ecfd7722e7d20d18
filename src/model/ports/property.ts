import type { Awaitable } from '../../lib/awaitable.ts';
import type { Outcome } from '../../lib/outcome.ts';
import type { Instant } from '../../lib/time.ts';
import type { Actor } from '../actor.ts';
import type { AuditEntry } from '../audit.ts';
import type { OrganizationId } from '../organization.ts';
import type { Property, PropertyId, Sitekey } from '../property.ts';
import type { PropertySettings } from '../propertyFields.ts';

/** The part of the property store that the hot path uses. */
export interface PropertyLookup {
  /** @returns undefined if the property does not exist, or if it or its organization is deleted */
  bySitekey(sitekey: Sitekey): Awaitable<Property | undefined>;
}

export type NewProperty = PropertySettings & {
  readonly organizationId: OrganizationId;
  readonly name: string;
  readonly domain: string;
  readonly sitekey: Sitekey;
};

/** The orders of a list: names by the code points of their folded form, dates by creation. */
export const PROPERTY_ORDERS = ['date_asc', 'date_desc', 'name_asc', 'name_desc'] as const;

export type PropertyOrder = (typeof PROPERTY_ORDERS)[number];

/** Part of a list: `limit` items after the first `offset`. */
export type Slice = { readonly offset: number; readonly limit: number; readonly order: PropertyOrder };

/** A property matches if it contains any of the three. */
export type PropertySearch = {
  /** A part of the folded name. */
  readonly name: string;
  /** A part of the domain, in lowercase ASCII. */
  readonly domain: string;
  /** A part of the sitekey, in lower case. */
  readonly sitekey: string;
};

/**
 * All methods ignore deleted properties and properties of deleted organizations. A method with `entries` appends them to the audit
 * log in the same transaction if the method changes something.
 */
export interface PropertyStore {
  /**
   * Checks the access, the quota of the owner's plan, and the name in the same step.
   *
   * @param actor whose access is checked; the installation itself if undefined
   */
  create(
    property: NewProperty,
    now: Instant,
    actor?: Actor,
    entries?: AuditEntries,
  ): Promise<
    Outcome<
      Property,
      'organization-unknown' | 'organization-not-yours' | 'property-name-taken' | 'properties-limit'
    >
  >;
  /** Enables or disables a property. Does not check access. Safe to repeat. */
  setEnabled(
    id: PropertyId,
    isEnabled: boolean,
    now: Instant,
    entries?: AuditEntries,
  ): Promise<Outcome<Property, 'property-gone'>>;
  byId(id: PropertyId): Promise<Property | undefined>;
  /** Lists all properties, or those of one organization; oldest first. */
  list(organizationId?: OrganizationId): Promise<readonly Property[]>;
  /** Lists part of the properties of an organization. Adjacent slices neither repeat nor omit properties as long as none changes. */
  slice(organizationId: OrganizationId, slice: Slice): Promise<readonly Property[]>;
  /** The same, for the properties that match. May scan all properties of the organization. */
  search(organizationId: OrganizationId, wanted: PropertySearch, slice: Slice): Promise<readonly Property[]>;
  /**
   * Deletes some of the properties and organizations that were marked as deleted before `before`, with the statistics of the
   * properties and with the API keys and tasks that are limited to such an organization.
   *
   * @returns their number; 0 if none is left
   */
  purge(before: Instant): Promise<number>;
}

/** Actions of the installation itself have no entries. */
type AuditEntries = readonly (AuditEntry | undefined)[];
