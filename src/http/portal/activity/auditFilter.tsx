import { DAY, type Instant, instantFromIso, later } from '../../../lib/time.ts';
import { AUDIT_ACTIONS } from '../../../model/audit.ts';
import { isNameSized } from '../../../model/name.ts';
import { Field, Select } from '../components/field.tsx';
import { SearchForm } from '../components/form.tsx';
import { fieldOf } from '../kit/formData.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { errorOf } from '../kit/messages.ts';
import { organizationLabel } from '../organizations/organizationLabel.ts';
import { ACTION_LABELS } from './auditLabels.ts';

export const AUDIT_PATH = '/portal/audit';

/** The filter as entered, as a condition, and its errors. */
export type ReadFilter = ReturnType<typeof readFilter>;

/** The fields of the filter, as text. An empty field matches everything. */
type TypedFilter = ReturnType<typeof typedIn>;

function typedIn(query: URLSearchParams) {
  return {
    text: fieldOf(query, 'text').trim(),
    action: fieldOf(query, 'action'),
    /** An opaque id. */
    org: fieldOf(query, 'org'),
    from: fieldOf(query, 'from').trim(),
    to: fieldOf(query, 'to').trim(),
  };
}

/** Reads the filter from the query. Days are in UTC; the range includes the last day. */
export function readFilter({ query }: SignedInVisit, { ids }: PortalDeps) {
  const typed = typedIn(query);
  const organizationId = ids.open('organization', typed.org);
  const [from, to] = [dayOf(typed.from), dayOf(typed.to)];
  const errors = [
    ...(isNameSized(typed.text) ? [] : [errorOf('search-too-long', 'text')]),
    ...(typed.org !== '' && organizationId === undefined ? [errorOf('organization-unknown', 'org')] : []),
    ...(typed.from !== '' && from === undefined ? [errorOf('day-malformed', 'from')] : []),
    ...(typed.to !== '' && to === undefined ? [errorOf('day-malformed', 'to')] : []),
  ];
  const filter = {
    text: typed.text === '' ? undefined : typed.text,
    action: AUDIT_ACTIONS.find((known) => known === typed.action),
    organizationId,
    from,
    to: to && later(to, DAY),
  };
  return { typed, filter, errors };
}

/** @returns the query of a filter, without empty fields */
export function queryOf(typed: TypedFilter, more: Readonly<Record<string, string>> = {}): string {
  const fields = Object.entries({ ...typed, ...more }).filter(([, value]) => value !== '');
  return fields.length === 0 ? '' : `?${new URLSearchParams(fields)}`;
}

/** The form that filters the audit log. @param props.organizations labels by opaque id */
export function FilterForm(props: {
  readonly read: ReadFilter;
  readonly organizations: Readonly<Record<string, string>>;
}) {
  const { typed, errors } = props.read;
  return (
    <SearchForm action={AUDIT_PATH} button="Show">
      <Field
        name="text"
        label="Actor or subject"
        type="search"
        value={typed.text}
        isOptional
        isLiteral
        errors={errors}
      />
      <Select
        name="action"
        label="Action"
        options={{ '': 'All actions', ...ACTION_LABELS }}
        value={typed.action}
      />
      <Select
        name="org"
        label="Organization"
        options={props.organizations}
        value={typed.org}
        errors={errors}
      />
      <Field name="from" label="From" type="date" value={typed.from} isOptional errors={errors} />
      <Field name="to" label="To" type="date" value={typed.to} isOptional errors={errors} />
    </SearchForm>
  );
}

/** The options for the organization: those of the user, and for an administrator also the selected one. */
export async function organizationOptions(
  visit: SignedInVisit,
  { organizations, ids }: PortalDeps,
  { filter }: ReadFilter,
): Promise<Readonly<Record<string, string>>> {
  const selected = filter.organizationId;
  const own = await organizations.list(visit.actor);
  const isOther = selected !== undefined && !own.some(({ id }) => id === selected);
  const other =
    isOther && visit.signedIn.account.isAdmin ? await organizations.byId(visit.actor, selected) : undefined;
  const all = other?.ok ? [...own, other.value] : own;
  return Object.fromEntries([
    ['', 'All organizations'],
    ...all.map((one) => [ids.seal('organization', one.id), organizationLabel(visit, one)]),
  ]);
}

function dayOf(text: string): Instant | undefined {
  return text.length === 10 ? instantFromIso(text) : undefined;
}
