import { toAuditSource } from '../../../model/audit.ts';
import { PROBLEMS } from '../../../model/problems.ts';
import type { Task, TaskResult } from '../../../model/task.ts';
import { Card } from '../components/card.tsx';
import { DescriptionList } from '../components/descriptionList.tsx';
import { Breadcrumbs } from '../components/navigation.tsx';
import { Table } from '../components/table.tsx';
import { Moment } from '../components/time.tsx';
import type { PortalDeps, TaskVisit } from '../kit/handler.ts';
import { sentenceFor } from '../kit/messages.ts';
import { page } from '../kit/responses.tsx';
import { organizationPath } from '../organizations/organizationLabel.ts';
import { SOURCE_LABELS } from './auditLabels.ts';
import { KIND_LABELS, sizeOf, TASKS_PATH, TaskState } from './taskList.tsx';

/** `meta.code` of an item without a problem. */
const DONE_CODE = 1000;

/** Seconds after which a script reloads the page of an unfinished task. */
const RELOAD_SECONDS = 2;

/** The result of each item. */
export async function showTask(visit: TaskVisit, deps: PortalDeps) {
  const { task } = visit;
  const rows = await Promise.all((task.results ?? []).map((result) => rowOf(visit, deps, result)));
  const content = (
    <>
      <Breadcrumbs links={[[TASKS_PATH, 'Tasks']]} />
      <Card title="About">
        <Facts task={task} />
      </Card>
      <Card title="Results">
        {task.results === undefined ? <Waiting task={task} /> : <Results task={task} rows={rows} />}
      </Card>
    </>
  );
  return page(visit, { title: KIND_LABELS[task.order.kind], content });
}

function Facts({ task }: { readonly task: Task }) {
  const { id, actor, createdAt, finishedAt } = task;
  return (
    <DescriptionList
      items={[
        ['State', <TaskState task={task} />],
        ['Properties', sizeOf(task)],
        ['Submitted', <Moment instant={createdAt} />],
        ...(finishedAt === undefined ? [] : [['Finished', <Moment instant={finishedAt} />] as const]),
        ['Source', SOURCE_LABELS[toAuditSource(actor) ?? 'api-key']],
        ['ID', <code>{id}</code>],
      ]}
    />
  );
}

function Waiting({ task }: { readonly task: Task }) {
  const { id, failures } = task;
  return (
    <>
      <p data-reload={RELOAD_SECONDS}>
        This task is not finished. The server applies all of its changes at once, so nothing has changed yet.
      </p>
      {failures > 0 && (
        <p>
          The task has failed {failures === 1 ? 'once' : `${failures} times`} and will be tried again. The
          server log has details.
        </p>
      )}
      <p>
        <a href={`${TASKS_PATH}/${id}`}>Refresh</a>
      </p>
    </>
  );
}

/** An item with the property's current name and path, if the user can access the property. */
type Row = { readonly result: TaskResult; readonly name: string; readonly path?: string };

async function rowOf({ actor }: TaskVisit, deps: PortalDeps, result: TaskResult): Promise<Row> {
  const { propertyId } = result;
  const found = propertyId === undefined ? undefined : await deps.properties.find(actor, propertyId);
  if (!found?.ok) return { result, name: result.name ?? 'Deleted, or not accessible to you' };
  const { id, name, organizationId } = found.value;
  const path = `${organizationPath(deps, organizationId)}/properties/${deps.ids.seal('property', id)}`;
  return { result, name, path };
}

const DONE = {
  'create-properties': 'Created.',
  'update-properties': 'Changed.',
  'delete-properties': 'Deleted.',
  'import-properties': 'Imported.',
} as const;

function Results({ task, rows }: { readonly task: Task; readonly rows: readonly Row[] }) {
  return (
    <Table
      caption="In the order of the request"
      head={['No.', 'Property', 'Code', 'Result']}
      rows={rows.map(({ result: { problem }, name, path }, index) => [
        String(index + 1),
        path === undefined ? (
          <span class="long">{name}</span>
        ) : (
          <a class="long" href={path}>
            {name}
          </a>
        ),
        String(problem === undefined ? DONE_CODE : PROBLEMS[problem].code),
        <span class="long">{problem === undefined ? DONE[task.order.kind] : sentenceFor(problem)}</span>,
      ])}
      empty="The task has no items."
    />
  );
}
