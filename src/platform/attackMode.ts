import { done, type Outcome } from '../lib/outcome.ts';
import { type Clock, type Instant, later } from '../lib/time.ts';
import type { Actor } from '../model/actor.ts';
import { ATTACK_MODE_LENGTH } from '../model/attackMode.ts';
import type { OrganizationId, OwnedOrganization } from '../model/organization.ts';
import type { OrganizationStore } from '../model/ports/organization.ts';
import type { AttackChange, PropertyStore } from '../model/ports/property.ts';
import { type Property, type PropertyId, toAuditedActions } from '../model/property.ts';
import type { EntryFor } from './audit.ts';
import type { Access, OwnerProblem } from './organizations/access.ts';
import type { Properties } from './properties/properties.ts';

/**
 * Use cases that start attack mode, or end it before its time. Safe to repeat: another start makes it end an hour after that start. An
 * end without attack mode changes nothing and is not recorded.
 */
export type AttackMode = ReturnType<typeof createAttackMode>;

/** @see AttackMode */
export function createAttackMode(deps: {
  readonly properties: Pick<Properties, 'find'>;
  readonly propertyStore: Pick<PropertyStore, 'setAttack'>;
  readonly organizations: Pick<OrganizationStore, 'setAttack'>;
  readonly access: Access;
  readonly entryFor: EntryFor;
  readonly clock: Clock;
}) {
  const { properties, access, entryFor } = deps;

  function changeTo(isOn: boolean): AttackChange {
    const [now, never] = [deps.clock(), 0 as Instant];
    return isOn
      ? { until: later(now, ATTACK_MODE_LENGTH), unlessBefore: never }
      : { until: never, unlessBefore: now };
  }

  return {
    /** For everyone who can change the property. @returns the property, whose organization may be in attack mode for longer */
    async ofProperty(
      actor: Actor,
      id: PropertyId,
      isOn: boolean,
    ): Promise<Outcome<Property, 'property-gone'>> {
      const property = await properties.find(actor, id);
      if (!property.ok) return property;
      const action = isOn ? 'property-attack-started' : 'property-attack-ended';
      const audited = toAuditedActions(property.value, [action]);
      const entries = await Promise.all(audited.map((each) => entryFor(actor, each)));
      await deps.propertyStore.setAttack(id, changeTo(isOn), entries);
      return properties.find(actor, id);
    },
    /** For the owner. */
    async ofOrganization(
      actor: Actor,
      id: OrganizationId,
      isOn: boolean,
    ): Promise<Outcome<OwnedOrganization, OwnerProblem>> {
      const organization = await access.requireOwner(actor, id);
      if (!organization.ok) return organization;
      const { name: object } = organization.value;
      const action = isOn ? 'organization-attack-started' : 'organization-attack-ended';
      const entry = await entryFor(actor, { action, organizationId: id, object });
      const change = changeTo(isOn);
      const hasChanged = await deps.organizations.setAttack(id, change, entry);
      return done(hasChanged ? { ...organization.value, attackUntil: change.until } : organization.value);
    },
  };
}
