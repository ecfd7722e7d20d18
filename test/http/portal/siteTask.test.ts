import { describe, expect, test } from 'bun:test';
import { changeSite } from '../../../src/http/portal/siteTask.ts';
import { done, refuse } from '../../../src/lib/outcome.ts';
import type { Caller } from '../../../src/model/caller.ts';
import type { PropertyId } from '../../../src/model/property.ts';
import type { Task, TaskId, TaskResult } from '../../../src/model/task.ts';

const caller = { accountId: 1, organizationId: undefined, keyId: undefined } as unknown as Caller;
const order = { kind: 'delete-properties', items: [7 as PropertyId] } as const;
const id = '0'.repeat(32) as TaskId;

/** @param looks after how many looks it is finished */
function tasksThat(result: TaskResult, looks: number) {
  const pauses: number[] = [];
  const task = { id, caller, order } as unknown as Task;
  const deps = {
    tasks: {
      start: async () => done(id),
      byId: async () => done({ ...task, results: pauses.length >= looks ? [result] : undefined }),
    },
    pause: async (milliseconds: number) => void pauses.push(milliseconds),
  };
  return { deps, pauses };
}

describe('a change of one site', () => {
  test('is waited for, with pauses that grow', async () => {
    const { deps, pauses } = tasksThat({ propertyId: 7 as PropertyId }, 4);
    expect(await changeSite(deps, caller, order)).toMatchObject({ kind: 'done', result: { propertyId: 7 } });
    expect(pauses).toEqual([10, 20, 40, 80]);
  });

  test('that is refused brings the problem of its one item', async () => {
    const { deps } = tasksThat({ problem: 'property-gone' }, 1);
    expect(await changeSite(deps, caller, order)).toEqual({ kind: 'refused', problem: 'property-gone' });
  });

  test('that does not begin is refused without waiting', async () => {
    const { deps, pauses } = tasksThat({}, 1);
    const full = { ...deps, tasks: { ...deps.tasks, start: async () => refuse('task-queue-full' as const) } };
    expect(await changeSite(full, caller, order)).toEqual({ kind: 'refused', problem: 'task-queue-full' });
    expect(pauses).toEqual([]);
  });

  test('is left to itself after eight seconds', async () => {
    const { deps, pauses } = tasksThat({}, Number.POSITIVE_INFINITY);
    expect(await changeSite(deps, caller, order)).toEqual({ kind: 'waiting' });
    const waited = pauses.reduce((sum, one) => sum + one, 0);
    expect(waited).toBeGreaterThanOrEqual(8000);
    expect(waited).toBeLessThan(8250);
  });
});
