import type { Element } from '../../jsx/elements.ts';
import { t } from '../i18n/t.ts';

/** Links to the two views of an activity page. @param props.path of the audit log */
export function ActivityViews(props: {
  readonly path: string;
  readonly current: 'audit' | 'tasks';
  readonly isOwn: boolean;
}): Element {
  const { path, current, isOwn } = props;
  const view = (name: 'audit' | 'tasks', href: string, label: string) => (
    <li>
      <a href={href} aria-current={name === current ? 'page' : undefined}>
        {label}
      </a>
    </li>
  );
  return (
    <nav class="segments" aria-label={t('activity.views.label')}>
      <ul>
        {view('audit', path, t('activity.views.audit'))}
        {view('tasks', `${path}/tasks`, t(isOwn ? 'activity.views.ownTasks' : 'activity.views.tasks'))}
      </ul>
    </nav>
  );
}
