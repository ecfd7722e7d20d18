import type { Task } from '../../../model/task.ts';
import { Card } from '../components/card.tsx';
import { Pager, Table } from '../components/table.tsx';
import { Moment } from '../components/time.tsx';
import { pageNumberOf } from '../kit/formData.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { page } from '../kit/responses.tsx';

export const TASKS_PATH = '/portal/tasks';

/** Small, because a task with 128 rejected items takes 80 kB. */
const PAGE_SIZE = 25;

/** Labels of the kinds of tasks. */
export const KIND_LABELS: Readonly<Record<Task['order']['kind'], string>> = {
  'create-properties': 'Create properties',
  'update-properties': 'Change properties',
  'delete-properties': 'Delete properties',
  'import-properties': 'Import properties',
};

export async function showTasks(visit: SignedInVisit, deps: PortalDeps) {
  const number = pageNumberOf(visit.query);
  const slice = { offset: number * PAGE_SIZE, limit: PAGE_SIZE };
  const { items: tasks, hasMore } = await deps.tasks.page(visit.actor, slice);
  const content = (
    <>
      <p>
        A task creates, changes, or deletes properties, through the portal or the Platform API. Finished tasks
        are retained for 7 days.
      </p>
      <Card title="Your tasks">
        <Table
          caption="Newest first"
          head={['Task', 'Properties', 'Rejected', 'Submitted', 'Finished', 'State']}
          rows={tasks.map((task) => [
            <a href={`${TASKS_PATH}/${task.id}`}>{KIND_LABELS[task.order.kind]}</a>,
            String(sizeOf(task)),
            task.finishedAt === undefined ? '' : String(rejectedIn(task)),
            <Moment instant={task.createdAt} />,
            task.finishedAt === undefined ? '' : <Moment instant={task.finishedAt} />,
            <TaskState task={task} />,
          ])}
          empty={number === 0 ? 'No tasks in the last 7 days.' : 'No older tasks.'}
        />
      </Card>
      <Pager page={number} hasMore={hasMore} pathOf={(other) => `${TASKS_PATH}?page=${other}`} />
    </>
  );
  return page(visit, { title: 'Tasks', content });
}

export function sizeOf({ order, results }: Task): number {
  return results?.length ?? order.items.length;
}

/** Whether a task is finished, and whether items were rejected. */
export function TaskState({ task }: { readonly task: Task }) {
  if (task.finishedAt === undefined) return <span class="badge">In progress</span>;
  const rejected = rejectedIn(task);
  if (rejected === 0) return <span class="badge good">Done</span>;
  return <span class="badge bad">{rejected === sizeOf(task) ? 'Rejected' : 'Partly rejected'}</span>;
}

function rejectedIn({ results = [] }: Task): number {
  return results.filter(({ problem }) => problem !== undefined).length;
}
