import { done, type Outcome, reject } from '../../../lib/outcome.ts';
import { type ApiKey, DEFAULT_KEEP_OLD } from '../../../model/apiKey.ts';
import { API_KEY_FIELDS } from '../../../model/apiKeyFields.ts';
import { Card } from '../components/card.tsx';
import { DescriptionList } from '../components/descriptionList.tsx';
import { Field, type FieldErrors, textOf } from '../components/field.tsx';
import { ActionForm, Form } from '../components/form.tsx';
import { Breadcrumbs } from '../components/navigation.tsx';
import { Moment } from '../components/time.tsx';
import { fieldOf } from '../kit/formData.ts';
import type { KeyVisit, PortalDeps } from '../kit/handler.ts';
import { errorOf, fieldErrorOf } from '../kit/messages.ts';
import { notFound, page, redirectWithNotice } from '../kit/responses.tsx';
import { Expiry, LastTime, organizationNames, permissionsOf, rateOf } from './keyList.tsx';
import { KEYS_PATH, keyPath } from './keyPath.ts';
import { secretPage } from './keySecret.tsx';

export async function changeKey(visit: KeyVisit, deps: PortalDeps) {
  const { key } = visit;
  const typed = typedIn(visit.form);
  const [rate, burst] = [parseNumber(typed.rate), parseNumber(typed.burst)];
  if (!rate.ok || !burst.ok) {
    const invalid = [...(rate.ok ? [] : ['rate']), ...(burst.ok ? [] : ['burst'])];
    const errors = invalid.map((name) => errorOf('rate-not-a-number', name));
    return showKey(visit, deps, typed, errors);
  }
  const change = { name: typed.name, rate: rate.value, burst: burst.value };
  const changed = await deps.apiKeys.change(visit.actor, key.id, change);
  if (!changed.ok) return showKey(visit, deps, typed, [fieldErrorOf(changed.problem)]);
  return redirectWithNotice(deps, keyPath(deps, key.id), 'The API key was saved.');
}

/** Replaces the secret of the key, and shows the new one once. */
export async function rotateKey(visit: KeyVisit, deps: PortalDeps) {
  const { key } = visit;
  if (!(await deps.oneTimeTokens.use(visit)))
    return showKey(visit, deps, typedOf(key), [errorOf('form-sent-before')]);
  const rotated = await deps.apiKeys.rotate(visit.actor, key.id, DEFAULT_KEEP_OLD);
  if (!rotated.ok) return notFound(visit);
  return secretPage(visit, deps, rotated.value, 'API key rotated');
}

export async function revokeKey(visit: KeyVisit, deps: PortalDeps) {
  const revoked = await deps.apiKeys.revoke(visit.actor, visit.key.id);
  if (!revoked.ok) return notFound(visit);
  return redirectWithNotice(deps, KEYS_PATH, 'The API key was revoked.');
}

type Typed = ReturnType<typeof typedOf>;

function typedOf({ name, rate, burst }: ApiKey) {
  return { name, rate: String(rate ?? ''), burst: String(burst ?? '') };
}

function typedIn(fields: URLSearchParams): Typed {
  return { name: fieldOf(fields, 'name'), rate: fieldOf(fields, 'rate'), burst: fieldOf(fields, 'burst') };
}

function parseNumber(text: string): Outcome<number | undefined, 'not-a-number'> {
  const trimmed = text.trim();
  if (trimmed === '') return done(undefined);
  return /^\d{1,12}(\.\d{1,6})?$/.test(trimmed) ? done(Number(trimmed)) : reject('not-a-number');
}

export async function showKey(
  visit: KeyVisit,
  deps: PortalDeps,
  typed = typedOf(visit.key),
  errors: FieldErrors = [],
) {
  const { key } = visit;
  const nameOf = await organizationNames(visit, deps);
  const path = keyPath(deps, key.id);
  const content = (
    <>
      <Breadcrumbs links={[[KEYS_PATH, 'API keys']]} />
      <Card title="Details">
        <DescriptionList
          items={[
            ['Scope', permissionsOf(key)],
            ['Organization', nameOf(key.organizationId)],
            ['Expires', <Expiry of={key} now={deps.clock()} />],
            ['Last used', <LastTime instant={key.lastUsedAt} />],
            ['Rate limit', rateOf(key)],
            ['Created', <Moment instant={key.createdAt} />],
          ]}
        />
      </Card>
      <Card title="Name and rate limit">
        <Form visit={visit} action={path} button="Save API key">
          <KeyFields typed={typed} errors={errors} />
        </Form>
      </Card>
      <Card title="Rotate">
        <ActionForm
          visit={visit}
          action={`${path}/rotate`}
          oneTimeToken={deps.oneTimeTokens.issue()}
          button="Rotate API key"
        >
          The key gets a new secret. The current secret stops working immediately, so update all programs that
          use it.
        </ActionForm>
      </Card>
      <Card title="Revoke">
        <ActionForm visit={visit} action={`${path}/revoke`} button="Revoke API key">
          The key stops working immediately. You cannot undo this.
        </ActionForm>
      </Card>
    </>
  );
  return page(visit, { title: key.name, content, errors });
}

function KeyFields({ typed, errors }: { readonly typed: Typed; readonly errors: FieldErrors }) {
  const { name, rate, burst } = API_KEY_FIELDS;
  const number = { isOptional: true, isLiteral: true, autocomplete: 'off', errors } as const;
  return (
    <>
      <Field name={name.name} label={name.label} value={typed.name} autocomplete="off" errors={errors} />
      <Field {...number} {...textOf(rate)} value={typed.rate} />
      <Field {...number} {...textOf(burst)} value={typed.burst} />
    </>
  );
}
