import { done, type Outcome, reject } from '../lib/outcome.ts';
import type { Instant } from '../lib/time.ts';
import type { TenantActor } from '../model/actor.ts';
import { type AuditAction, type AuditEntry, toAuditSource } from '../model/audit.ts';
import type { OrganizationId } from '../model/organization.ts';
import type { TaskStep } from '../model/ports/task.ts';
import type { Problem } from '../model/problems.ts';
import { type Property, type PropertyId, toAuditedActions } from '../model/property.ts';
import type { TaskOrder, TaskResult } from '../model/task.ts';
import type { PropertyWriter, Updated } from './stores/propertyWriter.ts';

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

/** A property after a step, and the actions of the step for the audit log. `before` is the property before an update. */
type Changed = {
  readonly property: Property;
  readonly actions: readonly AuditAction[];
  readonly before?: Property;
};

/** The actor of a task, and its name for the audit log. */
type NamedActor = { readonly actor: TenantActor; readonly name: string };

/**
 * Runs the steps of a task in order.
 *
 * @param record receives the audit log entries of each step that changes something
 * @returns one result for each step
 */
export function runSteps(
  steps: readonly TaskStep[],
  writer: PropertyWriter,
  { actor, name }: NamedActor,
  at: Instant,
  record: (entry: AuditEntry) => void,
): readonly TaskResult[] {
  const { address } = actor;
  const accountId = actor.source === 'organization-key' ? undefined : actor.user;
  const source = toAuditSource(actor) ?? 'api-key';
  return steps.map((step) => {
    if (step.do === 'reject') return step.result;
    const outcome = run(step, writer);
    if (!outcome.ok) return toTaskResult(outcome, step);
    const { property, actions, ...change } = outcome.value;
    const skipsDnsCheck = step.do !== 'delete' && step.skipsDnsCheck === true;
    for (const audited of toAuditedActions(property, actions, { skipsDnsCheck, ...change }))
      record({ at, accountId, actor: name, source, address, ...audited });
    return toTaskResult(done(property), step);
  });
}

function run(
  step: Exclude<TaskStep, { readonly do: 'reject' }>,
  writer: PropertyWriter,
): Outcome<Changed, Problem> {
  if (step.do === 'update') {
    const updated = writer.update(step);
    if (!updated.ok) return updated;
    const { before, after } = updated.value;
    return done({ property: after, actions: actionsOf(updated.value), before });
  }
  const [outcome, action] =
    step.do === 'create'
      ? ([writer.create(step.property), 'property-created'] as const)
      : ([writer.remove(step.id), 'property-deleted'] as const);
  return outcome.ok ? done({ property: outcome.value, actions: [action] }) : outcome;
}

/** Enabling and disabling have their own entries; all other settings share one entry. */
function actionsOf({ before, after }: Updated): readonly AuditAction[] {
  if (before.isEnabled === after.isEnabled) return ['property-updated'];
  const isOnlyChange = Bun.deepEquals({ ...before, isEnabled: after.isEnabled }, after, true);
  const action = after.isEnabled ? 'property-enabled' : 'property-disabled';
  return isOnlyChange ? [action] : ['property-updated', action];
}

/** Whether every step succeeded. */
export function haveSucceeded(results: readonly TaskResult[]): boolean {
  return results.every(({ problem }) => problem === undefined);
}

/** Returns the results of an import that is not applied because some of its steps were rejected. */
export function toAbandoned(
  results: readonly TaskResult[],
  steps: readonly TaskStep[],
): readonly TaskResult[] {
  return steps.map((step, index) => {
    const result = results[index];
    return result?.problem === undefined ? toTaskResult(reject('import-not-applied'), step) : result;
  });
}

/** Returns the result of a step. The result of a rejected step contains the name or the property id of its request. */
export function toTaskResult(outcome: Outcome<Property, Problem>, step: TaskStep): TaskResult {
  if (outcome.ok) {
    const { id, name, sitekey } = outcome.value;
    return { propertyId: id, name, sitekey };
  }
  if (step.do === 'reject') return step.result;
  const given = step.do === 'create' ? { name: step.property.name } : { propertyId: step.id };
  return { ...given, problem: outcome.problem };
}
