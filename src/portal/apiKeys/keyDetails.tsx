import { done, type Outcome, reject } from '../../lib/outcome.ts';
import type { ApiKey, KeepOld } from '../../model/apiKey.ts';
import { Card } from '../components/card.tsx';
import { Field, type FieldErrors, fieldText } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { t } from '../i18n/t.ts';
import { fieldOf, fieldsOf } from '../kit/formData.ts';
import type { KeyVisit, PortalDeps } from '../kit/handler.ts';
import { errorOf, fieldErrorOf } from '../kit/messages.ts';
import { notFound, redirectWithNotice } from '../kit/responses.tsx';
import { Facts, KEEP_OLD_CHOICES, OldSecretCard, RevokeCard, RotateCard } from './keyCards.tsx';
import { secretPage } from './keyCreate.tsx';
import { keyFrame, keysPathOf, organizationNames } from './keyTexts.tsx';

export async function changeKey(visit: KeyVisit, deps: PortalDeps) {
  const { key } = visit;
  const typed = fieldsOf(visit.form, ['name', 'rate', 'burst']);
  const [rate, burst] = [parseNumber(typed.rate), parseNumber(typed.burst)];
  if (!rate.ok || !burst.ok) {
    const invalid = [...(rate.ok ? [] : ['rate']), ...(burst.ok ? [] : ['burst'])];
    const errors = invalid.map((name) => errorOf('rate-not-a-number', name));
    return showKey(visit, deps, typed, errors);
  }
  const change = { name: typed.name, rate: rate.value, burst: burst.value };
  const changed = await deps.apiKeys.change(visit.actor, key.id, change);
  if (!changed.ok) return showKey(visit, deps, typed, [fieldErrorOf(changed.problem)]);
  return redirectWithNotice(deps, visit.keyPath, t('apiKeys.details.saved'));
}

/** Replaces the secret of the key, and shows the new one once. */
export async function rotateKey(visit: KeyVisit, deps: PortalDeps) {
  const { key } = visit;
  if (!(await deps.oneTimeTokens.use(visit)))
    return showKey(visit, deps, typedOf(key), [errorOf('form-sent-before')]);
  const keepOld = parseKeepOld(fieldOf(visit.form, 'keep_old'));
  if (keepOld === undefined) return showKey(visit, deps, typedOf(key), [errorOf('keep-old-malformed')]);
  const rotated = await deps.apiKeys.rotate(visit.actor, key.id, keepOld);
  if (!rotated.ok) return notFound(visit);
  return secretPage(visit, deps, rotated.value, t('apiKeys.secret.rotated'));
}

function parseKeepOld(text: string): KeepOld | undefined {
  return KEEP_OLD_CHOICES.find((choice) => choice === text);
}

/** Ends the secret that the last rotation replaced. */
export async function endOldSecret(visit: KeyVisit, deps: PortalDeps) {
  const ended = await deps.apiKeys.endOldSecret(visit.actor, visit.key.id);
  if (!ended.ok && ended.problem !== 'key-old-secret-ended') return notFound(visit);
  return redirectWithNotice(deps, visit.keyPath, t('apiKeys.old.ended'));
}

export async function revokeKey(visit: KeyVisit, deps: PortalDeps) {
  const revoked = await deps.apiKeys.revoke(visit.actor, visit.key.id);
  if (!revoked.ok) return notFound(visit);
  return redirectWithNotice(deps, keysPathOf(visit), t('apiKeys.revoke.done'));
}

type Typed = ReturnType<typeof typedOf>;

function typedOf({ name, rate, burst }: ApiKey) {
  return { name, rate: String(rate ?? ''), burst: String(burst ?? '') };
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
  const { key, mayManage } = visit;
  const content = (
    <>
      <Facts visit={visit} deps={deps} nameOf={await organizationNames(visit, deps)} />
      <OldSecretCard visit={visit} deps={deps} />
      {mayManage ? (
        <>
          <Card title={t('apiKeys.details.settings')}>
            <Form visit={visit} action={visit.keyPath} button={t('apiKeys.details.save')}>
              <KeyFields typed={typed} errors={errors} />
            </Form>
          </Card>
          <RotateCard visit={visit} deps={deps} />
          <RevokeCard visit={visit} />
        </>
      ) : (
        <p>{t('apiKeys.details.memberOnly')}</p>
      )}
    </>
  );
  return keyFrame(visit, { title: key.name, content, errors });
}

function KeyFields({ typed, errors }: { readonly typed: Typed; readonly errors: FieldErrors }) {
  const name = fieldText('apiKey', 'name');
  const number = { isOptional: true, isLiteral: true, autocomplete: 'off', errors } as const;
  return (
    <>
      <Field name={name.name} label={name.label} value={typed.name} autocomplete="off" errors={errors} />
      <Field {...number} {...fieldText('apiKey', 'rate')} value={typed.rate} />
      <Field {...number} {...fieldText('apiKey', 'burst')} value={typed.burst} />
    </>
  );
}
