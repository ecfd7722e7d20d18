import { type Html, html } from '../../../lib/html.ts';
import { DAY, type Instant, instantOfIso, later } from '../../../lib/time.ts';
import { AUDIT_ACTIONS, type AuditFilter } from '../../../model/audit.ts';
import { isNameSized } from '../../../model/name.ts';
import { fromHtml, toHtml } from '../../jsx/bridge.tsx';
import { select } from '../components/choices.tsx';
import { SearchForm } from '../components/form.tsx';
import { field, type Mistake, submit } from '../components/parts.tsx';
import { fieldOf } from '../kit/formData.ts';
import { mistakeOf } from '../kit/messages.ts';
import type { PortalDeps, SignedInVisit } from '../kit/route.ts';
import { organizationLabel } from '../organizations/organizationLabel.ts';
import { ACTION_WORDS } from './auditLabels.ts';

export const AUDIT_PATH = '/portal/audit';

/** What was typed into the filter; empty is anything. */
type TypedFilter = {
  readonly text: string;
  readonly action: string;
  /** An opaque id. */
  readonly org: string;
  readonly from: string;
  readonly to: string;
};

/** A filter as it was typed, what it means, and what of it means nothing. */
export type ReadFilter = {
  readonly typed: TypedFilter;
  readonly filter: Omit<AuditFilter, 'reader'>;
  readonly mistakes: readonly Mistake[];
};

/** Reads the filter from the query. Days are in UTC, and the last one is part of it. */
export function readFilter({ query }: SignedInVisit, { ids }: PortalDeps): ReadFilter {
  const typed: TypedFilter = {
    text: fieldOf(query, 'text').trim(),
    action: fieldOf(query, 'action'),
    org: fieldOf(query, 'org'),
    from: fieldOf(query, 'from').trim(),
    to: fieldOf(query, 'to').trim(),
  };
  const organizationId = ids.open('organization', typed.org);
  const [from, to] = [dayOf(typed.from), dayOf(typed.to)];
  const mistakes = [
    ...(isNameSized(typed.text) ? [] : [mistakeOf('search-too-long', 'text')]),
    ...(typed.org !== '' && organizationId === undefined ? [mistakeOf('organization-unknown', 'org')] : []),
    ...(typed.from !== '' && from === undefined ? [mistakeOf('day-malformed', 'from')] : []),
    ...(typed.to !== '' && to === undefined ? [mistakeOf('day-malformed', 'to')] : []),
  ];
  const filter = {
    text: typed.text === '' ? undefined : typed.text,
    action: AUDIT_ACTIONS.find((known) => known === typed.action),
    organizationId,
    from,
    to: to && later(to, DAY),
  };
  return { typed, filter, mistakes };
}

/** The query that says the same, without what is empty. */
export function queryOf(typed: TypedFilter, more: Readonly<Record<string, string>> = {}): string {
  const said = Object.entries({ ...typed, ...more }).filter(([, value]) => value !== '');
  return said.length === 0 ? '' : `?${new URLSearchParams(said)}`;
}

/** The filter as a form. */
export async function filterForm(
  visit: SignedInVisit,
  deps: PortalDeps,
  { typed, filter, mistakes }: ReadFilter,
): Promise<Html> {
  const actions = { '': 'Anything', ...ACTION_WORDS };
  const text = { name: 'text', label: 'Who or what', type: 'search', value: typed.text } as const;
  const organizations = await organizationsFor(visit, deps, filter.organizationId);
  const day = { type: 'date', isOptional: true } as const;
  const fields = html`${field({ ...text, isOptional: true, isLiteral: true }, mistakes)}${select({
    name: 'action',
    label: 'Done',
    options: actions,
    value: typed.action,
  })}${select({ name: 'org', label: 'Organization', options: organizations, value: typed.org }, mistakes)}${field(
    { ...day, name: 'from', label: 'From', value: typed.from },
    mistakes,
  )}${field({ ...day, name: 'to', label: 'To', value: typed.to }, mistakes)}${submit('Show', 'quiet')}`;
  return toHtml(<SearchForm action={AUDIT_PATH}>{fromHtml(fields)}</SearchForm>);
}

/** Their own, and the one that is asked for, which an administrator may see without being in it. */
async function organizationsFor(
  visit: SignedInVisit,
  { organizations, ids }: PortalDeps,
  wanted: AuditFilter['organizationId'],
): Promise<Readonly<Record<string, string>>> {
  const own = await organizations.listFor(visit.actor);
  const isForeign = wanted !== undefined && !own.some(({ id }) => id === wanted);
  const foreign = isForeign && visit.who.account.isAdmin ? await organizations.byId(wanted) : undefined;
  const all = foreign?.ok ? [...own, foreign.value] : own;
  return Object.fromEntries([
    ['', 'Any'],
    ...all.map((one) => [ids.seal('organization', one.id), organizationLabel(visit, one)]),
  ]);
}

function dayOf(text: string): Instant | undefined {
  return text.length === 10 ? instantOfIso(text) : undefined;
}
