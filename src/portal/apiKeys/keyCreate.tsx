import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { DAY, type Instant, later } from '../../lib/time.ts';
import { SCOPES } from '../../model/apiKey.ts';
import { API_KEY_FIELDS } from '../../model/apiKeyFields.ts';
import type { RevealedKey } from '../../platform/apiKeys/apiKeys.ts';
import type { ApiKeyDraft, UserKeyDraft } from '../../platform/apiKeys/keyDraft.ts';
import { DescriptionList } from '../components/card.tsx';
import { Copyable } from '../components/copyable.tsx';
import {
  Checkbox,
  Field,
  type FieldError,
  type FieldErrors,
  fieldText,
  Radios,
  Select,
} from '../components/field.tsx';
import { Form, LinkButton } from '../components/form.tsx';
import { Moment } from '../components/time.tsx';
import { rich } from '../i18n/rich.tsx';
import { t } from '../i18n/t.ts';
import { dayIn, fieldOf } from '../kit/formData.ts';
import { organizationLabel } from '../kit/frames.tsx';
import type { PortalDeps } from '../kit/handler.ts';
import { errorOf, fieldErrorOf, type PageProblem } from '../kit/messages.ts';
import { keyPath } from '../kit/paths.ts';
import {
  Expiry,
  type KeysVisit,
  keyFrame,
  keysPathOf,
  organizationNames,
  organizationOf,
  permissionsOf,
  workingOldSecret,
} from './keyTexts.tsx';

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
  const midnight = expiry === 'date' ? dayIn(day) : undefined;
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

/** The page that shows the secret of a key, once: it is a response to a form and has no URL of its own. */
export async function secretPage(
  visit: KeysVisit,
  deps: PortalDeps,
  { key, secret }: RevealedKey,
  title: string,
) {
  const nameOf = await organizationNames(visit, deps);
  const now = deps.clock();
  const content = (
    <section class="card">
      <p>{rich('apiKeys.secret.copyNow', { strong: (text) => <strong>{text}</strong> })}</p>
      <Copyable id="secret" text={secret} label={t('apiKeys.secret.copy')} />
      <p>{rich('apiKeys.secret.use', { code: (text) => <code>{text}</code> })}</p>
      {key.rotatedAt !== undefined && <OldSecretText old={workingOldSecret(key, now)} />}
      <DescriptionList
        items={[
          [t('apiKeys.details.access'), permissionsOf(key)],
          [t('apiKeys.details.organization'), nameOf(key.organizationId)],
          [t('apiKeys.details.expires'), <Expiry of={key} now={now} />],
        ]}
      />
      <LinkButton path={keyPath(deps, key)}>{t('apiKeys.secret.done')}</LinkButton>
    </section>
  );
  return keyFrame(visit, { title, object: key.name, content });
}

function OldSecretText({ old }: { readonly old: ReturnType<typeof workingOldSecret> }) {
  if (old === undefined) return <p>{t('apiKeys.secret.oldStopped')}</p>;
  return <p>{rich('apiKeys.secret.oldWorks', { time: <Moment instant={old.worksUntil} /> })}</p>;
}
