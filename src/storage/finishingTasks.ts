import type { TaskStore } from '../model/ports/task.ts';
import type { TaskId } from '../model/task.ts';

/**
 * Returns a task store whose reads wait for tasks that are being finished. The writer thread commits before this thread invalidates
 * the caches. Without the wait, a client could see a finished task and still receive an object that the task deleted.
 */
export function waitForFinishing(tasks: TaskStore): TaskStore {
  const finishing = new Map<TaskId, Promise<unknown>>();
  return {
    ...tasks,
    finish(id, ...rest) {
      const finished = tasks.finish(id, ...rest).finally(() => finishing.delete(id));
      finishing.set(id, Promise.allSettled([finished]));
      return finished;
    },
    async byId(id, actor) {
      await finishing.get(id);
      return tasks.byId(id, actor);
    },
    async page(actor, slice) {
      await Promise.all(finishing.values());
      return tasks.page(actor, slice);
    },
  };
}
