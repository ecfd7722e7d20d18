import type { Caller } from '../../../model/caller.ts';
import type { Problem } from '../../../model/problems.ts';
import type { TaskOrder, TaskResult } from '../../../model/task.ts';
import type { Tasks } from '../../../platform/tasks.ts';
import type { PortalDeps } from '../kit/route.ts';

/** How a change of one site ended, as far as a page waits for it. */
export type PropertyTaskResult =
  | { readonly kind: 'done'; readonly result: TaskResult }
  | { readonly kind: 'refused'; readonly problem: Problem }
  /** It goes on by itself. */
  | { readonly kind: 'waiting' };

/** Milliseconds between two looks: most tasks end within some, one whose domain nobody answers for takes seconds. */
const FIRST_PAUSE = 10;
const LAST_PAUSE = 250;
/** How long a page waits in all. Browsers and proxies wait longer; so does the DNS timeout seldom. */
const PATIENCE = 8000;

/**
 * Does with one site what the Platform API does with many: a task of one item. So names, domains, quotas and permissions
 * are judged by the same code, and the audit log is written by it.
 *
 * @param order with one item
 */
export async function changeProperty(
  { tasks, pause }: Pick<PortalDeps, 'pause'> & { readonly tasks: Pick<Tasks, 'start' | 'byId'> },
  caller: Caller,
  order: TaskOrder,
): Promise<PropertyTaskResult> {
  const started = await tasks.start(caller, order);
  if (!started.ok) return { kind: 'refused', problem: started.problem };
  let waited = 0;
  for (let delay = FIRST_PAUSE; waited < PATIENCE; delay = Math.min(2 * delay, LAST_PAUSE)) {
    await pause(delay);
    waited += delay;
    const task = await tasks.byId(caller, started.value);
    const result = task.ok ? task.value.results?.[0] : undefined;
    if (result !== undefined) return endingOf(result);
  }
  return { kind: 'waiting' };
}

function endingOf(result: TaskResult): PropertyTaskResult {
  const { problem } = result;
  return problem === undefined ? { kind: 'done', result } : { kind: 'refused', problem };
}

/** What a page says where it stops waiting. */
export const STILL_WAITING =
  'This takes longer than usual, perhaps because the DNS is slow. It goes on by itself; Tasks shows how it ends.';
