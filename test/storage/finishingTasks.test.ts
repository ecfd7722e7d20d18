import { expect, test } from 'bun:test';
import type { TaskStore } from '../../src/model/ports/task.ts';
import type { TaskId } from '../../src/model/task.ts';
import { waitForFinishing } from '../../src/storage/finishingTasks.ts';

// On a busy machine, a client saw a finished task before the caches were invalidated, and got a puzzle of a deleted property.
test('reads wait until the writer has reported that a task is finished', async () => {
  const events: string[] = [];
  const reported = Promise.withResolvers<undefined>();
  const store = {
    finish: () => reported.promise.finally(() => events.push('caches invalidated')),
    byId: async () => void events.push('read'),
    page: async () => {
      events.push('list');
      return [];
    },
  } as unknown as TaskStore;
  const tasks = waitForFinishing(store);
  const id = 1 as unknown as TaskId;
  const actor = undefined as never;
  const finish = tasks.finish(id, 'token', [], 0 as never);
  const reads = [tasks.byId(id, actor), tasks.page(actor, { offset: 0, limit: 1 })];
  await tasks.byId(2 as unknown as TaskId, actor);
  events.push('another task was read');
  reported.resolve(undefined);
  await Promise.all([finish, ...reads]);
  expect(events).toEqual(['read', 'another task was read', 'caches invalidated', 'read', 'list']);
  await tasks.byId(id, actor);
  expect(events).toHaveLength(6);
});
