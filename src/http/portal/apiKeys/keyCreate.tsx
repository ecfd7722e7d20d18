import { html } from '../../../lib/html.ts';
import type { Outcome } from '../../../lib/outcome.ts';
import { done, refuse } from '../../../lib/outcome.ts';
import { DAY, type Instant, instantOfIso, later } from '../../../lib/time.ts';
import type { Scope } from '../../../model/apiKey.ts';
import { API_KEY_FIELDS } from '../../../model/apiKeyFields.ts';
import type { OrganizationId } from '../../../model/organization.ts';
import { checkbox, radios, select } from '../components/choices.tsx';
import { field, form, type Mistake, submit } from '../components/parts.tsx';
import { actOrCancel } from '../components/rows.tsx';
import { fieldOf } from '../kit/formData.ts';
import { page } from '../kit/layout.tsx';
import { type FieldOfProblem, mistakeFor, mistakeOf, type PageProblem } from '../kit/messages.ts';
import { crumbs } from '../kit/place.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/route.ts';
import { ONCE_FIELD } from '../kit/singleUse.ts';
import { organizationLabel } from '../organizations/organizationLabel.ts';
import { SCOPE_WORDS } from './keyList.tsx';
import { KEYS_PATH } from './keyPath.ts';
import { noteKey, secretPage } from './keySecret.tsx';

const PATH = `${KEYS_PATH}/new`;

const EXPIRIES = {
  30: 'In 30 days',
  90: 'In 90 days',
  365: 'In a year',
  never: 'Never',
  date: 'After the day below',
} as const;

type Typed = {
  readonly name: string;
  readonly scope: string;
  /** An opaque id, or empty for all. */
  readonly organization: string;
  readonly isReadOnly: boolean;
  readonly expiry: string;
  readonly day: string;
};

/** A verify key is for a server that runs for years; who wants it to end says so. */
const FRESH: Typed = {
  name: '',
  scope: 'verify',
  organization: '',
  isReadOnly: false,
  expiry: '365',
  day: '',
};

/** `GET /portal/settings/api-keys/new`. */
export function showNewKey(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  return newKeyPage(visit, deps, FRESH);
}

/** `POST …/new`: makes a key, and shows it this once. */
export async function createKey(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const typed = typedIn(visit.form);
  const draft = draftOf(typed, deps);
  if (!draft.ok) return newKeyPage(visit, deps, typed, [keyMistake(draft.problem)]);
  if (!deps.once.take(visit)) return newKeyPage(visit, deps, typed, [mistakeOf('form-sent-before')]);
  const { account } = visit.who;
  const created = await deps.apiKeys.createOf({ ...draft.value, account });
  if (!created.ok) return newKeyPage(visit, deps, typed, [keyMistake(created.problem)]);
  await noteKey(visit, deps, 'key-created', created.value.key);
  return secretPage(visit, deps, created.value, 'The key is made');
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

type Draft = {
  readonly name: string;
  readonly scope: Scope;
  readonly organizationId: OrganizationId | undefined;
  readonly isReadOnly: boolean;
  readonly expiresAt: Instant | undefined;
};

type DraftProblem = 'scope-unknown' | 'organization-unknown' | 'day-malformed';

function draftOf(typed: Typed, { ids, clock }: PortalDeps): Outcome<Draft, DraftProblem> {
  const scope = API_KEY_FIELDS.scope.parse(typed.scope);
  if (!scope.ok) return scope;
  const organizationId = typed.organization === '' ? undefined : ids.open('organization', typed.organization);
  if (typed.organization !== '' && organizationId === undefined) return refuse('organization-unknown');
  const expiresAt = parseExpiry(typed, clock());
  if (!expiresAt.ok) return expiresAt;
  const { name, isReadOnly } = typed;
  return done({ name, isReadOnly, scope: scope.value, organizationId, expiresAt: expiresAt.value });
}

/** A key works through the whole of its last day, in UTC. */
function parseExpiry({ expiry, day }: Typed, now: Instant): Outcome<Instant | undefined, 'day-malformed'> {
  if (expiry === 'never') return done(undefined);
  if (/^(30|90|365)$/.test(expiry)) return done(later(now, Number(expiry) * DAY));
  const midnight = expiry === 'date' && day.length === 10 ? instantOfIso(day) : undefined;
  return midnight === undefined ? refuse('day-malformed') : done(later(midnight, DAY));
}

const FIELDS: FieldOfProblem<keyof Typed> = {
  'key-name-empty': 'name',
  'key-name-too-long': 'name',
  'key-name-malformed': 'name',
  'keys-limit': 'name',
  'scope-unknown': 'scope',
  'organization-unknown': 'organization',
  'day-malformed': 'day',
  'key-expiry-past': 'day',
};

/** Does not reveal that an organization of other users exists. */
function keyMistake(problem: PageProblem): Mistake {
  return mistakeFor(problem === 'organization-not-yours' ? 'organization-unknown' : problem, FIELDS);
}

async function newKeyPage(
  visit: SignedInVisit,
  deps: PortalDeps,
  typed: Typed,
  mistakes: readonly Mistake[] = [],
): Promise<Response> {
  const own = await deps.organizations.listFor(visit.actor);
  const organizations = Object.fromEntries([
    ['', 'All of yours, also later ones'],
    ...own.map((one) => [deps.ids.seal('organization', one.id), organizationLabel(visit, one)]),
  ]);
  const name = {
    ...API_KEY_FIELDS.name,
    value: typed.name,
    autocomplete: 'off',
    isFocused: mistakes.length === 0,
  } as const;
  const readOnly = 'For keys that manage: they look at everything and change nothing.';
  const day = { name: 'day', label: 'Last day', type: 'date', value: typed.day, isOptional: true } as const;
  const content = html`<input type="hidden" name="${ONCE_FIELD}" value="${deps.once.issue()}">
${field(name, mistakes)}${radios(
  { ...API_KEY_FIELDS.scope, options: SCOPE_WORDS, value: typed.scope },
  mistakes,
)}${select(
  { name: 'organization', label: 'Organization', options: organizations, value: typed.organization },
  mistakes,
)}${checkbox({ name: 'read_only', label: 'Read-only', help: readOnly, isChecked: typed.isReadOnly })}${select(
  { name: 'expiry', label: 'Expires', options: EXPIRIES, value: typed.expiry },
  mistakes,
)}${field({ ...day, help: 'Where it expires after a day that you choose; in UTC.' }, mistakes)}${actOrCancel(submit('Create the key'), KEYS_PATH)}`;
  const body = html`${crumbs([[KEYS_PATH, 'API keys']])}${form({ visit, action: PATH, content })}`;
  return page(visit, { title: 'Create new key', content: body, mistakes });
}
