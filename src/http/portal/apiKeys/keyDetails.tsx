import { type Html, html } from '../../../lib/html.ts';
import { done, type Outcome, refuse } from '../../../lib/outcome.ts';
import type { ApiKey } from '../../../model/apiKey.ts';
import { card, field, form, type Mistake, moment, submit } from '../components/parts.tsx';
import { fieldOf } from '../kit/formData.ts';
import { page } from '../kit/layout.tsx';
import { type FieldOfProblem, mistakeFor, mistakeOf } from '../kit/messages.ts';
import { crumbs } from '../kit/place.tsx';
import { notFound, redirectSaying } from '../kit/responses.tsx';
import type { KeyVisit, PortalDeps } from '../kit/route.ts';
import { ONCE_FIELD } from '../kit/singleUse.ts';
import { expiryOf, organizationNames, powersOf, rateOf, whenOf } from './keyList.tsx';
import { KEYS_PATH, keyPath } from './keyPath.ts';
import { noteKey, secretPage } from './keySecret.tsx';

/** `GET /portal/settings/api-keys/:key`. */
export function showKey(visit: KeyVisit, deps: PortalDeps): Promise<Response> {
  return keyPage(visit, deps, typedOf(visit.key));
}

/** `POST …/:key`: another name or rate. */
export async function changeKey(visit: KeyVisit, deps: PortalDeps): Promise<Response> {
  const { key } = visit;
  const typed = typedIn(visit.form);
  const [rate, burst] = [parseNumber(typed.rate), parseNumber(typed.burst)];
  const wrong = [rate.ok ? '' : 'rate', burst.ok ? '' : 'burst'].filter((name) => name !== '');
  if (!rate.ok || !burst.ok) {
    const mistakes = wrong.map((name) => mistakeOf('rate-not-a-number', name));
    return keyPage(visit, deps, typed, mistakes);
  }
  const change = { name: typed.name, rate: rate.value, burst: burst.value };
  const changed = await deps.apiKeys.changeOf(visit.who.account, key.id, change);
  if (!changed.ok) {
    return keyPage(visit, deps, typed, [mistakeFor(changed.problem, FIELDS)]);
  }
  await noteKey(visit, deps, 'key-changed', changed.value);
  return redirectSaying(deps, keyPath(deps, key.id), 'The key was changed.');
}

/** `POST …/:key/rotate`: another secret for the same key, shown this once. */
export async function rotateKey(visit: KeyVisit, deps: PortalDeps): Promise<Response> {
  const { key } = visit;
  if (!deps.once.take(visit)) return keyPage(visit, deps, typedOf(key), [mistakeOf('form-sent-before')]);
  const rotated = await deps.apiKeys.rotateOf(visit.who.account, key.id);
  if (!rotated.ok) return notFound(visit);
  await noteKey(visit, deps, 'key-rotated', rotated.value.key);
  return secretPage(visit, deps, rotated.value, 'The key has a new secret');
}

/** `POST …/:key/revoke`. */
export async function revokeKey(visit: KeyVisit, deps: PortalDeps): Promise<Response> {
  const revoked = await deps.apiKeys.revokeOf(visit.who.account, visit.key.id);
  if (!revoked.ok) return notFound(visit);
  await noteKey(visit, deps, 'key-revoked', revoked.value);
  return redirectSaying(deps, KEYS_PATH, 'The key was revoked. Nothing accepts it any more.');
}

const FIELDS: FieldOfProblem<keyof Typed> = {
  'key-name-empty': 'name',
  'key-name-too-long': 'name',
  'key-name-malformed': 'name',
  'key-rate-malformed': 'rate',
  'key-rate-too-high': 'rate',
  'key-burst-malformed': 'burst',
};

type Typed = { readonly name: string; readonly rate: string; readonly burst: string };

function typedOf({ name, rate, burst }: ApiKey): Typed {
  return { name, rate: String(rate ?? ''), burst: String(burst ?? '') };
}

function typedIn(fields: URLSearchParams): Typed {
  return { name: fieldOf(fields, 'name'), rate: fieldOf(fields, 'rate'), burst: fieldOf(fields, 'burst') };
}

function parseNumber(text: string): Outcome<number | undefined, 'not-a-number'> {
  const trimmed = text.trim();
  if (trimmed === '') return done(undefined);
  return /^\d{1,12}(\.\d{1,6})?$/.test(trimmed) ? done(Number(trimmed)) : refuse('not-a-number');
}

async function keyPage(
  visit: KeyVisit,
  deps: PortalDeps,
  typed: Typed,
  mistakes: readonly Mistake[] = [],
): Promise<Response> {
  const { key } = visit;
  const nameOf = await organizationNames(visit, deps);
  const facts = html`<dl>
<div><dt>Scope</dt><dd>${powersOf(key)}</dd></div>
<div><dt>Organization</dt><dd>${nameOf(key.organizationId)}</dd></div>
<div><dt>Expires</dt><dd>${expiryOf(key, deps.clock())}</dd></div>
<div><dt>Last used</dt><dd>${whenOf(key.lastUsedAt)}</dd></div>
<div><dt>Rate</dt><dd>${rateOf(key)}</dd></div>
<div><dt>Made</dt><dd>${moment(key.createdAt)}</dd></div>
</dl>`;
  const path = keyPath(deps, key.id);
  const content = html`${crumbs([[KEYS_PATH, 'API keys']])}${card('About', facts)}${card('Name and rate', changeForm(visit, path, typed, mistakes))}${card(
    'New secret',
    rotateForm(visit, deps, path),
  )}${card('Revoke', revokeForm(visit, path))}`;
  return page(visit, { title: key.name, content, mistakes });
}

function changeForm(
  visit: KeyVisit,
  path: string,
  { name, rate, burst }: Typed,
  mistakes: readonly Mistake[],
): Html {
  const number = { isOptional: true, isLiteral: true, autocomplete: 'off' } as const;
  const rates = {
    rate: 'Requests per second. If empty, only the configured rate applies.',
    burst: 'Requests at once, before the rate applies. If empty, the configured burst applies.',
  };
  const content = html`${field({ name: 'name', label: 'Name', value: name, autocomplete: 'off' }, mistakes)}${field(
    { ...number, name: 'rate', label: 'Rate', value: rate, help: rates.rate },
    mistakes,
  )}${field({ ...number, name: 'burst', label: 'Burst', value: burst, help: rates.burst }, mistakes)}${submit('Save')}`;
  return form({ visit, action: path, content });
}

function rotateForm(visit: KeyVisit, { once }: PortalDeps, path: string): Html {
  const content = html`<input type="hidden" name="${ONCE_FIELD}" value="${once.issue()}">
<p>The secret of now stops working at once; whatever uses the key needs the new one.</p>
${submit('Make a new secret', 'danger')}`;
  return form({ visit, action: `${path}/rotate`, content });
}

function revokeForm(visit: KeyVisit, path: string): Html {
  const content = html`<p>Nothing accepts the key any more, at once and for good.</p>
${submit('Revoke the key', 'danger')}`;
  return form({ visit, action: `${path}/revoke`, content });
}
