import { toIso } from '../../lib/time.ts';
import { type AuditFilter, type AuditId, SOURCE_NAMES, type StoredAuditEntry } from '../../model/audit.ts';
import { ButtonLink } from '../components/form.tsx';
import { Icon } from '../components/icon.tsx';
import { EmptyState, type Filtered, isShort, Results } from '../components/sections.tsx';
import { addressName } from '../components/values.tsx';
import { pageContext } from '../i18n/pageContext.ts';
import { t } from '../i18n/t.tsx';
import { createRecordWriter, download, type FileFormat } from '../kit/download.ts';
import { fieldOf } from '../kit/forms.ts';
import { organizationOf, type PortalDeps, type UserOrOrganizationVisit } from '../kit/handler.ts';
import { ActivityViews, activityPage, activityPathOf } from './activity.tsx';
import { AuditEntries, createNames, type NameOf } from './auditEntries.tsx';
import {
  FilterForm,
  isFiltered,
  organizationOptions,
  queryOf,
  readFilter,
  type TypedFilter,
} from './auditFilter.tsx';

const PAGE_SIZE = 50;

/** The entries that the user may read, or those of an organization, newest first. */
export async function showAudit(visit: UserOrOrganizationVisit, deps: PortalDeps) {
  const { filter, typed, errors } = readFilter(visit, deps);
  const path = activityPathOf(visit);
  const own = organizationOf(visit);
  const found = errors.length === 0 ? await readEntries(visit, deps, filter) : undefined;
  const organizations =
    own === undefined ? await organizationOptions(visit, deps, filter.organizationId) : undefined;
  const hasFilter = found === undefined || !isShort(shownOf(typed, found));
  const content = (
    <>
      <ActivityViews visit={visit} current="" />
      <p class="soft">
        {introOf(visit)} {t('activity.audit.retained', { count: pageContext().facts.auditDays })}
      </p>
      {hasFilter && <FilterForm form={{ typed, errors }} path={path} organizations={organizations} />}
      {found !== undefined && results(visit, typed, found)}
    </>
  );
  const title = t(own === undefined ? 'activity.audit.title' : 'organizations.tabs.activity');
  return activityPage(visit, { title, content, actions: exportLinks(path, typed), errors });
}

function results(visit: UserOrOrganizationVisit, typed: TypedFilter, found: Found) {
  return (
    <Results of={shownOf(typed, found)}>
      {found.entries.length === 0 ? (
        noEntries(visit, typed)
      ) : (
        <>
          <AuditEntries {...found} hasOrganizations={organizationOf(visit) === undefined} />
          {pager(activityPathOf(visit), typed, found)}
        </>
      )}
    </Results>
  );
}

function shownOf(typed: TypedFilter, { entries, isFirstPage, older }: Found): Filtered {
  return {
    page: isFirstPage ? 0 : undefined,
    size: PAGE_SIZE,
    count: entries.length,
    hasMore: older !== undefined,
    isFiltered: isFiltered(typed),
  };
}

function introOf(visit: UserOrOrganizationVisit): string {
  if (organizationOf(visit) !== undefined) return t('activity.audit.introOrganization');
  return t(visit.signedIn.account.isAdmin ? 'activity.audit.introAll' : 'activity.audit.introOwn');
}

function exportLinks(path: string, typed: TypedFilter) {
  const file = (extension: 'csv' | 'json', label: string) => (
    <a class="button quiet" href={`${path}/audit.${extension}${queryOf(typed)}`} download>
      <Icon name="download" />
      {label}
    </a>
  );
  return (
    <span class="actions" data-results>
      {file('csv', t('activity.audit.exportCsv'))}
      {file('json', t('activity.audit.exportJson'))}
    </span>
  );
}

function noEntries(visit: UserOrOrganizationVisit, typed: TypedFilter) {
  if (isFiltered(typed))
    return (
      <p class="empty">
        {t('activity.audit.noMatch')} <a href={activityPathOf(visit)}>{t('activity.audit.filter.clear')}</a>
      </p>
    );
  const organizationPath = organizationOf(visit)?.organizationPath;
  const action = organizationPath !== undefined && (
    <ButtonLink path={`${organizationPath}/new`} text={t('activity.audit.empty.action')} />
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

type Filter = Omit<AuditFilter, 'reader'>;

async function readEntries(visit: UserOrOrganizationVisit, deps: PortalDeps, filter: Filter) {
  const before = deps.ids.open('audit-entry', fieldOf(visit.query, 'before'));
  const { entries, older } = await deps.audit.list(visit.actor, filter, { before, limit: PAGE_SIZE });
  const [actors, organizationNameOf] = await Promise.all([
    deps.audit.actorNames(entries),
    createNames(visit, deps)(entries),
  ]);
  return {
    entries,
    names: { actors, organizationNameOf },
    isFirstPage: before === undefined,
    /** The opaque id from which the next page continues; undefined on the last page. */
    older: older && deps.ids.seal('audit-entry', older),
  };
}

type Found = Awaited<ReturnType<typeof readEntries>>;
type Position = Pick<Found, 'isFirstPage' | 'older'>;

function pager(path: string, typed: TypedFilter, { isFirstPage, older }: Position) {
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

/** Entries that an export reads at once, in one to two milliseconds. */
const BATCH = 100;

const COLUMNS = ['time', 'actor', 'action', 'object', 'organization', 'source', 'address'] as const;

const TYPES = { csv: 'text/csv; charset=utf-8', json: 'application/json; charset=utf-8' } as const;

/**
 * Handles `GET …/audit.csv` and `GET …/audit.json`: all entries that match the filter, newest first. If the filter is invalid, the
 * response is the page with its errors, because the export would contain more than the user wants.
 */
export function exportAudit(format: FileFormat) {
  return (visit: UserOrOrganizationVisit, deps: PortalDeps) => {
    const { filter, errors } = readFilter(visit, deps);
    if (errors.length > 0) return showAudit(visit, deps);
    const day = toIso(deps.clock()).slice(0, 10);
    const parts = linesOf(visit, deps, filter, format);
    return download(visit, deps, { name: `postern-audit-${day}.${format}`, type: TYPES[format], parts });
  };
}

/** Reads entries only as fast as the client receives them, so that the size of the log does not matter. */
async function* linesOf(
  visit: UserOrOrganizationVisit,
  deps: PortalDeps,
  filter: Filter,
  format: FileFormat,
): AsyncGenerator<string> {
  const nameOf = createNames(visit, deps);
  const writer = createRecordWriter(format, COLUMNS);
  let before: AuditId | undefined;
  yield writer.start;
  do {
    const { entries, older } = await deps.audit.list(visit.actor, filter, { before, limit: BATCH });
    const known = await nameOf(entries);
    before = older;
    yield writer.batch(entries.map((entry) => valuesOf(entry, known)));
  } while (before !== undefined);
  yield writer.end;
}

/** In the order of the columns. */
function valuesOf(entry: StoredAuditEntry, nameOf: NameOf): readonly string[] {
  const { at, actor, action, object, organizationId, source, address = '' } = entry;
  const origin = [SOURCE_NAMES[source], addressName(address)];
  return [toIso(at), actor, action, object, nameOf(organizationId), ...origin];
}
