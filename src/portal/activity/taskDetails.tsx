import type { Children, Element } from '../../jsx/elements.ts';
import { toAuditSource } from '../../model/audit.ts';
import { PROBLEMS } from '../../model/problems.ts';
import type { Task, TaskResult } from '../../model/task.ts';
import { Card, DescriptionList } from '../components/card.tsx';
import { NameLink } from '../components/names.tsx';
import { Table } from '../components/table.tsx';
import { Moment } from '../components/time.tsx';
import { t } from '../i18n/t.ts';
import { organizationCrumbs } from '../kit/frames.tsx';
import type { OrganizationTaskVisit, PortalDeps, SignedInVisit, TaskVisit } from '../kit/handler.ts';
import { sentenceFor } from '../kit/messages.ts';
import { ACTIVITY_PATH, activityPathOf, organizationPath, TASKS_PATH } from '../kit/paths.ts';
import { page } from '../kit/responses.tsx';
import { sizeOf, TaskState, userNames } from './taskList.tsx';

/** `meta.code` of an item without a problem. */
const DONE_CODE = 1000;

/** Seconds after which a script reloads the page of an unfinished task. */
const RELOAD_SECONDS = 2;

/** A task of the user, with the result of each item. */
export async function showTask(visit: TaskVisit, deps: PortalDeps) {
  const { task } = visit;
  return page(visit, {
    title: t(`activity.tasks.kinds.${task.order.kind}`),
    breadcrumbs: [
      [ACTIVITY_PATH, t('activity.title')],
      [TASKS_PATH, t('activity.tasks.ownTitle')],
    ],
    content: await contentOf(visit, deps, { task, path: TASKS_PATH, user: undefined }),
  });
}

/** A task of an organization, by any of its users. */
export async function showOrganizationTask(visit: OrganizationTaskVisit, deps: PortalDeps) {
  const { task, organizationPath: root } = visit;
  const path = `${activityPathOf(root)}/tasks`;
  const userOf = await userNames(visit, deps);
  return page(visit, {
    title: t(`activity.tasks.kinds.${task.order.kind}`),
    breadcrumbs: organizationCrumbs(visit, [
      [activityPathOf(root), t('activity.title')],
      [path, t('activity.tasks.title')],
    ]),
    content: await contentOf(visit, deps, { task, path, user: userOf(task) }),
  });
}

type Shown = {
  readonly task: Task;
  /** The path of the list. */
  readonly path: string;
  /** The name of the user; undefined for the user of the page. */
  readonly user: string | undefined;
};

async function contentOf(visit: SignedInVisit, deps: PortalDeps, shown: Shown): Promise<Element> {
  const { task } = shown;
  const rows = await Promise.all((task.results ?? []).map((result) => rowOf(visit, deps, result)));
  return (
    <>
      <Card title={t('activity.tasks.about')}>
        <Facts {...shown} />
      </Card>
      <Card title={t('activity.tasks.results')}>
        {task.results === undefined ? <Waiting {...shown} /> : <Results task={task} rows={rows} />}
      </Card>
    </>
  );
}

function Facts({ task, user }: Shown): Element {
  const { id, actor, createdAt, finishedAt } = task;
  const facts: readonly (readonly [string, Children])[] = [
    [t('activity.tasks.columns.state'), <TaskState task={task} />],
    [t('activity.tasks.columns.properties'), sizeOf(task)],
    ...(user === undefined ? [] : [[t('activity.tasks.columns.user'), <bdi>{user}</bdi>] as const]),
    [t('activity.tasks.columns.submitted'), <Moment instant={createdAt} />],
    ...(finishedAt === undefined
      ? []
      : [[t('activity.tasks.columns.finished'), <Moment instant={finishedAt} />] as const]),
    [t('activity.tasks.source'), t(`activity.audit.sources.${toAuditSource(actor) ?? 'api-key'}`)],
    [t('activity.tasks.id'), <code>{id}</code>],
  ];
  return <DescriptionList items={facts} />;
}

function Waiting({ task, path }: Shown): Element {
  const { id, failures } = task;
  return (
    <>
      <p data-reload={RELOAD_SECONDS}>{t('activity.tasks.waiting')}</p>
      {failures > 0 && <p>{t('activity.tasks.retried', { count: failures })}</p>}
      <p>
        <a href={`${path}/${id}`}>{t('activity.tasks.refresh')}</a>
      </p>
    </>
  );
}

/** An item with the property's current name and path, if the user can access the property. */
type Row = { readonly result: TaskResult; readonly name: string; readonly path?: string };

async function rowOf({ actor }: SignedInVisit, deps: PortalDeps, result: TaskResult): Promise<Row> {
  const { propertyId } = result;
  const found = propertyId === undefined ? undefined : await deps.properties.find(actor, propertyId);
  if (!found?.ok) return { result, name: result.name ?? t('activity.tasks.result.gone') };
  const { id, name, organizationId } = found.value;
  const path = `${organizationPath(deps, organizationId)}/properties/${deps.ids.seal('property', id)}`;
  return { result, name, path };
}

const DONE = {
  'create-properties': 'created',
  'update-properties': 'changed',
  'delete-properties': 'deleted',
  'import-properties': 'imported',
} as const;

function Results({ task, rows }: { readonly task: Task; readonly rows: readonly Row[] }): Element {
  return (
    <Table
      caption={t('activity.tasks.resultsCaption')}
      head={[
        t('activity.tasks.result.number'),
        t('activity.tasks.result.property'),
        t('activity.tasks.result.code'),
        t('activity.tasks.result.result'),
      ]}
      rows={rows.map(({ result: { problem }, name, path }, index) => [
        String(index + 1),
        path === undefined ? <bdi>{name}</bdi> : <NameLink path={path} name={name} />,
        String(problem === undefined ? DONE_CODE : PROBLEMS[problem].code),
        problem === undefined ? t(`activity.tasks.result.${DONE[task.order.kind]}`) : sentenceFor(problem),
      ])}
      empty={t('activity.tasks.result.noItems')}
    />
  );
}
