import { done, type Outcome, reject } from '../../../lib/outcome.ts';
import { DAY, type Instant, instantFromIso, later } from '../../../lib/time.ts';
import { API_KEY_FIELDS } from '../../../model/apiKeyFields.ts';
import type { UserKeyDraft } from '../../../platform/apiKeys/keyDraft.ts';
import {
  Checkbox,
  Field,
  type FieldError,
  type FieldErrors,
  Radios,
  Select,
  textOf,
} from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { Breadcrumbs } from '../components/navigation.tsx';
import { fieldOf } from '../kit/formData.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { errorOf, fieldErrorOf, type PageProblem } from '../kit/messages.ts';
import { page } from '../kit/responses.tsx';
import { organizationLabel } from '../organizations/organizationLabel.ts';
import { SCOPE_LABELS } from './keyList.tsx';
import { KEYS_PATH } from './keyPath.ts';
import { secretPage } from './keySecret.tsx';

const PATH = `${KEYS_PATH}/new`;

const EXPIRIES = {
  30: 'In 30 days',
  90: 'In 90 days',
  365: 'In 1 year',
  never: 'Never',
  date: 'On a chosen date',
} as const;

/** The fields of the form. `organization` is an opaque id, or empty for all organizations. */
const BLANK = {
  name: '',
  scope: 'verify',
  organization: '',
  isReadOnly: false,
  expiry: '365',
  day: '',
};

type Typed = typeof BLANK;

/** Creates a key and shows its secret once. */
export async function createKey(visit: SignedInVisit, deps: PortalDeps) {
  const typed = typedIn(visit.form);
  const draft = draftOf(typed, deps);
  if (!draft.ok) return showNewKey(visit, deps, typed, [keyError(draft.problem)]);
  if (!(await deps.oneTimeTokens.use(visit)))
    return showNewKey(visit, deps, typed, [errorOf('form-sent-before')]);
  const { account } = visit.signedIn;
  const created = await deps.apiKeys.create(visit.actor, { ...draft.value, account });
  if (!created.ok) return showNewKey(visit, deps, typed, [keyError(created.problem)]);
  return secretPage(visit, deps, created.value, 'API key created');
}

function typedIn(fields: URLSearchParams): Typed {
  return {
    name: fieldOf(fields, 'name'),
    scope: fieldOf(fields, 'scope'),
    organization: fieldOf(fields, 'organization'),
    isReadOnly: fieldOf(fields, 'read_only') === 'on',
    expiry: fieldOf(fields, 'expiry'),
    day: fieldOf(fields, 'day').trim(),
  };
}

type Draft = Omit<UserKeyDraft, 'account'>;

type DraftProblem = 'scope-unknown' | 'organization-unknown' | 'day-malformed';

function draftOf(typed: Typed, { ids, clock }: PortalDeps): Outcome<Draft, DraftProblem> {
  const scope = API_KEY_FIELDS.scope.parse(typed.scope);
  if (!scope.ok) return scope;
  const organizationId = typed.organization === '' ? undefined : ids.open('organization', typed.organization);
  if (typed.organization !== '' && organizationId === undefined) return reject('organization-unknown');
  const expiresAt = parseExpiry(typed, clock());
  if (!expiresAt.ok) return expiresAt;
  const { name, isReadOnly } = typed;
  return done({ name, isReadOnly, scope: scope.value, organizationId, expiresAt: expiresAt.value });
}

/** A key works until the end of its last day, in UTC. */
function parseExpiry({ expiry, day }: Typed, now: Instant): Outcome<Instant | undefined, 'day-malformed'> {
  if (expiry === 'never') return done(undefined);
  if (/^(30|90|365)$/.test(expiry)) return done(later(now, Number(expiry) * DAY));
  const midnight = expiry === 'date' && day.length === 10 ? instantFromIso(day) : undefined;
  return midnight === undefined ? reject('day-malformed') : done(later(midnight, DAY));
}

/** Does not reveal whether an organization of other users exists. */
function keyError(problem: PageProblem): FieldError {
  const isOrganization = problem === 'organization-not-yours' || problem === 'organization-unknown';
  return isOrganization ? errorOf('organization-unknown', 'organization') : fieldErrorOf(problem);
}

export async function showNewKey(
  visit: SignedInVisit,
  deps: PortalDeps,
  typed = BLANK,
  errors: FieldErrors = [],
) {
  const own = await deps.organizations.list(visit.actor);
  const organizations = Object.fromEntries([
    ['', 'All organizations, including future ones'],
    ...own.map((one) => [deps.ids.seal('organization', one.id), organizationLabel(visit, one)]),
  ]);
  const content = (
    <>
      <Breadcrumbs links={[[KEYS_PATH, 'API keys']]} />
      <Form
        visit={visit}
        action={PATH}
        oneTimeToken={deps.oneTimeTokens.issue()}
        button="Create API key"
        cancelPath={KEYS_PATH}
      >
        <KeyFields typed={typed} organizations={organizations} errors={errors} />
      </Form>
    </>
  );
  return page(visit, { title: 'Create API key', content, errors });
}

function KeyFields(props: {
  readonly typed: Typed;
  /** Labels by opaque id. */
  readonly organizations: Readonly<Record<string, string>>;
  readonly errors: FieldErrors;
}) {
  const { typed, organizations, errors } = props;
  const { name, scope } = API_KEY_FIELDS;
  return (
    <>
      <Field
        {...textOf(name)}
        value={typed.name}
        autocomplete="off"
        isFocused={errors.length === 0}
        errors={errors}
      />
      <Radios {...textOf(scope)} options={SCOPE_LABELS} value={typed.scope} errors={errors} />
      <Select
        name="organization"
        label="Organization"
        options={organizations}
        value={typed.organization}
        errors={errors}
      />
      <Checkbox
        name="read_only"
        label="Read-only"
        help="A read-only key with the scope Portal operations can read everything, but cannot change anything."
        isChecked={typed.isReadOnly}
      />
      <Select name="expiry" label="Expires" options={EXPIRIES} value={typed.expiry} errors={errors} />
      <Field
        name="day"
        label="Last day"
        type="date"
        help="Used only with “On a chosen date”. The key works until the end of this day, in UTC."
        value={typed.day}
        isOptional
        errors={errors}
      />
    </>
  );
}
