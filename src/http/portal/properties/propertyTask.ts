import type { UserActor } from '../../../model/actor.ts';
import type { Problem } from '../../../model/problems.ts';
import type { TaskId, TaskOrder, TaskResult } from '../../../model/task.ts';
import type { Tasks } from '../../../platform/properties/tasks.ts';
import { t } from '../i18n/t.ts';
import type { PortalDeps } from '../kit/handler.ts';

/** The result of a change of one property. */
export type PropertyTaskResult =
  | { readonly kind: 'done'; readonly result: TaskResult }
  | { readonly kind: 'rejected'; readonly problem: Problem }
  /** The page has stopped waiting. The task continues. */
  | { readonly kind: 'waiting' };

/**
 * Changes one property through a task of one item, so that the rules for names, domains, quotas, and permissions are those of the
 * Platform API.
 *
 * @param order with one item
 */
export async function changeProperty(
  deps: Pick<PortalDeps, 'taskFinished'> & { readonly tasks: Pick<Tasks, 'start' | 'byId'> },
  actor: UserActor,
  order: TaskOrder,
): Promise<PropertyTaskResult> {
  const started = await deps.tasks.start(actor, order);
  if (!started.ok) return { kind: 'rejected', problem: started.problem };
  const results = await awaitTask(deps, actor, started.value);
  return results?.[0] === undefined ? { kind: 'waiting' } : endingOf(results[0]);
}

/** Waits for a task as long as a page can wait. @returns its results; undefined if it is not finished */
export async function awaitTask(
  deps: Pick<PortalDeps, 'taskFinished'> & { readonly tasks: Pick<Tasks, 'byId'> },
  actor: UserActor,
  id: TaskId,
): Promise<readonly TaskResult[] | undefined> {
  const finished = deps.taskFinished(id);
  const read = async () => {
    const task = await deps.tasks.byId(actor, id);
    return task.ok ? task.value.results : undefined;
  };
  // The first read finds a task that finished before the wait began, and the last read a task that another process finished.
  return (await read()) ?? (await finished) ?? (await read());
}

function endingOf(result: TaskResult): PropertyTaskResult {
  const { problem } = result;
  return problem === undefined ? { kind: 'done', result } : { kind: 'rejected', problem };
}

/** The notice of a page that stopped waiting. */
export function stillWaiting(): string {
  return t('properties.waiting');
}
