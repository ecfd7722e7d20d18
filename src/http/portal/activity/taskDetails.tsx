import { type Html, html } from '../../../lib/html.ts';
import { PROBLEMS } from '../../../model/problems.ts';
import type { Property } from '../../../model/property.ts';
import type { Task, TaskResult } from '../../../model/task.ts';
import { card, moment, table } from '../components/parts.tsx';
import { page } from '../kit/layout.tsx';
import { sentenceFor } from '../kit/messages.ts';
import { crumbs } from '../kit/place.tsx';
import type { PortalDeps, SignedInVisit, TaskVisit } from '../kit/route.ts';
import { KIND_WORDS, sizeOf, stateOf, TASKS_PATH } from './taskList.tsx';

/** `meta.code` of what was done. */
const DONE_CODE = 1000;

/** Seconds after which the page of an unfinished task loads itself anew, where there are scripts. */
const RELOAD_SECONDS = 2;

const SOURCES = { portal: 'The portal', 'api-key': 'The Platform API' } as const;

/** `GET /portal/tasks/:task`: what became of each item. */
export async function showTask(visit: TaskVisit, deps: PortalDeps): Promise<Response> {
  const { task } = visit;
  const content = html`${crumbs([[TASKS_PATH, 'Tasks']])}${card('About', factsOf(task))}${
    task.results === undefined ? waiting(task) : await resultsPart(visit, deps, task, task.results)
  }`;
  return page(visit, { title: KIND_WORDS[task.order.kind], content });
}

function factsOf(task: Task): Html {
  const { actor, createdAt, finishedAt } = task;
  return html`<dl>
<div><dt>State</dt><dd>${stateOf(task)}</dd></div>
<div><dt>Sites</dt><dd>${sizeOf(task)}</dd></div>
<div><dt>Asked for</dt><dd>${moment(createdAt)}</dd></div>
${finishedAt === undefined ? '' : html`<div><dt>Finished</dt><dd>${moment(finishedAt)}</dd></div>`}
<div><dt>Came through</dt><dd>${SOURCES[actor.source]}</dd></div>
<div><dt>Id</dt><dd><code>${task.id}</code></dd></div>
</dl>`;
}

function waiting({ id, failures }: Task): Html {
  const trouble =
    failures === 0
      ? ''
      : html`<p>It broke down ${failures} times so far, and is tried again. The log has more.</p>`;
  const content = html`<p data-reload="${RELOAD_SECONDS}">It is not carried out yet: a task is done wholly, or not begun.</p>
${trouble}<p><a href="${TASKS_PATH}/${id}">Look again</a></p>`;
  return card('What became of it', content);
}

async function resultsPart(
  visit: SignedInVisit,
  deps: PortalDeps,
  task: Task,
  results: readonly TaskResult[],
): Promise<Html> {
  const rows = await Promise.all(
    results.map(async (result, at) => {
      const place = await placeOf(visit, deps, result);
      return [String(at + 1), nameOf(deps, result, place), String(codeOf(result)), endingOf(task, result)];
    }),
  );
  const list = table({
    caption: 'In the order in which they were given',
    head: ['No.', 'Site', 'Code', 'What became of it'],
    rows,
    empty: 'It had no items.',
  });
  return card('What became of it', list);
}

async function placeOf(
  visit: SignedInVisit,
  { properties }: PortalDeps,
  { propertyId }: TaskResult,
): Promise<Property | undefined> {
  if (propertyId === undefined) return undefined;
  const found = await properties.find(visit.actor, propertyId);
  return found.ok ? found.value : undefined;
}

/** A site that is there is named as it is now, and leads to its page. */
function nameOf({ ids }: PortalDeps, { name }: TaskResult, place: Property | undefined): Html {
  if (place === undefined)
    return html`<span class="long">${name ?? 'Not there any more, or not yours'}</span>`;
  const org = ids.seal('organization', place.organizationId);
  const path = `/portal/orgs/${org}/properties/${ids.seal('property', place.id)}`;
  return html`<a class="long" href="${path}">${place.name}</a>`;
}

function codeOf({ problem }: TaskResult): number {
  return problem === undefined ? DONE_CODE : PROBLEMS[problem].code;
}

const DONE = {
  'create-properties': 'Made.',
  'update-properties': 'Changed.',
  'delete-properties': 'Deleted.',
} as const;

function endingOf({ order }: Task, { problem }: TaskResult): Html {
  const sentence = problem === undefined ? DONE[order.kind] : sentenceFor(problem);
  return html`<span class="long">${sentence}</span>`;
}
