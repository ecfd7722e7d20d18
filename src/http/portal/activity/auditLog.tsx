import { csvLine } from '../../../lib/csv.ts';
import { type Html, html } from '../../../lib/html.ts';
import { isoOf } from '../../../lib/time.ts';
import type { AuditId, KeptAuditEntry } from '../../../model/audit.ts';
import type { OrganizationId } from '../../../model/organization.ts';
import { addressName } from '../components/addressName.ts';
import { card, moment, table } from '../components/parts.tsx';
import { fieldOf } from '../kit/formData.ts';
import { page } from '../kit/layout.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/route.ts';
import { organizationLabel } from '../organizations/organizationLabel.ts';
import { AUDIT_PATH, filterForm, queryOf, type ReadFilter, readFilter } from './auditFilter.tsx';
import { ACTION_WORDS, SOURCE_LABELS } from './auditLabels.ts';

const PAGE_SIZE = 50;
/** Entries that an export reads in one go. */
const EXPORT_SIZE = 1000;

type NameOf = (id: OrganizationId | undefined) => string;

/** `GET /portal/audit`: who did what, from where; newest first. */
export async function showAudit(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const read = readFilter(visit, deps);
  const form = await filterForm(visit, deps, read);
  const list = read.mistakes.length === 0 ? await listPart(visit, deps, read) : html``;
  const about = visit.who.account.isAdmin
    ? 'What everybody did, and from where.'
    : 'What you did, and what was done in your organizations, and from where.';
  const content = html`<p>${about}</p>
${form}${list}`;
  return page(visit, { title: 'Audit log', content, mistakes: read.mistakes });
}

/** `GET /portal/audit.csv`: all that the filter lets through, newest first. */
export function exportAudit(visit: SignedInVisit, deps: PortalDeps): Promise<Response> | Response {
  const { filter, mistakes } = readFilter(visit, deps);
  // Not everything instead of something.
  if (mistakes.length > 0) return showAudit(visit, deps);
  const day = isoOf(deps.clock()).slice(0, 10);
  return new Response(linesOf(visit, deps, filter), {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="postern-audit-${day}.csv"`,
    },
  });
}

/** Read piece by piece, as the client takes it: a log of any length takes no more memory. */
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

/** How the column `door` of the export names the sources. */
const DOORS = { portal: 'portal', 'api-key': 'api', 'command-line': 'command' } as const;

const COLUMNS = ['time', 'who', 'action', 'subject', 'organization', 'door', 'address'];

function cellsOf(entry: KeptAuditEntry, nameOf: NameOf): readonly string[] {
  const { at, actor, action, subject, organizationId, source, address = '' } = entry;
  const door = DOORS[source];
  return [isoOf(at), actor, action, subject, nameOf(organizationId), door, addressName(address)];
}

async function listPart(
  visit: SignedInVisit,
  deps: PortalDeps,
  { typed, filter }: ReadFilter,
): Promise<Html> {
  const before = deps.ids.open('audit-entry', fieldOf(visit.query, 'before'));
  const { entries, older } = await deps.audit.list(visit.actor, filter, { before, limit: PAGE_SIZE });
  const nameOf = await createNames(visit, deps)(entries);
  const list = table({
    caption: 'Newest first',
    head: ['What was done', 'Who', 'When and from where', 'Organization'],
    rows: entries.map((entry) => rowOf(entry, nameOf)),
    empty: 'Nothing like that is in the log.',
  });
  const newest = before === undefined ? html`` : html`<a href="${AUDIT_PATH}${queryOf(typed)}">Newest</a>`;
  const next =
    older === undefined
      ? html``
      : html`<a rel="next" href="${AUDIT_PATH}${queryOf(typed, { before: deps.ids.seal('audit-entry', older) })}">Older</a>`;
  return html`${card('Entries', list)}<nav class="pager" aria-label="Pages">${newest}${next}<a href="${AUDIT_PATH}.csv${queryOf(typed)}" download>Export as CSV</a></nav>
`;
}

function rowOf(entry: KeptAuditEntry, nameOf: NameOf): readonly (string | Html)[] {
  const { at, actor, action, subject, organizationId, source, address } = entry;
  const clientInfo = address === undefined ? '' : html` <code>${addressName(address)}</code>`;
  return [
    html`<span class="long">${ACTION_WORDS[action]}<br><span class="aside">${subject}</span></span>`,
    html`<span class="long">${actor === '' ? 'Nobody known' : actor}</span>`,
    html`${moment(at)}<br><span class="aside">${SOURCE_LABELS[source]}${clientInfo}</span>`,
    html`<span class="long">${nameOf(organizationId)}</span>`,
  ];
}

/** Looks up what the organizations of some entries are called now, each once; those that they cannot see have no name. */
function createNames(
  visit: SignedInVisit,
  { organizations, access }: PortalDeps,
): (entries: readonly KeptAuditEntry[]) => Promise<NameOf> {
  const names = new Map<OrganizationId, string>();
  const { isAdmin } = visit.who.account;
  return async (entries) => {
    for (const { organizationId: id } of entries) {
      if (id === undefined || names.has(id)) continue;
      const found = await (isAdmin ? organizations.byId(id) : access.use(visit.actor, id));
      names.set(id, found.ok ? organizationLabel(visit, found.value) : 'Not there any more, or not yours');
    }
    return (id) => (id === undefined ? '' : (names.get(id) ?? ''));
  };
}
