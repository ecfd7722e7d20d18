import { done, type Outcome, reject } from '../../../lib/outcome.ts';
import { DAY, type Instant, instantFromIso, later } from '../../../lib/time.ts';
import { SCOPES } from '../../../model/apiKey.ts';
import { API_KEY_FIELDS } from '../../../model/apiKeyFields.ts';
import type { ApiKeyDraft, UserKeyDraft } from '../../../platform/apiKeys/keyDraft.ts';
import {
  Checkbox,
  Field,
  type FieldError,
  type FieldErrors,
  fieldText,
  Radios,
  Select,
} from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { t } from '../i18n/t.ts';
import { fieldOf } from '../kit/formData.ts';
import type { PortalDeps } from '../kit/handler.ts';
import { errorOf, fieldErrorOf, type PageProblem } from '../kit/messages.ts';
import { organizationLabel } from '../organizations/organizationLabel.ts';
import { type KeysVisit, keyFrame, keysPathOf, organizationOf } from './keyFrame.ts';
import { secretPage } from './keySecret.tsx';

const EXPIRIES = ['30', '90', '365', 'never', 'date'] as const;

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

/** Creates a key of the user, or of the organization that the path names, and shows its secret once. */
export async function createKey(visit: KeysVisit, deps: PortalDeps) {
  const typed = typedIn(visit.form);
  const draft = draftOf(typed, deps);
  if (!draft.ok) return showNewKey(visit, deps, typed, [keyError(draft.problem)]);
  if (!(await deps.oneTimeTokens.use(visit)))
    return showNewKey(visit, deps, typed, [errorOf('form-sent-before')]);
  const created = await deps.apiKeys.create(visit.actor, ownedDraft(visit, draft.value));
  if (!created.ok) return showNewKey(visit, deps, typed, [keyError(created.problem)]);
  return secretPage(visit, deps, created.value, t('apiKeys.secret.created'));
}

function ownedDraft(visit: KeysVisit, draft: Draft): ApiKeyDraft {
  const owner = organizationOf(visit)?.organization;
  return owner === undefined
    ? { ...draft, account: visit.signedIn.account }
    : { ...draft, isOrganizationOwned: true, organizationId: owner.id };
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
  visit: KeysVisit,
  deps: PortalDeps,
  typed = BLANK,
  errors: FieldErrors = [],
) {
  const path = keysPathOf(visit);
  const isOfUser = organizationOf(visit) === undefined;
  const content = (
    <Form
      visit={visit}
      action={`${path}/new`}
      oneTimeToken={deps.oneTimeTokens.issue()}
      button={t('apiKeys.create')}
      cancelPath={path}
    >
      <KeyFields
        typed={typed}
        organizations={isOfUser ? await labelOrganizations(visit, deps) : undefined}
        errors={errors}
      />
    </Form>
  );
  return keyFrame(visit, { title: t('apiKeys.form.title'), content, errors });
}

/** Labels by opaque id. */
async function labelOrganizations(visit: KeysVisit, deps: PortalDeps) {
  const own = await deps.organizations.list(visit.actor);
  return Object.fromEntries([
    ['', t('apiKeys.form.allOrganizations')],
    ...own.map((one) => [deps.ids.seal('organization', one.id), organizationLabel(visit, one)]),
  ]);
}

function KeyFields(props: {
  readonly typed: Typed;
  /** Labels by opaque id; undefined if the key belongs to an organization. */
  readonly organizations: Readonly<Record<string, string>> | undefined;
  readonly errors: FieldErrors;
}) {
  const { typed, organizations, errors } = props;
  const scopes = Object.fromEntries(SCOPES.map((scope) => [scope, t(`apiKeys.scopes.${scope}`)]));
  const expiries = Object.fromEntries(
    EXPIRIES.map((expiry) => [expiry, t(`apiKeys.form.expiries.${expiry}`)]),
  );
  return (
    <>
      <Field
        {...fieldText('apiKey', 'name')}
        value={typed.name}
        autocomplete="off"
        isFocused={errors.length === 0}
        errors={errors}
      />
      <Radios
        {...fieldText('apiKey', 'scope')}
        options={{ verify: '', ...scopes }}
        value={typed.scope}
        errors={errors}
      />
      {organizations !== undefined && (
        <Select
          name="organization"
          label={t('apiKeys.form.organization')}
          options={organizations}
          value={typed.organization}
          errors={errors}
        />
      )}
      <Checkbox
        name="read_only"
        label={t('apiKeys.form.readOnly')}
        help={t('apiKeys.form.readOnlyHelp')}
        isChecked={typed.isReadOnly}
      />
      <Select
        name="expiry"
        label={t('apiKeys.form.expires')}
        options={expiries}
        value={typed.expiry}
        errors={errors}
      />
      <Field
        name="day"
        label={t('apiKeys.form.day')}
        type="date"
        help={t('apiKeys.form.dayHelp')}
        value={typed.day}
        isOptional
        errors={errors}
      />
    </>
  );
}
