import type { PageSlice } from '../../lib/page.ts';
import type { Instant } from '../../lib/time.ts';
import type { AccountId } from '../account.ts';
import type { ApiKeyId } from '../apiKey.ts';
import type { OrganizationId, OrganizationOverview } from '../organization.ts';
import type { Property, PropertyId } from '../property.ts';
import type { RuleId } from '../rules/rule.ts';
import type { Bucket, Counts, Day, Hour, UsageBatch, UsageRecord } from '../statistics.ts';
import type { Task } from '../task.ts';
import type { PropertySearch } from './property.ts';

/**
 * What counts belong to: a property, an organization with all its properties, requests without a property (`none`), all of these (`all`),
 * or an API key or a rule, whose counts have their own positions (KEY_COUNTER, RULE_COUNTER).
 */
export type Scope =
  | { readonly key: ApiKeyId }
  | { readonly rule: RuleId }
  | { readonly property: PropertyId }
  | { readonly organization: OrganizationId }
  | 'none'
  | 'all';

/** The counts of a property in an hour. */
export type PropertyCounts = { readonly id: PropertyId; readonly counts: Counts };

type ScopeHours = { readonly scope: Scope; readonly hours: readonly Bucket<Hour>[] };

/** Counts by hour and by day. The counts of an organization and of the installation include those of deleted properties. */
export interface StatisticsStore {
  /**
   * Adds counts in one transaction. Counts for an unknown or deleted property are added to those without a property. `RuleStore.addHits`
   * adds those of rules.
   *
   * @param batch identifies the records, so that a call that is repeated because its result was lost adds them only once;
   *   undefined if the call is never repeated
   */
  add(records: readonly UsageRecord[], batch?: UsageBatch): Promise<void>;
  /** Lists the hours with counts from `from` to before `until`, except those that were rolled up. */
  byHour(scope: Scope, from: Hour, until: Hour): Promise<readonly Bucket<Hour>[]>;
  /** Lists the days with counts from `from` to before `until`, unordered. */
  byDay(scope: Scope, from: Day, until: Day): Promise<readonly Bucket<Day>[]>;
  /** Lists the hours with counts of several scopes from `from` to before `until`, except those that were rolled up. */
  byHourOf(scopes: readonly Scope[], from: Hour, until: Hour): Promise<readonly ScopeHours[]>;
  /**
   * Lists up to `limit` properties with counts in an hour that was not rolled up, in the order of their ids. They may include deleted
   * properties.
   *
   * @param after the last id of the previous call; 0 to start
   */
  inHour(hour: Hour, after: number, limit: number): Promise<readonly PropertyCounts[]>;
  /**
   * Computes the activity of some properties, in the order of their ids.
   *
   * @param now the current hour
   * @param after the id that the previous call returned; 0 to start
   * @returns the id of the last property; undefined if no properties are left
   */
  summarize(now: Hour, after: number): Promise<PropertyId | undefined>;
  /** Moves a batch of hours before this one to their days. @returns their number; 0 if none are left */
  rollUp(before: Hour): Promise<number>;
  /** Deletes a batch of days before this one. @returns their number; 0 if none are left */
  purge(before: Day): Promise<number>;
}

/** Sort orders of a list of properties: by puzzles in the last 24 hours, name, or creation. */
export const OVERVIEW_ORDERS = [
  'use_desc',
  'use_asc',
  'name_asc',
  'name_desc',
  'date_desc',
  'date_asc',
] as const;
export type OverviewOrder = (typeof OVERVIEW_ORDERS)[number];

/** Sort orders of a list of organizations. Orders other than those by name count the objects of all organizations that the account can access. */
export const ORGANIZATION_ORDERS = [
  'name_asc',
  'name_desc',
  'properties_desc',
  'properties_asc',
  'members_desc',
  'members_asc',
] as const;
export type OrganizationOrder = (typeof ORGANIZATION_ORDERS)[number];

/** Parts of a list of properties: `disabled`; `unverified`: never had a verification; `spike`: many more puzzles than usual. */
export const OVERVIEW_STATES = ['disabled', 'unverified', 'spike'] as const;
export type OverviewState = (typeof OVERVIEW_STATES)[number];

/** A property in a list that shows properties of several organizations. */
export type ListedProperty = Property & { readonly organizationName: string };

export type OverviewFilter = {
  /** Only organizations that this account can access. */
  readonly accountId: AccountId;
  readonly organizationId?: OrganizationId | undefined;
  /** Requires ids. */
  readonly state?: OverviewState | undefined;
  /** Only these properties, for example the results of a search. */
  readonly ids?: readonly PropertyId[] | undefined;
};

export type OverviewSlice = PageSlice & { readonly order: OverviewOrder };

/** Numbers of objects in the installation. */
export type InstallationCounts = {
  readonly properties: number;
  readonly organizations: number;
  readonly users: number;
};

export type Progress = {
  /** Whether there is an API key for verification that is neither revoked nor expired. */
  readonly hasKey: boolean;
  /** Whether a property has verified a solution. */
  readonly hasVerified: boolean;
};

/** Lists that cover several organizations, and searches. All methods ignore deleted objects. */
export interface OverviewStore {
  /** Lists part of the properties that an account can access. With ids, sorts at most as many properties. */
  properties(filter: OverviewFilter, slice: OverviewSlice): Promise<readonly ListedProperty[]>;
  /** Finds the properties in a state, by the date of creation. */
  inState(
    filter: Pick<OverviewFilter, 'accountId' | 'organizationId'>,
    state: OverviewState,
    slice: { readonly order: 'date_desc' | 'date_asc'; readonly limit: number },
  ): Promise<readonly PropertyId[]>;
  /** Finds the newest properties that match. May read all properties of the installation, but lets other requests continue in the meantime. */
  findProperties(
    filter: Omit<OverviewFilter, 'ids' | 'state'>,
    wanted: PropertySearch,
    limit: number,
  ): Promise<readonly PropertyId[]>;
  /** Finds properties by the start of their sitekey. @param prefix lowercase hexadecimal */
  bySitekeyPrefix(accountId: AccountId, prefix: string, limit: number): Promise<readonly ListedProperty[]>;
  /**
   * Lists part of the organizations that an account can access, by name unless the slice has another order.
   *
   * @param text a part of the folded name; empty for all
   */
  organizations(
    accountId: AccountId,
    text: string,
    slice: PageSlice & { readonly order?: OrganizationOrder },
  ): Promise<readonly OrganizationOverview[]>;
  /** Lists the newest tasks of an account's API keys that finished after `since` with a rejected item. */
  failedTasks(accountId: AccountId, since: Instant, limit: number): Promise<readonly Task[]>;
  /** What an account, or an organization that it can access, has already used. */
  progress(accountId: AccountId, now: Instant): Promise<Progress>;
  counts(): Promise<InstallationCounts>;
}
