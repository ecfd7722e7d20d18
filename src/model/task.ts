import { type Brand, done, type Outcome, reject } from '../lib/outcome.ts';
import type { Instant } from '../lib/time.ts';
import type { TenantActor } from './actor.ts';
import type { OrganizationId } from './organization.ts';
import type { Problem } from './problems.ts';
import type { PropertyId, Sitekey } from './property.ts';
import type { PropertySettings } from './propertyFields.ts';

/** 32 random lowercase hex digits. */
export type TaskId = Brand<string, 'TaskId'>;

/** A property to create, with a valid name and domain. */
export type PropertyCreation = PropertySettings & { readonly name: string; readonly domain: string };

/** New values for a property. Absent fields do not change. */
export type PropertyChange = Partial<PropertyCreation>;

/** A change of one property, and the read-only fields of the request. */
export type PropertyUpdate = {
  readonly id: PropertyId;
  readonly change: PropertyChange;
  /** Must equal the stored sitekey; undefined if the request did not contain it. */
  readonly sitekey?: Sitekey;
};

/** A property that an import creates or changes. */
export type ImportItem =
  | { readonly do: 'create'; readonly property: PropertyCreation }
  | ({ readonly do: 'update' } & PropertyUpdate);

/**
 * A user's decision to create or change properties whose domains do not resolve. Only forms of the portal offer it; the planner
 * ignores it in the tasks of API keys.
 */
type DnsDecision = { readonly skipsDnsCheck?: boolean };

/** A requested batch that has passed all checks that need no stored data. */
export type TaskOrder =
  | ({
      readonly kind: 'create-properties';
      readonly organizationId: OrganizationId;
      readonly items: readonly PropertyCreation[];
    } & DnsDecision)
  | ({ readonly kind: 'update-properties'; readonly items: readonly PropertyUpdate[] } & DnsDecision)
  /** Unlike the items of other orders, either all items succeed or none is applied. Only the portal starts imports. */
  | ({
      readonly kind: 'import-properties';
      readonly organizationId: OrganizationId;
      readonly items: readonly ImportItem[];
    } & DnsDecision)
  | { readonly kind: 'delete-properties'; readonly items: readonly PropertyId[] };

/** The result of one item. */
export type TaskResult = {
  /** Undefined if the item succeeded. */
  readonly problem?: Problem;
  readonly propertyId?: PropertyId;
  readonly name?: string;
  readonly sitekey?: Sitekey;
};

/** A batch that runs in the background. Its items finish together. */
export type Task = {
  readonly id: TaskId;
  readonly actor: TenantActor;
  /**
   * The organization of all properties of the task, whose members can see it. Undefined if the properties belong to several organizations
   * or do not exist, or if the user had no access to the organization when the task was submitted.
   */
  readonly organizationId: OrganizationId | undefined;
  /** Contains no items after the task has finished. */
  readonly order: TaskOrder;
  /** Number of failed attempts. */
  readonly failures: number;
  readonly createdAt: Instant;
  readonly finishedAt: Instant | undefined;
  /** In the order of the items; undefined until the task has finished. */
  readonly results: readonly TaskResult[] | undefined;
};

/** Maximum number of items in a batch of the Platform API. */
export const BATCH_MAX_ITEMS = 128;

/** Maximum number of properties in an import. */
export const IMPORT_MAX_ITEMS = 1000;

const TASK_ID = /^[0-9a-f]{32}$/;

/** Parses a task id: 32 lowercase hex digits. */
export function parseTaskId(text: string): Outcome<TaskId, 'task-unknown'> {
  return TASK_ID.test(text) ? done(text as TaskId) : reject('task-unknown');
}
