import type { Outcome } from '../lib/outcome.ts';
import type { NewProperty } from '../model/ports/property.ts';
import type { Property, PropertyId } from '../model/property.ts';
import type { PropertyUpdate } from '../model/task.ts';

export type OrganizationProblem = 'organization-unknown' | 'organization-not-yours';
export type PropertyProblem = 'property-gone' | 'property-not-yours';

/** A property before and after an update. */
export type Updated = { readonly before: Property; readonly after: Property };

/** Changes properties within one transaction. Each method checks access, names, and quotas. */
export type PropertyWriter = {
  readonly create: (
    property: NewProperty,
  ) => Outcome<Property, OrganizationProblem | 'properties-limit' | 'property-name-taken'>;
  readonly update: (
    update: PropertyUpdate,
  ) => Outcome<Updated, PropertyProblem | 'sitekey-read-only' | 'property-name-taken'>;
  readonly remove: (id: PropertyId) => Outcome<Property, PropertyProblem>;
};
