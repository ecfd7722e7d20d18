import { type Html, html } from '../../../lib/html.ts';
import type { Task } from '../../../model/task.ts';
import { card, moment, pager, table } from '../components/parts.tsx';
import { pageNumberOf } from '../kit/formData.ts';
import { page } from '../kit/layout.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/route.ts';

export const TASKS_PATH = '/portal/tasks';

/** A full task of refused items is 80 kB to read. */
const PAGE_SIZE = 25;

/** What a task does, in words for people. */
export const KIND_WORDS: Readonly<Record<Task['order']['kind'], string>> = {
  'create-properties': 'Make sites',
  'update-properties': 'Change sites',
  'delete-properties': 'Delete sites',
};

/** `GET /portal/tasks`: the batches of who is signed in. */
export async function showTasks(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const at = pageNumberOf(visit.query);
  const slice = { offset: at * PAGE_SIZE, limit: PAGE_SIZE };
  const { tasks, hasMore } = await deps.tasks.page(visit.actor, slice);
  const list = table({
    caption: 'Newest first',
    head: ['Task', 'Sites', 'Refused', 'Asked for', 'Finished', 'State'],
    rows: tasks.map((task) => [
      html`<a href="${TASKS_PATH}/${task.id}">${KIND_WORDS[task.order.kind]}</a>`,
      String(sizeOf(task)),
      task.finishedAt === undefined ? '' : String(refusedIn(task)),
      moment(task.createdAt),
      task.finishedAt === undefined ? '' : moment(task.finishedAt),
      stateOf(task),
    ]),
    empty: at === 0 ? 'No tasks in the last 7 days.' : 'No older tasks.',
  });
  const content = html`<p>Whatever makes, changes or deletes sites is a task, whether it came through the pages or through the
Platform API. Finished ones are kept for 7 days.</p>
${card('Your tasks', list)}${pager({ page: at, hasMore, pathOf: (n) => `${TASKS_PATH}?page=${n}` })}`;
  return page(visit, { title: 'Tasks', content });
}

/** How many items a task has. */
export function sizeOf({ order, results }: Task): number {
  return results?.length ?? order.items.length;
}

/** How many of them were refused. */
function refusedIn({ results = [] }: Task): number {
  return results.filter(({ problem }) => problem !== undefined).length;
}

/** How far a task is. */
export function stateOf(task: Task): Html {
  if (task.finishedAt === undefined) return html`<span class="badge">Under way</span>`;
  const refused = refusedIn(task);
  if (refused === 0) return html`<span class="badge good">Done</span>`;
  const words = refused === sizeOf(task) ? 'Refused' : 'Partly refused';
  return html`<span class="badge bad">${words}</span>`;
}
