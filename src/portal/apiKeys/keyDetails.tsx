import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { type ApiKey, DEFAULT_KEEP_OLD, KEEP_OLD_SECONDS, type KeepOld } from '../../model/apiKey.ts';
import { Field, fieldText, formState, Select } from '../components/field.tsx';
import { ConfirmButton, Form } from '../components/form.tsx';
import { Card, DescriptionList } from '../components/sections.tsx';
import { useCard } from '../components/useOverTime.tsx';
import { Moment } from '../components/values.tsx';
import { options, rich, t } from '../i18n/t.tsx';
import { errorOf, fieldErrorOf, fieldOf, fieldsOf } from '../kit/forms.ts';
import { type KeyVisit, organizationOf, type PortalDeps } from '../kit/handler.ts';
import { notFound, redirectWithNotice } from '../kit/pages.tsx';
import { secretPage } from './keyCreate.tsx';
import {
  Expiry,
  keyFrame,
  keysPathOf,
  LastTime,
  organizationNames,
  permissionsOf,
  rateOf,
  Secret,
  workingOldSecret,
} from './keyTexts.tsx';

export async function changeKey(visit: KeyVisit, deps: PortalDeps) {
  const typed = fieldsOf(visit.form, ['name', 'rate', 'burst']);
  const [rate, burst] = [parseNumber(typed.rate), parseNumber(typed.burst)];
  if (!rate.ok || !burst.ok) {
    const invalid = [...(rate.ok ? [] : ['rate']), ...(burst.ok ? [] : ['burst'])];
    const errors = invalid.map((name) => errorOf('rate-not-a-number', name));
    return showKey(visit, deps, formState(typed, errors));
  }
  const change = { name: typed.name, rate: rate.value, burst: burst.value };
  const changed = await deps.apiKeys.change(visit.actor, visit.key.id, change);
  if (!changed.ok) return showKey(visit, deps, formState(typed, [fieldErrorOf(changed.problem)]));
  return redirectWithNotice(deps, visit.keyPath, t('apiKeys.details.saved'));
}

function parseNumber(text: string): Outcome<number | undefined, 'not-a-number'> {
  const trimmed = text.trim();
  if (trimmed === '') return done(undefined);
  return /^\d{1,12}(\.\d{1,6})?$/.test(trimmed) ? done(Number(trimmed)) : reject('not-a-number');
}

