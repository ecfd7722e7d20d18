import type { Instant } from '../lib/time.ts';
import type { Activity } from '../model/activity.ts';
import type { OrganizationId } from '../model/organization.ts';
import type { Scope } from '../model/ports/statistics.ts';
import type { PropertyId } from '../model/property.ts';
import { type Hour, toHour } from '../model/statistics.ts';

/** The id of the installation's own counts in the tables of statistics: requests without a known property. */
export const INSTALLATION = 0;

/** The id of the counts of all properties. */
export const ALL_PROPERTIES = Number.MIN_SAFE_INTEGER;

/** @returns the id of an organization in the tables of statistics */
export function idOfOrganization(id: OrganizationId): number {
  return -id;
}

/** @returns the id of a scope in the tables of statistics */
export function idOfScope(scope: Scope): number {
  if (scope === 'all') return ALL_PROPERTIES;
  return 'property' in scope ? scope.property : idOfOrganization(scope.organization);
}

/** The stored activity of a property, and what decides whether it is computed again. */
export type StoredActivity = Activity & {
  readonly id: PropertyId;
  readonly createdAt: Instant;
  /** Whether the property has counts in the current hour or the hour before. */
  readonly isActive: boolean;
};

/** Whether the activity of a property may have changed. `hour` is 0 if it has never been computed. */
export function isDue({ hour, issued, isActive, createdAt }: StoredActivity, now: Hour): boolean {
  // A new property without counts has no activity. Properties that were moved or created by an earlier version have.
  if (hour === 0) return isActive || toHour(createdAt) < now - 1;
  return isActive || (hour < now && issued > 0);
}

/** Maximum number of properties of one call whose activity has never been computed: their last verification is searched in all statistics. */
const NEVER_COMPUTED_MAX = 32;

/** The properties of a call: those before the first NEVER_COMPUTED_MAX + 1 whose activity has never been computed. */
export function toBatch<Stored extends StoredActivity>(
  next: readonly Stored[],
  now: Hour,
): readonly Stored[] {
  const slow = next.filter((one) => one.hour === 0 && isDue(one, now));
  const following = slow[NEVER_COMPUTED_MAX];
  return following === undefined ? next : next.slice(0, next.indexOf(following));
}

/** Whether the computed activity differs from the stored one. */
export function hasChanged(stored: StoredActivity, computed: Activity): boolean {
  return ACTIVITY_KEYS.some((key) => stored[key] !== computed[key]);
}

const ACTIVITY_KEYS = ['hour', 'issued', 'recent', 'isSpike', 'verifiedHour'] as const;
