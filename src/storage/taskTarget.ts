import type { TenantActor } from '../model/actor.ts';
import type { OrganizationId } from '../model/organization.ts';
import type { PropertyId } from '../model/property.ts';
import type { TaskOrder } from '../model/task.ts';

/** @returns the existing properties that a task names; undefined if the order names the organization */
export function propertiesIn(order: TaskOrder): readonly PropertyId[] | undefined {
  if ('organizationId' in order) return undefined;
  return order.kind === 'delete-properties' ? order.items : order.items.map(({ id }) => id);
}

/**
 * @param found the organizations of the existing properties, and the number of these properties in each
 * @returns the organization of all properties of a task; undefined if there is none
 */
export function targetOf(
  order: TaskOrder,
  found: readonly { readonly id: OrganizationId; readonly count: number }[],
): OrganizationId | undefined {
  if ('organizationId' in order) return order.organizationId;
  const [only, ...others] = found;
  const isOnly = others.length === 0 && only?.count === new Set(propertiesIn(order)).size;
  return isOnly ? only.id : undefined;
}

/** Whether an actor may show its tasks to the users of an organization: an API key of an organization only to its own. */
export function isOf(actor: TenantActor, organizationId: OrganizationId): boolean {
  return actor.source !== 'organization-key' || actor.limits.organizationId === organizationId;
}
