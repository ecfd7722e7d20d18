import { HOUR, type Instant } from '../lib/time.ts';
import type { PropertySettings } from './propertyFields.ts';

/** How long attack mode lasts after its last start, in milliseconds. */
export const ATTACK_MODE_LENGTH = HOUR;

/** A property or an organization. */
export type Attackable = {
  /** When attack mode ends; 0 if it was never on or was ended early. For properties, the later end of theirs and their organization's. */
  readonly attackUntil: Instant;
};

/** One preset of the portal: four times the work. */
const ADDED_LEVELS = 16;
/** The preset “High”: a property with a low level is not protected by four times almost nothing. */
const MIN_LEVEL = 144;
const MAX_LEVEL = 255;

/** Whether attack mode is on. */
export function isUnderAttack({ attackUntil }: Attackable, now: Instant): boolean {
  return now < attackUntil;
}

/** Returns a property with the level and growth of attack mode while it is on; otherwise the property itself. */
export function withAttackMode<P extends Attackable & Pick<PropertySettings, 'level' | 'growth'>>(
  property: P,
  now: Instant,
): P {
  if (!isUnderAttack(property, now)) return property;
  const level = Math.min(MAX_LEVEL, Math.max(MIN_LEVEL, property.level + ADDED_LEVELS));
  return { ...property, level, growth: 'fast' };
}
