import type { Awaitable } from '../../lib/awaitable.ts';
import type { Outcome } from '../../lib/outcome.ts';
import type { PageSlice } from '../../lib/page.ts';
import type { Instant } from '../../lib/time.ts';
import type { AccountId } from '../account.ts';
import type { Actor } from '../actor.ts';
import type { AuditEntry } from '../audit.ts';
import type { OrganizationId } from '../organization.ts';
import type { Property, PropertyId, Sitekey } from '../property.ts';
import type { PropertySettings } from '../propertyFields.ts';

/** A property, and the user who owns its organization. All organizations of a user share the resources that tenants divide. */
export type OwnedProperty = Property & { readonly ownerId: AccountId };

/** The revisions of the rules that apply to a property; null for an empty list. */
export type PropertyAndRevisions = OwnedProperty & {
  readonly rulesRevision: number | null;
  readonly installationRevision: number | null;
};

/** The part of the property store that the hot path uses. */
export interface PropertyLookup {
  /** @returns undefined if the property does not exist, or if it or its organization is deleted */
  bySitekey(sitekey: Sitekey): Awaitable<PropertyAndRevisions | undefined>;
}

/** A change of the end of attack mode. */
export type AttackChange = {
  readonly until: Instant;
  /** Nothing changes if the current end is before this time. */
  readonly unlessBefore: Instant;
};

export type NewProperty = PropertySettings & {
  readonly organizationId: OrganizationId;
  readonly name: string;
  readonly domain: string;
  readonly sitekey: Sitekey;
};

/** Sort orders of a list: by the date of creation, or by the code points of the folded name. */
export const PROPERTY_ORDERS = ['date_asc', 'date_desc', 'name_asc', 'name_desc'] as const;

export type PropertyOrder = (typeof PROPERTY_ORDERS)[number];

/** Part of a list: `limit` items after the first `offset`. */
export type Slice = PageSlice & { readonly order: PropertyOrder };

/** A property matches if it contains at least one of the three parts. */
export type PropertySearch = {
  /** A part of the folded name. */
  readonly name: string;
  /** A part of the domain, in lowercase ASCII. */
  readonly domain: string;
  /** A part of the sitekey, in lowercase. */
  readonly sitekey: string;
};

/**
 * All methods ignore deleted properties and properties of deleted organizations. Methods append their `entries` to the audit log in
 * the same transaction if they change something.
 */
export interface PropertyStore {
  /**
   * Checks the access, the quota of the owner's plan, and the name in the same step.
   *
   * @param actor the actor whose access is checked; by default the installation itself
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
  /** @see AttackChange @returns whether something changed */
  setAttack(id: PropertyId, change: AttackChange, entries?: AuditEntries): Promise<boolean>;
  /**
   * Replaces the secret for offline verification. Does not check access.
   *
   * @param rotations how many times the secret was replaced before
   * @returns false if it was replaced since then, or if there is no such property
   */
  rotateOffline(id: PropertyId, rotations: number, entries?: AuditEntries): Promise<boolean>;
  byId(id: PropertyId): Promise<Property | undefined>;
  /** Lists all properties, or those of one organization; oldest first. */
  list(organizationId?: OrganizationId): Promise<readonly Property[]>;
  /** Finds the properties of an organization that have one of the sitekeys, at most 1,000. */
  bySitekeys(organizationId: OrganizationId, sitekeys: readonly Sitekey[]): Promise<readonly Property[]>;
  /**
   * Lists an organization's properties, oldest first, that are newer than the property `after`. Unlike slices, successive lists neither
   * repeat nor omit a property when other properties change.
   */
  listAfter(
    organizationId: OrganizationId,
    after: PropertyId | undefined,
    limit: number,
  ): Promise<readonly Property[]>;
  /** Lists part of an organization's properties. Adjacent slices neither repeat nor omit properties as long as no property changes. */
  slice(organizationId: OrganizationId, slice: Slice): Promise<readonly Property[]>;
  /** Like `slice`, but only with the properties that match. May scan all properties of the organization. */
  search(organizationId: OrganizationId, wanted: PropertySearch, slice: Slice): Promise<readonly Property[]>;
  /**
   * Deletes a batch of properties and organizations that were marked as deleted before `before`, with the statistics of the
   * properties and with the API keys and tasks that are limited to such an organization.
   *
   * @returns their number; 0 if none are left
   */
  purge(before: Instant): Promise<number>;
}

/** Undefined for actions of the installation itself, which have no entries. */
type AuditEntries = readonly (AuditEntry | undefined)[];