/** Replaces the secret of the key, and shows the new one once. */
export async function rotateKey(visit: KeyVisit, deps: PortalDeps) {
  const { key } = visit;
  const typed = typedOf(key);
  if (!(await deps.oneTimeTokens.use(visit)))
    return showKey(visit, deps, formState(typed, [errorOf('form-sent-before')]));
  const keepOld = KEEP_OLD_CHOICES.find((choice) => choice === fieldOf(visit.form, 'keep_old'));
  if (keepOld === undefined) return showKey(visit, deps, formState(typed, [errorOf('keep-old-malformed')]));
  const rotated = await deps.apiKeys.rotate(visit.actor, key.id, keepOld);
  if (!rotated.ok) return notFound(visit);
  return secretPage(visit, deps, rotated.value, t('apiKeys.secret.rotated'));
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

function typedOf({ name, rate, burst }: ApiKey) {
  return { name, rate: String(rate ?? ''), burst: String(burst ?? '') };
}

export async function showKey(visit: KeyVisit, deps: PortalDeps, form = formState(typedOf(visit.key))) {
  const { key, keyPath, mayManage } = visit;
  const { typed, errors } = form;
  const number = { isOptional: true, isLiteral: true, autocomplete: 'off', errors } as const;
  const { name, label } = fieldText('apiKey', 'name');
  const content = (
    <>
      <Card title={t('apiKeys.details.title')}>{await facts(visit, deps)}</Card>
      {await requestsCard(visit, deps)}
      {oldSecretCard(visit)}
      {mayManage ? (
        <>
          <Card title={t('apiKeys.details.settings')}>
            <Form visit={visit} action={keyPath} button={t('apiKeys.details.save')}>
              <Field name={name} label={label} value={typed.name} autocomplete="off" errors={errors} />
              <Field {...number} {...fieldText('apiKey', 'rate')} value={typed.rate} />
              <Field {...number} {...fieldText('apiKey', 'burst')} value={typed.burst} />
            </Form>
          </Card>
          {rotateCard(visit, deps)}
          {revokeCard(visit)}
        </>
      ) : (
        <p>{t('apiKeys.details.memberOnly')}</p>
      )}
    </>
  );
  return keyFrame(visit, { title: key.name, content, errors });
}

async function facts(visit: KeyVisit, deps: PortalDeps) {
  const { key } = visit;
  const { rotatedAt } = key;
  const owner = organizationOf(visit)?.organization;
  const nameOf = await organizationNames(visit, deps);
  return (
    <DescriptionList
      items={[
        [t('apiKeys.details.secret'), <Secret hint={key.hint} />],
        [
          t('apiKeys.details.owner'),
          owner === undefined ? t('apiKeys.details.you') : <bdi>{owner.name}</bdi>,
        ],
        [t('apiKeys.details.access'), permissionsOf(key)],
        ...(owner === undefined
          ? [[t('apiKeys.details.organization'), nameOf(key.organizationId)] as const]
          : []),
        [t('apiKeys.details.lastUsed'), <LastTime instant={key.lastUsedAt} />],
        [t('apiKeys.details.expires'), <Expiry of={key} />],
        [t('apiKeys.details.rate'), rateOf(key)],
        [t('apiKeys.details.created'), <Moment instant={key.createdAt} />],
        ...(rotatedAt === undefined
          ? []
          : [[t('apiKeys.details.rotated'), <Moment instant={rotatedAt} />] as const]),
      ]}
    />
  );
}

function requestsCard({ actor, key }: KeyVisit, { useOverTime }: PortalDeps) {
  return useCard({
    title: t('apiKeys.details.requests'),
    help: t(`apiKeys.details.requestsHelp.${key.scope}`),
    columns: ['accepted', 'rejected', 'limited'],
    async load(range) {
      const report = await useOverTime.ofKey(actor, key.id, range);
      return report.ok ? report.value : undefined;
    },
  });
}

/** The secret that the last rotation replaced; nothing if it does not work. */
function oldSecretCard(visit: KeyVisit) {
  const { key, keyPath, mayManage } = visit;
  const old = workingOldSecret(key);
  if (old === undefined) return <></>;
  const time = old.lastUsedAt !== undefined && <Moment instant={old.lastUsedAt} />;
  return (
    <Card title={t('apiKeys.old.title')}>
      <p>{t(time ? 'apiKeys.old.inUse' : 'apiKeys.old.notInUse')}</p>
      <DescriptionList
        items={[
          [t('apiKeys.old.secret'), <Secret hint={old.hint} />],
          [t('apiKeys.old.works'), <Moment instant={old.worksUntil} />],
          [t('apiKeys.old.lastUsed'), time || t('apiKeys.old.unused')],
        ]}
      />
      {mayManage && (
        <ConfirmButton
          visit={visit}
          action={`${keyPath}/end-old`}
          id="end-old"
          button={t('apiKeys.old.end')}
          title={t('apiKeys.old.endTitle', { name: key.name })}
        >
          <p>{time ? rich('apiKeys.old.endUsed', { time }) : t('apiKeys.old.endUnused')}</p>
        </ConfirmButton>
      )}
    </Card>
  );
}

/** How long the old secret can be kept, in the order of the form. */
const KEEP_OLD_CHOICES = Object.keys(KEEP_OLD_SECONDS) as readonly KeepOld[];

function rotateCard(visit: KeyVisit, deps: PortalDeps) {
  const { key, keyPath } = visit;
  const fields = (
    <Select
      name="keep_old"
      label={t('apiKeys.rotate.keep')}
      help={t('apiKeys.rotate.keepHelp')}
      options={options('apiKeys.rotate.choices', KEEP_OLD_CHOICES)}
      value={DEFAULT_KEEP_OLD}
    />
  );
  return (
    <Card title={t('apiKeys.rotate.title')}>
      <p>{t('apiKeys.rotate.text')}</p>
      <ConfirmButton
        visit={visit}
        action={`${keyPath}/rotate`}
        id="rotate"
        tone="main"
        button={t('apiKeys.rotate.button')}
        title={t('apiKeys.rotate.question', { name: key.name })}
        oneTimeToken={deps.oneTimeTokens.issue()}
        fields={fields}
      >
        {consequence(key, 'rotate')}
        {workingOldSecret(key) !== undefined && <p>{t('apiKeys.rotate.second')}</p>}
      </ConfirmButton>
    </Card>
  );
}

function revokeCard(visit: KeyVisit) {
  const { key, keyPath } = visit;
  return (
    <Card title={t('apiKeys.revoke.title')} isDanger>
      <p>{t('apiKeys.revoke.text')}</p>
      <ConfirmButton
        visit={visit}
        action={`${keyPath}/revoke`}
        id="revoke"
        button={t('apiKeys.revoke.button')}
        title={t('apiKeys.revoke.question', { name: key.name })}
      >
        {consequence(key, 'revoke')}
        <p>{t('apiKeys.revoke.irreversible')}</p>
      </ConfirmButton>
    </Card>
  );
}

/** What an action causes, which depends on whether the key is used. */
function consequence({ lastUsedAt }: ApiKey, action: 'rotate' | 'revoke') {
  if (lastUsedAt === undefined) return <p>{t(`apiKeys.${action}.unused`)}</p>;
  return <p>{rich(`apiKeys.${action}.used`, { time: <Moment instant={lastUsedAt} /> })}</p>;
}
