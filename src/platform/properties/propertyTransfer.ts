import type { Random } from '../../lib/ids.ts';
import { done, type Outcome } from '../../lib/outcome.ts';
import type { Clock } from '../../lib/time.ts';
import type { UserActor } from '../../model/actor.ts';
import type { OrganizationId } from '../../model/organization.ts';
import type { PropertyStore } from '../../model/ports/property.ts';
import type { TaskStep, TaskStore } from '../../model/ports/task.ts';
import type { Problem } from '../../model/problems.ts';
import type { Property, PropertyId, Sitekey } from '../../model/property.ts';
import { DEFAULT_SETTINGS } from '../../model/propertyFields.ts';
import type { ImportItem, PropertyChange, PropertyCreation, TaskId } from '../../model/task.ts';
import type { Access, AccessProblem } from '../organizations/access.ts';
import { toCreateStep } from './taskPlanner.ts';
import type { Tasks } from './tasks.ts';

/** A property in an import. Its fields are valid. */
export type ImportedProperty = {
  /** Undefined for a new property. */
  readonly sitekey: Sitekey | undefined;
  /** Absent fields keep their values, or get their defaults in a new property. */
  readonly change: PropertyChange;
};

export type ImportOptions = {
  /** Whether a property with a sitekey that is not in the organization is created, with a new sitekey; otherwise it is rejected. */
  readonly createsUnknown: boolean;
  readonly skipsDnsCheck: boolean;
};

export type ImportProblem = Problem | 'import-sitekey-unknown' | 'import-sitekey-repeated';

/** A change that an import makes. */
export type ImportChange =
  | { readonly do: 'create'; readonly property: PropertyCreation; readonly hasNewSitekey: boolean }
  | { readonly do: 'update'; readonly before: Property; readonly change: PropertyChange };

/** What an import would do with a property. */
export type ImportPreview =
  | ImportChange
  | { readonly do: 'keep'; readonly before: Property }
  | { readonly do: 'reject'; readonly problem: ImportProblem };

/** Use cases that copy the properties of an organization to a file and back. */
export type PropertyTransfer = ReturnType<typeof createPropertyTransfer>;

/** Number of properties that an export reads at once, in one to two milliseconds. */
const EXPORT_BATCH = 100;

/** @see PropertyTransfer */
export function createPropertyTransfer(deps: {
  readonly properties: Pick<PropertyStore, 'bySitekeys' | 'listAfter'>;
  readonly taskStore: Pick<TaskStore, 'rehearse'>;
  readonly tasks: Pick<Tasks, 'start'>;
  readonly access: Access;
  readonly clock: Clock;
  readonly random: Random;
}) {
  const { properties: store, access } = deps;

  async function* readAll(organizationId: OrganizationId): AsyncGenerator<readonly Property[]> {
    let after: PropertyId | undefined;
    for (;;) {
      const batch = await store.listAfter(organizationId, after, EXPORT_BATCH);
      if (batch.length > 0) yield batch;
      after = batch.at(-1)?.id;
      if (batch.length < EXPORT_BATCH) return;
    }
  }

  return {
    /** Lists all properties of an organization in batches, oldest first. */
    async export(
      actor: UserActor,
      organizationId: OrganizationId,
    ): Promise<Outcome<AsyncIterable<readonly Property[]>, AccessProblem>> {
      const organization = await access.requireMember(actor, organizationId);
      return organization.ok ? done(readAll(organizationId)) : organization;
    },
    /**
     * Checks an import without changing anything: access, names, sitekeys, and the quota, but not whether domains resolve in DNS.
     *
     * @param properties at most IMPORT_MAX_ITEMS
     * @returns one preview for each property
     */
    async preview(
      actor: UserActor,
      organizationId: OrganizationId,
      properties: readonly ImportedProperty[],
      options: ImportOptions,
    ): Promise<Outcome<readonly ImportPreview[], AccessProblem>> {
      const organization = await access.requireMember(actor, organizationId);
      if (!organization.ok) return organization;
      const sitekeys = properties.flatMap(({ sitekey }) => (sitekey === undefined ? [] : [sitekey]));
      const found = await store.bySitekeys(organizationId, sitekeys);
      const known = new Map(found.map((property) => [property.sitekey, property]));
      const compared = properties.map(createCompare(known, options));
      const steps = compared.flatMap((preview) => toStep(preview, organizationId, deps.random));
      const results = (await deps.taskStore.rehearse(actor, steps, deps.clock())).values();
      return done(
        compared.map((preview) => {
          if (preview.do === 'keep' || preview.do === 'reject') return preview;
          const problem = results.next().value?.problem;
          return problem === undefined ? preview : { do: 'reject', problem };
        }),
      );
    },
    /** Starts the task that applies the changes of a preview without rejections. The task applies either all changes or none. */
    start: (
      actor: UserActor,
      organizationId: OrganizationId,
      changes: readonly ImportChange[],
      { skipsDnsCheck }: ImportOptions,
    ): Promise<Outcome<TaskId, AccessProblem | 'task-queue-full'>> =>
      deps.tasks.start(actor, {
        kind: 'import-properties',
        organizationId,
        items: changes.map(toItem),
        skipsDnsCheck,
      }),
  };
}

/** @returns a function that compares a property with the stored one. Call it once for each property of an import. */
function createCompare(known: ReadonlyMap<Sitekey, Property>, { createsUnknown }: ImportOptions) {
  const seen = new Set<Sitekey>();
  return ({ sitekey, change }: ImportedProperty): ImportPreview => {
    if (sitekey === undefined) return toCreation(change, false);
    if (seen.has(sitekey)) return { do: 'reject', problem: 'import-sitekey-repeated' };
    seen.add(sitekey);
    const before = known.get(sitekey);
    if (before !== undefined) return toUpdate(before, change);
    return createsUnknown ? toCreation(change, true) : { do: 'reject', problem: 'import-sitekey-unknown' };
  };
}

function toCreation(change: PropertyChange, hasNewSitekey: boolean): ImportPreview {
  const { name, domain } = change;
  if (name === undefined) return { do: 'reject', problem: 'property-name-empty' };
  if (domain === undefined) return { do: 'reject', problem: 'domain-empty' };
  return { do: 'create', property: { ...DEFAULT_SETTINGS, ...change, name, domain }, hasNewSitekey };
}

function toUpdate(before: Property, given: PropertyChange): ImportPreview {
  const change: PropertyChange = Object.fromEntries(
    Object.entries(given).filter(([key, value]) => before[key as keyof Property] !== value),
  );
  return Object.keys(change).length === 0 ? { do: 'keep', before } : { do: 'update', before, change };
}

function toStep(preview: ImportPreview, organizationId: OrganizationId, random: Random): readonly TaskStep[] {
  if (preview.do === 'create') return [toCreateStep(organizationId, preview.property, random)];
  if (preview.do === 'update') return [{ do: 'update', id: preview.before.id, change: preview.change }];
  return [];
}

function toItem(change: ImportChange): ImportItem {
  if (change.do === 'create') return { do: 'create', property: change.property };
  const { id, sitekey } = change.before;
  return { do: 'update', id, sitekey, change: change.change };
}
