import type { Instant } from '../../lib/time.ts';
import { dayOf } from '../../lib/timeZone.ts';
import { AUDIT_ACTIONS, AUDIT_GROUPS, type AuditAction, type AuditGroup } from '../../model/audit.ts';
import { isNameSized } from '../../model/name.ts';
import type { OrganizationId } from '../../model/organization.ts';
import { Field, type FieldErrors, type FormState, fieldsFor, Select } from '../components/field.tsx';
import { SearchForm } from '../components/form.tsx';
import { pageContext } from '../i18n/pageContext.ts';
import { t } from '../i18n/t.tsx';
import { dayIn, errorOf, fieldOf, type PageProblem } from '../kit/forms.ts';
import {
  organizationOf,
  type PortalDeps,
  type SignedInVisit,
  type UserOrOrganizationVisit,
} from '../kit/handler.ts';
import { organizationLabel } from '../kit/pages.tsx';

/** The fields of the filter, as text. An empty field matches everything. */
export type TypedFilter = ReturnType<typeof typedIn>;

function typedIn(query: URLSearchParams) {
  return {
    actor: fieldOf(query, 'actor').trim(),
    /** The name of a group or of an action. */
    action: fieldOf(query, 'action'),
    object: fieldOf(query, 'object').trim(),
    /** An opaque id. */
    org: fieldOf(query, 'org'),
    from: fieldOf(query, 'from').trim(),
    to: fieldOf(query, 'to').trim(),
  };
}

/** Reads the filter from the query. Days are in the time zone of the page; the range includes the last day. */
export function readFilter(visit: UserOrOrganizationVisit, { ids }: PortalDeps) {
  const organization = organizationOf(visit)?.organization;
  const entered = typedIn(visit.query);
  const typed = organization === undefined ? entered : { ...entered, org: '' };
  const chosen = ids.open('organization', typed.org);
  const actions = actionsOf(typed.action);
  const [from, to] = [dayIn(typed.from), dayIn(typed.to)];
  const errors = errorsIn(typed, { chosen, actions, from: from?.from, to: to?.from });
  const filter = {
    actor: typed.actor === '' ? undefined : typed.actor,
    object: typed.object === '' ? undefined : typed.object,
    actions,
    organizationId: organization?.id ?? chosen,
    from: from?.from,
    to: to?.until,
  };
  return { typed, filter, errors };
}

/** What the fields mean; undefined if a field is empty or invalid. */
type Meaning = {
  readonly chosen: OrganizationId | undefined;
  readonly actions: readonly AuditAction[] | undefined;
  readonly from: Instant | undefined;
  readonly to: Instant | undefined;
};

function errorsIn(typed: TypedFilter, { chosen, actions, from, to }: Meaning): FieldErrors {
  const checks: readonly (readonly [isInvalid: boolean, problem: PageProblem, field: keyof TypedFilter])[] = [
    [!isNameSized(typed.actor), 'search-too-long', 'actor'],
    [typed.action !== '' && actions === undefined, 'action-unknown', 'action'],
    [!isNameSized(typed.object), 'search-too-long', 'object'],
    [typed.org !== '' && chosen === undefined, 'organization-unknown', 'org'],
    [typed.from !== '' && from === undefined, 'day-malformed', 'from'],
    [typed.to !== '' && to === undefined, 'day-malformed', 'to'],
    [from !== undefined && to !== undefined && to < from, 'period-reversed', 'to'],
  ];
  return checks.flatMap(([isInvalid, problem, field]) => (isInvalid ? [errorOf(problem, field)] : []));
}

/** @returns whether the filter excludes entries */
export function isFiltered(typed: TypedFilter): boolean {
  return Object.values(typed).some((value) => value !== '');
}

/** @returns the query of a filter, without empty fields */
export function queryOf(typed: TypedFilter, more: Readonly<Record<string, string>> = {}): string {
  const fields = Object.entries({ ...typed, ...more }).filter(([, value]) => value !== '');
  return fields.length === 0 ? '' : `?${new URLSearchParams(fields)}`;
}

/** The form that filters the audit log. @param props.organizations labels by opaque id; undefined if the page has one organization */
export function FilterForm(props: {
  readonly form: FormState<TypedFilter>;
  readonly path: string;
  readonly organizations: Readonly<Record<string, string>> | undefined;
}) {
  const { form, path, organizations } = props;
  const field = fieldsFor('activity.audit.filter', form);
  const text = { type: 'search', isOptional: true, isLiteral: true } as const;
  const { now, timeZone } = pageContext();
  const range = { min: '1970-01-01', max: dayOf(now, timeZone) };
  const day = { type: 'date', range, isOptional: true } as const;
  const label = t('activity.audit.filter.organization');
  return (
    <div class="audit-filter">
      <SearchForm action={path} button={t('activity.audit.filter.button')} isLive>
        <Field {...field('actor')} {...text} />
        <Select {...field('action')} options={actionOptions(form.typed.action)} />
        <Field {...field('object')} {...text} />
        {organizations !== undefined && (
          <Select
            name="org"
            label={label}
            options={organizations}
            value={form.typed.org}
            errors={form.errors}
          />
        )}
        <Field {...field('from')} {...day} />
        <Field {...field('to')} {...day} />
      </SearchForm>
    </div>
  );
}

/** The groups, and the selected action. */
function actionOptions(selected: string): Readonly<Record<string, string>> {
  const groups = Object.keys(AUDIT_GROUPS) as readonly AuditGroup[];
  const isAction = AUDIT_ACTIONS.some((action) => action === selected);
  return Object.fromEntries([
    ['', t('activity.audit.filter.allActions')],
    ...groups.map((group) => [group, t(`activity.groups.${group}`)]),
    ...(isAction ? [[selected, selected]] : []),
  ]);
}

/** @returns the actions of a group, or an action; undefined for all actions and for an unknown name */
function actionsOf(name: string): readonly AuditAction[] | undefined {
  if (Object.hasOwn(AUDIT_GROUPS, name)) return AUDIT_GROUPS[name as AuditGroup];
  const action = AUDIT_ACTIONS.find((known) => known === name);
  return action && [action];
}

/** The options for the organization: those of the user, and for an administrator also the selected one. */
export async function organizationOptions(
  visit: SignedInVisit,
  { organizations, ids }: PortalDeps,
  selected: OrganizationId | undefined,
): Promise<Readonly<Record<string, string>>> {
  const own = await organizations.list(visit.actor);
  const isOther = selected !== undefined && !own.some(({ id }) => id === selected);
  const other =
    isOther && visit.signedIn.account.isAdmin ? await organizations.byId(visit.actor, selected) : undefined;
  const all = other?.ok ? [...own, other.value] : own;
  return Object.fromEntries([
    ['', t('activity.audit.filter.allOrganizations')],
    ...all.map((one) => [ids.seal('organization', one.id), organizationLabel(visit, one)]),
  ]);
}
