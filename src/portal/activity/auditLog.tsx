import type { Element } from '../../jsx/elements.ts';
import { EmptyState } from '../components/card.tsx';
import { Icon } from '../components/icon.tsx';
import { t } from '../i18n/t.ts';
import { fieldOf } from '../kit/formData.ts';
import { organizationPage } from '../kit/frames.tsx';
import type { OrganizationVisit, PortalDeps, SignedInVisit } from '../kit/handler.ts';
import type { Page } from '../kit/layout.tsx';
import { ACTIVITY_PATH, activityPathOf } from '../kit/paths.ts';
import { page } from '../kit/responses.tsx';
import { AuditEntries } from './auditEntries.tsx';
import { createNames, exportEntries } from './auditExport.ts';
import {
  type AuditScope,
  FilterForm,
  isFiltered,
  organizationOptions,
  queryOf,
  type ReadFilter,
  readFilter,
} from './auditFilter.tsx';
import { ActivityViews } from './taskList.tsx';

const PAGE_SIZE = 50;

const ALL: AuditScope = { path: ACTIVITY_PATH };

/** The entries that the user may read, newest first. */
export async function showAudit(visit: SignedInVisit, deps: PortalDeps) {
  const intro = t(visit.signedIn.account.isAdmin ? 'activity.audit.introAll' : 'activity.audit.introOwn');
  const views = <ActivityViews path={ACTIVITY_PATH} current="" isOwn />;
  return page(visit, {
    title: t('activity.audit.title'),
    ...(await contentsOf(visit, deps, ALL, { intro, views, emptyAction: false })),
  });
}

/** The entries of an organization, newest first. */
export async function showOrganizationAudit(visit: OrganizationVisit, deps: PortalDeps) {
  const { organizationPath } = visit;
  const scope = scopeOf(visit);
  const intro = t('activity.audit.introOrganization');
  const views = <ActivityViews path={scope.path} current="" isOwn={false} />;
  const emptyAction = (
    <a class="button" href={`${organizationPath}/new`}>
      {t('activity.audit.empty.action')}
    </a>
  );
  return organizationPage(
    visit,
    '/activity',
    await contentsOf(visit, deps, scope, { intro, views, emptyAction }),
  );
}

/** All entries that match the filter, newest first. */
export function exportAudit(format: 'csv' | 'json') {
  return (visit: SignedInVisit, deps: PortalDeps) =>
    exportOf(visit, deps, ALL, format) ?? showAudit(visit, deps);
}

export function exportOrganizationAudit(format: 'csv' | 'json') {
  return (visit: OrganizationVisit, deps: PortalDeps) =>
    exportOf(visit, deps, scopeOf(visit), format) ?? showOrganizationAudit(visit, deps);
}

/** @returns undefined if the filter is invalid: the export would contain more than the user wants */
function exportOf(visit: SignedInVisit, deps: PortalDeps, scope: AuditScope, format: 'csv' | 'json') {
  const { filter, errors } = readFilter(visit, deps, scope);
  return errors.length > 0 ? undefined : exportEntries(visit, deps, filter, format);
}

function scopeOf({ organization, organizationPath }: OrganizationVisit): AuditScope {
  return { path: activityPathOf(organizationPath), organization };
}

type Parts = { readonly intro: string; readonly views: Element; readonly emptyAction: Element | false };

async function contentsOf(
  visit: SignedInVisit,
  deps: PortalDeps,
  scope: AuditScope,
  { intro, views, emptyAction }: Parts,
): Promise<Pick<Page, 'content' | 'actions' | 'errors'>> {
  const read = readFilter(visit, deps, scope);
  const { errors, filter, typed } = read;
  const organizations =
    scope.organization === undefined
      ? await organizationOptions(visit, deps, filter.organizationId)
      : undefined;
  const found = errors.length === 0 ? await readEntries(visit, deps, read) : undefined;
  const content = (
    <>
      {views}
      <p class="soft">{intro}</p>
      <FilterForm read={read} scope={scope} organizations={organizations} />
      {found !== undefined && found.entries.length === 0 && (
        <NoEntries typed={typed} path={scope.path} action={emptyAction} />
      )}
      {found !== undefined && found.entries.length > 0 && (
        <>
          <AuditEntries {...found} hasOrganizations={scope.organization === undefined} />
          <Pager path={scope.path} typed={typed} {...found} />
        </>
      )}
    </>
  );
  return { content, actions: <Exports path={scope.path} typed={typed} />, errors };
}

type Typed = Pick<ReadFilter, 'typed'> & { readonly path: string };

function Exports({ path, typed }: Typed): Element {
  const file = (extension: 'csv' | 'json', label: string) => (
    <a class="button quiet" href={`${path}/audit.${extension}${queryOf(typed)}`} download>
      <Icon name="download" />
      {label}
    </a>
  );
  return (
    <>
      {file('csv', t('activity.audit.exportCsv'))}
      {file('json', t('activity.audit.exportJson'))}
    </>
  );
}

function NoEntries({ typed, path, action }: Typed & { readonly action: Element | false }): Element {
  if (isFiltered(typed))
    return (
      <p class="empty">
        {t('activity.audit.noMatch')} <a href={path}>{t('activity.audit.filter.clear')}</a>
      </p>
    );
  return (
    <EmptyState
      icon="auditLog"
      title={t('activity.audit.empty.title')}
      text={t('activity.audit.empty.text')}
      action={action}
    />
  );
}

async function readEntries(visit: SignedInVisit, deps: PortalDeps, { filter }: ReadFilter) {
  const before = deps.ids.open('audit-entry', fieldOf(visit.query, 'before'));
  const { entries, older } = await deps.audit.list(visit.actor, filter, { before, limit: PAGE_SIZE });
  const [actors, organizationOf] = await Promise.all([
    deps.audit.actorNames(entries),
    createNames(visit, deps)(entries),
  ]);
  return {
    entries,
    names: { actors, organizationOf },
    isFirstPage: before === undefined,
    /** The opaque id from which the next page continues; undefined on the last page. */
    older: older && deps.ids.seal('audit-entry', older),
  };
}

function Pager(
  props: Typed & { readonly isFirstPage: boolean; readonly older: string | undefined },
): Element {
  const { path, typed, isFirstPage, older } = props;
  return (
    <nav class="pager" aria-label={t('activity.audit.pages.label')}>
      {isFiltered(typed) && <a href={path}>{t('activity.audit.filter.clear')}</a>}
      {!isFirstPage && <a href={`${path}${queryOf(typed)}`}>{t('activity.audit.pages.newest')}</a>}
      {older !== undefined && (
        <a rel="next" href={`${path}${queryOf(typed, { before: older })}`}>
          {t('activity.audit.pages.older')}
        </a>
      )}
    </nav>
  );
}
