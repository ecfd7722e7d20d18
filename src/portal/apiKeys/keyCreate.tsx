import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { DAY, type Instant, later } from '../../lib/time.ts';
import { type ApiKey, type HexForms, SCOPES, toHexForms } from '../../model/apiKey.ts';
import { API_KEY_FIELDS } from '../../model/apiKeyFields.ts';
import type { RevealedKey } from '../../platform/apiKeys/apiKeys.ts';
import type { ApiKeyDraft, UserKeyDraft } from '../../platform/apiKeys/keyDraft.ts';
import { Copyable } from '../components/copyable.tsx';
import {
  Checkbox,
  Field,
  type FieldError,
  type FormState,
  fieldsFor,
  fieldText,
  formState,
  Radios,
  Select,
  When,
} from '../components/field.tsx';
import { Form, LinkButton } from '../components/form.tsx';
import { DescriptionList } from '../components/sections.tsx';
import { Moment } from '../components/values.tsx';
import { options, rich, t } from '../i18n/t.tsx';
import { dayIn, errorOf, fieldErrorOf, fieldOf, fieldsOf, type PageProblem } from '../kit/forms.ts';
import { organizationOf, type PortalDeps, type UserOrOrganizationVisit } from '../kit/handler.ts';
import { organizationLabel } from '../kit/pages.tsx';
import { keyPath } from '../kit/paths.ts';
import {
  Expiry,
  keyFrame,
  keysPathOf,
  organizationNames,
  permissionsOf,
  workingOldSecret,
} from './keyTexts.tsx';

const EXPIRIES = ['30', '90', '365', 'never', 'date'] as const;

/** The fields of the form. `organization` is an opaque id, or empty for all organizations. */
const BLANK = { name: '', scope: 'verify', organization: '', read_only: false, expiry: '365', day: '' };

type Typed = typeof BLANK;

/** Creates a key of the user, or of the organization that the path names, and shows its secret once. */
export async function createKey(visit: UserOrOrganizationVisit, deps: PortalDeps) {
  const typed = typedIn(visit.form);
  const rejected = (error: FieldError) => showNewKey(visit, deps, formState(typed, [error]));
  const draft = draftOf(typed, deps);
  if (!draft.ok) return rejected(keyError(draft.problem));
  if (!(await deps.oneTimeTokens.use(visit))) return rejected(errorOf('form-sent-before'));
  const created = await deps.apiKeys.create(visit.actor, ownedDraft(visit, draft.value));
  if (!created.ok) return rejected(keyError(created.problem));
  return secretPage(visit, deps, created.value, t('apiKeys.secret.created'));
}

function ownedDraft(visit: UserOrOrganizationVisit, draft: Draft): ApiKeyDraft {
  const owner = organizationOf(visit)?.organization;
  return owner === undefined
    ? { ...draft, account: visit.signedIn.account }
    : { ...draft, isOrganizationOwned: true, organizationId: owner.id };
}

function typedIn(fields: URLSearchParams): Typed {
  return {
    ...fieldsOf(fields, ['name', 'scope', 'organization', 'expiry']),
    read_only: fieldOf(fields, 'read_only') === 'on',
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
  const { name } = typed;
  // The form shows this field only for the other scope.
  const isReadOnly = typed.read_only && scope.value === 'portal';
  return done({ name, isReadOnly, scope: scope.value, organizationId, expiresAt: expiresAt.value });
}

/** A key works until the end of its last day in the time zone of the page. */
function parseExpiry({ expiry, day }: Typed, now: Instant): Outcome<Instant | undefined, 'day-malformed'> {
  if (expiry === 'never') return done(undefined);
  if (/^(30|90|365)$/.test(expiry)) return done(later(now, Number(expiry) * DAY));
  const last = expiry === 'date' ? dayIn(day) : undefined;
  return last === undefined ? reject('day-malformed') : done(last.until);
}

/** Does not reveal whether an organization of other users exists. */
function keyError(problem: PageProblem): FieldError {
  const isOrganization = problem === 'organization-not-yours' || problem === 'organization-unknown';
  return isOrganization ? errorOf('organization-unknown', 'organization') : fieldErrorOf(problem);
}

export async function showNewKey(visit: UserOrOrganizationVisit, deps: PortalDeps, form = formState(BLANK)) {
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
      {keyFields(form, isOfUser ? await labelOrganizations(visit, deps) : undefined)}
    </Form>
  );
  return keyFrame(visit, { title: t('apiKeys.form.title'), content, errors: form.errors });
}

