import type { Random } from '../../lib/ids.ts';
import type { TenantActor } from '../../model/actor.ts';
import type { OrganizationId } from '../../model/organization.ts';
import type { PropertyStore } from '../../model/ports/property.ts';
import type { TaskStep } from '../../model/ports/task.ts';
import { DEFAULT_SETTINGS } from '../../model/propertyFields.ts';
import type { ImportItem, PropertyCreation, PropertyUpdate, Task } from '../../model/task.ts';
import type { Access } from '../organizations/access.ts';
import type { BeginLookups, LookupOwner } from './dnsLookups.ts';
import type { Resolution } from './dnsResolver.ts';
import { newSitekey } from './properties.ts';

/** Decides the step for each item of a task: a change, or a rejection with its reason. Queries the DNS, but changes nothing. */
export type PlanTask = (task: Pick<Task, 'order' | 'actor'>) => Promise<readonly TaskStep[]>;

/** Maximum number of domains of one task that are looked up in parallel. */
const PARALLEL = 16;

const UNRESOLVED = { missing: 'domain-unresolved', unanswered: 'dns-unanswered' } as const;

type Resolutions = ReadonlyMap<string, Resolution>;

/** @see PlanTask */
export function createPlanTask(deps: {
  /** Undefined if the DNS check is turned off. */
  readonly beginLookups: BeginLookups | undefined;
  readonly properties: Pick<PropertyStore, 'byId'>;
  readonly access: Access;
  readonly random: Random;
}): PlanTask {
  /** Looks up each domain once. */
  async function resolveAll(domains: readonly string[], actor: TenantActor): Promise<Resolutions> {
    const found: Map<string, Resolution> = new Map();
    const lookUp = deps.beginLookups?.(toLookupOwner(actor));
    if (lookUp === undefined) return found;
    const waiting = [...new Set(domains)];
    const work = async (): Promise<void> => {
      for (let domain = waiting.pop(); domain !== undefined; domain = waiting.pop())
        found.set(domain, await lookUp(domain));
    };
    await Promise.all(Array.from({ length: Math.min(PARALLEL, waiting.length) }, work));
    return found;
  }

  /**
   * Returns the new domain; undefined if the update does not change it, because the stored domain was looked up earlier. Also
   * undefined if the actor cannot change the property, because the task then rejects the update.
   */
  async function findNewDomain(
    { id, change }: PropertyUpdate,
    actor: TenantActor,
  ): Promise<string | undefined> {
    if (change.domain === undefined) return undefined;
    const property = await deps.properties.byId(id);
    if (property === undefined || property.domain === change.domain) return undefined;
    const organization = await deps.access.requireMember(actor, property.organizationId);
    return organization.ok ? change.domain : undefined;
  }

  async function planCreations(
    organizationId: OrganizationId,
    items: readonly PropertyCreation[],
    actor: TenantActor,
    skipsDnsCheck: boolean,
  ): Promise<readonly TaskStep[]> {
    if (skipsDnsCheck)
      return items.map((item) => ({ ...toCreateStep(organizationId, item, deps.random), skipsDnsCheck }));
    const found = await resolveAll(
      items.map(({ domain }) => domain),
      actor,
    );
    return items.map((item) => {
      const resolution = found.get(item.domain) ?? 'found';
      if (resolution === 'found') return toCreateStep(organizationId, item, deps.random);
      return { do: 'reject', result: { problem: UNRESOLVED[resolution], name: item.name } };
    });
  }

  async function planUpdates(
    items: readonly PropertyUpdate[],
    actor: TenantActor,
  ): Promise<readonly TaskStep[]> {
    const domains = await Promise.all(items.map((item) => findNewDomain(item, actor)));
    const found = await resolveAll(
      domains.filter((domain) => domain !== undefined),
      actor,
    );
    return items.map((item, index) => {
      const resolution = found.get(domains[index] ?? '') ?? 'found';
      if (resolution === 'found') return { ...item, do: 'update' };
      return { do: 'reject', result: { problem: UNRESOLVED[resolution], propertyId: item.id } };
    });
  }

  return async ({ order, actor }) => {
    if (order.kind === 'delete-properties') return order.items.map((id) => ({ do: 'delete', id }));
    const skipsDnsCheck = order.skipsDnsCheck === true && maySkipDnsCheck(actor);
    if (order.kind === 'import-properties') {
      const { creations, updates } = itemsOf(order.items);
      const created = await planCreations(order.organizationId, creations, actor, skipsDnsCheck);
      const updated = skipsDnsCheck ? updates.map(skipCheck) : await planUpdates(updates, actor);
      return inOrderOf(order.items, created, updated);
    }
    if (order.kind === 'create-properties')
      return planCreations(order.organizationId, order.items, actor, skipsDnsCheck);
    return skipsDnsCheck ? order.items.map(skipCheck) : planUpdates(order.items, actor);
  };
}

function itemsOf(items: readonly ImportItem[]) {
  return {
    creations: items.flatMap((item) => (item.do === 'create' ? [item.property] : [])),
    updates: items.flatMap((item) => (item.do === 'update' ? [item] : [])),
  };
}

/** @returns the steps of an import in the order of its items */
function inOrderOf(
  items: readonly ImportItem[],
  created: readonly TaskStep[],
  updated: readonly TaskStep[],
): readonly TaskStep[] {
  const steps = { create: created.values(), update: updated.values() };
  return items.map((item) => {
    const step = steps[item.do].next().value;
    if (step === undefined) throw new Error('an item of the import has no step');
    return step;
  });
}

function skipCheck(item: PropertyUpdate): TaskStep {
  return { ...item, do: 'update', skipsDnsCheck: item.change.domain !== undefined };
}

/** Users and organizations have separate limits of lookups. */
function toLookupOwner(actor: TenantActor): LookupOwner {
  return actor.source === 'organization-key'
    ? `organization ${actor.limits.organizationId}`
    : `user ${actor.user}`;
}

/** Only the portal shows the warning. Tasks of API keys cannot skip the check, regardless of their content. */
function maySkipDnsCheck({ source, limits }: TenantActor): boolean {
  return source === 'portal' && limits.keyId === undefined;
}

/** A step that creates a property with a new sitekey. */
export function toCreateStep(organizationId: OrganizationId, item: PropertyCreation, random: Random) {
  const sitekey = newSitekey(random);
  // A task that an older version stored lacks settings that were added later.
  return { do: 'create', property: { ...DEFAULT_SETTINGS, ...item, organizationId, sitekey } } as const;
}
