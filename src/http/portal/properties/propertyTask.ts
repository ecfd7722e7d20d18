import type { UserActor } from '../../../model/actor.ts';
import type { Problem } from '../../../model/problems.ts';
import type { TaskOrder, TaskResult } from '../../../model/task.ts';
import type { Tasks } from '../../../platform/properties/tasks.ts';
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
  const finished = deps.taskFinished(started.value);
  const read = async () => {
    const task = await deps.tasks.byId(actor, started.value);
    return task.ok ? task.value.results : undefined;
  };
  // The first read finds a task that finished before the wait began, and the last read a task that another process finished.
  const results = (await read()) ?? (await finished) ?? (await read());
  return results?.[0] === undefined ? { kind: 'waiting' } : endingOf(results[0]);
}

function endingOf(result: TaskResult): PropertyTaskResult {
  const { problem } = result;
  return problem === undefined ? { kind: 'done', result } : { kind: 'rejected', problem };
}

/** The notice of a page that stopped waiting. */
export const STILL_WAITING =
  'This takes longer than usual, perhaps because the DNS is slow. The change continues in the background, and its result appears on the Tasks page.';