/** Labels by opaque id. */
async function labelOrganizations(visit: UserOrOrganizationVisit, deps: PortalDeps) {
  const own = await deps.organizations.list(visit.actor);
  return Object.fromEntries([
    ['', t('apiKeys.form.allOrganizations')],
    ...own.map((one) => [deps.ids.seal('organization', one.id), organizationLabel(visit, one)]),
  ]);
}

/** @param organizations labels by opaque id; undefined if the key belongs to an organization */
function keyFields(form: FormState<Typed>, organizations: Readonly<Record<string, string>> | undefined) {
  const { typed, errors } = form;
  const field = fieldsFor('apiKeys.form', form);
  const name = { ...fieldText('apiKey', 'name'), value: typed.name, errors };
  const scope = { ...fieldText('apiKey', 'scope'), value: typed.scope, errors };
  const expiry = { label: t('apiKeys.form.expires'), value: typed.expiry, errors };
  return (
    <>
      <Field {...name} autocomplete="off" isFocused={errors.length === 0} />
      <Radios
        {...scope}
        options={options('apiKeys.scopes', SCOPES.toReversed())}
        fields={{ portal: <Checkbox {...field('read_only')} /> }}
      />
      {organizations !== undefined && <Select {...field('organization')} options={organizations} />}
      <Select name="expiry" {...expiry} options={options('apiKeys.form.expiries', EXPIRIES)} />
      <When>
        <Field {...field('day')} type="date" isOptional />
      </When>
    </>
  );
}

/** The page that shows the secret of a key, once: it is a response to a form and has no URL of its own. */
export async function secretPage(
  visit: UserOrOrganizationVisit,
  deps: PortalDeps,
  { key, secret }: RevealedKey,
  title: string,
) {
  const nameOf = await organizationNames(visit, deps);
  const forms = toHexForms(secret);
  const content = (
    <section class="card">
      <p>{rich('apiKeys.secret.copyNow')}</p>
      <Copyable id="secret" text={secret} label={t('apiKeys.secret.copy')} />
      <p>{rich('apiKeys.secret.use')}</p>
      {forms !== undefined && hexForms(forms)}
      {key.rotatedAt !== undefined && oldSecretText(key)}
      <DescriptionList
        items={[
          [t('apiKeys.details.access'), permissionsOf(key)],
          [t('apiKeys.details.organization'), nameOf(key.organizationId)],
          [t('apiKeys.details.expires'), <Expiry of={key} />],
        ]}
      />
      <LinkButton path={keyPath(deps, key)} text={t('apiKeys.secret.done')} />
    </section>
  );
  return keyFrame(visit, { title, object: key.name, content });
}

/** The same secret for clients that require the format of another vendor's secrets. */
function hexForms(forms: HexForms) {
  return (
    <details>
      <summary>{t('apiKeys.secret.hexTitle')}</summary>
      <p>{rich('apiKeys.secret.hexText')}</p>
      {Object.entries(forms).map(([prefix, text]) => (
        <Copyable id={`secret-${prefix}`} text={text} label={t('apiKeys.secret.copy')} />
      ))}
    </details>
  );
}

function oldSecretText(key: ApiKey) {
  const old = workingOldSecret(key);
  if (old === undefined) return <p>{t('apiKeys.secret.oldStopped')}</p>;
  return <p>{rich('apiKeys.secret.oldWorks', { time: <Moment instant={old.worksUntil} /> })}</p>;
}
