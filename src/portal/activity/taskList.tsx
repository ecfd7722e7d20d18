import type { Children, Element } from '../../jsx/elements.ts';
import type { Task } from '../../model/task.ts';
import { EmptyState } from '../components/card.tsx';
import { Tabs } from '../components/navigation.tsx';
import { Pager, Table } from '../components/table.tsx';
import { Moment } from '../components/time.tsx';
import { t } from '../i18n/t.ts';
import { pageNumberOf } from '../kit/formData.ts';
import { organizationPage } from '../kit/frames.tsx';
import type { OrganizationVisit, PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { ACTIVITY_PATH, activityPathOf, TASKS_PATH } from '../kit/paths.ts';
import { accessLost, page } from '../kit/responses.tsx';

/** Small, because a task with 128 rejected items takes 80 kB. */
const PAGE_SIZE = 25;

/** The tasks of the user in all organizations. */
export async function showTasks(visit: SignedInVisit, deps: PortalDeps) {
  const number = pageNumberOf(visit.query);
  const found = await deps.tasks.page(visit.actor, sliceOf(number));
  const content = (
    <>
      <ActivityViews path={ACTIVITY_PATH} current="/tasks" isOwn />
      <p class="soft">{t('activity.tasks.introOwn')}</p>
      <TaskList tasks={found.items} number={number} path={TASKS_PATH} userOf={undefined} />
      <Pager page={number} hasMore={found.hasMore} pathOf={(other) => `${TASKS_PATH}?page=${other}`} />
    </>
  );
  return page(visit, { title: t('activity.tasks.ownTitle'), content });
}

/** The tasks of an organization, by all of its users. */
export async function showOrganizationTasks(visit: OrganizationVisit, deps: PortalDeps) {
  const { actor, organization, organizationPath } = visit;
  const number = pageNumberOf(visit.query);
  const found = await deps.tasks.pageIn(actor, organization.id, sliceOf(number));
  if (!found.ok) return accessLost(visit, found.problem);
  const { items, hasMore } = found.value;
  const path = activityPathOf(organizationPath);
  const content = (
    <>
      <ActivityViews path={path} current="/tasks" isOwn={false} />
      <p class="soft">{t('activity.tasks.intro')}</p>
      <TaskList tasks={items} number={number} path={`${path}/tasks`} userOf={await userNames(visit, deps)} />
      <Pager page={number} hasMore={hasMore} pathOf={(other) => `${path}/tasks?page=${other}`} />
    </>
  );
  return organizationPage(visit, '/activity', { title: t('activity.tasks.title'), content });
}

/** @returns a function that returns the name of a task's user, who is a member of the organization, or of an API key */
export async function userNames(
  { actor, organization }: OrganizationVisit,
  { members }: PortalDeps,
): Promise<(task: Task) => string> {
  const found = await members.list(actor, organization.id);
  const names = new Map(found.ok ? found.value.map(({ accountId, name }) => [accountId, name]) : []);
  return ({ actor: by }) =>
    by.source === 'organization-key'
      ? t('activity.tasks.organizationKey')
      : (names.get(by.user) ?? t('activity.tasks.formerMember'));
}

function sliceOf(number: number) {
  return { offset: number * PAGE_SIZE, limit: PAGE_SIZE };
}

function TaskList(props: {
  readonly tasks: readonly Task[];
  readonly number: number;
  /** The path of the list, below which each task has its page. */
  readonly path: string;
  /** Names the user of each task; undefined if all tasks belong to the same user. */
  readonly userOf: ((task: Task) => string) | undefined;
}): Element {
  const { tasks, number, path, userOf } = props;
  if (tasks.length === 0 && number === 0) return <NoTasks />;
  const column = (name: 'task' | 'properties' | 'rejected' | 'user' | 'submitted' | 'finished' | 'state') =>
    t(`activity.tasks.columns.${name}`);
  const user = (task: Task): readonly Children[] => (userOf === undefined ? [] : [<bdi>{userOf(task)}</bdi>]);
  return (
    <section class="card">
      <Table
        caption={t('activity.tasks.caption')}
        head={[
          column('task'),
          column('properties'),
          column('rejected'),
          ...(userOf === undefined ? [] : [column('user')]),
          column('submitted'),
          column('finished'),
          column('state'),
        ]}
        numeric={[1, 2]}
        rows={tasks.map((task) => [
          <a href={`${path}/${task.id}`}>{t(`activity.tasks.kinds.${task.order.kind}`)}</a>,
          String(sizeOf(task)),
          task.finishedAt === undefined ? '' : String(rejectedIn(task)),
          ...user(task),
          <Moment instant={task.createdAt} />,
          task.finishedAt === undefined ? '' : <Moment instant={task.finishedAt} />,
          <TaskState task={task} />,
        ])}
        empty={t('activity.tasks.noOlder')}
      />
    </section>
  );
}

function NoTasks(): Element {
  return (
    <EmptyState
      icon="tasks"
      title={t('activity.tasks.empty.title')}
      text={t('activity.tasks.empty.text')}
      action={
        <a class="button quiet" href="/docs/reference/api#batches-and-tasks">
          {t('activity.tasks.empty.action')}
        </a>
      }
    />
  );
}

export function sizeOf({ order, results }: Task): number {
  return results?.length ?? order.items.length;
}

/** Whether a task is finished, and whether items were rejected. */
export function TaskState({ task }: { readonly task: Task }): Element {
  if (task.finishedAt === undefined) return <span class="badge">{t('activity.tasks.states.running')}</span>;
  const rejected = rejectedIn(task);
  if (rejected === 0) return <span class="badge good">{t('activity.tasks.states.done')}</span>;
  const isWhole = rejected === sizeOf(task);
  return (
    <span class="badge bad">
      {t(isWhole ? 'activity.tasks.states.rejected' : 'activity.tasks.states.partlyRejected')}
    </span>
  );
}

function rejectedIn({ results = [] }: Task): number {
  return results.filter(({ problem }) => problem !== undefined).length;
}

/** Links to the two views of an activity page. @param props.path of the audit log */
export function ActivityViews(props: {
  readonly path: string;
  readonly current: '' | '/tasks';
  readonly isOwn: boolean;
}): Element {
  const tasks = t(props.isOwn ? 'activity.views.ownTasks' : 'activity.views.tasks');
  const tabs = { '': t('activity.views.audit'), '/tasks': tasks };
  return <Tabs {...props} tabs={tabs} class="segments" label={t('activity.views.label')} />;
}
