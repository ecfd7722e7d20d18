import { csvLine } from '../../../lib/csv.ts';
import { toIso } from '../../../lib/time.ts';
import { type AuditId, SOURCE_NAMES, type StoredAuditEntry } from '../../../model/audit.ts';
import type { OrganizationId } from '../../../model/organization.ts';
import type { Children } from '../../jsx/elements.ts';
import { addressName } from '../components/addressName.ts';
import { Card } from '../components/card.tsx';
import { Table } from '../components/table.tsx';
import { Moment } from '../components/time.tsx';
import { fieldOf } from '../kit/formData.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { page } from '../kit/responses.tsx';
import { organizationLabel } from '../organizations/organizationLabel.ts';
import {
  AUDIT_PATH,
  FilterForm,
  organizationOptions,
  queryOf,
  type ReadFilter,
  readFilter,
} from './auditFilter.tsx';
import { ACTION_LABELS, SOURCE_LABELS } from './auditLabels.ts';

const PAGE_SIZE = 50;
/** Entries that an export reads at once. */
const EXPORT_SIZE = 1000;

type NameOf = (id: OrganizationId | undefined) => string;

/** The entries that the user may read, newest first. */
export async function showAudit(visit: SignedInVisit, deps: PortalDeps) {
  const read = readFilter(visit, deps);
  const { errors } = read;
  const organizations = await organizationOptions(visit, deps, read);
  const entries = errors.length === 0 ? await readEntries(visit, deps, read) : undefined;
  const content = (
    <>
      <p>
        {visit.signedIn.account.isAdmin
          ? 'All actions of all users.'
          : 'Your actions, and all actions in your organizations.'}
      </p>
      <FilterForm read={read} organizations={organizations} />
      {entries !== undefined && <Entries read={read} {...entries} />}
    </>
  );
  return page(visit, { title: 'Audit log', content, errors });
}

/** All entries that match the filter, newest first. */
export function exportAudit(visit: SignedInVisit, deps: PortalDeps) {
  const { filter, errors } = readFilter(visit, deps);
  // Without the invalid condition, the export would contain more than the user wants.
  if (errors.length > 0) return showAudit(visit, deps);
  const day = toIso(deps.clock()).slice(0, 10);
  return new Response(linesOf(visit, deps, filter), {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="postern-audit-${day}.csv"`,
    },
  });
}

/** Reads entries only as fast as the client receives them, so that the size of the log does not matter. */
function linesOf(visit: SignedInVisit, deps: PortalDeps, filter: ReadFilter['filter']): ReadableStream {
  const nameOf = createNames(visit, deps);
  const encoder = new TextEncoder();
  let before: AuditId | undefined;
  return new ReadableStream<Uint8Array>({
    start: (stream) => stream.enqueue(encoder.encode(csvLine(COLUMNS))),
    async pull(stream) {
      const { entries, older } = await deps.audit.list(visit.actor, filter, { before, limit: EXPORT_SIZE });
      const known = await nameOf(entries);
      stream.enqueue(encoder.encode(entries.map((entry) => csvLine(cellsOf(entry, known))).join('')));
      before = older;
      if (older === undefined) stream.close();
    },
  });
}

const COLUMNS = ['time', 'who', 'action', 'subject', 'organization', 'door', 'address'];

function cellsOf(entry: StoredAuditEntry, nameOf: NameOf): readonly string[] {
  const { at, actor, action, subject, organizationId, source, address = '' } = entry;
  const origin = [SOURCE_NAMES[source], addressName(address)];
  return [toIso(at), actor, action, subject, nameOf(organizationId), ...origin];
}

async function readEntries(visit: SignedInVisit, deps: PortalDeps, { filter }: ReadFilter) {
  const before = deps.ids.open('audit-entry', fieldOf(visit.query, 'before'));
  const { entries, older } = await deps.audit.list(visit.actor, filter, { before, limit: PAGE_SIZE });
  const nameOf = await createNames(visit, deps)(entries);
  return {
    entries,
    nameOf,
    isFirstPage: before === undefined,
    /** The opaque id from which the next page continues; undefined on the last page. */
    older: older && deps.ids.seal('audit-entry', older),
  };
}

type EntriesProps = Awaited<ReturnType<typeof readEntries>> & { readonly read: ReadFilter };

function Entries({ entries, nameOf, isFirstPage, older, read: { typed } }: EntriesProps) {
  return (
    <>
      <Card title="Entries">
        <Table
          caption="Newest first"
          head={['Action', 'Actor', 'Time and source', 'Organization']}
          rows={entries.map((entry) => rowOf(entry, nameOf))}
          empty="No entries match."
        />
      </Card>
      <nav class="pager" aria-label="Pages">
        {!isFirstPage && <a href={`${AUDIT_PATH}${queryOf(typed)}`}>Newest</a>}
        {older !== undefined && (
          <a rel="next" href={`${AUDIT_PATH}${queryOf(typed, { before: older })}`}>
            Older
          </a>
        )}
        <a href={`${AUDIT_PATH}.csv${queryOf(typed)}`} download>
          Export as CSV
        </a>
      </nav>
    </>
  );
}

function rowOf(entry: StoredAuditEntry, nameOf: NameOf): readonly Children[] {
  const { at, actor, action, subject, organizationId, source, address } = entry;
  return [
    <span class="long">
      {ACTION_LABELS[action]}
      <br />
      <span class="aside">{subject}</span>
    </span>,
    <span class="long">{actor === '' ? 'Unknown' : actor}</span>,
    <>
      <Moment instant={at} />
      <br />
      <span class="aside">
        {SOURCE_LABELS[source]}
        {address !== undefined && (
          <>
            {' '}
            <code>{addressName(address)}</code>
          </>
        )}
      </span>
    </>,
    <span class="long">{nameOf(organizationId)}</span>,
  ];
}

/** Looks up the current names of the organizations in entries, each once. Inaccessible organizations have no name. */
function createNames(visit: SignedInVisit, { organizations }: PortalDeps) {
  const names = new Map<OrganizationId, string>();
  return async (entries: readonly StoredAuditEntry[]): Promise<NameOf> => {
    for (const { organizationId: id } of entries) {
      if (id === undefined || names.has(id)) continue;
      const found = await organizations.byId(visit.actor, id);
      names.set(id, found.ok ? organizationLabel(visit, found.value) : 'Deleted, or not accessible to you');
    }
    return (id) => (id === undefined ? '' : (names.get(id) ?? ''));
  };
}
