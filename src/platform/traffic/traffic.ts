import { done, type Outcome } from '../../lib/outcome.ts';
import type { Clock, Instant } from '../../lib/time.ts';
import type { TenantActor } from '../../model/actor.ts';
import type { OrganizationId } from '../../model/organization.ts';
import type { PropertyId } from '../../model/property.ts';
import type { RecentTraffic, TrafficDetails, TrafficRange, TrafficScope } from '../../model/traffic.ts';
import type { Access, AccessProblem } from '../organizations/access.ts';
import type { Properties } from '../properties/properties.ts';

export type TrafficReport = RecentTraffic & {
  readonly range: TrafficRange;
  readonly details: TrafficDetails;
  /** Whether other nodes of the installation may have processed requests that this report does not contain. */
  readonly isOfOneNode: boolean;
};

/** @see createTraffic */
export type Traffic = ReturnType<typeof createTraffic>;

/** Use cases for recent requests. */
export function createTraffic(deps: {
  readonly read: (scope: TrafficScope, range: TrafficRange, now: Instant) => RecentTraffic;
  readonly details: TrafficDetails;
  readonly isOfOneNode: boolean;
  readonly access: Access;
  readonly properties: Pick<Properties, 'byId'>;
  readonly clock: Clock;
}) {
  const { read, details, isOfOneNode, access, properties, clock } = deps;
  return {
    /** @param propertyId undefined for all properties of the organization */
    async of(
      actor: TenantActor,
      organizationId: OrganizationId,
      propertyId: PropertyId | undefined,
      range: TrafficRange,
    ): Promise<Outcome<TrafficReport, AccessProblem | 'property-gone'>> {
      const allowed =
        propertyId === undefined
          ? await access.requireMember(actor, organizationId)
          : await properties.byId(actor, organizationId, propertyId);
      if (!allowed.ok) return allowed;
      return done({ ...read({ organizationId, propertyId }, range, clock()), range, details, isOfOneNode });
    },
  };
}
