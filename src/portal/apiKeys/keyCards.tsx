import type { Element } from '../../jsx/elements.ts';
import { type ApiKey, DEFAULT_KEEP_OLD, KEEP_OLD_SECONDS, type KeepOld } from '../../model/apiKey.ts';
import { Card, DescriptionList } from '../components/card.tsx';
import { Select } from '../components/field.tsx';
import { ConfirmButton } from '../components/form.tsx';
import { Moment } from '../components/time.tsx';
import { rich } from '../i18n/rich.tsx';
import { t } from '../i18n/t.ts';
import type { KeyVisit, PortalDeps } from '../kit/handler.ts';
import {
  Expiry,
  LastTime,
  type organizationNames,
  organizationOf,
  permissionsOf,
  rateOf,
  Secret,
  workingOldSecret,
} from './keyTexts.tsx';

/** How long the old secret can be kept, in the order of the form. */
export const KEEP_OLD_CHOICES = Object.keys(KEEP_OLD_SECONDS) as readonly KeepOld[];

type CardProps = { readonly visit: KeyVisit; readonly deps: PortalDeps };

/** What is known about a key. */
export function Facts(
  props: CardProps & { readonly nameOf: Awaited<ReturnType<typeof organizationNames>> },
): Element {
  const { visit, deps, nameOf } = props;
  const { key } = visit;
  const owner = organizationOf(visit)?.organization;
  const rotated =
    key.rotatedAt === undefined
      ? []
      : [[t('apiKeys.details.rotated'), <Moment instant={key.rotatedAt} />] as const];
  return (
    <Card title={t('apiKeys.details.title')}>
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
          [t('apiKeys.details.expires'), <Expiry of={key} now={deps.clock()} />],
          [t('apiKeys.details.rate'), rateOf(key)],
          [t('apiKeys.details.created'), <Moment instant={key.createdAt} />],
          ...rotated,
        ]}
      />
    </Card>
  );
}

/** The secret that the last rotation replaced; nothing if it does not work. */
export function OldSecretCard({ visit, deps }: CardProps): Element {
  const { key, keyPath, mayManage } = visit;
  const old = workingOldSecret(key, deps.clock());
  if (old === undefined) return <></>;
  const { lastUsedAt } = old;
  return (
    <Card title={t('apiKeys.old.title')}>
      <p>{lastUsedAt === undefined ? t('apiKeys.old.notInUse') : t('apiKeys.old.inUse')}</p>
      <DescriptionList
        items={[
          [t('apiKeys.old.secret'), <Secret hint={old.hint} />],
          [t('apiKeys.old.works'), <Moment instant={old.worksUntil} />],
          [
            t('apiKeys.old.lastUsed'),
            lastUsedAt === undefined ? t('apiKeys.old.unused') : <Moment instant={lastUsedAt} />,
          ],
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
          <p>
            {lastUsedAt === undefined
              ? t('apiKeys.old.endUnused')
              : rich('apiKeys.old.endUsed', { time: <Moment instant={lastUsedAt} /> })}
          </p>
        </ConfirmButton>
      )}
    </Card>
  );
}

/** Replaces the secret of the key. */
export function RotateCard({ visit, deps }: CardProps): Element {
  const { key, keyPath } = visit;
  const choices = Object.fromEntries(
    KEEP_OLD_CHOICES.map((choice) => [choice, t(`apiKeys.rotate.choices.${choice}`)]),
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
        fields={
          <Select
            name="keep_old"
            label={t('apiKeys.rotate.keep')}
            help={t('apiKeys.rotate.keepHelp')}
            options={choices}
            value={DEFAULT_KEEP_OLD}
          />
        }
      >
        <Consequence of={key} used="apiKeys.rotate.used" unused={t('apiKeys.rotate.unused')} />
        {workingOldSecret(key, deps.clock()) !== undefined && <p>{t('apiKeys.rotate.second')}</p>}
      </ConfirmButton>
    </Card>
  );
}

/** Ends the key. */
export function RevokeCard({ visit }: { readonly visit: KeyVisit }): Element {
  const { key, keyPath } = visit;
  return (
    <Card title={t('apiKeys.revoke.title')}>
      <p>{t('apiKeys.revoke.text')}</p>
      <ConfirmButton
        visit={visit}
        action={`${keyPath}/revoke`}
        id="revoke"
        button={t('apiKeys.revoke.button')}
        title={t('apiKeys.revoke.question', { name: key.name })}
      >
        <Consequence of={key} used="apiKeys.revoke.used" unused={t('apiKeys.revoke.unused')} />
        <p>{t('apiKeys.revoke.irreversible')}</p>
      </ConfirmButton>
    </Card>
  );
}

/** What an action causes, which depends on whether the key is used. */
function Consequence(props: {
  readonly of: ApiKey;
  readonly used: 'apiKeys.rotate.used' | 'apiKeys.revoke.used';
  readonly unused: string;
}): Element {
  const { of, used, unused } = props;
  const { lastUsedAt } = of;
  return <p>{lastUsedAt === undefined ? unused : rich(used, { time: <Moment instant={lastUsedAt} /> })}</p>;
}
