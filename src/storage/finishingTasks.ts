import type { TaskStore } from '../model/ports/task.ts';
import type { TaskId } from '../model/task.ts';

/**
 * A task store whose reads wait for tasks that are being finished. The writer thread commits before this thread learns of it and
 * invalidates the caches; without the wait, a client could see a finished task and still get what the task deleted.
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
