import { csvLine } from '../../lib/csv.ts';
import { toIso } from '../../lib/time.ts';
import { type AuditFilter, type AuditId, SOURCE_NAMES, type StoredAuditEntry } from '../../model/audit.ts';
import type { OrganizationId } from '../../model/organization.ts';
import { addressName } from '../components/names.tsx';
import { t } from '../i18n/t.ts';
import { download } from '../kit/download.ts';
import { organizationLabel } from '../kit/frames.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';

/** Entries that an export reads at once, in one to two milliseconds. */
const BATCH = 100;

const COLUMNS = ['time', 'actor', 'action', 'object', 'organization', 'source', 'address'] as const;

/** The format of an export: what precedes the entries, each entry, and what follows them. */
type Format = {
  readonly extension: 'csv' | 'json';
  readonly type: string;
  readonly start: string;
  readonly entry: (values: readonly string[], isFirst: boolean) => string;
  readonly end: string;
};

const FORMATS: Readonly<Record<'csv' | 'json', Format>> = {
  csv: {
    extension: 'csv',
    type: 'text/csv; charset=utf-8',
    start: csvLine(COLUMNS),
    entry: csvLine,
    end: '',
  },
  json: {
    extension: 'json',
    type: 'application/json; charset=utf-8',
    start: '[',
    entry(values, isFirst) {
      const members = COLUMNS.map((column, index) => [column, values[index]]);
      return `${isFirst ? '' : ','}\n  ${JSON.stringify(Object.fromEntries(members))}`;
    },
    end: '\n]\n',
  },
};

/** All entries that match a filter, newest first, as a file. */
export function exportEntries(
  visit: SignedInVisit,
  deps: PortalDeps,
  filter: Omit<AuditFilter, 'reader'>,
  name: keyof typeof FORMATS,
): Response {
  const { extension, type, ...format } = FORMATS[name];
  const day = toIso(deps.clock()).slice(0, 10);
  const parts = linesOf(visit, deps, filter, format);
  return download(visit, deps, { name: `postern-audit-${day}.${extension}`, type, parts });
}

/** Reads entries only as fast as the client receives them, so that the size of the log does not matter. */
async function* linesOf(
  visit: SignedInVisit,
  deps: PortalDeps,
  filter: Omit<AuditFilter, 'reader'>,
  format: Pick<Format, 'start' | 'entry' | 'end'>,
): AsyncGenerator<string> {
  const nameOf = createNames(visit, deps);
  let before: AuditId | undefined;
  let isFirst = true;
  yield format.start;
  do {
    const { entries, older } = await deps.audit.list(visit.actor, filter, { before, limit: BATCH });
    const known = await nameOf(entries);
    const lines = entries.map((entry, index) => format.entry(valuesOf(entry, known), isFirst && index === 0));
    if (entries.length > 0) isFirst = false;
    before = older;
    yield lines.join('');
  } while (before !== undefined);
  yield format.end;
}

/** In the order of the columns. */
function valuesOf(entry: StoredAuditEntry, nameOf: NameOf): readonly string[] {
  const { at, actor, action, object, organizationId, source, address = '' } = entry;
  const origin = [SOURCE_NAMES[source], addressName(address)];
  return [toIso(at), actor, action, object, nameOf(organizationId), ...origin];
}

export type NameOf = (id: OrganizationId | undefined) => string;

/** Looks up the current names of the organizations in entries, each once. Inaccessible organizations have no name. */
export function createNames(visit: SignedInVisit, { organizations }: PortalDeps) {
  const names = new Map<OrganizationId, string>();
  return async (entries: readonly StoredAuditEntry[]): Promise<NameOf> => {
    for (const { organizationId: id } of entries) {
      if (id === undefined || names.has(id)) continue;
      const found = await organizations.byId(visit.actor, id);
      names.set(id, found.ok ? organizationLabel(visit, found.value) : t('activity.audit.organizationGone'));
    }
    return (id) => (id === undefined ? '' : (names.get(id) ?? ''));
  };
}
