import type { Children } from '../../jsx/elements.ts';
import { done } from '../../lib/outcome.ts';
import { toAuditSource } from '../../model/audit.ts';
import { PROBLEMS } from '../../model/problems.ts';
import type { Task, TaskResult } from '../../model/task.ts';
import { ButtonLink } from '../components/form.tsx';
import { Card, DescriptionList, EmptyState, Pager, Table } from '../components/sections.tsx';
import { Moment, NameLink } from '../components/values.tsx';
import { t, texts } from '../i18n/t.tsx';
import { pageNumberOf, sentenceFor } from '../kit/forms.ts';
import {
  type OrganizationTaskVisit,
  type OrganizationVisit,
  organizationOf,
  type PortalDeps,
  type SignedInVisit,
  type TaskVisit,
  type UserOrOrganizationVisit,
} from '../kit/handler.ts';
import { accessLost, organizationCrumbs, page } from '../kit/pages.tsx';
import { propertyPath } from '../kit/paths.ts';
import { ActivityViews, activityPage, activityPathOf } from './activity.tsx';

/** Small, because a task with 128 rejected items takes 80 kB. */
const PAGE_SIZE = 25;

/** The tasks of the user in all organizations, or those of an organization by all of its users. */
export async function showTasks(visit: UserOrOrganizationVisit, deps: PortalDeps) {
  const own = organizationOf(visit);
  const number = pageNumberOf(visit.query);
  const slice = { offset: number * PAGE_SIZE, limit: PAGE_SIZE };
  const found =
    own === undefined
      ? done(await deps.tasks.page(visit.actor, slice))
      : await deps.tasks.pageIn(visit.actor, own.organization.id, slice);
  if (!found.ok) return accessLost(visit, found.problem);
  const { items, hasMore } = found.value;
  const path = tasksPathOf(visit);
  const content = (
    <>
      <ActivityViews visit={visit} current="/tasks" />
      <p class="soft">{t(own === undefined ? 'activity.tasks.introOwn' : 'activity.tasks.intro')}</p>
      {items.length === 0 && number === 0 ? (
        <NoTasks />
      ) : (
        taskTable(items, path, own && (await userNames(own, deps)))
      )}
      <Pager page={number} hasMore={hasMore} pathOf={(other) => `${path}?page=${other}`} />
    </>
  );
  return activityPage(visit, { title: titleOf(visit), content });
}

function tasksPathOf(visit: UserOrOrganizationVisit): string {
  return `${activityPathOf(visit)}/tasks`;
}

function titleOf(visit: UserOrOrganizationVisit): string {
  return t(organizationOf(visit) === undefined ? 'activity.tasks.ownTitle' : 'activity.tasks.title');
}

/** @returns a function that returns the name of a task's user, who is a member of the organization, or of an API key */
async function userNames({ actor, organization }: OrganizationVisit, { members }: PortalDeps) {
  const found = await members.list(actor, organization.id);
  const names = new Map(found.ok ? found.value.map(({ accountId, name }) => [accountId, name]) : []);
  return ({ actor: by }: Task) =>
    by.source === 'organization-key'
      ? t('activity.tasks.organizationKey')
      : (names.get(by.user) ?? t('activity.tasks.formerMember'));
}

/** @param userOf names the user of each task; undefined if all tasks belong to the same user */
function taskTable(tasks: readonly Task[], path: string, userOf: ((task: Task) => string) | undefined) {
  const column = 'activity.tasks.columns';
  return (
    <section class="card">
      <Table
        caption={t('activity.tasks.caption')}
        head={[
          ...texts(column, 'task', 'properties', 'rejected'),
          ...(userOf === undefined ? [] : texts(column, 'user')),
          ...texts(column, 'submitted', 'finished', 'state'),
        ]}
        numeric={[1, 2]}
        rows={tasks.map((task) => [
          <a href={`${path}/${task.id}`}>{t(`activity.tasks.kinds.${task.order.kind}`)}</a>,
          String(sizeOf(task)),
          task.finishedAt === undefined ? '' : String(rejectedIn(task)),
          ...(userOf === undefined ? [] : [<bdi>{userOf(task)}</bdi>]),
          <Moment instant={task.createdAt} />,
          task.finishedAt === undefined ? '' : <Moment instant={task.finishedAt} />,
          <TaskState task={task} />,
        ])}
        empty={t('activity.tasks.noOlder')}
      />
    </section>
  );
}

function NoTasks() {
  const text = t('activity.tasks.empty.action');
  return (
    <EmptyState
      icon="tasks"
      title={t('activity.tasks.empty.title')}
      text={t('activity.tasks.empty.text')}
      action={<ButtonLink path="/docs/reference/api#batches-and-tasks" text={text} tone="quiet" />}
    />
  );
}

function sizeOf({ order, results }: Task): number {
  return results?.length ?? order.items.length;
}

/** Whether a task is finished, and whether items were rejected. */
function TaskState({ task }: { readonly task: Task }) {
  if (task.finishedAt === undefined) return <span class="badge">{t('activity.tasks.states.running')}</span>;
  const rejected = rejectedIn(task);
  if (rejected === 0) return <span class="badge good">{t('activity.tasks.states.done')}</span>;
  const state = rejected === sizeOf(task) ? 'rejected' : 'partlyRejected';
  return <span class="badge bad">{t(`activity.tasks.states.${state}`)}</span>;
}

function rejectedIn({ results = [] }: Task): number {
  return results.filter(({ problem }) => problem !== undefined).length;
}

/** `meta.code` of an item without a problem. */
const DONE_CODE = 1000;

/** The interval in seconds at which a script checks whether the page of an unfinished task has changed. */
const RELOAD_SECONDS = 2;

/** A task of the user, or of any user of an organization, with the result of each item. */
export async function showTask(visit: TaskVisit | OrganizationTaskVisit, deps: PortalDeps) {
  const { task } = visit;
  const own = organizationOf(visit);
  const user = own && (await userNames(own, deps))(task);
  const rows = await Promise.all((task.results ?? []).map((result) => rowOf(visit, deps, result)));
  const path = tasksPathOf(visit);
  const crumbs = [[activityPathOf(visit), t('activity.title')] as const, [path, titleOf(visit)] as const];
  return page(visit, {
    title: t(`activity.tasks.kinds.${task.order.kind}`),
    breadcrumbs: own === undefined ? crumbs : organizationCrumbs(own, crumbs),
    content: (
      <>
        <Card title={t('activity.tasks.about')}>{facts(task, user)}</Card>
        <Card title={t('activity.tasks.results')}>
          {task.results === undefined ? waiting(task, path) : results(task, rows)}
        </Card>
      </>
    ),
  });
}

/** @param user the name of the user; undefined for the user of the page */
function facts(task: Task, user: string | undefined) {
  const { id, actor, createdAt, finishedAt } = task;
  const items: readonly (readonly [string, Children])[] = [
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
  return <DescriptionList items={items} />;
}

function waiting({ id, failures }: Task, path: string) {
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
  return found?.ok
    ? { result, name: found.value.name, path: propertyPath(deps, found.value) }
    : { result, name: result.name ?? t('activity.tasks.result.gone') };
}

const DONE = {
  'create-properties': 'created',
  'update-properties': 'changed',
  'delete-properties': 'deleted',
  'import-properties': 'imported',
} as const;

function results(task: Task, rows: readonly Row[]) {
  return (
    <Table
      caption={t('activity.tasks.resultsCaption')}
      head={texts('activity.tasks.result', 'number', 'property', 'code', 'result')}
      nameColumn={1}
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
